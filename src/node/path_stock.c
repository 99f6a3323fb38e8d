/* SPDX-License-Identifier: MIT
 *
 * path_stock.c - the way of a usual driver: the receive thread takes a buffer from one pool and
 * puts the packet into the mailbox of tcpip_thread, which runs lwIP. What is done for the table
 * alone is one look-up of the packet's flow.
 */
#include "busy.h"
#include "node.h"
#include "storage.h"

#include <lwip/tcpip.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_ALIGN_BYTES 64u

/* A buffer of the pool as lwIP sees it. */
struct stock_pbuf {
    struct pbuf_custom custom;
    struct stock_pbuf *next; /* free list */
    uint8_t *data;
    struct tg_node_packet packet;
};

/* Counters of one flow; the receive thread alone writes them. */
struct stock_flow {
    _Atomic uint64_t received;
    _Atomic uint64_t dropped; /* no buffer in the pool, or no room in the mailbox */
};

struct tg_path {
    struct stock_pbuf *pool; /* n of them */
    struct stock_pbuf *free;
    uint8_t *bytes;
    uint32_t n;
    uint32_t size_bytes;
    uint32_t held;
    uint32_t most_held;
    pthread_mutex_t lock; /* of the free list */

    /* Of stock-limited. */
    struct tg_server gate;
    bool has_gate;
    _Atomic uint64_t closed;

    /* Where the table of the file puts a packet: for the counters only. */
    struct tg_protocol table;
    struct tg_storage storage;
    struct stock_flow *flows;

    int stop_fd[2]; /* [0] is readable from the stop on */
    pthread_t receiver;
    pthread_t tcpip;
    _Atomic uint64_t interrupts;
};

/* lwIP frees a pbuf without saying whose it is. */
static struct tg_path *the_path;

/* ---- The pool -------------------------------------------------------------------------------- */

static struct stock_pbuf *take_buffer(struct tg_path *path)
{
    (void)pthread_mutex_lock(&path->lock);
    struct stock_pbuf *const b = path->free;

    if (b != NULL) {
        path->free = b->next;
        path->held++;
        path->most_held = path->held > path->most_held ? path->held : path->most_held;
    }
    (void)pthread_mutex_unlock(&path->lock);
    return b;
}

static void give_buffer(struct pbuf *p)
{
    struct stock_pbuf *const b = (struct stock_pbuf *)(void *)p;
    struct tg_path *const path = the_path;

    (void)pthread_mutex_lock(&path->lock);
    b->next = path->free;
    path->free = b;
    path->held--;
    (void)pthread_mutex_unlock(&path->lock);
}

/* ---- The receive thread ---------------------------------------------------------------------- */

static uint32_t flow_of(const struct tg_path *path, const struct tg_iface_frame *frame)
{
    struct tg_frame_key key;

    switch (
        tg_frame_parse(&path->table.station, frame->bytes, frame->len_bytes, frame->tci, &key)) {
    case TG_FRAME_MATCH:
        return tg_flow_table_find(&path->table.table, &key, frame->bytes);
    case TG_FRAME_MALFORMED:
        return path->storage.n_flows;
    default:
        return 0u;
    }
}

static void count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1u, memory_order_relaxed);
}

/* What a driver does with one frame. */
static void receive(struct tg_node *node, const struct tg_iface_frame *frame)
{
    struct tg_path *const path = node->path;
    const uint32_t flow = flow_of(path, frame);
    struct stock_pbuf *const b = frame->len_bytes <= path->size_bytes ? take_buffer(path) : NULL;

    count(&path->flows[flow].received);
    if (b == NULL) {
        count(&path->flows[flow].dropped);
        return;
    }
    tg_iface_copy(frame, b->data, 0u, frame->len_bytes);
    b->packet = (struct tg_node_packet){.flow = flow, .arrival_ns = frame->arrival_ns};

    struct pbuf *const p = pbuf_alloced_custom(PBUF_RAW, (u16_t)frame->len_bytes, PBUF_REF,
                                               &b->custom, b->data, (u16_t)path->size_bytes);

    if (tcpip_inpkt(p, &node->netif, tg_node_input) != ERR_OK) {
        (void)pbuf_free(p);
        count(&path->flows[flow].dropped);
    }
}

