/* SPDX-License-Identifier: MIT
 *
 * results.c - results apart from the simulator: whatever runs a system file fills them in.
 */
#include "sim/sim.h"

#include <stdlib.h>

const char *tg_sim_policy_name(enum tg_sim_policy policy)
{
    static const char *const names[TG_SIM_POLICIES] = {
        [TG_SIM_STOCK_HIGH] = "stock-high",
        [TG_SIM_STOCK_LOW] = "stock-low",
        [TG_SIM_STOCK_LIMITED] = "stock-limited",
        [TG_SIM_STOCK_MODERATED] = "stock-moderated",
        [TG_SIM_NIC] = "nic",
        [TG_SIM_TIDEGATE] = "tidegate",
        [TG_SIM_COMBINED] = "combined",
    };

    return names[policy];
}

bool tg_sim_runs_core(enum tg_sim_policy policy)
{
    return policy == TG_SIM_TIDEGATE || policy == TG_SIM_COMBINED;
}

const struct tg_system_queue *tg_sim_queues(const struct tg_system *system,
                                            enum tg_sim_policy policy, uint32_t *n)
{
    if (policy <= TG_SIM_STOCK_MODERATED && system->stock_queue.ring_pkts != 0u) {
        *n = 1u;
        return &system->stock_queue;
    }
    *n = (uint32_t)system->n_queues;
    return system->queues;
}

const char *tg_sim_queue_name(const struct tg_system *system, enum tg_sim_policy policy,
                              uint32_t queue)
{
    uint32_t n;
    const struct tg_system_queue *const queues = tg_sim_queues(system, policy, &n);

    return queues == &system->stock_queue ? "stock" : queues[queue].name;
}

void tg_sim_results_free(struct tg_sim_results *results)
{
    for (uint32_t i = 0u; results->flows != NULL && i < results->n_flows; i++) {
        free(results->flows[i].latency.buckets);
    }
    free(results->tasks);
    free(results->flows);
    results->tasks = NULL;
    results->flows = NULL;
    results->n_tasks = 0u;
    results->n_flows = 0u;
}
