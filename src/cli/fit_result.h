/* SPDX-License-Identifier: MIT
 *
 * fit_result.h - the largest budgets of a system file, and the forms in which `tidegate fit` says
 * so.
 */
#ifndef TG_CLI_FIT_RESULT_H
#define TG_CLI_FIT_RESULT_H

#include "analysis/fit.h"
#include "analysis/lower.h"

#include <stdio.h>

#define TG_FIT_BUDGET_MAX  1000000u /* the most that a file may say */
#define TG_FIT_PERIODS_MAX 5u
#define TG_FIT_GATE_BYTES  80u

struct tg_fitted {
    const struct tg_system *system;
    struct tg_system_analysis analysis; /* as in the file */
    bool *flow_fixed;
    bool gate_fixed[TG_GATES_MAX];
    uint64_t
        periods[TG_FIT_PERIODS_MAX]; /* candidates of the only gate; the file's is one of them */
    size_t n_periods;
    struct tg_fit_result result;

    /* Chosen candidate, TG_NOBODY: none. The search's best, unless the file's period serves as
     * well. */
    size_t best;

    /* Valid if there is one: what is to be written. Where only the gate limits a flow, that is what
     * the gate lets through, and where only the wire limits the gate, what the wire brings: more
     * makes no difference. */
    uint64_t gate_packets[TG_GATES_MAX];
    uint64_t *packets;
    bool *is_at_kind_max; /* its kind allows no more */
};

/* Lower, and search.
 *
 * Context: task; allocates. The system has to outlive *out, which must not be copied.
 * Returns: 0, then tg_fitted_close() is due; TG_ANALYSIS_ERR_*, then *out is all zero.
 * Cost:    one tg_fit(), and one more for each sporadic budget that reaches its most. */
TG_NODISCARD int tg_fitted_open(const struct tg_system *system, struct tg_fitted *out);

/* Context: task; an all-zero object is allowed.
 * Cost:    O(candidates). */
void tg_fitted_close(struct tg_fitted *fitted);

/* The candidate that was chosen, or NULL.
 *
 * Context: any.
 * Cost:    O(1). */
const struct tg_fit_candidate *tg_fitted_best(const struct tg_fitted *fitted);

/* The period of a gate in this candidate.
 *
 * Context: any.
 * Cost:    O(1). */
uint64_t tg_fitted_period(const struct tg_fitted *fitted, const struct tg_fit_candidate *candidate,
                          size_t gate);

/* The budget of a flow in the file; best effort is the last flow.
 *
 * Context: any.
 * Cost:    O(1). */
const struct tg_system_budget *tg_fitted_budget(const struct tg_fitted *fitted, size_t flow);

/* What people call a gate: "the gate", or with several "gate of " and its queue.
 *
 * Context: any.
 * Returns: text, cut to TG_FIT_GATE_BYTES.
 * Cost:    O(queues). */
const char *tg_fitted_gate_name(const struct tg_fitted *fitted, size_t gate,
                                char text[TG_FIT_GATE_BYTES]);

/* Context: any task, likewise below. Cost: O(flows * candidates), likewise below. */
void tg_fit_print(const struct tg_fitted *fitted, FILE *out, bool has_colour);

void tg_fit_json(const struct tg_fitted *fitted, FILE *out);

#endif
