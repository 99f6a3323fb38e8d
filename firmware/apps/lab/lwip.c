/* SPDX-License-Identifier: MIT
 *
 * lwip.c - receivers behind lwIP: one for each flow with a UDP port, they count and give back; a
 * thread that sends.
 */
#include "lab.h"
#include "lwip_station.h"

#include <lwip/tcpip.h>
#include <lwip/udp.h>

/* lwIP calls it under its core lock, in the thread that works on the packet. */
static void receive(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                    u16_t port)
{
    (void)arg;
    (void)pcb;
    (void)from;
    (void)port;
    lab_packet_delivered(p->payload);
    (void)pbuf_free(p);
}

/* One datagram a period, each on memory of its own: lwIP puts its headers before the payload. */
static void send(void *argument)
{
    const uint64_t period = lab_plan->send_ns / LAB_TICK_NS;
    ip_addr_t to;

    (void)argument;
    LOCK_TCPIP_CORE();
    struct udp_pcb *const pcb = udp_new();
    UNLOCK_TCPIP_CORE();

    if (pcb == NULL || ipaddr_aton(LWIP_STATION_SENDER, &to) == 0) {
        kernel_panic("lwIP refuses to send", NULL);
    }
    for (uint64_t at = lab_start + period / 2u;; at += period) {
        (void)osDelayUntil((uint32_t)at);
        LOCK_TCPIP_CORE();
        struct pbuf *const p = pbuf_alloc(PBUF_TRANSPORT, LAB_SENT_BYTES, PBUF_RAM);

        if (p == NULL || udp_sendto(pcb, p, &to, 9u) != ERR_OK) {
            kernel_panic("lwIP does not send", NULL);
        }
        (void)pbuf_free(p);
        UNLOCK_TCPIP_CORE();
    }
}

void lab_lwip_send_start(void)
{
    if (lab_plan->send_ns != 0u) {
        (void)lab_thread("sender", LAB_PRIORITY(lab_plan->floor), send, NULL);
    }
}

static void bind(uint16_t port)
{
    struct udp_pcb *const pcb = udp_new();

    if (pcb == NULL || udp_bind(pcb, IP_ANY_TYPE, port) != ERR_OK) {
        kernel_panic("lwIP refuses a port", NULL);
    }
    udp_recv(pcb, receive, NULL);
}

void lab_lwip_start(const struct station_config *cfg)
{
    lwip_station_priority = lab_plan->policy == LAB_TIDEGATE || lab_plan->policy == LAB_STOCK_LOW
                                ? (int)lab_plan->floor
                                : (int)TG_PRIORITIES - 1; /* the driver's thread is one above */
    lwip_station_start(cfg);
    LOCK_TCPIP_CORE();
    for (uint32_t i = 0u; i < lab_plan->n_flows; i++) {
        if (lab_flows[i].port != 0u) {
            bind((uint16_t)lab_flows[i].port);
        }
    }
    UNLOCK_TCPIP_CORE();
}
