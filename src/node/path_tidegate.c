/* SPDX-License-Identifier: MIT
 *
 * path_tidegate.c - the way through the core: receive and tick thread of the port, the adaptor of
 * lwIP as protocol thread.
 */
#include "node.h"
#include "ring.h"
#include "storage.h"

#include "tg_lwip.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#define BUFFER_ALIGN_BYTES 64u

struct tg_path {
    struct tg_protocol protocol;
    struct tg_storage storage;
    uint8_t *bytes; /* of all buffers */
    struct tg_ring ring;
    struct tg_rxq *queue;
    struct tg_lwip lwip;
    struct tg_lwip_pbuf *pbufs;
    struct tg_snapshot snapshot;
};

/* ---- Storage --------------------------------------------------------------------------------- */

static void free_path(struct tg_path *path)
{
    tg_storage_free(&path->storage);
    free(path->bytes);
    free(path->pbufs);
    free(path->snapshot.flows);
    free(path);
}

/* One line more than the longest frame: what fills it is oversize, however it is tagged. */
static bool allocate_buffers(struct tg_path *path, const struct tg_system_config *core)
{
    const uint32_t size_bytes = core->buffer_bytes + BUFFER_ALIGN_BYTES;
    struct tg_storage *const s = &path->storage;

    path->pbufs = calloc(s->n_buffers, sizeof *path->pbufs);
    path->bytes = aligned_alloc(BUFFER_ALIGN_BYTES, (size_t)s->n_buffers * size_bytes);
    if (path->pbufs == NULL || path->bytes == NULL) {
        return false;
    }
    for (uint32_t i = 0u; i < s->n_buffers; i++) {
        s->buffers[i].data = path->bytes + (size_t)i * size_bytes;
        s->buffers[i].size_bytes = size_bytes;
    }
    return true;
}

static struct tg_path *allocate(const struct tg_system_config *core)
{
    struct tg_path *const path = calloc(1u, sizeof *path);

    if (path == NULL) {
        return NULL;
    }
    path->snapshot.flows = calloc(core->n_flows, sizeof *path->snapshot.flows);
    if (!tg_storage_new(core, &path->storage) || path->snapshot.flows == NULL ||
        !allocate_buffers(path, core)) {
        free_path(path);
        return NULL;
    }
    return path;
}

/* ---- Start ----------------------------------------------------------------------------------- */

static void run_protocol(void *arg)
{
    struct tg_node *const node = arg;

    while (tg_posix_port_wait(&node->port, TG_POSIX_FOREVER) != TG_POSIX_STOP) {
        while (tg_lwip_input(&node->path->lwip)) {
        }
    }
}

static int fail(const char *what)
{
    fprintf(stderr, "tidegate run: %s\n", what);
    return -1;
}

static int set_up_core(struct tg_node *node)
{
    struct tg_path *const path = node->path;
    uint64_t seed;
    int bad_flow;

    if (getrandom(&seed, sizeof seed, 0u) != (ssize_t)sizeof seed) {
        return fail("no random numbers");
    }
    if (tg_protocol_init(&path->protocol, &node->core.config, &path->storage, &node->port, seed,
                         tg_posix_port_now_ns(), &bad_flow) != 0) {
        return fail(bad_flow < 0 ? "the core refuses the configuration"
                                 : "the core refuses a flow: its part of the table is full");
    }
    path->queue = &path->storage.queues[0];
    return tg_ring_attach(&path->ring, &path->protocol, node->iface, path->storage.buffers,
                          path->storage.n_buffers) != 0
               ? fail("out of memory")
               : 0;
}

/* Reserves that fragments or segments out of order could fill for ever. */
static int set_up_lwip(struct tg_node *node)
{
    struct tg_path *const path = node->path;
    const struct tg_lwip_config cfg = {.protocol = &path->protocol,
                                       .core = &node->core.config,
                                       .storage = &path->storage,
                                       .pbufs = path->pbufs,
                                       .netif = &node->netif,
                                       .input = tg_node_input,
                                       .now_ns = tg_posix_port_now_ns};

    if (tg_lwip_init(&path->lwip, &cfg) == 0) {
        return 0;
    }
    fprintf(stderr,
            "tidegate run: a reserve is too small for lwIP: allowed: best effort %u or more, a "
            "flow of TCP data %u or more\n",
            (unsigned)TG_LWIP_BEST_EFFORT_RESERVE_MIN, (unsigned)TG_LWIP_TCP_RESERVE_MIN);
    return -1;
}

