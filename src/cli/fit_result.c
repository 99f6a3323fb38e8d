/* SPDX-License-Identifier: MIT
 *
 * fit_result.c - the largest budgets of a system file.
 */
#include "fit_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct tg_system_budget *tg_fitted_budget(const struct tg_fitted *f, size_t flow)
{
    return flow < f->system->n_flows ? &f->system->flows[flow].budget
                                     : &f->system->best_effort.budget;
}

uint64_t tg_fitted_period(const struct tg_fitted *f, const struct tg_fit_candidate *c, size_t gate)
{
    return f->system->n_gates == 1u ? c->period : f->system->gates[gate].period_ns;
}

const struct tg_fit_candidate *tg_fitted_best(const struct tg_fitted *f)
{
    return f->best != TG_NOBODY ? &f->result.candidates[f->best] : NULL;
}

const char *tg_fitted_gate_name(const struct tg_fitted *f, size_t gate,
                                char text[TG_FIT_GATE_BYTES])
{
    for (size_t k = 0u; f->system->n_gates > 1u && k < f->system->n_queues; k++) {
        if (f->system->queues[k].gate == gate) {
            (void)snprintf(text, TG_FIT_GATE_BYTES, "gate of %s", f->system->queues[k].name);
            return text;
        }
    }
    return "the gate";
}

/* Of the only gate: a quarter of the file's period, half of it, the period itself, twice and four
 * times as long. */
static void choose_periods(struct tg_fitted *f)
{
    const struct tg_system_budget *const gate = &f->system->gates[0];
    const tg_ns shortest_ns = gate->period_ns / 4u;

    if (f->system->n_gates > 1u || f->gate_fixed[0]) {
        return;
    }
    for (uint32_t i = 0u; i < TG_FIT_PERIODS_MAX; i++) {
        const tg_ns period_ns = i == 2u ? gate->period_ns : shortest_ns << i;

        if (period_ns >= TG_PERIOD_MIN_NS && period_ns <= TG_PERIOD_MAX_NS) {
            f->periods[f->n_periods++] = period_ns;
        }
    }
}

/* Where nothing but the wire limits the gate, no period lets more through than the file's. */
static size_t choose(const struct tg_fitted *f)
{
    for (size_t i = 0u; i < f->result.n_candidates; i++) {
        const struct tg_fit_candidate *const c = &f->result.candidates[i];

        if (c->feasible && c->period == f->system->gates[0].period_ns &&
            c->gates[0].binding.why.code == TG_WHY_SEARCH_LIMIT) {
            return i;
        }
    }
    return f->result.best;
}

/* More packets than the CPU could process in any period are never proved, unless something else
 * keeps them out; then more makes no difference. */
static uint64_t most_useful(const struct tg_fitted *f)
{
    uint64_t most = 0u;

    for (size_t g = 0u; g < f->system->n_gates; g++) {
        const uint64_t packets = 4u * f->system->gates[g].period_ns / f->system->receive.eager_ns;

        most = packets > most ? packets : most;
    }
    for (size_t i = 0u; i < f->analysis.input.n_flows; i++) {
        const struct tg_analysis_flow *const flow = &f->analysis.flows[i];
        const uint64_t packets = flow->period / flow->cost;

        most = packets > most ? packets : most;
    }
    return most < TG_FIT_BUDGET_MAX ? most + 1u : TG_FIT_BUDGET_MAX;
}

static int search(struct tg_fitted *f)
{
    const struct tg_fit_options options = {.budget_max = most_useful(f),
                                           .gate_fixed = f->gate_fixed,
                                           .flow_fixed = f->flow_fixed,
                                           .periods = f->periods,
                                           .n_periods = f->n_periods};

    const int err = tg_fit(&f->analysis.input, &options, &f->result);

    f->best = err == 0 ? choose(f) : TG_NOBODY;
    return err;
}

/* Fix what would get more than its kind can have at that most. False: there is no such budget. */
static bool limit_sporadic(struct tg_fitted *f)
{
    const struct tg_fit_candidate *const best = tg_fitted_best(f);
    bool is_changed = false;

    for (size_t i = 0u; best != NULL && i < f->analysis.input.n_flows; i++) {
        struct tg_analysis_flow *const flow = &f->analysis.flows[i];

        if (flow->kind == TG_CURVE_SPORADIC && best->flows[i].packets > TG_SERVER_SPORADIC_MAX) {
            flow->budget = TG_SERVER_SPORADIC_MAX;
            f->flow_fixed[i] = true;
            f->is_at_kind_max[i] = true;
            is_changed = true;
        }
    }
    return is_changed;
}

