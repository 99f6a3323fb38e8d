/* SPDX-License-Identifier: MIT
 *
 * fit.h - the largest budgets with which tg_analyse() still proves everything.
 */
#ifndef TG_ANALYSIS_FIT_H
#define TG_ANALYSIS_FIT_H

#include "analysis/analysis.h"

struct tg_fit_options {
    uint64_t budget_max;     /* no budget is raised above this, 1..TG_ANALYSIS_BUDGET_MAX */
    const bool *gate_fixed;  /* per gate: keep its budget; NULL: none is fixed */
    const bool *flow_fixed;  /* per flow: keep its budget; NULL: none is fixed */
    const size_t *order;     /* all flows, first raised first; NULL: descending priority */
    const uint64_t *periods; /* candidate periods of the only gate */
    size_t n_periods;        /* 0: only the periods of the input */
};

/* What breaks, and whose deadline or loss it is: a task's, a flow's, or a gate's (neither). */
struct tg_fit_blame {
    struct tg_why why;
    size_t task; /* TG_NOBODY: not a task; likewise below */
    size_t flow;
};

struct tg_fit_budget {
    uint64_t packets;
    /* Why not one more: FIXED, or the first thing that breaks. SEARCH_LIMIT: it reached budget_max;
     * for a flow that means that nothing but its gate limits it. NEVER_SPENT: more makes no
     * difference. */
    struct tg_fit_blame binding;
};

/* Largest budgets for one period of the gate. */
struct tg_fit_candidate {
    uint64_t period; /* of the only gate; 0: there are several, or none */
    bool feasible;
    struct tg_fit_blame why;     /* not feasible: why */
    struct tg_fit_budget *gates; /* one per gate */
    struct tg_fit_budget *flows; /* one per flow; unlimited flows keep packets = 0, FIXED */
    uint64_t *reserves;          /* smallest that lose nothing; TG_NO_BOUND: none does */
    uint64_t *rings;             /* one per queue; TG_NO_BOUND: none does */
};

struct tg_fit_result {
    struct tg_fit_candidate *candidates; /* one per period, in the order given */
    size_t n_candidates;
    size_t best; /* feasible with the most packets per time through the gate; TG_NOBODY: none */
    size_t *gate_order; /* the order used: gates, first raised first */
    size_t *order;      /* then flows */
    size_t n_flows;
    size_t n_gates;
};

/* The largest budgets that still prove: first the gates, that of the highest queue first, with
 * every flow's budget at the least that loses nothing; then one flow after the other
 * (docs/analysis.md, section 10). Each feasible candidate passes tg_analyse() and is maximal: no
 * single budget can be raised, or it makes no difference. For a flow that states no source the
 * budget of the input is the least.
 *
 * Context: task; allocates.
 * Returns: 0, then tg_fit_result_free() is due; TG_ANALYSIS_ERR_INPUT also for options out of
 *          range, as are periods with several gates; TG_ANALYSIS_ERR_MEMORY; on error *out is all
 *          zero.
 * Cost:    per candidate, O(smallest feasible gates + (gates + flows) * log budget_max) verdicts
 *          and one analysis. */
int tg_fit(const struct tg_analysis_input *in, const struct tg_fit_options *options,
           struct tg_fit_result *out);

/* Release what tg_fit() allocated; an all-zero result is allowed.
 *
 * Context: task.
 * Cost:    O(candidates). */
void tg_fit_result_free(struct tg_fit_result *out);

/* The largest capacity of one time server with which everything is met.
 *
 * Context: task; allocates. server: index into in->servers.
 * Returns: 0 with *capacity, 0 if even one unit is too much; TG_ANALYSIS_ERR_*.
 * Cost:    O(log period) analyses. */
int tg_fit_server(const struct tg_analysis_input *in, size_t server, uint64_t *capacity);

#endif
