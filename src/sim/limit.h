/* SPDX-License-Identifier: MIT
 *
 * limit.h - the gate that a careful engineer would give a stock driver: the largest one with which
 * no task misses its deadline.
 */
#ifndef TG_SIM_LIMIT_H
#define TG_SIM_LIMIT_H

#include "sim/traffic.h"

enum tg_limit_kind {
    TG_LIMIT_FOUND,      /* one packet more, and a task misses its deadline */
    TG_LIMIT_NOT_NEEDED, /* no task misses its deadline with the largest gate that can matter */
    TG_LIMIT_NONE        /* with one packet per period a task misses its deadline */
};

/* Search by doubling, then halving the distance: every gate that is tried is simulated on the same
 * arrivals. A gate is only known to hold for what was simulated.
 *
 * Context: task; allocates. input: as for tg_sim_run, with the traffic as its arrivals; policy and
 *          stock gate are not looked at.
 * Returns: 0, *packets is the gate for TG_SIM_STOCK_LIMITED with this period (1 for TG_LIMIT_NONE);
 *          or what tg_sim_run returns.
 * Cost:    up to 2 * log2(packets) runs. */
TG_NODISCARD int tg_limit_search(const struct tg_sim_input *input, struct tg_traffic *traffic,
                                 tg_ns period_ns, uint32_t *packets, enum tg_limit_kind *kind);

#endif
