/* SPDX-License-Identifier: MIT
 *
 * run_bound.h - what the proof says of the figures of one scenario under a policy that runs the
 * core.
 */
#ifndef TG_CLI_RUN_BOUND_H
#define TG_CLI_RUN_BOUND_H

#include "run_result.h"

/* No response of this task can be longer. Where the proof assumes conforming sources and one of
 * them did not conform, it is the bound without any assumption.
 *
 * Context: any task, likewise below.
 * Returns: TG_NO_BOUND if there is none, likewise below.
 * Cost:    O(flows), likewise below. */
uint64_t tg_run_task_bound(const struct tg_run_result *r, uint32_t task);

/* No latency of a packet can be longer, from the NIC to its delivery; flow: as in the results. Only
 * for flows that state their source, while all their frames came from it. */
uint64_t tg_run_flow_bound(const struct tg_run_result *r, uint32_t flow);

#endif
