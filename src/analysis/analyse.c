/* SPDX-License-Identifier: MIT
 *
 * analyse.c - the whole analysis: queues first (acceptance adds jitter), then priority by priority,
 * most urgent first, then what follows from both.
 */
#include "analysis/analysis.h"

#include "analysis/flows.h"
#include "analysis/queues.h"
#include "analysis/tasks.h"
#include "analysis/totals.h"

#include <stdlib.h>

struct run {
    struct tg_model model;
    struct tg_level level;
    struct tg_analysis_result *out;
    struct tg_flow_latency *latency; /* one per flow */
    struct tg_bound *receiver_above; /* one per flow */
};

static bool has_gate(const struct run *run)
{
    return run->model.in->n_gates > 0;
}

/* Arrival to acceptance of a flow, under flood or not. Without a receive model there is none. */
static struct tg_bound acceptance_of(const struct run *run, size_t flow, bool nominal)
{
    const struct tg_analysis_flow *f = &run->model.in->flows[flow];

    if (!has_gate(run)) {
        return (struct tg_bound){.value = 0};
    }
    if (f->queue == TG_NOBODY) {
        return tg_unbounded(tg_why(TG_WHY_NO_QUEUE));
    }
    const struct tg_queue_result *queue = &run->out->queues[f->queue];
    return nominal ? queue->acceptance_nominal : queue->acceptance;
}

/* Jitter of a flow's conforming packets when accepted; TG_NO_BOUND: not known. */
static uint64_t late(const struct run *run, size_t flow, bool nominal)
{
    const struct tg_analysis_flow *f = &run->model.in->flows[flow];
    const uint64_t acceptance = acceptance_of(run, flow, nominal).value;

    return f->has_source ? tg_add(f->jitter, acceptance) : TG_NO_BOUND;
}

/* Which flows their sources bound, now that acceptance is known. */
static void bound_lanes(struct run *run)
{
    for (size_t i = 0; i < run->model.in->n_flows; i++) {
        struct tg_lane *lane = &run->model.lanes[i];
        const uint64_t flood = lane->in->trusted ? late(run, i, false) : TG_NO_BOUND;

        tg_lane_bound(lane, TG_VIEW_FLOOD, flood);
        tg_lane_bound(lane, TG_VIEW_NOMINAL, tg_min(flood, late(run, i, true)));
    }
}

static void analyse_tasks(struct run *run)
{
    const struct tg_model *m = &run->model;

    for (size_t i = run->level.n_tasks; i-- > 0 && m->tasks[i].priority == run->level.priority;) {
        run->out->tasks[m->tasks[i].index] = tg_task_response(&run->level, &m->tasks[i]);
    }
}

static void analyse_receiver(struct run *run, size_t flow)
{
    const struct tg_lane *lane = &run->model.lanes[flow];

    if (lane->in->receiver_priority > lane->in->priority) {
        run->receiver_above[flow] = tg_flow_receiver_above(&run->level, lane);
    } else {
        tg_flow_receiver_below(&run->level, lane, late(run, flow, false), &run->latency[flow]);
    }
}

static void analyse_flows(struct run *run)
{
    const struct tg_model *m = &run->model;
    bool nominal_known = false;

    for (size_t i = 0; i < m->in->n_flows; i++) {
        const struct tg_lane *lane = &m->lanes[i];
        if (lane->in->priority == run->level.priority) {
            if (!nominal_known && lane->late[TG_VIEW_NOMINAL] != TG_NO_BOUND) {
                tg_level_find_busy_window(&run->level, TG_VIEW_NOMINAL);
                nominal_known = true;
            }
            run->out->flows[i].blocking = run->level.blocking;
            run->out->flows[i].left_ppm =
                tg_sub(1000000, tg_share_ppm(run->level.share[TG_VIEW_FLOOD].total.upper));
            tg_flow_delivery(&run->level, lane, late(run, i, false), &run->latency[i]);
        }
        if (lane->in->has_receiver && lane->in->receiver_priority == run->level.priority) {
            analyse_receiver(run, i);
        }
    }
}

static void analyse_levels(struct run *run)
{
    for (size_t i = 0; i < run->model.n_levels; i++) {
        tg_level_enter(&run->level, run->model.levels[i]);
        tg_level_find_busy_window(&run->level, TG_VIEW_FLOOD);
        analyse_tasks(run);
        analyse_flows(run);
    }
}

