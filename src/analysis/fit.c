/* SPDX-License-Identifier: MIT
 *
 * fit.c - the largest budgets that still prove.
 *
 * Response times and delivery latencies never fall when a budget grows; acceptance delay falls with
 * the gate's budget until a packet waits for one refill only, and rises from there on, and with the
 * budgets of gates that are served before. So: the first gates that hold, found from below; then
 * the largest, one after the other, by bisection; then flow by flow. As Davis and Burns (2005) saw
 * for servers, the order matters: it is part of the result.
 */
#include "analysis/fit.h"

#include "analysis/queues.h"

#include <stdlib.h>
#include <string.h>

struct fit {
    struct tg_analysis_input in; /* with the two copies below */
    struct tg_analysis_gate gates[TG_ANALYSIS_GATES_MAX];
    struct tg_analysis_flow *flows;
    const struct tg_analysis_flow *given; /* the flows of the user */
    const struct tg_fit_options *options;
    const size_t *gate_order;
    const size_t *order;
    struct tg_queue_result *queues; /* scratch */
    int err;                        /* the first error; everything stops then */
};

static bool gate_is_free(const struct fit *fit, size_t gate)
{
    const bool fixed = fit->options->gate_fixed != NULL && fit->options->gate_fixed[gate];
    return !fixed && fit->gates[gate].kind != TG_CURVE_UNLIMITED;
}

static bool flow_is_free(const struct fit *fit, size_t flow)
{
    const bool fixed = fit->options->flow_fixed != NULL && fit->options->flow_fixed[flow];
    return !fixed && fit->flows[flow].kind != TG_CURVE_UNLIMITED;
}

static struct tg_fit_blame blame_nobody(void)
{
    return (struct tg_fit_blame){.why = {.index = TG_NOBODY}, .task = TG_NOBODY, .flow = TG_NOBODY};
}

/* Do no larger gates help either? */
static bool is_final(const struct tg_fit_blame *blame)
{
    switch (blame->why.code) {
    case TG_WHY_SHARED_RING:
    case TG_WHY_NOT_ISOLATED:
    case TG_WHY_NO_SOURCE:
    case TG_WHY_NO_QUEUE:
    case TG_WHY_MODERATION:
    case TG_WHY_GATE_KIND:
    case TG_WHY_GATE_TOO_SLOW:
        return true;
    default:
        return blame->task != TG_NOBODY; /* larger gates only take more from the tasks */
    }
}

/* Keep what no budget can mend, else what came first. */
static void take_blame(struct tg_fit_blame *blame, struct tg_why why, size_t flow)
{
    const struct tg_fit_blame next = {.why = why, .task = TG_NOBODY, .flow = flow};

    if (blame->flow == TG_NOBODY || (is_final(&next) && !is_final(blame))) {
        *blame = next;
    }
}

/* What is not met: tasks first, they have the last word. */
static struct tg_fit_blame first_blame(const struct fit *fit, const struct tg_analysis_result *r)
{
    struct tg_fit_blame blame = blame_nobody();

    for (size_t i = 0; i < fit->in.n_tasks; i++) {
        if (!r->tasks[i].met) {
            blame.why = r->tasks[i].why;
            blame.task = i;
            return blame;
        }
    }
    for (size_t i = 0; i < fit->in.n_flows; i++) {
        if (!r->flows[i].met) {
            take_blame(&blame, r->flows[i].why, i);
        }
    }
    return blame;
}

/* Does everything hold with the budgets as they are? */
static bool all_hold(struct fit *fit)
{
    struct tg_analysis_result result;

    if (fit->err == 0) {
        fit->err = tg_analyse_verdict(&fit->in, true, &result);
    }
    if (fit->err != 0) {
        return false;
    }
    const bool ok = result.ok;
    tg_analysis_result_free(&result);
    return ok;
}

/* The same, and if not, *blame says what does not. */
static bool holds(struct fit *fit, struct tg_fit_blame *blame)
{
    struct tg_analysis_result result;

    if (fit->err == 0) {
        fit->err = tg_analyse_verdict(&fit->in, false, &result);
    }
    if (fit->err != 0) {
        return false;
    }
    const bool ok = result.ok;
    *blame = first_blame(fit, &result);
    tg_analysis_result_free(&result);
    return ok;
}

