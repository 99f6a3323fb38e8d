/* SPDX-License-Identifier: MIT
 *
 * run_report.h - `tidegate run --report`: one page for readers who were not there.
 */
#ifndef TG_CLI_RUN_REPORT_H
#define TG_CLI_RUN_REPORT_H

#include "command.h"
#include "run_result.h"
#include "run_sweep.h"
#include "run_timeline.h"

struct tg_run_report;

/* Start a report. policies: those that will run; command_line: how to make it again.
 *
 * Context: task, likewise below; ends the program with exit status 3 when there is no memory,
 *          likewise below.
 * Returns: TG_EXIT_HOLDS; TG_EXIT_USAGE when the file cannot be written, TG_EXIT_LACKS when gnuplot
 *          is missing, after a message.
 * Cost:    starts gnuplot once. */
int tg_run_report_open(const char *path, const struct tg_system *system, const char *system_path,
                       const bool policies[TG_SIM_POLICIES], const char *command_line,
                       struct tg_run_report **out);

/* Add a scenario. sweep: NULL if it has no flood whose rate can be set; same_as: another scenario
 * that has its sweep in the report already, or NULL.
 *
 * Returns: TG_EXIT_HOLDS, or TG_EXIT_LACKS after a message.
 * Cost:    starts gnuplot up to ten times. */
int tg_run_report_scenario(struct tg_run_report *report, const struct tg_run_result *r,
                           const struct tg_sweep *sweep, const char *same_as,
                           const struct tg_timeline *timeline);

/* Write the file if the report is complete, and free everything; NULL is allowed.
 *
 * Returns: TG_EXIT_HOLDS, or TG_EXIT_LACKS after a message.
 * Cost:    O(size of the page). */
int tg_run_report_close(struct tg_run_report *report, bool is_complete);

#endif
