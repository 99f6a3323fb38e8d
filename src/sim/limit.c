/* SPDX-License-Identifier: MIT
 *
 * limit.c - the largest gate with which no task misses its deadline under a stock driver.
 */
#include "sim/limit.h"

struct search {
    struct tg_sim_input input;
    struct tg_traffic *traffic;
    int err;
};

static bool holds(struct search *search, uint32_t packets)
{
    struct tg_sim_results results;

    search->input.stock_gate.budget_pkts = packets;
    tg_traffic_rewind(search->traffic);
    search->err = tg_sim_run(&search->input, &results);
    tg_sim_results_free(&results);
    return search->err == 0 && !results.has_missed;
}

/* More packets than this cannot even be taken off the ring within a period. */
static uint32_t most_that_matter(const struct tg_system *system, tg_ns period_ns)
{
    const tg_ns driver_ns = system->receive.driver_ns != 0u ? system->receive.driver_ns : 1u;
    const uint64_t packets = period_ns / driver_ns + 1u;

    return packets < TG_SERVER_BUDGET_MAX ? (uint32_t)packets : TG_SERVER_BUDGET_MAX;
}

int tg_limit_search(const struct tg_sim_input *input, struct tg_traffic *traffic, tg_ns period_ns,
                    uint32_t *packets, enum tg_limit_kind *kind)
{
    struct search search = {.input = *input, .traffic = traffic};
    const uint32_t most = most_that_matter(input->system, period_ns);
    uint32_t good = 0u;
    uint32_t bad = 1u;

    search.input.policy = TG_SIM_STOCK_LIMITED;
    search.input.stop_on_miss = true;
    search.input.stock_gate =
        (struct tg_server_config){.kind = TG_SERVER_DEFERRABLE, .period_ns = period_ns};
    while (bad <= most && holds(&search, bad)) {
        good = bad;
        bad = 2u * bad <= most || bad == most ? 2u * bad : most;
    }
    while (search.err == 0 && good + 1u < bad && good != most) {
        const uint32_t middle = good + (bad - good) / 2u;

        if (holds(&search, middle)) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    *packets = good != 0u ? good : 1u;
    *kind = good == 0u ? TG_LIMIT_NONE : good == most ? TG_LIMIT_NOT_NEEDED : TG_LIMIT_FOUND;
    return search.err;
}
