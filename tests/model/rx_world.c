/* SPDX-License-Identifier: MIT
 *
 * rx_world.c - a random receive path under random operations, and an independent model beside it.
 */
#include "rx_world.h"
#include "tidegate/check.h"

#include <string.h>

#define PORTS        8u /* flows are told apart by destination ports 0..PORTS - 1 */
#define DRAIN_ROUNDS 64u

static void complain(struct world *w, const char *what)
{
    if (w->wrong == NULL) {
        w->wrong = what;
    }
}

static void expect(struct world *w, bool holds, const char *what)
{
    if (!holds) {
        complain(w, what);
    }
}

/* ---- servers --------------------------------------------------------------------------------- */

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

static void admit(struct world *w, struct world_server *s)
{
    if (s->cfg.kind != TG_SERVER_UNLIMITED && s->n < WORLD_UNITS) {
        s->at_ns[s->n++] = w->elapsed_ns;
    }
}

/* A server notices that the clock stepped back when it is asked next. */
static void notice_steps(const struct world *w, struct world_server *s)
{
    if (s->steps_seen != w->steps) {
        s->steps_seen = w->steps;
        s->step_seen_ns = w->elapsed_ns;
    }
}

/* A flow's server may only refuse if a whole budget was taken within the last period; a clock
 * that stepped back may cost one period more from when it was noticed (rule 8). */
static bool may_refuse(const struct world *w, const struct world_server *s)
{
    uint32_t recent = 0u;

    if (s->cfg.kind == TG_SERVER_UNLIMITED) {
        return false;
    }
    if ((s->steps_seen != 0u && w->elapsed_ns - s->step_seen_ns < s->cfg.period_ns) ||
        s->n == WORLD_UNITS) {
        return true;
    }
    for (uint32_t i = 0u; i < s->n; i++) {
        recent += w->elapsed_ns - s->at_ns[i] <= s->cfg.period_ns ? 1u : 0u;
    }
    return recent >= s->cfg.budget_pkts;
}

/* ---- flows ----------------------------------------------------------------------------------- */

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

static void model_bind(struct world *w, uint32_t id, const struct tg_flow_config *cfg)
{
    w->model[id] =
        (struct world_flow){.state = FLOW_BOUND, .cfg = *cfg, .reserve_pkts = cfg->reserve_pkts};
    w->model[id].server.cfg = cfg->budget;
    w->model[id].server.steps_seen = w->steps;
    w->model[id].server.step_seen_ns = w->elapsed_ns - cfg->budget.period_ns;
}

static void model_close(struct world_flow *f)
{
    f->reserve_pkts = f->held_pkts;
    f->state = f->held_pkts == 0u ? FLOW_FREE : FLOW_CLOSING;
}

/* Frames may come while a bind or an unbind is under way: the core alone says whether before or
 * after. */
static void follow_flows(struct world *w)
{
    for (uint32_t id = 1u; id < WORLD_SLOTS; id++) {
        const bool is_bound = w->flows[id].state == TG_FLOW_BOUND;

        if (is_bound && w->model[id].state != FLOW_BOUND) {
            if (w->binding == NULL) {
                complain(w, "a flow is bound that nobody bound");
                return;
            }
            expect(w, w->model[id].state == FLOW_FREE, "a slot is used again too early");
            model_bind(w, id, w->binding);
            w->binding = NULL;
        } else if (!is_bound && w->model[id].state == FLOW_BOUND) {
            model_close(&w->model[id]);
        }
    }
}

/* The flow that must take this frame. */
static uint32_t flow_of(const struct world *w, const struct world_frame *f)
{
    const struct tg_match *matches[WORLD_SLOTS];
    uint32_t ids[WORLD_SLOTS];
    uint32_t n = 0u;

    for (uint32_t id = 1u; id < WORLD_SLOTS && f->is_matched; id++) {
        if (w->model[id].state == FLOW_BOUND) {
            ids[n] = id;
            matches[n++] = &w->model[id].cfg.match;
        }
    }
    const uint32_t winner = oracle_winner(matches, n, &f->spec);

    return winner == ORACLE_NONE ? 0u : ids[winner];
}

/* ---- what the core did with a frame ---------------------------------------------------------- */

static void model_pass(struct world *w, uint32_t flow, const struct world_frame *f,
                       uint32_t len_bytes)
{
    struct world_flow *const model = &w->model[flow];
    const uint32_t priority = model->cfg.priority;

    expect(w, model->held_pkts < model->reserve_pkts, "passed beyond the reserve");
    model->passed++;
    model->held_pkts++;
    w->waiting[priority][w->n_waiting[priority]++] =
        (struct world_packet){.number = f->number, .flow = flow, .len_bytes = len_bytes};
    if (!w->is_awake) {
        w->is_awake = true;
        w->wakes++;
    }
}

