/* SPDX-License-Identifier: MIT
 *
 * rig.c - a receive path on the simulated port with a software ring per queue.
 */
#include "rig.h"
#include "check_cmocka.h"
#include "tidegate/check.h"

#include <stdlib.h>

struct rig_config rig_config(void)
{
    struct rig_config c = {.spare_flows = 8u,
                           .spare_buffers = 32u,
                           .n_buckets = 64u,
                           .buffer_bytes = FRAME_MAX_BYTES,
                           .start_ns = RIG_START_NS};

    c.core.station = (struct tg_station){.mac = tg_mac(STATION_MAC), .mtu_bytes = 1500u};
    c.core.best_effort_budget.kind = TG_SERVER_UNLIMITED;
    c.core.best_effort_reserve_pkts = 4u;
    c.core.n_gates = 1u;
    c.core.n_queues = 1u;
    c.core.trace = true;
    for (uint32_t i = 0u; i < TG_GATES_MAX; i++) {
        c.gates[i].budget.kind = TG_SERVER_UNLIMITED;
    }
    for (uint32_t i = 0u; i < TG_QUEUES_MAX; i++) {
        c.queues[i].ring = 8u;
    }
    return c;
}

struct rig_config rig_config_gate(struct tg_server_config budget, enum tg_refill refill)
{
    struct rig_config c = rig_config();

    c.core.best_effort_reserve_pkts = 64u;
    c.gates[0] = (struct tg_gate_config){.budget = budget, .refill = refill};
    return c;
}

struct rig_config rig_config_limited(uint32_t budget_pkts)
{
    return rig_config_gate((struct tg_server_config){.kind = TG_SERVER_DEFERRABLE,
                                                     .budget_pkts = budget_pkts,
                                                     .period_ns = RIG_PERIOD_NS},
                           TG_REFILL_TIMESTAMP);
}

struct rig_config rig_config_sporadic(uint32_t budget_pkts, tg_ns *window)
{
    return rig_config_gate((struct tg_server_config){.kind = TG_SERVER_SPORADIC,
                                                     .budget_pkts = budget_pkts,
                                                     .period_ns = RIG_PERIOD_NS,
                                                     .window = window},
                           TG_REFILL_TIMESTAMP);
}

struct rig_config rig_config_ranked(uint32_t budget_pkts)
{
    struct rig_config c = rig_config_limited(budget_pkts);

    c.core.n_queues = 2u;
    c.queues[1].rank = 7u;
    return c;
}

struct tg_flow_config rig_udp_flow(uint16_t dst_port, uint8_t priority, uint16_t reserve_pkts)
{
    return (struct tg_flow_config){.match = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                                             .protocol = PROTO_UDP,
                                             .dst_port = dst_port},
                                   .budget = {.kind = TG_SERVER_UNLIMITED},
                                   .reserve_pkts = reserve_pkts,
                                   .priority = priority};
}

struct tg_server_config rig_plenty(void)
{
    return (struct tg_server_config){.kind = TG_SERVER_DEFERRABLE,
                                     .budget_pkts = TG_SERVER_BUDGET_MAX,
                                     .period_ns = TG_PERIOD_MAX_NS};
}

void rig_allow_shortcut(struct rig_config *c)
{
    c->core.trace = false;
    c->core.best_effort_budget = rig_plenty();
    for (uint32_t i = 0u; i < TG_GATES_MAX; i++) {
        c->gates[i].budget = rig_plenty();
    }
    for (uint32_t i = 0u; i < c->core.n_flows; i++) {
        c->flows[i].budget = rig_plenty();
    }
}

void rig_add_flow(struct rig_config *c, struct tg_flow_config flow)
{
    assert_true(c->core.n_flows < RIG_FLOWS_MAX);
    c->flows[c->core.n_flows++] = flow;
}

static void *allocate(size_t n, size_t size)
{
    void *const p = calloc(n, size);

    assert_non_null(p);
    return p;
}

