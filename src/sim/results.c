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
        [TG_SIM_TIDEGATE] = "tidegate",
    };

    return names[policy];
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
