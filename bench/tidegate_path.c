/* SPDX-License-Identifier: MIT
 *
 * tidegate_path.c - the receive path under measurement, driven as a driver and a protocol task
 * would.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"
#include "tidegate/rx.h"

#define BUDGET_PERIOD_NS UINT64_C(10000000)
#define BUFFER_BYTES     2048u
#define BUCKETS_PER_FLOW                                                                           \
    8u                /* 32 bytes a flow: a second look at a bucket costs a mispredicted branch */
#define PRIORITIES 8u /* as many as Ethernet has classes */
/* Apart by an odd number of cache lines, so that the heads of the buffers fall into different sets
 * of the cache; DPDK's pools do the same. */
#define BUFFER_STRIDE_BYTES (BUFFER_BYTES + 64u)

struct tidegate {
    struct tg_protocol protocol;
    struct tg_rxq rxqs[TG_QUEUES_MAX];
    struct tg_gate gate_states[TG_GATES_MAX];
    struct tg_rxq *rxq;
    struct tg_rx_frame frames[BENCH_BURST]; /* the ring: what a driver's peek would give */
    tg_ns now_ns;
};

static void *allocate(size_t n, size_t bytes)
{
    void *const p = aligned_alloc(64u, (n * bytes + 63u) & ~(size_t)63u);

    if (p == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    memset(p, 0, n * bytes);
    return p;
}

static void check(int err, const char *what)
{
    if (err < 0) {
        fprintf(stderr, "tidegate: %s gives %d\n", what, err);
        exit(1);
    }
}

/* The fields of the shapes that are probed before the flows' own, most specific first. */
static const uint16_t other_shapes[BENCH_SHAPES_MAX - 1] = {
    TG_FIELD_SRC_PORT | TG_FIELD_FAMILY | TG_FIELD_VLAN,
    TG_FIELD_SRC_PORT | TG_FIELD_FAMILY,
    TG_FIELD_SRC_PORT | TG_FIELD_VLAN,
    TG_FIELD_SRC_PORT,
    TG_FIELD_MULTICAST,
    TG_FIELD_VLAN,
    TG_FIELD_FAMILY,
};

static struct tg_flow_config flow_on(uint16_t port, uint8_t priority, bool is_spent)
{
    /* Spent: no refill comes while the bench runs. */
    return (struct tg_flow_config){
        .match = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                  .protocol = 17,
                  .dst_port = port},
        .budget = {.kind = TG_SERVER_DEFERRABLE,
                   .budget_pkts = is_spent ? 1u : TG_SERVER_BUDGET_MAX,
                   .period_ns = is_spent ? TG_PERIOD_MAX_NS : BUDGET_PERIOD_NS},
        .reserve_pkts = BENCH_PER_FLOW_MAX,
        .priority = priority};
}

static void bind_all(struct tidegate *t, const struct bench_setup *setup)
{
    for (uint32_t i = 0u; i < setup->n_flows; i++) {
        const struct tg_flow_config flow =
            flow_on(setup->ports[i], (uint8_t)(1u + i % PRIORITIES), setup->is_spent);
        const int id = tg_rx_bind(&t->protocol, &flow, t->now_ns);

        check(id, "tg_rx_bind of a flow");
        if (setup->is_spent) {
            t->protocol.table.flows[id].server.left_pkts = 0u;
        }
    }
    for (uint32_t i = 0u; i + 1u < setup->n_shapes; i++) {
        struct tg_flow_config flow = flow_on((uint16_t)(1u + i), 1u, false);

        flow.match.fields = (uint16_t)(flow.match.fields | other_shapes[i]);
        flow.match.src_port = 7u;
        flow.match.family = 4u;
        flow.match.vlan = 7u;
        memcpy(flow.match.src_host, (const uint8_t[]){10, 0, 0, 7}, 4u);
        check(tg_rx_bind(&t->protocol, &flow, t->now_ns), "tg_rx_bind of another shape");
    }
}