static uint32_t buffers_needed(const struct rig_config *c)
{
    uint32_t n = c->core.best_effort_reserve_pkts + c->spare_buffers;

    for (uint32_t i = 0u; i < c->core.n_queues && i < TG_QUEUES_MAX; i++) {
        n += c->queues[i].ring;
    }
    for (uint32_t i = 0u; i < c->core.n_flows; i++) {
        n += c->flows[i].reserve_pkts;
    }
    return n;
}

static void allocate_storage(struct rig *rig, const struct rig_config *c)
{
    struct tg_storage *const s = &rig->storage;

    s->n_flows = 1u + c->core.n_flows + c->spare_flows;
    s->queues = rig->rxqs;
    s->gates = rig->gate_states;
    s->n_buckets = c->n_buckets;
    s->n_buffers = buffers_needed(c);
    s->flows = allocate(s->n_flows, sizeof *s->flows);
    s->buckets = allocate(s->n_buckets, sizeof *s->buckets);
    s->buffers = allocate(s->n_buffers, sizeof *s->buffers);
    rig->snapshot.flows = allocate(s->n_flows, sizeof *rig->snapshot.flows);
    rig->bytes = allocate(s->n_buffers, c->buffer_bytes);
    for (uint32_t i = 0u; i < s->n_buffers; i++) {
        s->buffers[i].data = rig->bytes + (size_t)i * c->buffer_bytes;
        s->buffers[i].size_bytes = c->buffer_bytes;
    }
}

int rig_init(struct rig *rig, const struct rig_config *c)
{
    struct tg_config core = c->core;

    *rig = (struct rig){.pending = 0u};
    core.gates = c->gates;
    core.queues = c->queues;
    core.flows = c->flows;
    allocate_storage(rig, c);
    tg_sim_port_init(&rig->port, c->start_ns, core.floor);
    assert_int_equal(tg_trace_init(&rig->trace, rig->events, RIG_EVENTS), 0);
    rig->port.trace = &rig->trace;
    return tg_protocol_init(&rig->protocol, &core, &rig->storage, &rig->port, 42u, c->start_ns,
                            &rig->bad_flow);
}

void rig_up(struct rig *rig)
{
    for (uint32_t i = 0u; i < rig->protocol.n_queues; i++) {
        rig->queues[i] = tg_rxq_attach(&rig->protocol, i, &SOFT_RING_OPS, &rig->rings[i]);
        soft_ring_fill(&rig->rings[i], rig->queues[i], &rig->port.now_ns);
        tg_rxq_link(rig->queues[i], true);
    }
}

void rig_start(struct rig *rig, const struct rig_config *c)
{
    assert_int_equal(rig_init(rig, c), 0);
    rig_up(rig);
    rig_check(rig);
}

void rig_free(struct rig *rig)
{
    free(rig->storage.flows);
    free(rig->storage.buckets);
    free(rig->storage.buffers);
    free(rig->snapshot.flows);
    free(rig->bytes);
}

bool rig_receive(struct rig *rig, uint32_t queue, const struct frame *f)
{
    const bool is_stored = soft_ring_receive(&rig->rings[queue], f);

    if (is_stored) {
        rig->pending |= rig->port.unmasked & 1u << queue;
    }
    return is_stored;
}

void rig_receive_udp(struct rig *rig, uint32_t queue, uint32_t n, uint16_t port)
{
    const struct frame f = frame_udp(port);

    for (uint32_t i = 0u; i < n; i++) {
        assert_true(rig_receive(rig, queue, &f));
    }
}

uint64_t rig_received(struct rig *rig, uint32_t queue)
{
    return rig_snapshot(rig)->queues[queue].received;
}

bool rig_is_masked(const struct rig *rig, uint32_t queue)
{
    return (rig->port.unmasked & 1u << queue) == 0u;
}