/* Reception is masked until the gate is refilled. Returns: false when it stops. */
static bool sleep_until(const struct tg_path *path, tg_ns at_ns)
{
    struct pollfd stop = {.fd = path->stop_fd[0], .events = POLLIN};

    for (;;) {
        const tg_ns now_ns = tg_posix_port_now_ns();
        const tg_ns left_ns = at_ns > now_ns ? at_ns - now_ns : 0u;
        const struct timespec timeout = {.tv_sec = (time_t)(left_ns / 1000000000u),
                                         .tv_nsec = (long)(left_ns % 1000000000u)};

        if (left_ns == 0u) {
            return true;
        }
        if (ppoll(&stop, 1u, &timeout, NULL) > 0) {
            return false;
        }
    }
}

static bool pass_gate(struct tg_path *path)
{
    while (path->has_gate && !tg_server_take(&path->gate, tg_posix_port_now_ns())) {
        count(&path->closed);
        if (!sleep_until(path, tg_server_next_ns(&path->gate))) {
            return false;
        }
    }
    return true;
}

static bool is_stopped(const struct tg_path *path)
{
    struct pollfd stop = {.fd = path->stop_fd[0], .events = POLLIN};

    return poll(&stop, 1u, 0) > 0;
}

/* Above the protocol thread, as the port's receive threads are. */
static void rise(struct tg_node *node)
{
    if (tg_posix_port_is_realtime(&node->port)) {
        (void)pthread_setschedprio(pthread_self(),
                                   node->port.cfg.first_priority + (int)TG_PRIORITIES);
    }
}

static void *run_receiver(void *arg)
{
    struct tg_node *const node = arg;
    struct tg_path *const path = node->path;
    struct tg_iface_frame frame;

    rise(node);
    while (!is_stopped(path)) {
        tg_iface_wait(node->iface, path->stop_fd[0]);
        count(&path->interrupts);
        while (tg_iface_look(node->iface, &frame)) {
            if (!pass_gate(path)) {
                return NULL;
            }
            receive(node, &frame);
            tg_iface_next(node->iface);
        }
    }
    return NULL;
}

/* ---- Start and stop -------------------------------------------------------------------------- */

static void free_path(struct tg_path *path)
{
    free(path->pool);
    free(path->bytes);
    free(path->flows);
    tg_storage_free(&path->storage);
    free(path);
}

/* The same memory as with Tidegate: what its ring holds there is in the kernel's ring here, too. */
static bool allocate_pool(struct tg_path *path, const struct tg_node *node)
{
    const struct tg_system_config *const core = &node->core;
    uint32_t n_queues;

    path->n = core->n_buffers - tg_sim_queues(node->system, node->cfg.policy, &n_queues)->ring_pkts;
    path->size_bytes = core->buffer_bytes;
    path->pool = calloc(path->n, sizeof *path->pool);
    path->bytes = aligned_alloc(BUFFER_ALIGN_BYTES, (size_t)path->n * path->size_bytes);
    if (path->pool == NULL || path->bytes == NULL) {
        return false;
    }
    for (uint32_t i = 0u; i < path->n; i++) {
        path->pool[i].custom.custom_free_function = give_buffer;
        path->pool[i].data = path->bytes + (size_t)i * path->size_bytes;
        path->pool[i].next = path->free;
        path->free = &path->pool[i];
    }
    return true;
}

/* A core that never gets a frame, for its table. */
static bool allocate_table(struct tg_path *path, const struct tg_system_config *core)
{
    struct tg_storage *const s = &path->storage;

    path->flows = calloc(core->n_flows + 1u, sizeof *path->flows);
    if (!tg_storage_new(core, s) || path->flows == NULL) {
        return false;
    }
    for (uint32_t i = 0u; i < s->n_buffers; i++) {
        s->buffers[i].data = path->bytes;
        s->buffers[i].size_bytes = core->buffer_bytes;
    }
    return true;
}

/* stock-limited has the gate that the file gives it, or else the file's own. */
static int set_gate(struct tg_node *node)
{
    const struct tg_system_budget *const stock = &node->system->stock_gate;
    struct tg_server_config gate = node->core.gates[0].budget;

    if (stock->at.line != 0u) {
        gate = (struct tg_server_config){
            .kind = stock->kind, .budget_pkts = stock->packets, .period_ns = stock->period_ns};
    }
    node->path->has_gate =
        node->cfg.policy == TG_SIM_STOCK_LIMITED && gate.kind != TG_SERVER_UNLIMITED;
    if (!node->path->has_gate) {
        return 0;
    }
    if (gate.kind == TG_SERVER_POLLING) { /* served at refills only, here as everywhere */
        gate.kind = TG_SERVER_DEFERRABLE;
    }
    node->limit = gate;
    return tg_server_init_gate(&node->path->gate, &gate, TG_REFILL_TIMESTAMP,
                               tg_posix_port_now_ns());
}