static void *start(const struct bench_setup *setup)
{
    struct tidegate *const t = allocate(1u, sizeof *t);
    const uint32_t n_flows = setup->n_flows + setup->n_shapes;
    const uint32_t n_buffers = BENCH_BURST + n_flows * BENCH_PER_FLOW_MAX;
    uint32_t n_buckets = 2u;

    while (n_buckets < BUCKETS_PER_FLOW * n_flows) {
        n_buckets *= 2u;
    }

    const struct tg_storage storage = {
        .flows = allocate(n_flows, sizeof *storage.flows),
        .buckets = allocate(n_buckets, sizeof *storage.buckets),
        .buffers = allocate(n_buffers, sizeof *storage.buffers),
        .queues = t->rxqs,
        .gates = t->gate_states,
        .n_flows = n_flows,
        .n_buckets = n_buckets,
        .n_buffers = n_buffers,
    };
    uint8_t *const data = aligned_alloc(64u, (size_t)n_buffers * BUFFER_STRIDE_BYTES);

    for (uint32_t i = 0u; i < n_buffers && data != NULL; i++) {
        storage.buffers[i].data = data + (size_t)i * BUFFER_STRIDE_BYTES;
        storage.buffers[i].size_bytes = BUFFER_BYTES;
    }

    const struct tg_gate_config gate = {.budget = {.kind = TG_SERVER_DEFERRABLE,
                                                   .budget_pkts = TG_SERVER_BUDGET_MAX,
                                                   .period_ns = BUDGET_PERIOD_NS}};
    const struct tg_queue_config queue = {.ring = BENCH_BURST};
    const struct tg_config config = {
        .gates = &gate,
        .queues = &queue,
        .station = {.mac = tg_mac((const uint8_t[]){2, 0, 0, 0, 0, 1}), .mtu_bytes = 1500u},
        .n_gates = 1u,
        .n_queues = 1u};

    t->now_ns = 1000000000u;
    check(data == NULL ? TG_ERR_BUFFERS : 0, "memory for buffers");
    check(tg_protocol_init(&t->protocol, &config, &storage, NULL, 0x5eed5eed5eed5eedu, t->now_ns,
                           NULL),
          "tg_protocol_init");
    bind_all(t, setup);
    t->rxq = tg_rxq_attach(&t->protocol, 0u, NULL, NULL);
    for (uint32_t i = 0u; i < BENCH_BURST; i++) {
        t->frames[i].buffer = tg_rxq_fill(t->rxq);
    }
    return t;
}

static void fill(void *state, const uint16_t dst_ports[BENCH_BURST])
{
    struct tidegate *const t = state;

    for (uint32_t i = 0u; i < BENCH_BURST; i++) {
        struct tg_rx_frame *const frame = &t->frames[i];

        t->now_ns += BENCH_SPACING_NS;
        frame->now_ns = t->now_ns;
        frame->len_bytes = BENCH_FRAME_BYTES;
        frame->tci = TG_TCI_NONE;
        bench_write_frame(frame->buffer->data, dst_ports[i]);
    }
}

static uint32_t loop_alone(void *state)
{
    struct tidegate *const t = state;
    uint32_t accepted = 0u;

    for (uint32_t i = 0u; i < BENCH_BURST; i++) {
        accepted += t->frames[i].buffer != NULL;
        __asm__ volatile("" ::: "memory"); /* one round after the other, as with the work inside */
    }
    return accepted;
}

static uint32_t accept_burst(void *state)
{
    struct tidegate *const t = state;
    uint32_t accepted = 0u;

    for (uint32_t i = 0u; i < BENCH_BURST; i++) {
        accepted += tg_rx_eager(t->rxq, &t->frames[i]) == TG_VERDICT_PASSED;
    }
    return accepted;
}

static uint32_t drain(void *state)
{
    struct tidegate *const t = state;
    struct tg_buffer *b;
    uint32_t drained = 0u;

    while ((b = tg_rx_next(&t->protocol)) != NULL) {
        tg_rx_done(&t->protocol);
        drained += tg_rx_release(&t->protocol, b) == 0;
    }
    return drained;
}

const struct bench_path bench_tidegate = {.name = "tidegate",
                                          .start = start,
                                          .fill = fill,
                                          .loop = loop_alone,
                                          .accept = accept_burst,
                                          .drain = drain};
