/* SPDX-License-Identifier: MIT
 *
 * run_timeline.h - the first milliseconds of a flood, from the events of a run to a figure of
 * tracks.
 */
#ifndef TG_CLI_RUN_TIMELINE_H
#define TG_CLI_RUN_TIMELINE_H

#include "report/tracks.h"
#include "sim/sim.h"

#define TG_TIMELINE_BEFORE_NS UINT64_C(1250000) /* the flood starts */
#define TG_TIMELINE_AFTER_NS  UINT64_C(4000000) /* the flood started */

struct tg_timeline;

/* A figure for one scenario, without any run yet.
 *
 * Context: task, likewise below; ends the program with exit status 3 when there is no memory.
 * Cost:    O(tasks + flows). */
struct tg_timeline *tg_timeline_new(const struct tg_system *system,
                                    const struct tg_system_scenario *scenario);

/* A run begins: it gets the next panel.
 *
 * Cost: O(tasks). */
void tg_timeline_begin(struct tg_timeline *t, enum tg_sim_policy policy);

/* Cost: O(1). */
void tg_timeline_event(struct tg_timeline *t, const struct tg_sim_event *event);

/* The run has ended.
 *
 * Cost: O(tasks * jobs in the figure). */
void tg_timeline_end(struct tg_timeline *t);

/* Returns: the figure; it belongs to t.
 * Cost:    O(1). */
const struct tg_track_figure *tg_timeline_figure(const struct tg_timeline *t);

/* NULL is allowed.
 *
 * Cost: O(1). */
void tg_timeline_free(struct tg_timeline *t);

#endif
