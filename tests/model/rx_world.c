/* SPDX-License-Identifier: MIT
 *
 * rx_world.c - a random receive path, and everything that can happen to it.
 */
#include "rx_world.h"
#include "rx_model.h"

#include <string.h>

#define PORTS        8u /* flows are told apart by destination ports 0..PORTS - 1 */
#define DRAIN_ROUNDS 64u

/* ---- set-up ---------------------------------------------------------------------------------- */

static struct tg_server_config random_budget(struct world *w, tg_ns *window, bool is_gate)
{
    static const enum tg_server_kind kinds[] = {TG_SERVER_DEFERRABLE, TG_SERVER_DEFERRABLE,
                                                TG_SERVER_SPORADIC, TG_SERVER_UNLIMITED,
                                                TG_SERVER_POLLING};
    struct tg_server_config cfg = {.kind = kinds[rng_below(&w->rng, is_gate ? 5u : 4u)]};

    if (cfg.kind == TG_SERVER_UNLIMITED) {
        return cfg;
    }
    cfg.budget_pkts = rng_between(&w->rng, 1u, WORLD_BUDGET);
    cfg.period_ns = rng_between(&w->rng, 1000u, 4000u);
    cfg.window = cfg.kind == TG_SERVER_SPORADIC ? window : NULL;
    return cfg;
}

static void configure_gates(struct world *w)
{
    for (uint32_t i = 0u; i < w->cfg.n_gates; i++) {
        struct tg_gate_config *const c = &w->gates[i];

        c->budget = random_budget(w, w->gate_windows[i], true);
        if (c->budget.kind == TG_SERVER_DEFERRABLE && rng_percent(&w->rng, 30u)) {
            c->refill = TG_REFILL_TICK;
        }
        w->gate_servers[i].cfg = c->budget;
        if (c->refill == TG_REFILL_TICK || c->budget.kind == TG_SERVER_POLLING) {
            w->has_ticks = true;
            w->gate_servers[i].lateness_ns = w->lateness_ns;
        }
    }
}

static void configure(struct world *w)
{
    w->lateness_ns = rng_below(&w->rng, 1500u);
    w->cfg.station = (struct tg_station){.mac = tg_mac(STATION_MAC), .mtu_bytes = 1500u};
    w->cfg.n_gates = (uint8_t)rng_between(&w->rng, 1u, WORLD_GATES);
    w->cfg.n_queues = (uint8_t)rng_between(&w->rng, 1u, WORLD_QUEUES);
    w->cfg.floor = (uint8_t)(rng_percent(&w->rng, 50u) ? 0u : rng_below(&w->rng, TG_PRIORITIES));
    w->cfg.best_effort_priority = (uint8_t)rng_below(&w->rng, TG_PRIORITIES);
    w->cfg.best_effort_reserve_pkts = (uint16_t)rng_below(&w->rng, WORLD_RESERVE + 1u);
    w->cfg.best_effort_budget = random_budget(w, w->windows[0], false);
    w->cfg.trace = rng_percent(&w->rng, 50u);
    configure_gates(w);
    for (uint32_t i = 0u; i < w->cfg.n_queues; i++) {
        w->queue_cfgs[i] =
            (struct tg_queue_config){.ring = (uint16_t)rng_between(&w->rng, 1u, WORLD_RING),
                                     .rank = (uint8_t)rng_below(&w->rng, 3u),
                                     .gate = (uint8_t)rng_below(&w->rng, w->cfg.n_gates)};
    }
}

static void link_up(struct world *w, uint32_t queue)
{
    tg_rxq_link(&w->core.queues[queue], true);
    w->queues[queue].is_up = true;
    w->pending |= 1u << queue; /* frames may have come before */
}

static void start(struct world *w)
{
    const struct tg_storage storage = {.flows = w->flows,
                                       .buckets = w->buckets,
                                       .buffers = w->buffers,
                                       .queues = w->rxqs,
                                       .gates = w->gate_states,
                                       .n_flows = WORLD_SLOTS,
                                       .n_buckets = 16u,
                                       .n_buffers = model_promised(w) + rng_below(&w->rng, 5u)};

    for (uint32_t i = 0u; i < WORLD_BUFFERS; i++) {
        w->buffers[i] = (struct tg_buffer){.data = w->bytes[i], .size_bytes = WORLD_BUFFER_BYTES};
    }
    tg_sim_port_init(&w->port, UINT64_C(10000000), w->cfg.floor);
    w->cfg.gates = w->gates;
    w->cfg.queues = w->queue_cfgs;
    w->cfg.flows = w->flow_cfgs;
    model_expect(w, tg_trace_init(&w->trace, w->events, 64u) == 0, "trace");
    w->port.trace = &w->trace;
    model_expect(w,
                 tg_protocol_init(&w->core, &w->cfg, &storage, &w->port, rng_next(&w->rng),
                                  w->port.now_ns, NULL) == 0,
                 "a good configuration is refused");
    for (uint32_t i = 0u; i < w->cfg.n_queues; i++) {
        w->links[i] = (struct ring_link){.world = w, .queue = i};
        struct tg_rxq *const q = tg_rxq_attach(&w->core, i, &MODEL_RING_OPS, &w->links[i]);

        soft_ring_fill(&w->rings[i], q, &w->port.now_ns);
        link_up(w, i);
    }
}