/* One frame got its verdict. */
static void model_verdict(struct world *w, uint32_t queue, enum tg_verdict verdict, uint32_t flow,
                          uint32_t len_bytes)
{
    struct world_queue *const q = &w->queues[queue];
    const struct world_frame f = q->ring[q->oldest];
    struct world_flow *const model = &w->model[flow];

    q->oldest = (q->oldest + 1u) % WORLD_RING;
    q->filled--;
    q->received++;
    w->verdicts[verdict]++;
    admit(w, &w->gate_servers[w->queue_cfgs[queue].gate]);
    expect(w, f.is_malformed == (verdict == TG_VERDICT_MALFORMED), "malformed, or not");
    if (f.is_malformed) {
        q->malformed++;
        return;
    }
    expect(w, flow == flow_of(w, &f), "another flow than the most specific match");
    notice_steps(w, &model->server);
    switch (verdict) {
    case TG_VERDICT_PASSED:
        admit(w, &model->server);
        model_pass(w, flow, &f, len_bytes);
        break;
    case TG_VERDICT_BUDGET:
        expect(w, may_refuse(w, &model->server), "refused although budget was left");
        model->dropped_budget++;
        break;
    case TG_VERDICT_NO_BUFFER: /* rule 4: never below the reserve */
        expect(w, model->held_pkts == model->reserve_pkts && model->reserve_pkts != 0u,
               "no buffer below the reserve");
        admit(w, &model->server);
        model->dropped_no_buffer++;
        break;
    default:
        expect(w, verdict == TG_VERDICT_UNREGISTERED && flow == 0u && model->reserve_pkts == 0u,
               "unregistered although best effort is accepted");
        q->unregistered++;
        break;
    }
}

/* With events: the last verdict that was reported. */
static struct tg_event last_verdict(struct world *w)
{
    struct tg_event e;
    struct tg_event verdict = {.kind = 0u};

    while (tg_trace_take(&w->trace, &e)) {
        expect(w, e.lost == 0u, "events are lost");
        if (e.kind == TG_EVENT_VERDICT) {
            verdict = e;
        }
    }
    expect(w, verdict.kind == TG_EVENT_VERDICT, "a step without a verdict");
    return verdict;
}

/* Without events: the counter that moved, of which the model does not know yet. */
static struct tg_event counted_verdict(struct world *w, uint32_t queue)
{
    const struct tg_queue_counters *const q = &w->core.queues[queue].counters;
    enum tg_verdict verdict = q->malformed != w->queues[queue].malformed ? TG_VERDICT_MALFORMED
                              : q->unregistered != w->queues[queue].unregistered
                                  ? TG_VERDICT_UNREGISTERED
                                  : TG_VERDICT_NONE;
    uint32_t flow = 0u;

    for (uint32_t id = 0u; id < WORLD_SLOTS && verdict == TG_VERDICT_NONE; id++) {
        const struct tg_flow_counters *const c = &w->flows[id].counters;
        const struct world_flow *const f = &w->model[id];

        flow = id;
        verdict = c->passed != f->passed                         ? TG_VERDICT_PASSED
                  : c->dropped_budget != f->dropped_budget       ? TG_VERDICT_BUDGET
                  : c->dropped_no_buffer != f->dropped_no_buffer ? TG_VERDICT_NO_BUFFER
                                                                 : TG_VERDICT_NONE;
    }
    expect(w, verdict != TG_VERDICT_NONE, "a step without a verdict");
    return (struct tg_event){.subject = (uint16_t)flow, .value = (uint8_t)verdict};
}

static bool world_peek(void *opaque, struct tg_rx_frame *frame)
{
    const struct ring_link *const link = opaque;

    return SOFT_RING_OPS.peek(&link->world->rings[link->queue], frame);
}

static void world_advance(void *opaque, struct tg_buffer *buffer)
{
    const struct ring_link *const link = opaque;
    struct world *const w = link->world;
    struct soft_ring *const ring = &w->rings[link->queue];
    const bool is_swapped = ring->slots[ring->oldest].buffer != buffer;

    follow_flows(w);
    const struct tg_event e = w->cfg.trace ? last_verdict(w) : counted_verdict(w, link->queue);

    expect(w, is_swapped == (e.value == TG_VERDICT_PASSED), "the wrong buffer for the ring");
    model_verdict(w, link->queue, (enum tg_verdict)e.value, e.subject,
                  ring->slots[ring->oldest].len_bytes);
    SOFT_RING_OPS.advance(ring, buffer);
}

