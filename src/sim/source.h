/* SPDX-License-Identifier: MIT
 *
 * source.h - one traffic source: when its next frame arrives, and which.
 */
#ifndef TG_SIM_SOURCE_H
#define TG_SIM_SOURCE_H

#include "sim/capture.h"
#include "sim/heap.h"
#include "sim/random.h"

struct tg_source {
    const struct tg_system_traffic *cfg;
    struct tg_sim_frame frame; /* of all but captures */
    struct tg_capture capture;
    struct tg_random random;
    struct tg_heap pending; /* periodic, jitter > every: arrivals that later ones may overtake */
    tg_ns nominal_ns;       /* periodic: of the next arrival; rate, Poisson: of the last one */
    uint64_t rest;          /* rate: of the division; Poisson: fraction of a nanosecond */
    size_t position;        /* in the capture */
    tg_ns round_ns;         /* at which this round of the capture began */
    uint32_t rounds_left;
    uint32_t burst_left; /* frames of the current arrival still to come */
    tg_ns at_ns;         /* of the current arrival */
    bool has_begun;
};

/* Room in pending that a source needs. Cost: O(1). */
uint64_t tg_source_pending(const struct tg_system_traffic *cfg);

/* Go to the first frame. seed, index: of its random stream.
 *
 * Context: task; as below. Cost: O(1). */
void tg_source_rewind(struct tg_source *s, uint64_t seed, uint32_t index);

/* When the next frame arrives; TG_SIM_NEVER: there is none. Moves on to it. Cost: as
 * tg_traffic_next. */
tg_ns tg_source_next(struct tg_source *s);

/* The frame that arrives then. Cost: O(1). */
const struct tg_sim_frame *tg_source_frame(const struct tg_source *s);

#endif