void world_init(struct world *w, uint64_t seed)
{
    /* All but the bytes and the histories, which need no start value, is zero. */
    memset(w, 0, sizeof *w);
    rng_init_seed(&w->rng, seed);
    configure(w);
    w->model[0] =
        (struct world_flow){.state = FLOW_BOUND, .reserve_pkts = w->cfg.best_effort_reserve_pkts};
    w->model[0].cfg.priority = w->cfg.best_effort_priority;
    w->model[0].server.cfg = w->cfg.best_effort_budget;
    start(w);
}

/* ---- the world outside ----------------------------------------------------------------------- */

static struct frame random_frame(struct world *w, struct world_frame *wf)
{
    const uint32_t kind = rng_below(&w->rng, 100u);
    struct frame f;

    wf->spec = (struct frame_spec){.dst_port = (uint16_t)rng_below(&w->rng, PORTS),
                                   .src_port = (uint16_t)rng_below(&w->rng, 2u),
                                   .payload_bytes = (uint16_t)(4u + rng_below(&w->rng, 60u))};
    wf->number = w->numbers++;
    wf->is_malformed = kind < 8u;
    wf->is_matched = kind >= 16u;
    if (kind >= 90u) {
        wf->spec.protocol = PROTO_ICMP;
    }
    f = frame_build(&wf->spec);
    if (wf->is_malformed) {
        f.bytes[f.l3] = 0x55u; /* version */
    } else if (!wf->is_matched) {
        f.bytes[f.l3 + 6u] = 0x20u; /* a fragment */
    }
    memcpy(f.bytes + f.l4 + 8u, &wf->number, sizeof wf->number);
    return f;
}

/* The NIC receives a frame; its edge is lost while the queue is masked. */
static void receive(struct world *w, uint32_t queue)
{
    struct world_queue *const q = &w->queues[queue];
    struct world_frame wf;
    const struct frame f = random_frame(w, &wf);

    if (soft_ring_receive(&w->rings[queue], &f)) {
        q->ring[(q->oldest + q->filled) % WORLD_RING] = wf;
        q->filled++;
        w->pending |= w->port.unmasked & 1u << queue;
    }
}

/* Run the interrupt of a queue, needed or not. */
static void interrupt(struct world *w, uint32_t queue)
{
    struct tg_rxq *const q = &w->core.queues[queue];
    struct world_server *const gate = &w->gate_servers[w->queue_cfgs[queue].gate];
    const bool was_masked = (w->port.unmasked & 1u << queue) == 0u;
    const uint64_t spurious = q->counters.spurious;

    if (w->queues[queue].is_busy) {
        return; /* an interrupt does not interrupt itself */
    }
    w->queues[queue].is_busy = true;
    w->pending &= ~(1u << queue);
    if (tg_rxq_interrupt(q, rng_between(&w->rng, 1u, 4u)) == TG_WORK_MORE) {
        w->pending |= 1u << queue;
    }
    w->queues[queue].is_busy = false;
    /* R1: an open gate has a unit, and an empty interrupt takes it. */
    if (q->counters.spurious != spurious && !was_masked && gate->cfg.kind == TG_SERVER_DEFERRABLE) {
        model_admit(w, gate);
    }
}

/* While the core's lock is free for a moment, a frame arrives and interrupts whatever runs. */
static void intrude(void *context)
{
    struct world *const w = context;
    const uint32_t queue = rng_below(&w->rng, w->cfg.n_queues);

    receive(w, queue);
    if ((w->pending & w->port.unmasked & 1u << queue) != 0u) {
        interrupt(w, queue);
    }
}

static void finish_poll(struct world *w)
{
    while (w->is_poll_due) {
        w->is_poll_due = tg_rx_poll(&w->core, rng_between(&w->rng, 1u, 4u)) == TG_WORK_MORE;
    }
}

static void tick(struct world *w)
{
    w->port.timer_at_ns = UINT64_MAX;
    w->is_poll_due = tg_rx_tick(&w->core, w->port.now_ns) == TG_WORK_MORE || w->is_poll_due;
}

/* Time passes; a handler that is due runs, late by no more than agreed. What is to be polled is
 * polled before time goes on. */
