/* SPDX-License-Identifier: MIT
 *
 * frames.h - which flow and which NIC queue take a frame, asked once per frame that is sent many
 * times.
 */
#ifndef TG_SIM_FRAMES_H
#define TG_SIM_FRAMES_H

#include "sim/sim.h"
#include "system/finder.h"

/* Bind all flows of a system.
 *
 * Context: task; allocates.
 * Returns: 0, tg_finder_close() is then due; TG_SIM_ERR_MEMORY; TG_SIM_ERR_CONFIG if the flows
 *          exclude each other.
 * Cost:    O(flows^2). */
TG_NODISCARD int tg_frames_open(struct tg_finder *finder, const struct tg_system *system);

/* Fill in flow and queue of a frame whose bytes and length are set.
 *
 * Context: task.
 * Cost:    O(1). */
void tg_frames_sort(const struct tg_finder *finder, struct tg_sim_frame *frame);

/* Index of the malformed frames among the flows of the results. */
static inline uint32_t tg_sim_malformed(const struct tg_system *system)
{
    return (uint32_t)system->n_flows + 1u;
}

#endif