/* Put reception before what follows it: for packets of the flow's source. */
static struct tg_bound from_nic(struct tg_bound acceptance, struct tg_bound rest, bool has_source,
                                size_t flow)
{
    if (!has_source) {
        struct tg_why why = tg_why(TG_WHY_NO_SOURCE);
        why.index = flow;
        return tg_unbounded(why);
    }
    if (acceptance.value != TG_NO_BOUND) {
        acceptance.parts.reception = acceptance.value;
    }
    return tg_bound_add(acceptance, rest);
}

static void collect_bounds(const struct run *run, size_t i, struct tg_flow_result *out)
{
    const struct tg_analysis_flow *f = &run->model.in->flows[i];
    const struct tg_flow_latency *l = &run->latency[i];
    const struct tg_bound acceptance = acceptance_of(run, i, false);

    out->acceptance = acceptance.value;
    out->accepted = l->accepted;
    out->conforming = from_nic(acceptance, l->conforming, f->has_source, i);
    out->nominal = from_nic(acceptance_of(run, i, true), l->nominal, f->has_source, i);
    if (!f->has_receiver) {
        out->accepted_receiver = tg_unbounded(tg_why(TG_WHY_NONE));
        out->conforming_receiver = out->accepted_receiver;
    } else if (f->receiver_priority > f->priority) {
        out->accepted_receiver = tg_bound_add(out->accepted, run->receiver_above[i]);
        out->conforming_receiver = tg_bound_add(out->conforming, run->receiver_above[i]);
    } else {
        out->accepted_receiver = l->receiver_accepted;
        out->conforming_receiver = from_nic(acceptance, l->receiver_conforming, f->has_source, i);
    }
}

/* Packets that a flow can have accepted in the last `span`, and so can still hold. */
static uint64_t held(const struct run *run, size_t i, uint64_t span)
{
    const struct tg_model *m = &run->model;
    uint64_t packets = tg_lane_packets(&m->lanes[i], TG_VIEW_FLOOD, span);

    if (m->in->flows[i].kind == TG_CURVE_UNLIMITED && m->lanes[i].gate < m->in->n_gates) {
        const struct tg_gate *gate = &m->gates[m->lanes[i].gate];
        packets = tg_min(packets, tg_gate_units(gate, tg_add(span, gate->step)));
    }
    return packets;
}

/* The part of a bound after acceptance; only for bounds of conforming packets. */
static uint64_t after_acceptance(const struct tg_bound *bound)
{
    return tg_sub(bound->value, bound->parts.reception);
}

/* Until the buffer of a conforming packet is free: the receiver, where there is one, frees it. */
static const struct tg_bound *conforming_end(const struct run *run, size_t i,
                                             const struct tg_flow_result *out)
{
    return run->model.in->flows[i].has_receiver ? &out->conforming_receiver : &out->conforming;
}

/* Buffers that packets of the flow's own source need. */
static uint64_t conforming_hold(const struct run *run, size_t i, const struct tg_flow_result *out)
{
    const struct tg_lane *lane = &run->model.lanes[i];
    const uint64_t span = after_acceptance(conforming_end(run, i, out));

    return tg_min(held(run, i, span),
                  tg_arrivals(lane->burst, lane->every, late(run, i, false), span));
}

static struct tg_why too_small(enum tg_why_code code, size_t flow, uint64_t need, uint64_t has)
{
    struct tg_why why = tg_why(code);
    why.index = flow;
    why.a = need;
    why.b = has;
    return why;
}

/* Is any packet of the flow's source lost: in the ring, for its budget, for its reserve? */
static struct tg_why loss(const struct run *run, size_t i, const struct tg_flow_result *out)
{
    const struct tg_analysis_flow *f = &run->model.in->flows[i];
    const uint64_t hold = conforming_hold(run, i, out);

    if (f->queue == TG_NOBODY && has_gate(run)) {
        return tg_why(TG_WHY_NO_QUEUE);
    }
    if (f->queue != TG_NOBODY && !run->out->queues[f->queue].lossless) {
        return run->out->queues[f->queue].why;
    }
    if (!f->has_source) {
        return too_small(TG_WHY_NO_SOURCE, i, 0, 0);
    }
    if (f->kind != TG_CURVE_UNLIMITED && out->budget_need > f->budget) {
        return too_small(TG_WHY_BUDGET_TOO_SMALL, i, out->budget_need, f->budget);
    }
    if (f->reserve != TG_NO_BOUND && hold > f->reserve) {
        return hold == TG_NO_BOUND ? conforming_end(run, i, out)->why
                                   : too_small(TG_WHY_RESERVE_TOO_SMALL, i, hold, f->reserve);
    }
    return tg_why(TG_WHY_NONE);
}

