/* SPDX-License-Identifier: MIT
 *
 * node.h - a system file on a real network: lwIP behind Tidegate or behind a stock driver, its
 * flows with their services, its tasks.
 *
 *     interface ─▶ receive thread ─▶ protocol thread: lwIP ─▶ services        tasks
 *                  path_tidegate.c, or path_stock.c           services.c      tasks.c
 *
 * lwIP keeps its state in global variables: a program runs one node, once.
 */
#ifndef TG_NODE_NODE_H
#define TG_NODE_NODE_H

#include "iface/iface.h"
#include "measure.h"
#include "tasks.h"

#include <lwip/netif.h>

struct tg_path;
struct tg_services;

struct tg_node_config {
    const struct tg_system *system; /* with a station, and one queue */
    enum tg_sim_policy policy;
    const char *interface;
    ip4_addr_t address; /* any: none */
    ip4_addr_t netmask;
};

struct tg_node {
    struct tg_node_config cfg;
    const struct tg_system *system;
    struct tg_system_config core; /* the file, lowered */
    struct tg_iface *iface;
    struct netif netif;
    struct tg_posix_port port;
    struct tg_measure measure;
    struct tg_path *path;
    struct tg_services *services;
    struct tg_tasks tasks;
    struct tg_server_config limit; /* of stock-limited */
    uint32_t held;                 /* buffers with packets, when figures were read last */
    uint64_t unanswered;           /* see tg_services_unanswered; likewise */
    tg_ns start_ns;
};

/* A received packet on its way through lwIP. */
struct tg_node_packet {
    uint32_t flow; /* as in struct tg_sim_results */
    tg_ns arrival_ns;
};

/* One way from the interface to lwIP. */
struct tg_path_driver {
    /* Receive from now on; lwIP and the netif are there. Returns: 0, or -1 after a message. */
    int (*start)(struct tg_node *node);

    /* Receive no more; what was accepted has been processed when it returns. */
    void (*stop)(struct tg_node *node);

    /* Set what this path counts: verdicts of the flows, queue, CPU shares of the threads; and
     * node->held. */
    void (*read)(struct tg_node *node, struct tg_sim_results *out);

    /* Which packet is this? p is one that this path gave to lwIP, any time before it is freed. */
    struct tg_node_packet (*packet)(const struct tg_node *node, const struct pbuf *p);

    /* Stopped: give all back. Returns: how many buffers are still held. */
    uint32_t (*close)(struct tg_node *node);
};

extern const struct tg_path_driver tg_path_tidegate;
extern const struct tg_path_driver tg_path_stock;

/* The driver of this node's policy. */
const struct tg_path_driver *tg_node_driver(const struct tg_node *node);

/* Take a packet of either path through lwIP, and measure how long it took to get there.
 *
 * Context: whichever thread processes packets, core lock held.
 * Returns: as ethernet_input.
 * Cost:    one packet in lwIP. */
err_t tg_node_input(struct pbuf *p, struct netif *netif);

/* Start everything.
 *
 * Context: main thread, once in a program.
 * Returns: an enum tg_exit, after a message if it is not TG_EXIT_HOLDS; then nothing runs.
 * Cost:    starts threads. */
int tg_node_start(struct tg_node *node, const struct tg_node_config *cfg);

/* The figures so far.
 *
 * Context: main thread, started and not stopped; allocates.
 * Returns: 0; -1 when out of memory. *out is to be given to tg_sim_results_free in either case.
 * Cost:    O(flows + tasks). */
TG_NODISCARD int tg_node_read(struct tg_node *node, struct tg_sim_results *out);

/* Stop reception and tasks, close services and connections.
 *
 * Context: main thread.
 * Returns: how many packet buffers did not come back: 0 unless something lost them.
 * Cost:    blocks until all threads have ended. */
uint32_t tg_node_stop(struct tg_node *node);

/* Give back the rest, which what has been read may still point to.
 *
 * Context: main thread, stopped.
 * Cost:    O(flows). */
void tg_node_free(struct tg_node *node);

#endif
