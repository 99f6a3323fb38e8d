/* SPDX-License-Identifier: MIT
 *
 * proof.c - what the analysis says of a system file, with and without what the file assumes.
 */
#include "proof.h"

#include <string.h>

static int analyse_unassumed(struct tg_proof *proof)
{
    struct tg_analysis_flow *const flows = proof->analysis.flows;

    for (size_t i = 0u; i < proof->system->n_flows; i++) {
        proof->has_assumptions = proof->has_assumptions || flows[i].trusted;
        flows[i].trusted = false;
    }

    const int err =
        proof->has_assumptions ? tg_analyse(&proof->analysis.input, &proof->unassumed) : 0;

    for (size_t i = 0u; i < proof->system->n_flows; i++) {
        flows[i].trusted = proof->system->flows[i].assume_conforming;
    }
    return err;
}

int tg_proof_open_under(const struct tg_system *system, enum tg_sim_policy policy,
                        struct tg_proof *out, char *text, size_t size)
{
    memset(out, 0, sizeof *out);
    text[0] = '\0';
    if (tg_system_lower_analysis_with(system, policy == TG_SIM_COMBINED, &out->analysis) != 0) {
        return TG_ANALYSIS_ERR_MEMORY;
    }
    out->system = system;
    out->policy = policy;

    int err = tg_analysis_input_check(&out->analysis.input, text, size);

    if (err == 0) {
        err = tg_analyse(&out->analysis.input, &out->result);
    }
    if (err == 0) {
        err = analyse_unassumed(out);
    }
    if (err != 0) {
        tg_proof_close(out);
    }
    return err;
}

int tg_proof_open(const struct tg_system *system, struct tg_proof *out, char *text, size_t size)
{
    const bool compares_controllers = system->stock_queue.ring_pkts != 0u;

    return tg_proof_open_under(system, compares_controllers ? TG_SIM_COMBINED : TG_SIM_TIDEGATE,
                               out, text, size);
}

void tg_proof_close(struct tg_proof *proof)
{
    tg_analysis_result_free(&proof->result);
    tg_analysis_result_free(&proof->unassumed);
    tg_system_analysis_free(&proof->analysis);
    memset(proof, 0, sizeof *proof);
}

bool tg_proof_task_rests(const struct tg_proof *proof, size_t task)
{
    return proof->has_assumptions &&
           proof->result.tasks[task].response.value != proof->unassumed.tasks[task].response.value;
}

static const struct tg_bound *accepted(const struct tg_proof *proof,
                                       const struct tg_analysis_result *result, size_t flow)
{
    return proof->analysis.flows[flow].has_receiver ? &result->flows[flow].accepted_receiver
                                                    : &result->flows[flow].accepted;
}

static const struct tg_bound *conforming(const struct tg_proof *proof,
                                         const struct tg_analysis_result *result, size_t flow)
{
    return proof->analysis.flows[flow].has_receiver ? &result->flows[flow].conforming_receiver
                                                    : &result->flows[flow].conforming;
}

bool tg_proof_flow_rests(const struct tg_proof *proof, size_t flow)
{
    return proof->has_assumptions && (accepted(proof, &proof->result, flow)->value !=
                                          accepted(proof, &proof->unassumed, flow)->value ||
                                      conforming(proof, &proof->result, flow)->value !=
                                          conforming(proof, &proof->unassumed, flow)->value);
}

const struct tg_bound *tg_proof_accepted(const struct tg_proof *proof, size_t flow)
{
    return accepted(proof, &proof->result, flow);
}

const struct tg_bound *tg_proof_conforming(const struct tg_proof *proof, size_t flow)
{
    return conforming(proof, &proof->result, flow);
}