static int fail(const char *what)
{
    fprintf(stderr, "tidegate run: %s\n", what);
    return -1;
}

static int set_up(struct tg_node *node)
{
    struct tg_path *const path = node->path;
    uint64_t seed;

    if (getrandom(&seed, sizeof seed, 0u) != (ssize_t)sizeof seed) {
        return fail("no random numbers");
    }
    if (tg_protocol_init(&path->table, &node->core.config, &path->storage, &node->port, seed,
                         tg_posix_port_now_ns(), NULL) != 0 ||
        set_gate(node) != 0) {
        return fail("the core refuses the configuration");
    }
    if (tg_inheriting_lock(&path->lock) != 0 || pipe(path->stop_fd) != 0) {
        return fail("no lock or pipe");
    }
    return 0;
}

static void note_tcpip(void *arg)
{
    struct tg_path *const path = arg;

    path->tcpip = pthread_self();
}

static int stock_start(struct tg_node *node)
{
    struct tg_path *const path = calloc(1u, sizeof *path);

    if (path == NULL) {
        return fail("out of memory");
    }
    node->path = path;
    if (!allocate_pool(path, node) || !allocate_table(path, &node->core)) {
        return fail("out of memory");
    }
    the_path = path;
    if (set_up(node) != 0) {
        return -1;
    }
    if (tcpip_callback(note_tcpip, path) != ERR_OK ||
        tg_posix_port_spawn(&node->port, TG_PRIORITIES - 1u, run_receiver, node, &path->receiver) !=
            0) {
        return fail("the receive thread cannot be started");
    }
    return 0;
}

static void do_nothing(void *arg)
{
    sys_sem_signal(arg);
}

/* Behind all packets in the mailbox. */
static void drain(void)
{
    sys_sem_t done;

    if (sys_sem_new(&done, 0u) == ERR_OK) {
        (void)tcpip_callback(do_nothing, &done);
        (void)sys_arch_sem_wait(&done, 0u);
        sys_sem_free(&done);
    }
}

static void stock_stop(struct tg_node *node)
{
    const char byte = 0;

    (void)!write(node->path->stop_fd[1], &byte, 1u); /* an empty pipe has room */
    (void)pthread_join(node->path->receiver, NULL);
    drain();
}

static uint32_t stock_close(struct tg_node *node)
{
    struct tg_path *const path = node->path;
    const uint32_t held = path->held;

    (void)close(path->stop_fd[0]);
    (void)close(path->stop_fd[1]);
    (void)pthread_mutex_destroy(&path->lock);
    if (held == 0u) {
        free_path(path); /* else somebody may still read them */
    }
    return held;
}

/* ---- Figures --------------------------------------------------------------------------------- */

static struct tg_node_packet stock_packet(const struct tg_node *node, const struct pbuf *p)
{
    (void)node;
    return ((const struct stock_pbuf *)(const void *)p)->packet;
}

static void stock_read(struct tg_node *node, struct tg_sim_results *out)
{
    struct tg_path *const path = node->path;

    for (uint32_t i = 0u; i < out->n_flows; i++) {
        out->flows[i].sent = atomic_load_explicit(&path->flows[i].received, memory_order_relaxed);
        out->flows[i].dropped_no_buffer =
            atomic_load_explicit(&path->flows[i].dropped, memory_order_relaxed);
        out->queues[0].received += out->flows[i].sent;
    }
    (void)pthread_mutex_lock(&path->lock);
    out->most_held_pkts = path->most_held;
    node->held = path->held;
    (void)pthread_mutex_unlock(&path->lock);
    out->interrupts = atomic_load_explicit(&path->interrupts, memory_order_relaxed);
    out->queues[0].interrupts = out->interrupts;
    out->mode_changes = atomic_load_explicit(&path->closed, memory_order_relaxed);
    out->cpu_ns[TG_SIM_SHARE_INTERRUPTS] = tg_busy_used_ns(path->receiver);
    out->cpu_ns[TG_SIM_SHARE_PROTOCOL] = tg_busy_used_ns(path->tcpip);
}

const struct tg_path_driver tg_path_stock = {.start = stock_start,
                                             .stop = stock_stop,
                                             .read = stock_read,
                                             .packet = stock_packet,
                                             .close = stock_close};
