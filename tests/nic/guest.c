/* SPDX-License-Identifier: MIT
 *
 * guest.c - a guest without QEMU: driver, core and protocol task.
 */
#include "guest.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define MAX_FRAMES      16u      /* no more at once than a flow has buffers: the core drops none */
#define RING            64u      /* descriptors; the system file's rings are smaller */
#define RINGS_BASE      0x2000u  /* a ring of 64 descriptors each 0x400 bytes */
#define TRANSMIT_BASE   0x6000u  /* ring */
#define TRANSMIT_BUFFER 0x8000u  /* 64 of 2 KiB */
#define BUFFERS_BASE    0x40000u /* the core's */

const char GUEST_SYSTEM[] =
    "name: guest\n"
    "cpu: {irq: 1 us, switch: 1 us}\n"
    "tasks: []\n"
    "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 1 us, deferred: 1 us,\n"
    "  section: 0 us, floor: 1, buffers: 256, mtu: 1500, lock: 0 us}\n"
    "queues:\n"
    "  - {name: low, priorities: 0..7, ring: 16, absolute_timer: 200 us,\n"
    "     gate: {packets: 20, period: 2 ms}}\n"
    "  - {name: mid, priorities: 8..15, ring: 24, gate: unlimited}\n"
    "  - {name: high, priorities: 16..31, ring: 32, gate: unlimited}\n"
    "flows:\n"
    "  - {name: high, match: udp dst port 5000, priority: 24, budget: unlimited, reserve: 32}\n"
    "  - {name: mid, match: udp dst port 5001, priority: 12, budget: unlimited, reserve: 32}\n"
    "  - {name: low, match: udp dst port 5002, priority: 3, budget: unlimited, reserve: 32}\n"
    "best_effort: {priority: 0, budget: unlimited, reserve: 16}\n";

tg_ns guest_now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (tg_ns)t.tv_sec * 1000000000u + (tg_ns)t.tv_nsec;
}

static void ring_doorbell(void *context)
{
    const struct guest *const g = context;
    const uint64_t one = 1u;

    if (write(g->doorbell, &one, sizeof one) != (ssize_t)sizeof one) {
        perror("doorbell");
    }
}

static tg_ns read_clock(void *context)
{
    (void)context;
    return guest_now_ns();
}

static void wait_a_moment(void *context)
{
    struct pollfd server = {.fd = ((struct guest *)context)->socket};

    (void)poll(&server, 1u, 1); /* at once if the server is gone */
}

static int allocate(struct guest *g)
{
    struct tg_errors errors;
    struct tg_storage *const s = &g->storage;

    if (tg_system_parse(GUEST_SYSTEM, strlen(GUEST_SYSTEM), NULL, &g->system, &errors) != 0) {
        tg_errors_print(&errors, "guest", stderr);
        abort();
    }
    if (tg_system_lower_config(g->system, &g->config) != 0) {
        abort();
    }
    *s = (struct tg_storage){.flows = calloc(g->config.n_flows, sizeof *s->flows),
                             .buckets = calloc(g->config.n_buckets, sizeof *s->buckets),
                             .buffers = calloc(g->config.n_buffers, sizeof *s->buffers),
                             .queues = g->rxqs,
                             .gates = g->gates,
                             .n_flows = g->config.n_flows,
                             .n_buckets = g->config.n_buckets,
                             .n_buffers = g->config.n_buffers};
    for (uint32_t i = 0u; i < s->n_buffers; i++) {
        s->buffers[i].data = g->memory + BUFFERS_BASE + (size_t)i * g->config.buffer_bytes;
        s->buffers[i].size_bytes = g->config.buffer_bytes;
    }
    g->timer_at_ns = UINT64_MAX;
    return tg_protocol_init(&g->protocol, &g->config.config, s, g, 1u, guest_now_ns(), NULL);
}