static void assert_ends(uint32_t round)
{
    if (round == RIG_ROUNDS_MAX) {
        fail_msg("it does not end");
    }
}

void rig_interrupts(struct rig *rig)
{
    uint32_t round = 0u;

    for (uint32_t ready = rig->pending; ready != 0u; ready = rig->pending & rig->port.unmasked) {
        struct tg_rxq *q = rig->protocol.highest;

        assert_ends(round++);
        while ((ready & 1u << q->number) == 0u) {
            q = q->lower;
        }
        rig->pending &= ~(1u << q->number);
        if (tg_rxq_interrupt(q, 1u) == TG_WORK_MORE) {
            rig->pending |= 1u << q->number;
        }
    }
}

enum tg_verdict rig_eager(struct rig *rig, uint32_t queue, const struct frame *f)
{
    struct soft_ring *const ring = &rig->rings[queue];
    struct tg_rx_frame frame;

    assert_int_equal(ring->filled, 0);
    assert_true(soft_ring_receive(ring, f));
    assert_true(SOFT_RING_OPS.peek(ring, &frame));

    const enum tg_verdict verdict = tg_rx_eager(rig->queues[queue], &frame);

    SOFT_RING_OPS.advance(ring, frame.buffer);
    return verdict;
}

void rig_tick(struct rig *rig)
{
    uint32_t round = 0u;

    rig->port.timer_at_ns = UINT64_MAX;

    enum tg_work work = tg_rx_tick(&rig->protocol, rig->port.now_ns);

    while (work == TG_WORK_MORE) {
        assert_ends(round++);
        work = tg_rx_poll(&rig->protocol, RIG_MAX_FRAMES);
    }
}

void rig_wait(struct rig *rig, tg_ns duration_ns)
{
    const tg_ns end_ns = rig->port.now_ns + duration_ns;
    uint32_t round = 0u;

    while (rig->port.timer_at_ns <= end_ns) {
        assert_ends(round++);
        if (rig->port.timer_at_ns > rig->port.now_ns) {
            rig->port.now_ns = rig->port.timer_at_ns;
        }
        rig_tick(rig);
    }
    rig->port.now_ns = end_ns;
}

struct tg_buffer *rig_process(struct rig *rig)
{
    struct tg_buffer *const b = tg_rx_next(&rig->protocol);

    if (b != NULL) {
        tg_rx_done(&rig->protocol);
    }
    return b;
}

int rig_deliver(struct rig *rig)
{
    struct tg_buffer *const b = rig_process(rig);

    if (b == NULL) {
        return RIG_NO_FLOW;
    }
    const int flow = b->flow;

    assert_int_equal(tg_rx_release(&rig->protocol, b), 0);
    return flow;
}

uint32_t rig_drain(struct rig *rig)
{
    uint32_t n = 0u;

    while (rig_deliver(rig) != RIG_NO_FLOW) {
        n++;
    }
    return n;
}

void rig_check(const struct rig *rig)
{
    const struct tg_protocol *const p = &rig->protocol;
    const char *const wrong = tg_protocol_check(p);

    if (wrong != NULL) {
        fail_msg("%s", wrong);
    }
    assert_false(rig->port.is_locked);
    assert_int_equal(rig->port.priority, p->current);
    for (uint32_t i = 0u; i < p->n_queues; i++) { /* struct tg_rxq I1 */
        const bool is_masked = (rig->port.unmasked & 1u << i) == 0u;

        assert_int_equal(is_masked, p->queues[i].gate->is_polled || !p->queues[i].is_up);
    }
}

const struct tg_snapshot *rig_snapshot(struct rig *rig)
{
    tg_rx_snapshot(&rig->protocol, &rig->snapshot);
    return &rig->snapshot;
}

const struct tg_flow_counters *rig_flow(struct rig *rig, uint32_t flow)
{
    return &rig_snapshot(rig)->flows[flow];
}
