/* SPDX-License-Identifier: MIT
 *
 * rx_model.c - what a receive path must do, beside the one that does it.
 */
#include "rx_model.h"
#include "tidegate/check.h"

#include <string.h>

void model_expect(struct world *w, bool holds, const char *what)
{
    if (!holds && w->wrong == NULL) {
        w->wrong = what;
    }
}

/* ---- servers --------------------------------------------------------------------------------- */

void model_admit(struct world *w, struct world_server *s)
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

static void model_bind(struct world *w, uint32_t id, const struct tg_flow_config *cfg)
{
    w->model[id] =
        (struct world_flow){.state = FLOW_BOUND, .cfg = *cfg, .reserve_pkts = cfg->reserve_pkts};
    w->model[id].server.cfg = cfg->budget;
    w->model[id].server.steps_seen = w->steps;
    w->model[id].server.step_seen_ns = w->elapsed_ns - cfg->budget.period_ns;
}

void model_close(struct world_flow *f)
{
    f->reserve_pkts = f->held_pkts;
    f->state = f->held_pkts == 0u ? FLOW_FREE : FLOW_CLOSING;
}

/* Frames may come while a bind or an unbind is under way: the core alone says whether before or
 * after. */
void model_follow_flows(struct world *w)
{
    for (uint32_t id = 1u; id < WORLD_SLOTS; id++) {
        const bool is_bound = w->flows[id].state == TG_FLOW_BOUND;

        if (is_bound && w->model[id].state != FLOW_BOUND) {
            if (w->binding == NULL) {
                model_expect(w, false, "a flow is bound that nobody bound");
                return;
            }
            model_expect(w, w->model[id].state == FLOW_FREE, "a slot is used again too early");
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

uint32_t model_promised(const struct world *w)
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

static bool is_bound_alike(const struct world *w, const struct tg_match *m)
{
    for (uint32_t id = 1u; id < WORLD_SLOTS; id++) {
        if (w->model[id].state == FLOW_BOUND && oracle_is_same(&w->model[id].cfg.match, m)) {
            return true;
        }
    }
    return false;
}

uint32_t model_free_slot(const struct world *w)
{
    for (uint32_t id = 1u; id < WORLD_SLOTS; id++) {
        if (w->model[id].state == FLOW_FREE) {
            return id;
        }
    }
    return 0u;
}

int model_bind_result(const struct world *w, const struct tg_flow_config *cfg)
{
    const uint32_t slot = model_free_slot(w);

    if (is_bound_alike(w, &cfg->match)) {
        return TG_ERR_EXISTS;
    }
    if (slot == 0u) {
        return TG_ERR_FULL;
    }
    return cfg->reserve_pkts > w->core.n_buffers - model_promised(w) ? TG_ERR_BUFFERS : (int)slot;
}

/* ---- what the core did with a frame ---------------------------------------------------------- */

static void model_pass(struct world *w, uint32_t flow, const struct world_frame *f,
                       uint32_t len_bytes)
{
    struct world_flow *const model = &w->model[flow];
    const uint32_t priority = model->cfg.priority;

    model_expect(w, model->held_pkts < model->reserve_pkts, "passed beyond the reserve");
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
    model_admit(w, &w->gate_servers[w->queue_cfgs[queue].gate]);
    model_expect(w, f.is_malformed == (verdict == TG_VERDICT_MALFORMED), "malformed, or not");
    if (f.is_malformed) {
        q->malformed++;
        return;
    }
    model_expect(w, flow == flow_of(w, &f), "another flow than the most specific match");
    notice_steps(w, &model->server);
    switch (verdict) {
    case TG_VERDICT_PASSED:
        model_admit(w, &model->server);
        model_pass(w, flow, &f, len_bytes);
        break;
    case TG_VERDICT_BUDGET:
        model_expect(w, may_refuse(w, &model->server), "refused although budget was left");
        model->dropped_budget++;
        break;
    case TG_VERDICT_NO_BUFFER: /* rule 4: never below the reserve */
        model_expect(w, model->held_pkts == model->reserve_pkts && model->reserve_pkts != 0u,
                     "no buffer below the reserve");
        model_admit(w, &model->server);
        model->dropped_no_buffer++;
        break;
    default:
        model_expect(w,
                     verdict == TG_VERDICT_UNREGISTERED && flow == 0u && model->reserve_pkts == 0u,
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
        model_expect(w, e.lost == 0u, "events are lost");
        if (e.kind == TG_EVENT_VERDICT) {
            verdict = e;
        }
    }
    model_expect(w, verdict.kind == TG_EVENT_VERDICT, "a step without a verdict");
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
    model_expect(w, verdict != TG_VERDICT_NONE, "a step without a verdict");
    return (struct tg_event){.subject = (uint16_t)flow, .value = (uint8_t)verdict};
}

static bool model_peek(void *opaque, struct tg_rx_frame *frame)
{
    const struct ring_link *const link = opaque;

    return SOFT_RING_OPS.peek(&link->world->rings[link->queue], frame);
}

static void model_advance(void *opaque, struct tg_buffer *buffer)
{
    const struct ring_link *const link = opaque;
    struct world *const w = link->world;
    struct soft_ring *const ring = &w->rings[link->queue];
    const bool is_swapped = ring->slots[ring->oldest].buffer != buffer;

    model_follow_flows(w);
    const struct tg_event e = w->cfg.trace ? last_verdict(w) : counted_verdict(w, link->queue);

    model_expect(w, is_swapped == (e.value == TG_VERDICT_PASSED), "the wrong buffer for the ring");
    model_verdict(w, link->queue, (enum tg_verdict)e.value, e.subject,
                  ring->slots[ring->oldest].len_bytes);
    SOFT_RING_OPS.advance(ring, buffer);
}

const struct tg_ring_ops MODEL_RING_OPS = {.peek = model_peek, .advance = model_advance};

/* ---- packets --------------------------------------------------------------------------------- */

/* The oldest packet of the highest priority that waits. */
bool model_next(struct world *w, struct world_packet *packet, uint32_t *priority)
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
        model_expect(w,
                     s.queues[i].received == w->queues[i].received &&
                         s.queues[i].malformed == w->queues[i].malformed &&
                         s.queues[i].unregistered == w->queues[i].unregistered,
                     "counters of a queue");
        model_expect(w, w->rings[i].filled == w->queues[i].filled, "frames are lost or doubled");
    }
    for (uint32_t id = 0u; id < WORLD_SLOTS; id++) {
        const struct world_flow *const f = &w->model[id];

        model_expect(w,
                     flows[id].passed == f->passed &&
                         flows[id].dropped_budget == f->dropped_budget &&
                         flows[id].dropped_no_buffer == f->dropped_no_buffer &&
                         flows[id].held_pkts == f->held_pkts,
                     "counters of a flow");
    }
}

void model_check(struct world *w)
{
    const char *const wrong = tg_protocol_check(&w->core);

    if (wrong != NULL) {
        model_expect(w, false, wrong);
    }
    model_expect(w, w->port.priority == due_priority(w),
                 "priority = max(floor, waiting, processing)");
    model_expect(w, w->port.wakes == w->wakes, "a wake is missing, or one too many");
    for (uint32_t i = 0u; i < w->cfg.n_queues; i++) {
        const struct tg_rxq *const q = &w->core.queues[i];
        const bool is_masked = (w->port.unmasked & 1u << i) == 0u;

        model_expect(w, is_masked == (q->gate->is_polled || !w->queues[i].is_up),
                     "masked iff polled or down");
    }
    check_counters(w);
}

void model_check_drained(struct world *w)
{
    for (uint32_t i = 0u; i < w->cfg.n_queues; i++) {
        const struct tg_rxq *const q = &w->core.queues[i];

        model_expect(w, w->queues[i].filled == 0u, "a frame is stranded in its ring");
        model_expect(w, q->gate->is_polled == (q->gate->server.kind == TG_SERVER_POLLING),
                     "a gate does not open again");
    }
    for (uint32_t id = 0u; id < WORLD_SLOTS; id++) {
        model_expect(w, w->model[id].held_pkts == 0u, "a buffer is still held");
        model_expect(w, w->model[id].state != FLOW_CLOSING, "a flow does not end");
    }
    model_expect(w, w->port.priority == w->cfg.floor, "not back at the floor");
}

void model_check_demand(struct world *w)
{
    for (uint32_t i = 0u; i < w->cfg.n_gates; i++) {
        const struct world_server *const s = &w->gate_servers[i];

        model_expect(w, demand_exceeded(&s->cfg, s->lateness_ns, s->at_ns, s->n) == 0u,
                     "a gate admitted more than its demand bound");
    }
    for (uint32_t id = 0u; id < WORLD_SLOTS; id++) {
        const struct world_server *const s = &w->model[id].server;

        model_expect(w, demand_exceeded(&s->cfg, 0u, s->at_ns, s->n) == 0u,
                     "a flow admitted more than its demand bound");
    }
}
