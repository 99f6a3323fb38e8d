/* SPDX-License-Identifier: MIT
 *
 * run_result.h - what `tidegate run` found out about one scenario, and the forms in which it says
 * so.
 */
#ifndef TG_CLI_RUN_RESULT_H
#define TG_CLI_RUN_RESULT_H

#include "proof.h"
#include "report/json.h"
#include "sim/limit.h"
#include "sim/sim.h"

/* Where the gate of stock-limited comes from. */
enum tg_run_gate { TG_RUN_GATE_UNUSED, TG_RUN_GATE_WRITTEN, TG_RUN_GATE_SEARCHED };

struct tg_run_result {
    const struct tg_system *system;
    const struct tg_system_scenario *scenario;
    const struct tg_proof *proof; /* NULL: the analysis does not take the file */
    bool has[TG_SIM_POLICIES];    /* was simulated */
    struct tg_sim_results policies[TG_SIM_POLICIES];
    enum tg_run_gate gate;
    enum tg_limit_kind limit; /* valid for SEARCHED */
    uint32_t gate_pkts;       /* 0: unlimited */
    tg_ns gate_period_ns;
};

/* No job was unfinished past its deadline, and no accepted packet of a conforming flow was late.
 *
 * Context: any task, likewise below.
 * Cost:    O(tasks + flows), likewise below. */
bool tg_run_holds(const struct tg_run_result *r, enum tg_sim_policy policy);

/* A policy that runs the core was simulated: there is something that bounds are about. */
bool tg_run_has_core(const struct tg_run_result *r);

/* The name of a flow of the results. */
const char *tg_run_flow_name(const struct tg_system *system, uint32_t flow);

/* Tables and sentences. */
void tg_run_print(const struct tg_run_result *r, FILE *out, bool has_colour);

/* The same figures as one element of an array. */
void tg_run_json(const struct tg_run_result *r, struct tg_json *j);

#endif
