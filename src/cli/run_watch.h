/* SPDX-License-Identifier: MIT
 *
 * run_watch.h - whoever looks at the runs beside the tables: the report and the trace.
 */
#ifndef TG_CLI_RUN_WATCH_H
#define TG_CLI_RUN_WATCH_H

#include "command.h"
#include "run_report.h"
#include "run_trace.h"

struct tg_run_watch {
    const struct tg_system *system;
    bool (*is_wanted)(const void *ctx, const struct tg_system_scenario *scenario); /* it is run */
    const void *is_wanted_ctx;
    struct tg_run_report *report; /* NULL: none */
    struct tg_run_trace *trace;   /* NULL: none */
    struct tg_timeline *timeline; /* of the scenario that is run; only for the report */
    const char *trace_path;
    char *command_line;
    uint64_t packets; /* simulated for the report */
};

/* What was asked for on the command line; NULL: not. */
struct tg_run_wishes {
    const bool *runs; /* of the policies */
    const char *report_path;
    const char *trace_path;
    const char *trace_window;
    const char *system_path;
    const char *policies;
    const char *scenario;
};

/* Open what is wished for, before anything is simulated.
 *
 * Context: task, likewise below.
 * Returns: an enum tg_exit; after a message, if it is not TG_EXIT_HOLDS. *w is to be given to
 *          tg_run_watch_close() in either case.
 * Cost:    may start gnuplot. */
int tg_run_watch_open(struct tg_run_watch *w, const struct tg_system *system,
                      const struct tg_run_wishes *wishes);

/* A scenario begins. Cost: O(tasks + flows). */
void tg_run_watch_scenario(struct tg_run_watch *w, const struct tg_system_scenario *scenario);

/* A run begins: it is to tell its events, if anybody wants them. Cost: O(tasks + flows). */
void tg_run_watch_begin(struct tg_run_watch *w, const struct tg_system_scenario *scenario,
                        struct tg_sim_input *input);

/* It has ended. Cost: O(tasks). */
void tg_run_watch_end(struct tg_run_watch *w);

/* The scenario has ended. input: of its runs, with the gate of stock-limited.
 *
 * Returns: as tg_run_watch_open.
 * Cost:    for a report: tg_sweep_run and tg_run_report_scenario. */
int tg_run_watch_done(struct tg_run_watch *w, const struct tg_run_result *r,
                      const struct tg_sim_input *input);

/* What tg_run_watch_done() will simulate for this scenario. Cost: O(scenarios). */
tg_ns tg_run_watch_to_simulate_ns(const struct tg_run_watch *w,
                                  const struct tg_system_scenario *scenario);

/* Finish the files if all is complete; free everything.
 *
 * Returns: status, or that of what went wrong now, after a message.
 * Cost:    O(size of the files). */
int tg_run_watch_close(struct tg_run_watch *w, int status);

#endif