/* So many packets at most come in one period of a gate. */
static uint64_t from_wire(const struct tg_fitted *f, size_t gate, uint64_t period_ns)
{
    const uint64_t gap_ns = f->analysis.gates[gate].wire_gap;

    return gap_ns == 0u ? TG_FIT_BUDGET_MAX : period_ns / gap_ns + 2u;
}

/* So many get through its gate in one period of the flow, wherever it begins. */
static uint64_t through_gate(const struct tg_fitted *f, const struct tg_fit_candidate *best,
                             const struct tg_analysis_flow *flow)
{
    const size_t gate = f->analysis.queues[flow->queue].gate;

    if (f->analysis.gates[gate].kind == TG_CURVE_UNLIMITED) {
        return TG_FIT_BUDGET_MAX;
    }
    const uint64_t gate_ns = tg_fitted_period(f, best, gate);
    const uint64_t periods = flow->period / gate_ns + (flow->period % gate_ns != 0u ? 2u : 1u);

    return f->gate_packets[gate] > TG_FIT_BUDGET_MAX / periods ? TG_FIT_BUDGET_MAX
                                                               : f->gate_packets[gate] * periods;
}

/* More than `most` makes no difference. */
static uint64_t chosen(const struct tg_fit_budget *found, uint64_t most)
{
    const bool is_limited = found->binding.why.code != TG_WHY_SEARCH_LIMIT;

    return is_limited || found->packets < most ? found->packets : most;
}

static void choose_packets(struct tg_fitted *f)
{
    const struct tg_fit_candidate *const best = tg_fitted_best(f);

    if (best == NULL) {
        return;
    }
    for (size_t g = 0u; g < f->system->n_gates; g++) {
        f->gate_packets[g] = chosen(&best->gates[g], from_wire(f, g, tg_fitted_period(f, best, g)));
    }
    for (size_t i = 0u; i < f->analysis.input.n_flows; i++) {
        f->packets[i] = chosen(&best->flows[i], through_gate(f, best, &f->analysis.flows[i]));
    }
}

int tg_fitted_open(const struct tg_system *system, struct tg_fitted *out)
{
    memset(out, 0, sizeof *out);
    if (tg_system_lower_analysis(system, &out->analysis) != 0) {
        return TG_ANALYSIS_ERR_MEMORY;
    }
    const size_t n_flows = out->analysis.input.n_flows;
    int err = TG_ANALYSIS_ERR_MEMORY;

    out->system = system;
    out->flow_fixed = calloc(n_flows + 1u, sizeof *out->flow_fixed);
    out->packets = calloc(n_flows + 1u, sizeof *out->packets);
    out->is_at_kind_max = calloc(n_flows + 1u, sizeof *out->is_at_kind_max);
    if (out->flow_fixed != NULL && out->packets != NULL && out->is_at_kind_max != NULL) {
        for (size_t i = 0u; i < n_flows; i++) {
            out->flow_fixed[i] = tg_fitted_budget(out, i)->is_fixed;
        }
        /* A sporadic gate keeps its few packets: that kind has no acceptance delay to search by. */
        for (size_t g = 0u; g < system->n_gates; g++) {
            out->gate_fixed[g] = system->gates[g].is_fixed ||
                                 system->gates[g].kind == TG_SERVER_UNLIMITED ||
                                 system->gates[g].kind == TG_SERVER_SPORADIC;
        }
        choose_periods(out);
        err = search(out);
        while (err == 0 && limit_sporadic(out)) {
            tg_fit_result_free(&out->result);
            err = search(out);
        }
    }
    if (err != 0) {
        tg_fitted_close(out);
        return err;
    }
    choose_packets(out);
    return 0;
}

void tg_fitted_close(struct tg_fitted *f)
{
    tg_fit_result_free(&f->result);
    tg_system_analysis_free(&f->analysis);
    free(f->flow_fixed);
    free(f->packets);
    free(f->is_at_kind_max);
    memset(f, 0, sizeof *f);
}
