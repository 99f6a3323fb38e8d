/* SPDX-License-Identifier: MIT
 *
 * run_describe.h - a system and its traffic in tables, for readers who do not have the file in
 * their head.
 */
#ifndef TG_CLI_RUN_DESCRIBE_H
#define TG_CLI_RUN_DESCRIBE_H

#include "sim/sim.h"

/* Costs, tasks, queues, flows, as HTML.
 *
 * Context: any task, likewise below.
 * Cost:    O(tasks + flows). */
void tg_describe_system(const struct tg_system *system, FILE *out);

/* What arrives in a scenario, as HTML.
 *
 * Cost: O(traffic). */
void tg_describe_traffic(const struct tg_system *system, const struct tg_system_scenario *scenario,
                         FILE *out);

#endif