static void pass_time(struct world *w, tg_ns duration_ns, uint32_t lateness_ns)
{
    const tg_ns end_ns = w->elapsed_ns + duration_ns;

    finish_poll(w);
    while (w->port.timer_at_ns != UINT64_MAX) {
        const tg_ns due_ns =
            w->port.timer_at_ns > w->port.now_ns ? w->port.timer_at_ns - w->port.now_ns : 0u;

        if (w->elapsed_ns + due_ns > end_ns) {
            break;
        }
        const tg_ns late_ns = due_ns + rng_below(&w->rng, lateness_ns + 1u);

        w->port.now_ns += late_ns;
        w->elapsed_ns += late_ns;
        tick(w);
        finish_poll(w);
    }
    if (w->elapsed_ns < end_ns) {
        w->port.now_ns += end_ns - w->elapsed_ns;
        w->elapsed_ns = end_ns;
    }
}

/* The clock is set. The timer is relative and does not notice. */
static void step_clock(struct world *w)
{
    const tg_ns by_ns = rng_below(&w->rng, 30000u);

    if (rng_percent(&w->rng, 50u) || w->has_ticks) {
        w->port.now_ns -= by_ns;
        w->port.timer_at_ns -= w->port.timer_at_ns == UINT64_MAX ? 0u : by_ns;
        w->steps++;
    } else {
        w->port.now_ns += by_ns;
        w->port.timer_at_ns += w->port.timer_at_ns == UINT64_MAX ? 0u : by_ns;
        w->elapsed_ns += by_ns;
    }
}

/* ---- the protocol task and its sockets ------------------------------------------------------- */

static void next_packet(struct world *w)
{
    struct world_packet packet = {.number = 0u};
    uint32_t priority = 0u;
    uint32_t number;

    /* Nothing may come in between, or the model would not know which packet was the next. */
    w->port.waiter = NULL;
    struct tg_buffer *const b = tg_rx_next(&w->core);
    const bool has_packet = model_next(w, &packet, &priority);

    model_expect(w, has_packet == (b != NULL), "a packet waits, or not");
    if (b == NULL || !has_packet) {
        w->is_awake = false;
        return;
    }
    memcpy(&number, b->data + 14 + 20 + 8, sizeof number);
    model_expect(w, number == packet.number, "not the oldest of the highest priority");
    model_expect(w, b->flow == packet.flow && b->priority == priority, "another flow or priority");
    model_expect(w, b->len_bytes == packet.len_bytes && b->tci == TG_TCI_NONE,
                 "another length or tag");
    w->is_processing = true;
    w->processing = priority;
    w->held[w->n_held++] = b;
}

static void done(struct world *w)
{
    tg_rx_done(&w->core);
    w->is_processing = false;
}

static void release(struct world *w)
{
    const uint32_t i = rng_below(&w->rng, w->n_held);
    struct tg_buffer *const b = w->held[i];
    struct world_flow *const f = &w->model[b->flow];

    w->port.waiter = NULL;
    model_expect(w, tg_rx_release(&w->core, b) == 0, "a delivered packet cannot be released");
    model_expect(w, tg_rx_release(&w->core, b) == TG_ERR_STATE, "a packet is released twice");
    w->held[i] = w->held[--w->n_held];
    f->held_pkts--;
    if (f->state == FLOW_CLOSING) {
        model_close(f);
    }
}

/* ---- flows at run time ----------------------------------------------------------------------- */

static struct tg_flow_config random_flow(struct world *w)
{
    struct tg_flow_config cfg = {.match = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                                           .protocol = PROTO_UDP,
                                           .dst_port = (uint16_t)rng_below(&w->rng, PORTS),
                                           .src_port = 1u},
                                 .reserve_pkts = (uint16_t)rng_between(&w->rng, 1u, WORLD_RESERVE),
                                 .priority = (uint8_t)rng_below(&w->rng, TG_PRIORITIES)};

    if (rng_percent(&w->rng, 30u)) {
        cfg.match.fields |= TG_FIELD_SRC_PORT;
    } else if (rng_percent(&w->rng, 10u)) {
        cfg.match.fields = TG_FIELD_PROTOCOL | TG_FIELD_SRC_PORT;
    }
    return cfg;
}

static void bind(struct world *w)
{
    struct tg_flow_config cfg = random_flow(w);

    cfg.budget = random_budget(w, w->windows[model_free_slot(w)], false);
    const int expected = model_bind_result(w, &cfg);

    w->binding = &cfg;
    const int id = tg_rx_bind(&w->core, &cfg, w->port.now_ns);

    model_follow_flows(w);
    w->binding = NULL;
    model_expect(w, id == expected, "a bind gives another result");
}

static void unbind(struct world *w)
{
    const uint32_t id = rng_below(&w->rng, WORLD_SLOTS + 1u);
    const bool is_bound = id != 0u && id < WORLD_SLOTS && w->model[id].state == FLOW_BOUND;
    const int err = tg_rx_unbind(&w->core, id);

    model_follow_flows(w);
    model_expect(w, err == (is_bound ? 0 : TG_ERR_STATE), "an unbind gives another result");
}

