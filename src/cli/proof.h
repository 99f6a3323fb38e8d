/* SPDX-License-Identifier: MIT
 *
 * proof.h - what the analysis says of a system file, with and without what the file assumes.
 */
#ifndef TG_CLI_PROOF_H
#define TG_CLI_PROOF_H

#include "analysis/lower.h"
#include "sim/sim.h"

struct tg_proof {
    const struct tg_system *system;
    enum tg_sim_policy policy; /* it is about */
    struct tg_system_analysis analysis;
    struct tg_analysis_result result;

    /* Valid if some flow is written with `assume_conforming`: the same without any of them. */
    struct tg_analysis_result unassumed;
    bool has_assumptions;
};

/* Lower and analyse: what holds under `tidegate`, or under `combined`, which has a running-priority
 * register. What holds under the latter holds under both.
 *
 * Context: task; allocates. The system has to outlive *out, which must not be copied.
 * Returns: 0, then tg_proof_close() is due; TG_ANALYSIS_ERR_*, then *out is all zero and text says
 *          why, if it is the input.
 * Cost:    one tg_analyse(), or two. */
TG_NODISCARD int tg_proof_open_under(const struct tg_system *system, enum tg_sim_policy policy,
                                     struct tg_proof *out, char *text, size_t size);

/* The same under the policy that the file is about: combined if it compares controllers. */
TG_NODISCARD int tg_proof_open(const struct tg_system *system, struct tg_proof *out, char *text,
                               size_t size);

/* Context: task; an all-zero object is allowed.
 * Cost:    O(1). */
void tg_proof_close(struct tg_proof *proof);

/* A task's bound would be another one if those who are assumed to conform did not.
 *
 * Context: any, likewise below.
 * Cost:    O(1), likewise below. */
bool tg_proof_task_rests(const struct tg_proof *proof, size_t task);

/* The same for either bound of a flow. */
bool tg_proof_flow_rests(const struct tg_proof *proof, size_t flow);

/* Acceptance to the end of what the file's deadline means: of the receiver's job, if there is
 * one. */
const struct tg_bound *tg_proof_accepted(const struct tg_proof *proof, size_t flow);

/* From the NIC on, packets of the flow's source only. */
const struct tg_bound *tg_proof_conforming(const struct tg_proof *proof, size_t flow);

#endif
