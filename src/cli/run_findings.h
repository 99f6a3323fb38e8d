/* SPDX-License-Identifier: MIT
 *
 * run_findings.h - one sentence for each thing that a scenario shows, as HTML.
 */
#ifndef TG_CLI_RUN_FINDINGS_H
#define TG_CLI_RUN_FINDINGS_H

#include "run_sweep.h"

#include "report/table.h"

/* A list: for each policy what the tasks and the flows with a source of their own got.
 *
 * Context: any task, likewise below.
 * Cost:    O(policies * (tasks + flows)), likewise below. */
void tg_findings_list(const struct tg_run_result *r, FILE *out);

/* One cell of the table of all scenarios: holds or not, and why. */
void tg_findings_cell(const struct tg_run_result *r, enum tg_sim_policy policy,
                      struct tg_table *table);

/* How much flood each policy takes: up to which rate all deadlines are met, and all packets
 * delivered in time. */
void tg_findings_load(const struct tg_run_result *r, const struct tg_sweep *sweep, FILE *out);

#endif
