/* SPDX-License-Identifier: MIT
 *
 * arrivals.h - what conforming sources send into the queues of one gate.
 */
#ifndef TG_ANALYSIS_ARRIVALS_H
#define TG_ANALYSIS_ARRIVALS_H

#include "analysis/model.h"

/* Which queues count: those of this gate and of at least this rank, with or without one of them. */
struct tg_class {
    const struct tg_model *model;
    size_t gate;
    int32_t rank;
    size_t without; /* TG_NOBODY: none */
};

bool tg_class_has(const struct tg_class *c, size_t queue);

/* [eta_k] Packets of one queue in a window. */
uint64_t tg_queue_arrivals(const struct tg_model *model, size_t queue, uint64_t span);

/* [eta_X] Packets of a class in a window. */
uint64_t tg_class_arrivals(const struct tg_class *c, uint64_t span);

/* Packets of a class per time; every source of the class is known. */
struct tg_share_range tg_class_rate(const struct tg_class *c);

/* First flow of the class whose source is not known; TG_NOBODY: all are. */
size_t tg_class_unknown_source(const struct tg_class *c);

/* First queue of the class that a flood can fill; TG_NOBODY: none. */
size_t tg_class_flooded(const struct tg_class *c);

/* First offset after `after` at which more packets of a queue can have arrived. */
uint64_t tg_queue_next_arrival(const struct tg_model *model, size_t queue, uint64_t after);

#endif