int guest_start(struct guest *g)
{
    const struct tg_nic_board board = {
        .doorbell = ring_doorbell, .now_ns = read_clock, .wait = wait_a_moment, .context = g};
    int err = tg_nic_driver_start(&g->driver, g->memory, g->memory_bytes, g->id, &board, g);

    if (err) {
        return err;
    }
    err = allocate(g);
    if (err == 0) {
        err =
            tg_nic_driver_attach_transmit(&g->driver, TRANSMIT_BASE, RING, TRANSMIT_BUFFER, 2048u);
    }
    for (uint32_t k = 0u; k < GUEST_QUEUES && err == 0; k++) {
        err = tg_nic_driver_attach(&g->driver, &g->protocol, k, RINGS_BASE + k * 0x400u, RING,
                                   g->slots[k]);
    }
    return err;
}

void guest_stop(struct guest *g)
{
    tg_system_config_free(&g->config);
    tg_system_free(g->system);
    free(g->storage.flows);
    free(g->storage.buckets);
    free(g->storage.buffers);
    g->system = NULL;
    memset(&g->storage, 0, sizeof g->storage);
}

/* Send a packet back: the addresses change places, which leaves the checksum right. */
static void echo(struct guest *g, const struct tg_buffer *packet)
{
    uint8_t frame[2048];

    memcpy(frame, packet->data + 6, 6u);
    memcpy(frame + 6, packet->data, 6u);
    memcpy(frame + 12, packet->data + 12, packet->len_bytes - 12u);
    g->echoed += tg_nic_driver_send(&g->driver, frame, packet->len_bytes) == 0;
}

/* The protocol task, and sockets that free at once. */
static void process(struct guest *g)
{
    for (struct tg_buffer *b = tg_rx_next(&g->protocol); b != NULL; b = tg_rx_next(&g->protocol)) {
        g->received[b->flow]++;
        if (g->on_packet != NULL) {
            g->on_packet(b);
        }
        if (g->echoes) {
            echo(g, b);
        }
        tg_rx_done(&g->protocol);
        if (tg_rx_release(&g->protocol, b) != 0) {
            abort();
        }
    }
}

static void serve_vector(struct guest *g, uint32_t vector)
{
    uint64_t count;

    if (read(g->vectors[vector], &count, sizeof count) != (ssize_t)sizeof count) {
        return;
    }
    g->raised[vector] += (uint32_t)count;
    while (tg_nic_driver_interrupt(&g->driver, vector, MAX_FRAMES) == TG_WORK_MORE) {
        process(g);
    }
    process(g);
}

static void serve_timer(struct guest *g)
{
    if (guest_now_ns() >= g->timer_at_ns) {
        g->timer_at_ns = UINT64_MAX;
        if (tg_rx_tick(&g->protocol, guest_now_ns()) == TG_WORK_MORE) {
            while (tg_rx_poll(&g->protocol, MAX_FRAMES) == TG_WORK_MORE) {
                process(g);
            }
        }
        process(g);
    }
}

uint64_t guest_received(const struct guest *g)
{
    uint64_t n = 0u;

    for (uint32_t i = 0u; i < GUEST_FLOWS_MAX; i++) {
        n += g->received[i];
    }
    return n;
}

void guest_run(struct guest *g, uint64_t packets, unsigned quiet_ms)
{
    tg_ns quiet_at_ns = guest_now_ns() + quiet_ms * UINT64_C(1000000);

    while (guest_received(g) < packets && guest_now_ns() < quiet_at_ns) {
        const uint64_t before = guest_received(g);
        struct pollfd fds[GUEST_VECTORS_MAX];

        for (uint32_t v = 0u; v < g->n_vectors; v++) {
            fds[v] = (struct pollfd){.fd = g->vectors[v], .events = POLLIN};
        }
        /* The timer of a polled gate is due within 2 ms. */
        (void)poll(fds, (nfds_t)g->n_vectors, g->timer_at_ns == UINT64_MAX ? 20 : 1);
        for (uint32_t v = 0u; v < g->n_vectors; v++) {
            if (fds[v].revents != 0) {
                serve_vector(g, v);
            }
        }
        serve_timer(g);
        if (guest_received(g) != before) {
            quiet_at_ns = guest_now_ns() + quiet_ms * UINT64_C(1000000);
        }
    }
}