static void judge(const struct run *run, size_t i, struct tg_flow_result *out)
{
    const struct tg_analysis_flow *f = &run->model.in->flows[i];
    const struct tg_bound *bound = conforming_end(run, i, out);

    out->slack = INT64_MAX;
    out->met = f->deadline == TG_NO_BOUND;
    if (out->met) {
        return;
    }
    out->slack =
        bound->value == TG_NO_BOUND ? INT64_MIN : (int64_t)f->deadline - (int64_t)bound->value;
    if (bound->value == TG_NO_BOUND) {
        out->why = bound->why;
    } else if (!out->lossless) {
        out->why = out->loss;
    } else if (bound->value > f->deadline) {
        out->why = too_small(TG_WHY_DEADLINE, i, bound->value, f->deadline);
    } else {
        out->met = true;
    }
}

static void finish_flow(const struct run *run, size_t i)
{
    const struct tg_analysis_flow *f = &run->model.in->flows[i];
    struct tg_flow_result *out = &run->out->flows[i];

    collect_bounds(run, i, out);
    out->budget_need =
        f->kind == TG_CURVE_UNLIMITED
            ? TG_NO_BOUND
            : tg_arrivals(f->burst, f->has_source ? f->every : 0, late(run, i, false), f->period);
    out->backlog = tg_min(f->reserve, held(run, i, out->accepted.value));
    out->reserve_need =
        held(run, i, f->has_receiver ? out->accepted_receiver.value : out->accepted.value);
    out->loss = loss(run, i, out);
    out->lossless = out->loss.code == TG_WHY_NONE;
    judge(run, i, out);
}

static bool everything_met(const struct tg_analysis_input *in, const struct tg_analysis_result *out)
{
    for (size_t i = 0; i < in->n_tasks; i++) {
        if (!out->tasks[i].met) {
            return false;
        }
    }
    for (size_t i = 0; i < in->n_flows; i++) {
        if (!out->flows[i].met) {
            return false;
        }
    }
    return true;
}

static int analyse(struct run *run)
{
    const struct tg_analysis_input *in = run->model.in;
    const int err = tg_queues_analyse(&run->model, run->out->queues);

    if (err != 0) {
        return err;
    }
    bound_lanes(run);
    analyse_levels(run);
    for (size_t i = 0; i < in->n_flows; i++) {
        finish_flow(run, i);
    }
    run->out->totals = tg_totals(&run->level, run->out->flows);
    run->out->ok = everything_met(in, run->out);
    return 0;
}

/* Tasks, priority by priority. Returns false if one misses its deadline. */
static bool judge_tasks(struct run *run, bool first_only)
{
    const struct tg_model *m = &run->model;
    size_t next = 0;
    bool ok = true;

    for (size_t l = 0; l < m->n_levels && next < m->in->n_tasks; l++) {
        const int32_t priority = m->levels[l];
        if (m->tasks[next].priority != priority) {
            continue; /* only flows and receivers have it */
        }
        tg_level_enter(&run->level, priority);
        for (; next < m->in->n_tasks && m->tasks[next].priority == priority; next++) {
            struct tg_task_result *out = &run->out->tasks[m->tasks[next].index];
            out->met = tg_task_meets(&run->level, &m->tasks[next]);
            ok = ok && out->met;
            if (!out->met && first_only) {
                return false;
            }
            if (!out->met) {
                tg_level_find_busy_window(&run->level, TG_VIEW_FLOOD);
                *out = tg_task_response(&run->level, &m->tasks[next]);
            }
        }
    }
    return ok;
}

static bool has_deadline(const struct run *run, size_t flow)
{
    return run->model.in->flows[flow].deadline != TG_NO_BOUND;
}