/* Acceptance under the present budgets into fit->queues. */
static bool find_acceptance(struct fit *fit)
{
    struct tg_model model;

    memset(fit->queues, 0, (fit->in.n_queues + 1) * sizeof *fit->queues);
    fit->err = tg_model_init(&model, &fit->in);
    if (fit->err == 0) {
        fit->err = tg_queues_analyse(&model, fit->queues);
        tg_model_free(&model);
    }
    return fit->err == 0;
}

/* Smallest budget of a flow that refuses no conforming packet. Without a bound on acceptance
 * nothing is guaranteed anyway; then as if packets were accepted at once. */
static uint64_t least_budget(const struct fit *fit, size_t flow)
{
    const struct tg_analysis_flow *f = &fit->flows[flow];
    uint64_t acceptance = 0;

    if (!f->has_source) {
        return fit->given[flow].budget;
    }
    if (fit->in.n_gates > 0 && f->queue != TG_NOBODY &&
        fit->queues[f->queue].acceptance.value != TG_NO_BOUND) {
        acceptance = fit->queues[f->queue].acceptance.value;
    }
    return tg_arrivals(f->burst, f->every, tg_add(f->jitter, acceptance), f->period);
}

/* Give every free flow its least budget for these gates. Polling in a task makes acceptance depend
 * on the budgets of urgent flows, so repeat until it settles. False: some budget would be too
 * large. */
