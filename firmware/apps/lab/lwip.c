/* SPDX-License-Identifier: MIT
 *
 * lwip.c - receivers behind lwIP: one for each flow with a UDP port, they count and give back.
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
