/* SPDX-License-Identifier: MIT
 *
 * services.h - what answers, or does not, at the ports that the flows of a system file name.
 *
 *     echo      sends back what it gets: UDP datagrams, TCP streams; not a datagram from the port
 *               of another service, well-known or of this node
 *     discard   takes it and throws it away, in the protocol thread
 *     sink      hands it to a receiver: a thread of the flow's `receiver.priority` (else of the
 *               flow's priority) that works for `receiver.wcet` per packet and then frees it. A TCP
 *               window opens only then
 *
 * Two flows of one protocol and port (say, a flow for its connection requests) share one service.
 */
#ifndef TG_NODE_SERVICES_H
#define TG_NODE_SERVICES_H

#include "tidegate/common.h"

struct tg_node;
struct tg_services;

/* Listen at all ports.
 *
 * Context: main thread, lwIP and the netif are there, no frame has come; allocates.
 * Returns: to be given to tg_services_close; NULL after a message.
 * Cost:    O(flows^2), starts threads. */
struct tg_services *tg_services_open(struct tg_node *node);

/* Was the packet that lwIP has just taken handed to a receiver? It then says when the packet has
 * been delivered. The answer is given once.
 *
 * Context: core lock held. Cost: O(1). */
bool tg_services_took(struct tg_services *services);

/* Datagrams that no echo service sent back, because they came from the port of a service.
 *
 * Context: main thread, without the core lock. Cost: takes the core lock. */
uint64_t tg_services_unanswered(const struct tg_services *services);

/* CPU time that the receivers have used.
 *
 * Context: main thread. Cost: O(services). */
tg_ns tg_services_used_ns(struct tg_services *services);

/* Close all of them, and their connections; receivers end with what they have.
 *
 * Context: main thread, nothing is received any more; NULL is allowed.
 * Cost:    blocks. */
void tg_services_close(struct tg_services *all);

#endif
