/* SPDX-License-Identifier: MIT
 *
 * service.h - how long packets of a queue take to be accepted once there is budget for them, and
 * what other gates' queues do to them meanwhile (sections 8.2 to 8.5).
 */
#ifndef TG_ANALYSIS_SERVICE_H
#define TG_ANALYSIS_SERVICE_H

#include "analysis/arrivals.h"
#include "analysis/level.h"

/* One queue, and what is known of those that are served before it. */
struct tg_reception {
    const struct tg_model *model;
    const struct tg_gate *gate; /* of the queue */
    size_t queue;
    uint64_t period; /* [P'] refill to refill at most */
    uint64_t slow;   /* time in which a polling task that may miss refills serves a budget; 0: it
                    * misses none */
    struct tg_level *poll_level; /* NULL: the tick handler polls */
    const struct tg_queue_result
        *queues; /* moderation of all; acceptance of those of higher rank */
    uint32_t steps;
};

/* [svc] n packets of the most urgent kind, n at most the budget, from the moment that their budget
 * is there. */
uint64_t tg_service(struct tg_reception *rx, uint64_t n);

/* From the moment that a packet may interrupt until it is accepted, at a gate that never closes.
 * nominal: while nobody floods. */
uint64_t tg_service_at_once(struct tg_reception *rx, bool nominal);

/* The same to the letter of the published text, for one gate. */
uint64_t tg_service_published(struct tg_reception *rx, uint64_t moderation);

#endif
