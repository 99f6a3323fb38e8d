/* SPDX-License-Identifier: MIT
 *
 * network.c - lwIP, its services, counts of what it has processed.
 *
 * Who sends the frames of a scenario puts the time at their end, behind what the packet says that
 * it is long: 4 bytes LAB_STAMP and 8 bytes of this board's clock, in ns, the lowest first.
 */
#include "node.h"
#include "lwip_netif.h"

#include <lwip/tcpip.h>
#include <lwip/udp.h>
#include <netif/ethernet.h>
#include <string.h>

#define STAMP_BYTES    12u
#define FIRST_OWN_PORT 1024u /* below it are well-known services (RFC 6335, section 6) */

struct netif node_netif;
uint32_t node_unanswered;

/* ---- Counting -------------------------------------------------------------------------------- */

/* When the frame was sent. Returns: 0 if it does not say. */
static uint64_t stamp_of(const struct pbuf *p)
{
    static const uint8_t stamp[4] = LAB_STAMP;
    const uint8_t *const end = (const uint8_t *)p->payload + p->len;
    uint64_t ns = 0u;

    if (p->len < STAMP_BYTES || memcmp(end - STAMP_BYTES, stamp, sizeof(stamp)) != 0) {
        return 0u;
    }
    memcpy(&ns, end - 8, sizeof(ns));
    return ns;
}

static void count(uint32_t flow, uint64_t sent_ns)
{
    struct lab_counters *const c = &lab_counters[flow];
    const uint64_t now_ns = board_ticks() * LAB_TICK_NS;

    c->delivered++;
    if (sent_ns != 0u) {
        /* The sender's idea of this clock may be a little ahead. */
        const uint64_t latency_ns = now_ns > sent_ns ? now_ns - sent_ns : 0u;

        c->late += latency_ns > lab_flows[flow].deadline_ns;
        tg_hist_add(&c->latency, latency_ns);
    }
}

err_t node_input(struct pbuf *p, uint32_t flow)
{
    const uint64_t sent_ns = stamp_of(p);
    const err_t err = ethernet_input(p, &node_netif);

    count(flow, sent_ns);
    return err;
}

void lab_stack_lock(void)
{
    LOCK_TCPIP_CORE();
}

void lab_stack_unlock(void)
{
    UNLOCK_TCPIP_CORE();
}

/* ---- Services -------------------------------------------------------------------------------- */

/* A service there might answer the answer, and the two would go on for ever; all it takes is one
 * datagram with a forged sender. */
static bool may_be_service(u16_t port)
{
    bool is = port < FIRST_OWN_PORT;

    for (uint32_t i = 0u; i < lab_plan->n_flows && !is; i++) {
        is = lab_flows[i].port == port;
    }
    return is;
}

/* lwIP calls it under its core lock, in the thread that works on the packet. */
static void echo(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from, u16_t port)
{
    (void)arg;
    if (may_be_service(port)) {
        node_unanswered++;
    } else {
        (void)udp_sendto(pcb, p, from, port); /* senders of a scenario have no route back */
    }
    (void)pbuf_free(p);
}

_Static_assert(MEMP_NUM_UDP_PCB >= LAB_UDP_PORTS_MAX, "lwIP's room for ports");

static void bind(uint16_t port)
{
    struct udp_pcb *const pcb = udp_new();

    if (pcb == NULL || udp_bind(pcb, IP_ANY_TYPE, port) != ERR_OK) {
        kernel_panic("lwIP refuses a port", NULL);
    }
    udp_recv(pcb, echo, NULL);
}

/* ---- The interface --------------------------------------------------------------------------- */

/* lwIP calls it under its core lock. */
static err_t send(struct netif *to, struct pbuf *p)
{
    static uint8_t frame[NIC_BUFFER_BYTES];
    const void *bytes = p->payload;

    (void)to;
    if (p->tot_len > sizeof(frame)) {
        return ERR_MEM;
    }
    if (p->len != p->tot_len) {
        (void)pbuf_copy_partial(p, frame, p->tot_len, 0u);
        bytes = frame;
    }
    return tg_nic_driver_send(&node_nic.driver, bytes, p->tot_len) == 0 ? ERR_OK : ERR_MEM;
}

void node_network_start(void)
{
    const struct lwip_netif_config cfg = {
        .name = "tg", .mac = tidegate_config.station.mac, .address = NODE_ADDRESS, .send = send};

    lwip_station_priority =
        lab_plan->policy == LAB_COMBINED ? (int)lab_plan->floor : (int)TG_PRIORITIES - 1;
    lwip_netif_start(&node_netif, &cfg);
    LOCK_TCPIP_CORE();
    for (uint32_t i = 0u; i < lab_plan->n_flows; i++) {
        if (lab_flows[i].port != 0u) {
            bind((uint16_t)lab_flows[i].port);
        }
    }
    UNLOCK_TCPIP_CORE();
}
