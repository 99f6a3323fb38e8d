/* SPDX-License-Identifier: MIT
 *
 * frames.h - which flow and which NIC queue take a frame: the core's own table, asked once per frame that
 * is sent many times.
 */
#ifndef TG_SIM_FRAMES_H
#define TG_SIM_FRAMES_H

#include "sim/sim.h"

struct tg_classifier;

/* Build the table of a system's flows.
 *
 * Context: task; allocates.
 * Returns: 0, *out to be given to tg_classifier_close; TG_SIM_ERR_MEMORY; TG_SIM_ERR_CONFIG if the flows
 *          exclude each other.
 * Cost:    O(flows). */
TG_NODISCARD int tg_classifier_open(const struct tg_system *system, struct tg_classifier **out);

/* Context: task; NULL is allowed.
 * Cost:    O(1). */
void tg_classifier_close(struct tg_classifier *c);

/* Fill in flow and queue of a frame whose bytes and length are set.
 *
 * Context: task.
 * Cost:    O(1). */
void tg_classifier_sort(const struct tg_classifier *c, struct tg_sim_frame *frame);

/* Index of the malformed frames among the flows of the results. */
static inline uint32_t tg_sim_malformed(const struct tg_system *system)
{
    return (uint32_t)system->n_flows + 1u;
}

#endif
