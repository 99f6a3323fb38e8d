/* SPDX-License-Identifier: MIT
 *
 * run_bound.c - what the proof says of the figures of one scenario under a policy that runs the
 * core.
 */
#include "run_bound.h"

/* It is about arrivals, which are the same under every policy. */
static bool is_conforming(const struct tg_run_result *r, uint32_t flow)
{
    uint32_t p = 0u;

    while (!r->has[p]) {
        p++;
    }
    return r->policies[p].flows[flow].is_conforming;
}

/* The analysis whose assumptions the scenario kept to. */
static const struct tg_analysis_result *valid_result(const struct tg_run_result *r)
{
    for (uint32_t i = 0u; i < r->system->n_flows; i++) {
        if (r->system->flows[i].assume_conforming && !is_conforming(r, i + 1u)) {
            return &r->proof->unassumed;
        }
    }
    return &r->proof->result;
}

uint64_t tg_run_task_bound(const struct tg_run_result *r, uint32_t task)
{
    return r->proof != NULL ? valid_result(r)->tasks[task].response.value : TG_NO_BOUND;
}

uint64_t tg_run_flow_bound(const struct tg_run_result *r, uint32_t flow)
{
    if (r->proof == NULL || flow == 0u || flow > r->system->n_flows || !is_conforming(r, flow) ||
        r->system->flows[flow - 1u].source.every_ns == 0u) {
        return TG_NO_BOUND;
    }
    const struct tg_flow_result *const f = &valid_result(r)->flows[flow - 1u];
    const bool has_receiver = r->system->flows[flow - 1u].receiver_wcet_ns != 0u;

    return has_receiver ? f->conforming_receiver.value : f->conforming.value;
}