static const struct tg_ring_ops WORLD_RING_OPS = {.peek = world_peek, .advance = world_advance};

/* ---- set-up ---------------------------------------------------------------------------------- */

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

static uint32_t promised(const struct world *w)
{
    uint32_t n = 0u;

    for (uint32_t i = 0u; i < w->cfg.n_queues; i++) {
        n += w->queue_cfgs[i].ring;
    }
    for (uint32_t id = 0u; id < WORLD_SLOTS; id++) {
        n += w->model[id].reserve_pkts;
    }
    return n;
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
                                       .n_buffers = promised(w) + rng_below(&w->rng, 5u)};

    for (uint32_t i = 0u; i < WORLD_BUFFERS; i++) {
        w->buffers[i] = (struct tg_buffer){.data = w->bytes[i], .size_bytes = WORLD_BUFFER_BYTES};
    }
    tg_sim_port_init(&w->port, UINT64_C(10000000), w->cfg.floor);
    w->cfg.gates = w->gates;
    w->cfg.queues = w->queue_cfgs;
    w->cfg.flows = w->flow_cfgs;
    expect(w, tg_trace_init(&w->trace, w->events, 64u) == 0, "trace");
    w->port.trace = &w->trace;
    expect(w,
           tg_protocol_init(&w->core, &w->cfg, &storage, &w->port, rng_next(&w->rng),
                            w->port.now_ns, NULL) == 0,
           "a good configuration is refused");
    for (uint32_t i = 0u; i < w->cfg.n_queues; i++) {
        w->links[i] = (struct ring_link){.world = w, .queue = i};
        struct tg_rxq *const q = tg_rxq_attach(&w->core, i, &WORLD_RING_OPS, &w->links[i]);

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
        admit(w, gate);
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

/* The oldest packet of the highest priority that waits. */
static bool model_next(struct world *w, struct world_packet *packet, uint32_t *priority)
{
    for (uint32_t p = TG_PRIORITIES; p-- > 0u;) {
        if (w->n_waiting[p] != 0u) {
            *packet = w->waiting[p][0];
            *priority = p;
            w->n_waiting[p]--;
            memmove(w->waiting[p], w->waiting[p] + 1, w->n_waiting[p] * sizeof *w->waiting[p]);
            return true;
        }
    }
    return false;
}

static void next_packet(struct world *w)
{
    struct world_packet packet = {.number = 0u};
    uint32_t priority = 0u;
    uint32_t number;

    /* Nothing may come in between, or the model would not know which packet was the next. */
    w->port.waiter = NULL;
    struct tg_buffer *const b = tg_rx_next(&w->core);
    const bool has_packet = model_next(w, &packet, &priority);

    expect(w, has_packet == (b != NULL), "a packet waits, or not");
    if (b == NULL || !has_packet) {
        w->is_awake = false;
        return;
    }
    memcpy(&number, b->data + 14 + 20 + 8, sizeof number);
    expect(w, number == packet.number, "not the oldest of the highest priority");
    expect(w, b->flow == packet.flow && b->priority == priority, "another flow or priority");
    expect(w, b->len_bytes == packet.len_bytes && b->tci == TG_TCI_NONE, "another length or tag");
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
    expect(w, tg_rx_release(&w->core, b) == 0, "a delivered packet cannot be released");
    expect(w, tg_rx_release(&w->core, b) == TG_ERR_STATE, "a packet is released twice");
    w->held[i] = w->held[--w->n_held];
    f->held_pkts--;
    if (f->state == FLOW_CLOSING) {
        model_close(f);
    }
}

/* ---- flows at run time ----------------------------------------------------------------------- */

static bool is_bound_alike(const struct world *w, const struct tg_match *m)
{
    for (uint32_t id = 1u; id < WORLD_SLOTS; id++) {
        if (w->model[id].state == FLOW_BOUND && oracle_is_same(&w->model[id].cfg.match, m)) {
            return true;
        }
    }
    return false;
}

static uint32_t free_slot(const struct world *w)
{
    for (uint32_t id = 1u; id < WORLD_SLOTS; id++) {
        if (w->model[id].state == FLOW_FREE) {
            return id;
        }
    }
    return 0u;
}

static void bind(struct world *w)
{
    struct tg_flow_config cfg = random_flow(w);
    const uint32_t slot = free_slot(w);

    cfg.budget = random_budget(w, w->windows[slot], false);
    const int expected = is_bound_alike(w, &cfg.match)                        ? TG_ERR_EXISTS
                         : slot == 0u                                         ? TG_ERR_FULL
                         : cfg.reserve_pkts > w->core.n_buffers - promised(w) ? TG_ERR_BUFFERS
                                                                              : (int)slot;
    w->binding = &cfg;
    const int id = tg_rx_bind(&w->core, &cfg, w->port.now_ns);

    follow_flows(w);
    w->binding = NULL;
    expect(w, id == expected, "a bind gives another result");
}

static void unbind(struct world *w)
{
    const uint32_t id = rng_below(&w->rng, WORLD_SLOTS + 1u);
    const bool is_bound = id != 0u && id < WORLD_SLOTS && w->model[id].state == FLOW_BOUND;
    const int err = tg_rx_unbind(&w->core, id);

    follow_flows(w);
    expect(w, err == (is_bound ? 0 : TG_ERR_STATE), "an unbind gives another result");
}

/* ---- invariants ------------------------------------------------------------------------------ */

static uint32_t due_priority(const struct world *w)
{
    uint32_t priority = w->cfg.floor;

    if (w->is_processing && w->processing > priority) {
        priority = w->processing;
    }
    for (uint32_t p = priority; p < TG_PRIORITIES; p++) {
        priority = w->n_waiting[p] != 0u ? p : priority;
    }
    return priority;
}

static void check_counters(struct world *w)
{
    struct tg_flow_counters flows[WORLD_SLOTS];
    struct tg_snapshot s = {.flows = flows};

    tg_rx_snapshot(&w->core, &s);
    for (uint32_t i = 0u; i < w->cfg.n_queues; i++) {
        expect(w,
               s.queues[i].received == w->queues[i].received &&
                   s.queues[i].malformed == w->queues[i].malformed &&
                   s.queues[i].unregistered == w->queues[i].unregistered,
               "counters of a queue");
        expect(w, w->rings[i].filled == w->queues[i].filled, "frames are lost or doubled");
    }
    for (uint32_t id = 0u; id < WORLD_SLOTS; id++) {
        const struct world_flow *const f = &w->model[id];

        expect(w,
               flows[id].passed == f->passed && flows[id].dropped_budget == f->dropped_budget &&
                   flows[id].dropped_no_buffer == f->dropped_no_buffer &&
                   flows[id].held_pkts == f->held_pkts,
               "counters of a flow");
    }
}

static void check(struct world *w)
{
    const char *const wrong = tg_protocol_check(&w->core);

    if (wrong != NULL) {
        complain(w, wrong);
    }
    expect(w, w->port.priority == due_priority(w), "priority = max(floor, waiting, processing)");
    expect(w, w->port.wakes == w->wakes, "a wake is missing, or one too many");
    for (uint32_t i = 0u; i < w->cfg.n_queues; i++) {
        const struct tg_rxq *const q = &w->core.queues[i];
        const bool is_masked = (w->port.unmasked & 1u << i) == 0u;

        expect(w, is_masked == (q->gate->is_polled || !w->queues[i].is_up),
               "masked iff polled or down");
    }
    check_counters(w);
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
    check(w);
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

static void check_drained(struct world *w)
{
    for (uint32_t i = 0u; i < w->cfg.n_queues; i++) {
        const struct tg_rxq *const q = &w->core.queues[i];

        expect(w, w->queues[i].filled == 0u, "a frame is stranded in its ring");
        expect(w, q->gate->is_polled == (q->gate->server.kind == TG_SERVER_POLLING),
               "a gate does not open again");
    }
    for (uint32_t id = 0u; id < WORLD_SLOTS; id++) {
        expect(w, w->model[id].held_pkts == 0u, "a buffer is still held");
        expect(w, w->model[id].state != FLOW_CLOSING, "a flow does not end");
    }
    expect(w, w->port.priority == w->cfg.floor, "not back at the floor");
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
        expect(w, w->queues[i].received == before + 1u, "latency is not back");
        pass_time(w, 8000u, 0u); /* the gates fill up again */
    }
}

static void check_demand(struct world *w)
{
    for (uint32_t i = 0u; i < w->cfg.n_gates; i++) {
        const struct world_server *const s = &w->gate_servers[i];

        expect(w, demand_exceeded(&s->cfg, s->lateness_ns, s->at_ns, s->n) == 0u,
               "a gate admitted more than its demand bound");
    }
    for (uint32_t id = 0u; id < WORLD_SLOTS; id++) {
        const struct world_server *const s = &w->model[id].server;

        expect(w, demand_exceeded(&s->cfg, 0u, s->at_ns, s->n) == 0u,
               "a flow admitted more than its demand bound");
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
    check(w);
    check_drained(w);
    check_latency(w);
    drain_once(w);
    check(w);
    check_demand(w);
    return w->wrong;
}
