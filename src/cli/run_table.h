/* SPDX-License-Identifier: MIT
 *
 * run_table.h - the tables of one scenario, for the terminal and for the report.
 */
#ifndef TG_CLI_RUN_TABLE_H
#define TG_CLI_RUN_TABLE_H

#include "run_result.h"

#include "report/table.h"

/* Missed deadlines and worst responses: a row per task, a column per policy.
 *
 * Context: any task, likewise below.
 * Returns: to be given to tg_table_free(), likewise below.
 * Cost:    O(policies * (tasks + flows)), likewise below. */
struct tg_table *tg_run_task_table(const struct tg_run_result *r);

/* What became of the packets: a row per flow and policy. */
struct tg_table *tg_run_flow_table(const struct tg_run_result *r);

/* Where the time of the CPU went: a row per policy. */
struct tg_table *tg_run_cpu_table(const struct tg_run_result *r);

/* What each policy holds, and what it does not. */
struct tg_table *tg_run_verdict_table(const struct tg_run_result *r);

/* All four, one below the other. */
void tg_run_print_tables(const struct tg_run_result *r, FILE *out, bool has_colour);

#endif