static bool install_least(struct fit *fit, struct tg_fit_blame *blame)
{
    for (size_t i = 0; i < fit->in.n_flows; i++) {
        if (flow_is_free(fit, i)) {
            fit->flows[i].budget = fit->given[i].has_source ? 1 : fit->given[i].budget;
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        if (!find_acceptance(fit)) {
            return false;
        }
        for (size_t i = 0; i < fit->in.n_flows; i++) {
            const uint64_t least = flow_is_free(fit, i) ? least_budget(fit, i) : 0;
            if (least > fit->options->budget_max) {
                *blame = blame_nobody();
                blame->flow = i;
                blame->why = (struct tg_why){.code = TG_WHY_BUDGET_TOO_SMALL,
                                             .index = i,
                                             .a = least,
                                             .b = fit->options->budget_max};
                return false;
            }
            if (least > fit->flows[i].budget) {
                fit->flows[i].budget = least;
                changed = true;
            }
        }
    }
    return true;
}

/* Can some deadline not hold, whatever the CPU does, because of acceptance alone? */
static bool acceptance_too_slow(const struct fit *fit, struct tg_fit_blame *blame)
{
    *blame = blame_nobody();
    for (size_t i = 0; i < fit->in.n_flows; i++) {
        const struct tg_analysis_flow *f = &fit->flows[i];
        if (f->deadline == TG_NO_BOUND || f->queue == TG_NOBODY) {
            continue;
        }
        const struct tg_queue_result *q = &fit->queues[f->queue];
        if (!q->lossless) {
            take_blame(blame, q->why, i);
        } else if (q->acceptance.value > f->deadline) {
            take_blame(blame,
                       (struct tg_why){.code = TG_WHY_DEADLINE,
                                       .index = i,
                                       .a = q->acceptance.value,
                                       .b = f->deadline},
                       i);
        }
    }
    return blame->flow != TG_NOBODY;
}

static bool is_power_of_two(uint64_t x)
{
    return (x & (x - 1)) == 0;
}

/* With every flow at its least. last: the budget that was changed. */
static bool least_holds(struct fit *fit, uint64_t last, struct tg_fit_blame *blame)
{
    if (!install_least(fit, blame)) {
        return false;
    }
    /* A look at the queues is cheap. The whole analysis is due only if they leave hope, and now and
     * then to see whether the tasks do. */
    if (acceptance_too_slow(fit, blame) && (is_final(blame) || !is_power_of_two(last))) {
        return false;
    }
    return holds(fit, blame);
}

/* Can a flood enter the gate, or is not known what does? */
static bool can_be_spent(const struct fit *fit, size_t gate)
{
    for (size_t k = 0; k < fit->in.n_queues; k++) {
        if (fit->in.queues[k].gate == gate && !fit->in.queues[k].isolated) {
            return true;
        }
    }
    for (size_t i = 0; i < fit->in.n_flows; i++) {
        const struct tg_analysis_flow *f = &fit->flows[i];
        if (f->queue != TG_NOBODY && fit->in.queues[f->queue].gate == gate && !f->has_source) {
            return true;
        }
    }
    return fit->gates[gate].kind == TG_CURVE_POLLING;
}

static bool never_closes(const struct fit *fit, size_t gate)
{
    for (size_t k = 0; k < fit->in.n_queues; k++) {
        if (fit->in.queues[k].gate == gate) {
            return fit->queues[k].never_closes;
        }
    }
    return false;
}

/* The gate that may help whom *blame names; TG_NOBODY: none does. */
static size_t gate_to_raise(const struct fit *fit, const struct tg_fit_blame *blame)
{
    const size_t queue = blame->flow == TG_NOBODY ? TG_NOBODY : fit->flows[blame->flow].queue;

    if (queue == TG_NOBODY) {
        return TG_NOBODY;
    }
    const size_t gate = fit->in.queues[queue].gate;
    const bool never_waits = !can_be_spent(fit, gate); /* for a refill, with budget enough */
    const bool is_hopeless =
        (is_final(blame) && !(never_waits && blame->why.code == TG_WHY_GATE_TOO_SLOW)) ||
        (!never_waits && fit->flows[blame->flow].deadline <= fit->gates[gate].period);

    return !is_hopeless && gate_is_free(fit, gate) && !never_closes(fit, gate) &&
                   fit->gates[gate].budget < fit->options->budget_max
               ? gate
               : TG_NOBODY;
}

/* Step 1: the smallest gates with which everything holds. What a flow needs of its gate only grows
 * with the budgets of the others, so none of these is larger than it must be. */
static bool find_smallest_gates(struct fit *fit, struct tg_fit_blame *blame)
{
    size_t gate = TG_NOBODY;

    for (size_t g = 0; g < fit->in.n_gates; g++) {
        if (gate_is_free(fit, g)) {
            fit->gates[g].budget = 1;
            gate = g;
        }
    }
    while (gate != TG_NOBODY && fit->err == 0) {
        if (least_holds(fit, fit->gates[gate].budget, blame)) {
            return true;
        }
        gate = gate_to_raise(fit, blame);
        if (gate != TG_NOBODY) {
            fit->gates[gate].budget++;
        }
    }
    return false;
}

/* Would the gate never close with one packet less? */
static bool has_more_than_enough(struct fit *fit, size_t gate)
{
    if (can_be_spent(fit, gate) || fit->gates[gate].budget == 1) {
        return false;
    }
    fit->gates[gate].budget--;
    const bool enough = find_acceptance(fit) && never_closes(fit, gate);
    fit->gates[gate].budget++;
    return enough;
}

static bool holds_with_gate(struct fit *fit, size_t gate, uint64_t budget)
{
    struct tg_fit_blame unused;

    fit->gates[gate].budget = budget;
    return !has_more_than_enough(fit, gate) && install_least(fit, &unused) &&
           !acceptance_too_slow(fit, &unused) && all_hold(fit);
}

static bool holds_with_flow(struct fit *fit, size_t flow, uint64_t budget)
{
    fit->flows[flow].budget = budget;
    return all_hold(fit);
}

/* Steps 2 and 3: from a budget that holds to the largest, by bisection. */
static uint64_t raise(struct fit *fit, bool (*holds_with)(struct fit *, size_t, uint64_t),
                      size_t index, uint64_t from)
{
    uint64_t low = from;
    uint64_t high = tg_max(from, fit->options->budget_max);

    if (high > low && holds_with(fit, index, high)) {
        low = high;
    }
    while (high - low > 1 && fit->err == 0) {
        const uint64_t middle = low + (high - low) / 2;
        if (holds_with(fit, index, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void raise_gates(struct fit *fit)
{
    struct tg_fit_blame unused;

    for (size_t i = 0; i < fit->in.n_gates && fit->err == 0; i++) {
        const size_t gate = fit->gate_order[i];
        if (gate_is_free(fit, gate)) {
            fit->gates[gate].budget = raise(fit, holds_with_gate, gate, fit->gates[gate].budget);
        }
    }
    (void)install_least(fit, &unused);
}

/* Why not one more, with everything else as it is now? True: one more does hold. */
static bool one_more(struct fit *fit, uint64_t *budget, bool is_free, struct tg_fit_blame *why)
{
    *why = blame_nobody();
    if (!is_free) {
        why->why.code = TG_WHY_FIXED;
        return false;
    }
    if (*budget >= fit->options->budget_max) {
        why->why.code = TG_WHY_SEARCH_LIMIT;
        return false;
    }
    (*budget)++;
    const bool more = holds(fit, why);
    if (!more) {
        (*budget)--;
    }
    return more;
}

static bool one_more_of_gate(struct fit *fit, size_t gate, struct tg_fit_blame *why)
{
    if (gate_is_free(fit, gate) && !can_be_spent(fit, gate) && find_acceptance(fit) &&
        never_closes(fit, gate)) {
        *why = blame_nobody();
        why->why.code = TG_WHY_NEVER_SPENT;
        return false;
    }
    return one_more(fit, &fit->gates[gate].budget, gate_is_free(fit, gate), why);
}

/* Name what binds each budget. What still has room takes it: the result is maximal. */
static void find_bindings(struct fit *fit, struct tg_fit_candidate *c)
{
    for (bool raised = true; raised && fit->err == 0;) {
        raised = false;
        for (size_t i = 0; i < fit->in.n_gates && fit->err == 0; i++) {
            const size_t gate = fit->gate_order[i];
            raised |= one_more_of_gate(fit, gate, &c->gates[gate].binding);
        }
        for (size_t i = 0; i < fit->in.n_flows && fit->err == 0; i++) {
            const size_t flow = fit->order[i];
            struct tg_fit_blame *binding = &c->flows[flow].binding;
            raised |= one_more(fit, &fit->flows[flow].budget, flow_is_free(fit, flow), binding);
            if (binding->why.code == TG_WHY_SEARCH_LIMIT) {
                binding->why.index = flow; /* nothing but its gate limits it */
            }
        }
    }
}

/* What the budgets found need in buffers and descriptors. */
static void find_needs(struct fit *fit, struct tg_fit_candidate *c)
{
    struct tg_analysis_result result;

    if (fit->err == 0) {
        fit->err = tg_analyse(&fit->in, &result);
    }
    if (fit->err != 0) {
        return;
    }
    for (size_t i = 0; i < fit->in.n_flows; i++) {
        c->reserves[i] = result.flows[i].reserve_need;
    }
    for (size_t k = 0; k < fit->in.n_queues; k++) {
        c->rings[k] = result.queues[k].ring_need;
    }
    tg_analysis_result_free(&result);
}

static bool any_gate_is_free(const struct fit *fit)
{
    bool any = false;

    for (size_t g = 0; g < fit->in.n_gates; g++) {
        any = any || gate_is_free(fit, g);
    }
    return any;
}

static void fit_candidate(struct fit *fit, struct tg_fit_candidate *c)
{
    c->why = blame_nobody();
    if (any_gate_is_free(fit)) {
        c->feasible = find_smallest_gates(fit, &c->why);
    } else {
        c->feasible = install_least(fit, &c->why) && holds(fit, &c->why);
    }
    if (!c->feasible) {
        return;
    }
    c->why = blame_nobody();
    raise_gates(fit);
    for (size_t i = 0; i < fit->in.n_flows && fit->err == 0; i++) {
        const size_t flow = fit->order[i];
        if (flow_is_free(fit, flow)) {
            fit->flows[flow].budget = raise(fit, holds_with_flow, flow, fit->flows[flow].budget);
        }
    }
    find_bindings(fit, c);
    for (size_t g = 0; g < fit->in.n_gates; g++) {
        c->gates[g].packets = fit->gates[g].budget;
    }
    for (size_t i = 0; i < fit->in.n_flows; i++) {
        c->flows[i].packets = fit->flows[i].budget;
    }
    find_needs(fit, c);
}

/* Candidates differ in the period of the only gate: the best one admits most packets a second. */
static void fit_all(struct fit *fit, const struct tg_analysis_input *in, struct tg_fit_result *out)
{
    uint64_t most = 0;
    uint64_t period = 0; /* in which the best one admits that */

    for (size_t i = 0; i < out->n_candidates && fit->err == 0; i++) {
        struct tg_fit_candidate *c = &out->candidates[i];

        memcpy(fit->flows, fit->given, fit->in.n_flows * sizeof *fit->flows);
        for (size_t g = 0; g < fit->in.n_gates; g++) {
            fit->gates[g] = in->gates[g];
        }
        if (fit->options->n_periods > 0) {
            fit->gates[0].period = fit->options->periods[i];
        }
        c->period = fit->in.n_gates == 1 ? fit->gates[0].period : 0;
        fit_candidate(fit, c);
        if (c->feasible && (out->best == TG_NOBODY ||
                            (tg_u128)c->gates[0].packets * period > (tg_u128)most * c->period)) {
            out->best = i;
            most = c->gates[0].packets;
            period = c->period;
        }
    }
}

static int32_t highest_rank(const struct tg_analysis_input *in, size_t gate)
{
    int32_t rank = INT32_MIN;

    for (size_t k = 0; k < in->n_queues; k++) {
        if (in->queues[k].gate == gate && in->queues[k].rank > rank) {
            rank = in->queues[k].rank;
        }
    }
    return rank;
}

/* The highest queue first; equal ones as listed. */
static void order_gates(const struct tg_analysis_input *in, size_t *order)
{
    for (size_t g = 0; g < in->n_gates; g++) {
        size_t place = g;
        while (place > 0 && highest_rank(in, order[place - 1]) < highest_rank(in, g)) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = g;
    }
}

/* Descending priority; equal ones as listed (a stable insertion sort: done once). */
static void default_order(const struct tg_analysis_input *in, size_t *order)
{
    for (size_t i = 0; i < in->n_flows; i++) {
        size_t place = i;
        while (place > 0 && in->flows[order[place - 1]].priority < in->flows[i].priority) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = i;
    }
}

/* Every flow exactly once? seen: scratch, all false. */
static bool is_permutation(const size_t *order, size_t n, bool *seen)
{
    for (size_t i = 0; i < n; i++) {
        if (order[i] >= n || seen[order[i]]) {
            return false;
        }
        seen[order[i]] = true;
    }
    return true;
}

static int check_options(const struct tg_analysis_input *in, const struct tg_fit_options *options)
{
    char text[1];

    if (options->budget_max < 1 || options->budget_max > TG_ANALYSIS_BUDGET_MAX ||
        (options->n_periods > 0 && in->n_gates != 1)) {
        return TG_ANALYSIS_ERR_INPUT;
    }
    for (size_t i = 0; i < options->n_periods; i++) {
        if (options->periods[i] < 1 || options->periods[i] > TG_ANALYSIS_TIME_MAX) {
            return TG_ANALYSIS_ERR_INPUT;
        }
    }
    if (options->order != NULL) {
        bool *seen = calloc(in->n_flows + 1, sizeof *seen);
        if (seen == NULL) {
            return TG_ANALYSIS_ERR_MEMORY;
        }
        const bool ok = is_permutation(options->order, in->n_flows, seen);
        free(seen);
        if (!ok) {
            return TG_ANALYSIS_ERR_INPUT;
        }
    }
    return tg_analysis_input_check(in, text, sizeof text);
}

static int allocate_result(const struct tg_analysis_input *in, const struct tg_fit_options *options,
                           struct tg_fit_result *out)
{
    *out =
        (struct tg_fit_result){.best = TG_NOBODY, .n_flows = in->n_flows, .n_gates = in->n_gates};
    out->gate_order = calloc(in->n_gates + 1, sizeof *out->gate_order);
    out->order = calloc(in->n_flows + 1, sizeof *out->order);
    out->n_candidates = options->n_periods > 0 ? options->n_periods : 1;
    out->candidates = calloc(out->n_candidates, sizeof *out->candidates);
    if (out->gate_order == NULL || out->order == NULL || out->candidates == NULL) {
        return TG_ANALYSIS_ERR_MEMORY;
    }
    for (size_t i = 0; i < out->n_candidates; i++) {
        struct tg_fit_candidate *c = &out->candidates[i];
        c->gates = calloc(in->n_gates + 1, sizeof *c->gates);
        c->flows = calloc(in->n_flows + 1, sizeof *c->flows);
        c->reserves = calloc(in->n_flows + 1, sizeof *c->reserves);
        c->rings = calloc(in->n_queues + 1, sizeof *c->rings);
        if (c->gates == NULL || c->flows == NULL || c->reserves == NULL || c->rings == NULL) {
            return TG_ANALYSIS_ERR_MEMORY;
        }
    }
    return 0;
}

int tg_fit(const struct tg_analysis_input *in, const struct tg_fit_options *options,
           struct tg_fit_result *out)
{
    struct fit fit = {.in = *in, .given = in->flows, .options = options};

    *out = (struct tg_fit_result){0};
    int err = check_options(in, options);
    if (err != 0) {
        return err;
    }
    err = allocate_result(in, options, out);
    fit.flows = calloc(in->n_flows + 1, sizeof *fit.flows);
    fit.queues = calloc(in->n_queues + 1, sizeof *fit.queues);
    if (err == 0 && fit.flows != NULL && fit.queues != NULL) {
        order_gates(in, out->gate_order);
        default_order(in, out->order);
        if (options->order != NULL) {
            memcpy(out->order, options->order, in->n_flows * sizeof *out->order);
        }
        fit.gate_order = out->gate_order;
        fit.order = out->order;
        fit.in.flows = fit.flows;
        fit.in.gates = fit.gates;
        fit_all(&fit, in, out);
        err = fit.err;
    } else {
        err = TG_ANALYSIS_ERR_MEMORY;
    }
    free(fit.flows);
    free(fit.queues);
    if (err != 0) {
        tg_fit_result_free(out);
    }
    return err;
}

void tg_fit_result_free(struct tg_fit_result *out)
{
    for (size_t i = 0; i < out->n_candidates && out->candidates != NULL; i++) {
        free(out->candidates[i].gates);
        free(out->candidates[i].flows);
        free(out->candidates[i].reserves);
        free(out->candidates[i].rings);
    }
    free(out->candidates);
    free(out->gate_order);
    free(out->order);
    *out = (struct tg_fit_result){0};
}

static int server_holds(const struct tg_analysis_input *in, bool *ok)
{
    struct tg_analysis_result result;
    const int err = tg_analyse(in, &result);

    if (err == 0) {
        *ok = result.ok;
        tg_analysis_result_free(&result);
    }
    return err;
}

int tg_fit_server(const struct tg_analysis_input *in, size_t server, uint64_t *capacity)
{
    struct tg_analysis_input copy = *in;
    char text[1];
    int err = server < in->n_servers ? tg_analysis_input_check(in, text, sizeof text)
                                     : TG_ANALYSIS_ERR_INPUT;
    if (err != 0) {
        return err;
    }
    struct tg_analysis_server *servers = calloc(in->n_servers, sizeof *servers);
    if (servers == NULL) {
        return TG_ANALYSIS_ERR_MEMORY;
    }
    memcpy(servers, in->servers, in->n_servers * sizeof *servers);
    copy.servers = servers;

    uint64_t low = 0; /* holds, or nothing does */
    uint64_t high = servers[server].period + 1;
    while (err == 0 && high - low > 1) {
        bool ok = false;
        servers[server].capacity = low + (high - low) / 2;
        err = server_holds(&copy, &ok);
        if (ok) {
            low = servers[server].capacity;
        } else {
            high = servers[server].capacity;
        }
    }
    free(servers);
    *capacity = low;
    return err;
}