/* What decides about flows with a deadline at this priority. */
static void judge_flows_of_level(struct run *run)
{
    for (size_t i = 0; i < run->model.in->n_flows; i++) {
        const struct tg_lane *lane = &run->model.lanes[i];
        const bool above =
            lane->in->has_receiver && lane->in->receiver_priority > lane->in->priority;

        if (!has_deadline(run, i)) {
            continue;
        }
        if (lane->in->priority == run->level.priority) {
            tg_flow_conforming_delivery(&run->level, lane, late(run, i, false), &run->latency[i]);
        }
        if (lane->in->has_receiver && lane->in->receiver_priority == run->level.priority) {
            if (above) {
                run->receiver_above[i] = tg_flow_receiver_above(&run->level, lane);
            } else {
                tg_flow_conforming_receiver(&run->level, lane, late(run, i, false),
                                            &run->latency[i]);
            }
        }
    }
}

static bool is_level_of_deadline(const struct run *run, int32_t priority)
{
    for (size_t i = 0; i < run->model.in->n_flows; i++) {
        const struct tg_analysis_flow *f = &run->model.in->flows[i];
        if (has_deadline(run, i) &&
            (f->priority == priority || (f->has_receiver && f->receiver_priority == priority))) {
            return true;
        }
    }
    return false;
}

static int judge_flows(struct run *run)
{
    const struct tg_model *m = &run->model;

    tg_level_free(&run->level);
    const int err = tg_level_init(&run->level, m); /* once more from above */
    if (err != 0) {
        return err;
    }
    for (size_t l = 0; l < m->n_levels; l++) {
        if (is_level_of_deadline(run, m->levels[l])) {
            tg_level_enter(&run->level, m->levels[l]);
            tg_level_find_busy_window(&run->level, TG_VIEW_FLOOD);
            judge_flows_of_level(run);
        }
    }
    for (size_t i = 0; i < m->in->n_flows; i++) {
        run->out->flows[i].met = !has_deadline(run, i);
        if (has_deadline(run, i)) {
            finish_flow(run, i);
        }
    }
    return 0;
}

static int judge_all(struct run *run, bool first_only)
{
    int err = tg_queues_analyse(&run->model, run->out->queues);

    if (err != 0) {
        return err;
    }
    bound_lanes(run);
    if (judge_tasks(run, first_only)) {
        err = judge_flows(run);
        run->out->ok = everything_met(run->model.in, run->out);
    }
    return err;
}

static int allocate(struct run *run, const struct tg_analysis_input *in)
{
    struct tg_analysis_result *out = run->out;

    out->tasks = calloc(in->n_tasks + 1, sizeof *out->tasks);
    out->flows = calloc(in->n_flows + 1, sizeof *out->flows);
    out->queues = calloc(in->n_queues + 1, sizeof *out->queues);
    run->latency = calloc(in->n_flows + 1, sizeof *run->latency);
    run->receiver_above = calloc(in->n_flows + 1, sizeof *run->receiver_above);
    if (out->tasks == NULL || out->flows == NULL || out->queues == NULL || run->latency == NULL ||
        run->receiver_above == NULL) {
        return TG_ANALYSIS_ERR_MEMORY;
    }
    const int err = tg_model_init(&run->model, in);
    return err != 0 ? err : tg_level_init(&run->level, &run->model);
}

/* What to do with a run whose model is there. */
typedef int run_fn(struct run *run, bool first_only);

static int whole(struct run *run, bool first_only)
{
    (void)first_only;
    return analyse(run);
}

static int start(const struct tg_analysis_input *in, run_fn *f, bool first_only,
                 struct tg_analysis_result *out)
{
    struct run run = {.out = out};
    char text[1];

    *out = (struct tg_analysis_result){0};
    int err = tg_analysis_input_check(in, text, sizeof text);
    if (err != 0) {
        return err;
    }
    err = allocate(&run, in);
    if (err == 0) {
        err = f(&run, first_only);
    }
    tg_level_free(&run.level);
    tg_model_free(&run.model);
    free(run.latency);
    free(run.receiver_above);
    if (err != 0) {
        tg_analysis_result_free(out);
    }
    return err;
}

int tg_analyse(const struct tg_analysis_input *in, struct tg_analysis_result *out)
{
    return start(in, whole, false, out);
}

int tg_analyse_verdict(const struct tg_analysis_input *in, bool first_only,
                       struct tg_analysis_result *out)
{
    return start(in, judge_all, first_only, out);
}

void tg_analysis_result_free(struct tg_analysis_result *out)
{
    free(out->tasks);
    free(out->flows);
    free(out->queues);
    *out = (struct tg_analysis_result){0};
}
