/* SPDX-License-Identifier: MIT
 *
 * arrivals.c - packets of conforming sources, queue by queue.
 */
#include "analysis/arrivals.h"

bool tg_class_has(const struct tg_class *c, size_t queue)
{
    const struct tg_analysis_queue *q = &c->model->in->queues[queue];

    return q->gate == c->gate && q->rank >= c->rank && queue != c->without;
}

uint64_t tg_queue_arrivals(const struct tg_model *model, size_t queue, uint64_t span)
{
    uint64_t sum = 0;

    for (size_t i = model->queue_first[queue]; i < model->queue_first[queue + 1]; i++) {
        const struct tg_lane *lane = model->by_queue[i];
        sum = tg_add(sum, tg_arrivals(lane->burst, lane->every, lane->in->jitter, span));
    }
    return sum;
}

uint64_t tg_class_arrivals(const struct tg_class *c, uint64_t span)
{
    uint64_t sum = 0;

    for (size_t k = 0; k < c->model->in->n_queues; k++) {
        if (tg_class_has(c, k)) {
            sum = tg_add(sum, tg_queue_arrivals(c->model, k, span));
        }
    }
    return sum;
}

struct tg_share_range tg_class_rate(const struct tg_class *c)
{
    struct tg_share_range sum = {0, 0};

    for (size_t k = 0; k < c->model->in->n_queues; k++) {
        for (size_t i = c->model->queue_first[k];
             tg_class_has(c, k) && i < c->model->queue_first[k + 1]; i++) {
            const struct tg_lane *lane = c->model->by_queue[i];
            sum = tg_share_range_add(sum, tg_share_of(lane->burst, lane->every));
        }
    }
    return sum;
}

size_t tg_class_unknown_source(const struct tg_class *c)
{
    for (size_t i = 0; i < c->model->in->n_flows; i++) {
        const struct tg_lane *lane = &c->model->lanes[i];
        if (lane->in->queue != TG_NOBODY && tg_class_has(c, lane->in->queue) && lane->every == 0) {
            return i;
        }
    }
    return TG_NOBODY;
}

size_t tg_class_flooded(const struct tg_class *c)
{
    for (size_t k = 0; k < c->model->in->n_queues; k++) {
        if (tg_class_has(c, k) && !c->model->in->queues[k].isolated) {
            return k;
        }
    }
    return TG_NOBODY;
}

uint64_t tg_queue_next_arrival(const struct tg_model *model, size_t queue, uint64_t after)
{
    uint64_t next = TG_NO_BOUND;

    for (size_t i = model->queue_first[queue]; i < model->queue_first[queue + 1]; i++) {
        const struct tg_lane *lane = model->by_queue[i];
        const uint64_t jitter = lane->in->jitter;
        const uint64_t count = tg_ceil_div(tg_add(after + 1, jitter), lane->every);
        next = tg_min(next, tg_sub(tg_mul(count, lane->every), jitter));
    }
    return next;
}
