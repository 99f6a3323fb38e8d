/* SPDX-License-Identifier: MIT
 *
 * measure.h - how long packets took, by flow. Written by the threads that finish packets, read by
 * the one that reports.
 */
#ifndef TG_NODE_MEASURE_H
#define TG_NODE_MEASURE_H

#include "sim/sim.h"

#include <pthread.h>

struct tg_flow_measure {
    uint64_t delivered;
    uint64_t late; /* past the flow's deadline */
    struct tg_hist latency;
};

struct tg_measure {
    const struct tg_system *system;
    struct tg_flow_measure *flows; /* n_flows: [0] best effort, [i + 1] flow i, last: malformed */
    uint32_t n_flows;
    uint32_t *buckets;
    pthread_mutex_t lock; /* inherits: the reporter is the least urgent of all */
};

/* A mutex whose holder inherits the priority of who waits for it.
 *
 * Context: start-up.
 * Returns: 0, or a positive errno.
 * Cost:    O(1). */
TG_NODISCARD int tg_inheriting_lock(pthread_mutex_t *lock);

/* Context: start-up; allocates.
 * Returns: 0, *m to be given to tg_measure_free; -1 when out of memory.
 * Cost:    O(flows). */
TG_NODISCARD int tg_measure_init(struct tg_measure *m, const struct tg_system *system);

/* Context: nobody uses it any more. Cost: O(1). */
void tg_measure_free(struct tg_measure *m);

/* A packet has been delivered.
 *
 * Context: any thread, core lock of lwIP held or not.
 * Units:   flow as in flows; times of CLOCK_MONOTONIC.
 * Cost:    O(1). */
void tg_measure_delivered(struct tg_measure *m, uint32_t flow, tg_ns arrival_ns, tg_ns now_ns);

/* Set delivered, late and latency of these results of as many flows.
 *
 * Context: the reporting thread; allocates the histograms.
 * Returns: 0; -1 when out of memory.
 * Cost:    O(flows); the lock is held for one flow at a time. */
TG_NODISCARD int tg_measure_read(struct tg_measure *m, struct tg_sim_flow_result *flows);

#endif