/* ---- random operations ----------------------------------------------------------------------- */

static void use_network(struct world *w)
{
    const uint32_t queue = rng_below(&w->rng, w->cfg.n_queues);
    const uint32_t what = rng_below(&w->rng, 100u);

    if (what < 40u) {
        for (uint32_t n = rng_between(&w->rng, 1u, 4u); n > 0u; n--) {
            receive(w, queue);
        }
    } else if (what < 85u) {
        if ((w->pending & w->port.unmasked & 1u << queue) != 0u) {
            interrupt(w, queue);
        }
    } else if (what < 90u) {
        interrupt(w, queue); /* fault: spurious, or late */
    } else if (what < 93u) {
        w->pending &= ~(1u << queue); /* fault: lost */
    } else if (what < 96u) {
        if (tg_rxq_watch(&w->core.queues[queue], soft_ring_is_full(&w->rings[queue]))) {
            w->pending |= 1u << queue; /* restarted */
        }
    } else if (w->queues[queue].is_up) {
        tg_rxq_link(&w->core.queues[queue], false);
        w->queues[queue].is_up = false;
        w->pending &= ~(1u << queue);
    } else {
        link_up(w, queue);
    }
}

static void use_task(struct world *w)
{
    if (w->n_held != 0u && (rng_percent(&w->rng, 40u) || w->n_held == WORLD_BUFFERS)) {
        release(w);
    } else if (w->is_processing) {
        done(w);
    } else {
        next_packet(w);
    }
}

static void use_time(struct world *w)
{
    const uint32_t what = rng_below(&w->rng, 100u);

    if (what < 10u) {
        step_clock(w);
    } else if (what < 30u && w->is_poll_due) {
        w->is_poll_due = tg_rx_poll(&w->core, rng_between(&w->rng, 1u, 4u)) == TG_WORK_MORE;
    } else if (what < 33u) {
        w->is_poll_due = tg_rx_tick(&w->core, w->port.now_ns) == TG_WORK_MORE || w->is_poll_due;
    } else {
        pass_time(w, rng_below(&w->rng, what < 90u ? 1000u : 20000u), w->lateness_ns);
    }
}

const char *world_step(struct world *w)
{
    const uint32_t what = rng_below(&w->rng, 100u);

    if (rng_percent(&w->rng, 20u)) {
        w->port.waiter = intrude;
        w->port.context = w;
    }
    if (what < 40u) {
        use_network(w);
    } else if (what < 65u) {
        use_task(w);
    } else if (what < 85u) {
        use_time(w);
    } else if (what < 95u) {
        bind(w);
    } else {
        unbind(w);
    }
    w->port.waiter = NULL;
    model_check(w);
    return w->wrong;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void drain_sockets(struct world *w)
{
    do {
        if (w->is_processing) {
            done(w);
        }
        next_packet(w);
    } while (w->is_processing);
    while (w->n_held != 0u) {
        release(w);
    }
}

/* One period of the slowest gate: interrupts, timer, protocol task. */
static void drain_once(struct world *w)
{
    for (uint32_t i = 0u; i < w->cfg.n_queues; i++) {
        while ((w->pending & w->port.unmasked & 1u << i) != 0u) {
            interrupt(w, i);
        }
    }
    drain_sockets(w);
    pass_time(w, 4000u, 0u);
    drain_sockets(w);
}

/* Rule 9: after the flood, a frame is served at once, by a polling gate at its next refill. */
static void check_latency(struct world *w)
{
    for (uint32_t i = 0u; i < w->cfg.n_queues; i++) {
        const uint64_t before = w->queues[i].received;

        receive(w, i);
        if (w->gate_servers[w->queue_cfgs[i].gate].cfg.kind == TG_SERVER_POLLING) {
            pass_time(w, w->gate_servers[w->queue_cfgs[i].gate].cfg.period_ns, 0u);
        } else {
            interrupt(w, i);
        }
        model_expect(w, w->queues[i].received == before + 1u, "latency is not back");
        pass_time(w, 8000u, 0u); /* the gates fill up again */
    }
}

const char *world_finish(struct world *w)
{
    for (uint32_t i = 0u; i < w->cfg.n_queues; i++) {
        if (!w->queues[i].is_up) {
            link_up(w, i);
        }
        w->pending |= 1u << i; /* an edge that was lost: the next frame would bring another */
    }
    for (uint32_t round = 0u; round < DRAIN_ROUNDS; round++) {
        drain_once(w);
    }
    model_check(w);
    model_check_drained(w);
    check_latency(w);
    drain_once(w);
    model_check(w);
    model_check_demand(w);
    return w->wrong;
}
