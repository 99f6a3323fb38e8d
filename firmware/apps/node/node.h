/* SPDX-License-Identifier: MIT
 *
 * node.h - what the files of the node share: a system file on the priority NIC.
 *
 *     path.c     from the NIC to lwIP: behind Tidegate, or one queue and a driver as it is usual
 *     network.c  lwIP, its services, counts of what it has processed
 *     main.c     start, end, results
 *
 *     combined: queues ─▶ core ─▶ protocol thread: tg_lwip_input ─▶ service
 *     stock:    queue ─▶ driver's thread ─▶ mailbox ─▶ tcpip_thread ─▶ service
 */
#ifndef NODE_H
#define NODE_H

#include "nic_stock.h"
#include "nic_tidegate.h"
#include "run.h"

#include <lwip/netif.h>
#include <lwip/pbuf.h>

extern struct nic node_nic;

/* ---- From the NIC to lwIP -------------------------------------------------------------------- */

/* Frames come from now on. Context: a thread, after node_network_start. */
void node_path_start(const struct tg_storage *tables);

/* What became of the frames: of each flow, what was received and the drops; received of each queue.
 * All zero before the start. Context: a thread. */
struct node_counts {
    struct tg_snapshot core;
    uint64_t *received;               /* of each flow, lab_plan->n_flows of them */
    uint64_t vectors[TG_QUEUES_MAX];  /* times that the vector of each queue came */
    uint64_t accepted[TG_QUEUES_MAX]; /* frames that the software took out of each ring */
    uint64_t waiting[TG_QUEUES_MAX];  /* frames in it now; received counts them, too */
};

void node_path_read(struct node_counts *out);

/* ---- lwIP ------------------------------------------------------------------------------------ */

#define NODE_ADDRESS "192.0.2.1"

extern struct netif node_netif;

/* Datagrams that were not sent back: they came from the port of a service. */
extern uint32_t node_unanswered;

/* Start lwIP: it answers ICMP, and sends what comes to the UDP port of a flow back.
 *
 * Context: a thread. */
void node_network_start(void);

/* Take a packet through lwIP, and count it for its flow.
 *
 * Context: lwIP's core lock is held. Returns: as ethernet_input. */
err_t node_input(struct pbuf *p, uint32_t flow);

#endif
