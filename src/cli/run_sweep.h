/* SPDX-License-Identifier: MIT
 *
 * run_sweep.h - one scenario over load: its floods at twelve rates, from a fraction of what the
 * gate admits to far beyond it, each simulated under every policy.
 */
#ifndef TG_CLI_RUN_SWEEP_H
#define TG_CLI_RUN_SWEEP_H

#include "run_result.h"

#include "sim/traffic.h"

#define TG_SWEEP_RATES     12u
#define TG_SWEEP_FLOWS_MAX 3u
#define TG_SWEEP_MOST_NS   UINT64_C(1000000000) /* of simulated flood a run */

/* One run. Shares in percent. */
struct tg_sweep_point {
    double interrupts;
    double protocol;
    double tasks;
    double kept;                        /* jobs that met their deadline */
    double in_time[TG_SWEEP_FLOWS_MAX]; /* packets of each flow that were delivered in time */
    double rest_pps;                    /* frames of everybody else that were delivered */
    double taken;                       /* interrupts and ticks, per second */
    double response;                    /* worst of the most urgent task, in seconds */
    double latency[TG_SWEEP_FLOWS_MAX]; /* p99 of each flow in seconds; 0: nothing delivered */
    bool keeps_all;                     /* jobs */
    bool has_all[TG_SWEEP_FLOWS_MAX];   /* packets */
    uint64_t sent[TG_SWEEP_FLOWS_MAX];
    uint64_t delivered[TG_SWEEP_FLOWS_MAX];
};

struct tg_sweep {
    uint64_t rates_pps[TG_SWEEP_RATES];
    struct tg_sweep_point points[TG_SIM_POLICIES][TG_SWEEP_RATES];
    uint32_t
        flows[TG_SWEEP_FLOWS_MAX]; /* of the results: the most urgent ones that have a source in the
                                         * scenario, and in whose name no flood sends */
    uint32_t n_flows;
    uint32_t urgent;  /* the most urgent task; valid if there are tasks */
    tg_ns for_ns;     /* how long each run was */
    uint64_t packets; /* simulated, in all */
    tg_ns flood_ns;   /* when the scenario's own flood starts: the runs start with it */
};

/* Both scenarios differ in nothing but the rate of their floods: their sweeps are the same.
 *
 * Context: any, likewise below.
 * Cost:    O(traffic). */
bool tg_sweep_is_same(const struct tg_system_scenario *a, const struct tg_system_scenario *b);

/* What tg_sweep_run() simulates under one policy.
 *
 * Cost: O(traffic). */
tg_ns tg_sweep_to_simulate_ns(const struct tg_system_scenario *scenario);

/* Run them. input: as the scenario's own, without its arrivals, the policy and the time; stock_gate
 * is that of stock-limited. has: the policies. The scenario has a flood whose rate can be set.
 *
 * Context: task; allocates.
 * Returns: 0; or -1 with a sentence in text.
 * Cost:    TG_SWEEP_RATES runs a policy. */
int tg_sweep_run(const struct tg_sim_input *input, const struct tg_system_scenario *scenario,
                 const bool has[TG_SIM_POLICIES], struct tg_sweep *out, char *text, size_t size);

#endif
