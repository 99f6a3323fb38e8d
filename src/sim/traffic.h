/* SPDX-License-Identifier: MIT
 *
 * traffic.h - the arrivals of a scenario: its sources merged in order of time.
 *
 * Every source has its own random stream, derived from the scenario's seed and its place in the
 * file, so all policies see the same arrivals, and a source does not change when another one is
 * added behind it.
 */
#ifndef TG_SIM_TRAFFIC_H
#define TG_SIM_TRAFFIC_H

#include "sim/sim.h"

#define TG_TRAFFIC_REORDER_MAX UINT64_C(1000000) /* jitter / every of a periodic source */

struct tg_traffic;

/* Build the frames of a scenario and read its captures. system and scenario must outlive it.
 *
 * Context: task; allocates.
 * Returns: 0, *out to be given to tg_traffic_close; -1 with a sentence in text: a frame that cannot
 *          be built, a capture that cannot be read, no memory.
 * Cost:    O(sources + size of the captures). */
TG_NODISCARD int tg_traffic_open(const struct tg_system *system,
                                 const struct tg_system_scenario *scenario, struct tg_traffic **out,
                                 char *text, size_t size);

/* Start again with the first arrival.
 *
 * Context: task.
 * Cost:    O(sources). */
void tg_traffic_rewind(struct tg_traffic *t);

/* For struct tg_sim_arrivals: ctx is a struct tg_traffic. Frames of receive.wire_gap or less after
 * the last one wait until the wire is free.
 *
 * Context: task.
 * Returns: false when there are no more.
 * Cost:    O(log(sources)); where jitter exceeds the period O(log(jitter / period)) more. */
bool tg_traffic_next(void *ctx, struct tg_sim_arrival *out);

/* Context: task; NULL is allowed.
 * Cost:    O(sources). */
void tg_traffic_close(struct tg_traffic *t);

#endif
