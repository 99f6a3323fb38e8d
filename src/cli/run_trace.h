/* SPDX-License-Identifier: MIT
 *
 * run_trace.h - `tidegate run --trace`: what happened when, as a file for Perfetto. A process per
 * scenario and policy; in it a track each for the network controller, interrupts, the tick, the
 * protocol task and every task.
 */
#ifndef TG_CLI_RUN_TRACE_H
#define TG_CLI_RUN_TRACE_H

#include "sim/sim.h"

#define TG_RUN_TRACE_EVENTS_MAX 200000u            /* of one process; what comes later is counted */
#define TG_RUN_TRACE_BEFORE_NS  UINT64_C(1000000)  /* the window, unless one is given: so long */
#define TG_RUN_TRACE_AFTER_NS   UINT64_C(20000000) /* before the first flood, so long from there */

struct tg_run_trace;

/* Start a file. window_ns: from and until, or NULL.
 *
 * Context: task, likewise below.
 * Returns: NULL when the file cannot be written (then errno says why), or without memory.
 * Cost:    O(1). */
struct tg_run_trace *tg_run_trace_open(const char *path, const struct tg_system *system,
                                       const tg_ns *window_ns);

/* A run begins; its events come next.
 *
 * Cost: O(tasks + flows). */
void tg_run_trace_begin(struct tg_run_trace *t, const struct tg_system_scenario *scenario,
                        enum tg_sim_policy policy);

/* Cost: O(1). */
void tg_run_trace_event(struct tg_run_trace *t, const struct tg_sim_event *event);

/* Of a run that tells intervals: a runner (with this index) was at work, interruptions included.
 *
 * Cost: O(1). */
void tg_run_trace_slice(struct tg_run_trace *t, enum tg_sim_runner runner, uint32_t index,
                        tg_ns from_ns, tg_ns until_ns);

/* The part of a scenario that a trace shows. Cost: O(traffic). */
void tg_run_trace_window(const struct tg_run_trace *t, const struct tg_system_scenario *scenario,
                         tg_ns window_ns[2]);

/* Events that were lost before they came here.
 *
 * Cost: O(1). */
void tg_run_trace_lose(struct tg_run_trace *t, uint64_t n);

/* The run has ended.
 *
 * Cost: O(1). */
void tg_run_trace_end(struct tg_run_trace *t);

/* Events of all runs that found no room so far.
 *
 * Cost: O(1). */
uint64_t tg_run_trace_lost(const struct tg_run_trace *t);

/* Finish the file if it is complete, and free everything; NULL is allowed.
 *
 * Returns: 0, or -1 if not all of it could be written.
 * Cost:    O(1). */
int tg_run_trace_close(struct tg_run_trace *t, bool is_complete);

#endif