static int tidegate_start(struct tg_node *node)
{
    node->path = allocate(&node->core);
    if (node->path == NULL) {
        return fail("out of memory");
    }
    if (set_up_core(node) != 0 || set_up_lwip(node) != 0) {
        return -1;
    }
    if (tg_posix_port_start(&node->port, &node->path->protocol, run_protocol, node) != 0 ||
        tg_posix_port_receive(&node->port, node->path->queue, tg_ring_wait, &node->path->ring) !=
            0) {
        return fail("a thread cannot be started");
    }
    tg_rxq_link(node->path->queue, true);
    return 0;
}

/* ---- Stop ------------------------------------------------------------------------------------ */

static void tidegate_stop(struct tg_node *node)
{
    tg_rxq_link(node->path->queue, false);
    tg_posix_port_stop(&node->port);
}

static uint32_t tidegate_close(struct tg_node *node)
{
    struct tg_path *const path = node->path;
    uint32_t held = path->ring.n_slots;

    if (tg_ring_free(&path->ring, path->queue) == 0) {
        held = 0u;
    }
    tg_rx_snapshot(&path->protocol, &path->snapshot);
    for (uint32_t i = 0u; i < path->storage.n_flows; i++) {
        held += path->snapshot.flows[i].held_pkts;
    }
    if (held == 0u) {
        free_path(path); /* else somebody may still read them */
    }
    return held;
}

/* ---- Figures --------------------------------------------------------------------------------- */

static struct tg_node_packet tidegate_packet(const struct tg_node *node, const struct pbuf *p)
{
    const struct tg_buffer *const buffer = ((const struct tg_lwip_pbuf *)(const void *)p)->buffer;

    return (struct tg_node_packet){.flow = buffer->flow,
                                   .arrival_ns = tg_ring_arrival_ns(&node->path->ring, buffer)};
}

static void read_flow(const struct tg_flow_counters *from, struct tg_sim_flow_result *to)
{
    to->sent = from->passed + from->dropped_budget + from->dropped_no_buffer;
    to->dropped_budget = from->dropped_budget;
    to->dropped_no_buffer = from->dropped_no_buffer;
    to->most_held_pkts = from->most_held_pkts;
}

static void tidegate_read(struct tg_node *node, struct tg_sim_results *out)
{
    struct tg_path *const path = node->path;
    struct tg_sim_flow_result *const malformed = &out->flows[out->n_flows - 1u];
    const struct tg_queue_counters *const queue = &path->snapshot.queues[0];

    tg_lwip_snapshot(&path->lwip, &path->snapshot);
    node->held = 0u;
    for (uint32_t i = 0u; i < path->storage.n_flows; i++) {
        read_flow(&path->snapshot.flows[i], &out->flows[i]);
        node->held += path->snapshot.flows[i].held_pkts;
    }
    out->flows[0].unregistered = queue->unregistered;
    out->flows[0].sent += queue->unregistered;
    malformed->malformed = queue->malformed;
    malformed->sent = queue->malformed;
    out->queues[0].received = queue->received;
    out->queues[0].spurious = queue->spurious;
    out->queues[0].interrupts = tg_ring_interrupts(&path->ring);
    out->interrupts = out->queues[0].interrupts;
    out->polled = tg_ring_polled(&path->ring);
    out->mode_changes = path->snapshot.closed[0];
    tg_posix_port_used(&node->port, &out->cpu_ns[TG_SIM_SHARE_INTERRUPTS],
                       &out->cpu_ns[TG_SIM_SHARE_PROTOCOL]);
}

const struct tg_path_driver tg_path_tidegate = {.start = tidegate_start,
                                                .stop = tidegate_stop,
                                                .read = tidegate_read,
                                                .packet = tidegate_packet,
                                                .close = tidegate_close};
