/* SPDX-License-Identifier: MIT
 *
 * model.c - sort and derive.
 */
#include "analysis/model.h"

#include <stdlib.h>
#include <string.h>

static int by_task_priority(const void *a, const void *b)
{
    const struct tg_task *x = a;
    const struct tg_task *y = b;
    if (x->priority != y->priority) {
        return x->priority < y->priority ? 1 : -1;
    }
    return x->index < y->index ? -1 : 1;
}

static int by_server_priority(const void *a, const void *b)
{
    const struct tg_analysis_server *x = a;
    const struct tg_analysis_server *y = b;
    return (x->priority < y->priority) - (x->priority > y->priority);
}

static int by_priority(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x < y) - (x > y);
}

static void note_time(struct tg_model *model, uint64_t time)
{
    model->time_cap = tg_max(model->time_cap, time);
}

static void init_tasks(struct tg_model *model)
{
    const struct tg_analysis_input *in = model->in;

    for (size_t i = 0; i < in->n_tasks; i++) {
        const struct tg_analysis_task *t = &in->tasks[i];
        model->tasks[i] = (struct tg_task){.wcet = t->wcet,
                                           .period = t->period,
                                           .jitter = t->jitter,
                                           .priority = t->priority,
                                           .index = i,
                                           .share = tg_share_of(t->wcet, t->period)};
        model->levels[model->n_levels++] = t->priority;
        model->irq_off = tg_max(model->irq_off, t->irq_off);
        note_time(model, tg_max(t->period, t->jitter));
        if (t->deadline != TG_NO_BOUND) {
            note_time(model, t->deadline);
        }
    }
    qsort(model->tasks, in->n_tasks, sizeof *model->tasks, by_task_priority);

    for (size_t i = 0; i < in->n_servers; i++) {
        model->servers[i] = in->servers[i];
        note_time(model, in->servers[i].period);
    }
    qsort(model->servers, in->n_servers, sizeof *model->servers, by_server_priority);
}

static void init_lanes(struct tg_model *model)
{
    const struct tg_analysis_input *in = model->in;

    model->all_gated = true;
    for (size_t i = 0; i < in->n_flows; i++) {
        const struct tg_analysis_flow *f = &in->flows[i];
        model->lanes[i] = (struct tg_lane){
            .in = f,
            .index = i,
            .gate = f->queue == TG_NOBODY || in->n_queues == 0 ? in->n_gates
                                                               : in->queues[f->queue].gate,
            .curve = {.kind = f->kind, .budget = f->budget, .period = f->period},
            .every = f->has_source ? f->every : 0,
            .burst = f->has_source ? f->burst : 0,
        };
        tg_lane_bound(&model->lanes[i], TG_VIEW_FLOOD, TG_NO_BOUND);
        tg_lane_bound(&model->lanes[i], TG_VIEW_NOMINAL, TG_NO_BOUND);
        model->levels[model->n_levels++] = f->priority;
        if (f->has_receiver) {
            model->levels[model->n_levels++] = f->receiver_priority;
        }
        model->irq_off = tg_max(model->irq_off, f->irq_off);
        model->all_gated = model->all_gated && model->lanes[i].gate < in->n_gates;
        note_time(model, f->period);
        if (f->has_source) {
            note_time(model, tg_max(f->every, f->jitter));
        }
    }
}

/* Counting sort: the flows of each queue side by side. */
static void group_by_queue(struct tg_model *model)
{
    const struct tg_analysis_input *in = model->in;
    size_t next = 0;

    for (size_t k = 0; k < in->n_queues; k++) {
        model->queue_first[k + 1] = 0;
    }
    for (size_t i = 0; i < in->n_flows; i++) {
        if (in->flows[i].queue != TG_NOBODY) {
            model->queue_first[in->flows[i].queue + 1]++;
        }
    }
    for (size_t k = 0; k < in->n_queues; k++) {
        const size_t count = model->queue_first[k + 1];
        model->queue_first[k + 1] = next; /* runs ahead to the end of k below */
        next += count;
    }
    for (size_t i = 0; i < in->n_flows; i++) {
        if (in->flows[i].queue != TG_NOBODY) {
            model->by_queue[model->queue_first[in->flows[i].queue + 1]++] = &model->lanes[i];
        }
    }
    model->queue_first[0] = 0;
}

/* An insertion sort: queues are few. */
static void sort_by_rank(struct tg_model *model)
{
    const struct tg_analysis_queue *queues = model->in->queues;

    for (size_t k = 0; k < model->in->n_queues; k++) {
        size_t place = k;
        while (place > 0 && queues[model->by_rank[place - 1]].rank < queues[k].rank) {
            model->by_rank[place] = model->by_rank[place - 1];
            place--;
        }
        model->by_rank[place] = k;
    }
}

static void unique_levels(struct tg_model *model)
{
    size_t kept = 0;

    qsort(model->levels, model->n_levels, sizeof *model->levels, by_priority);
    for (size_t i = 0; i < model->n_levels; i++) {
        if (i == 0 || model->levels[i] != model->levels[kept - 1]) {
            model->levels[kept++] = model->levels[i];
        }
    }
    model->n_levels = kept;
}

/* Whatever can be the running thread: tasks, time servers, the protocol task, receivers, and the
 * task that polls. */
static int32_t most_urgent(const struct tg_model *model)
{
    const struct tg_analysis_input *in = model->in;
    int32_t highest = model->n_levels > 0 ? model->levels[0] : INT32_MIN;

    if (in->n_servers > 0 && model->servers[0].priority > highest) {
        highest = model->servers[0].priority;
    }
    for (size_t i = 0; i < in->n_gates; i++) {
        if (in->gates[i].polled_by_task && in->gates[i].poll_priority > highest) {
            highest = in->gates[i].poll_priority;
        }
    }
    return highest;
}

int tg_model_init(struct tg_model *model, const struct tg_analysis_input *in)
{
    *model = (struct tg_model){.in = in, .irq_off = in->irq_off};
    model->tasks = calloc(in->n_tasks + 1, sizeof *model->tasks);
    model->servers = calloc(in->n_servers + 1, sizeof *model->servers);
    model->gates = calloc(in->n_gates + 1, sizeof *model->gates);
    model->lanes = calloc(in->n_flows + 1, sizeof *model->lanes);
    model->by_queue = calloc(in->n_flows + 1, sizeof *model->by_queue);
    model->queue_first = calloc(in->n_queues + 1, sizeof *model->queue_first);
    model->by_rank = calloc(in->n_queues + 1, sizeof *model->by_rank);
    model->levels = calloc(in->n_tasks + 2 * in->n_flows + 1, sizeof *model->levels);
    if (model->tasks == NULL || model->servers == NULL || model->gates == NULL ||
        model->lanes == NULL || model->by_queue == NULL || model->queue_first == NULL ||
        model->by_rank == NULL || model->levels == NULL) {
        tg_model_free(model);
        return TG_ANALYSIS_ERR_MEMORY;
    }

    init_tasks(model);
    init_lanes(model);
    model->one_gate = model->all_gated && in->n_gates == 1;
    group_by_queue(model);
    sort_by_rank(model);
    unique_levels(model);
    model->most_urgent = most_urgent(model);
    for (size_t i = 0; i < in->n_gates; i++) {
        tg_gate_init(&model->gates[i], in, i, model->irq_off);
        note_time(model, in->gates[i].period);
    }
    model->time_cap = tg_min(tg_mul(model->time_cap, 400), TG_ANALYSIS_TIME_MAX);
    return 0;
}

void tg_model_free(struct tg_model *model)
{
    free(model->tasks);
    free(model->servers);
    free(model->gates);
    free(model->lanes);
    free(model->by_queue);
    free(model->queue_first);
    free(model->by_rank);
    free(model->levels);
    *model = (struct tg_model){0};
}

void tg_lane_bound(struct tg_lane *lane, enum tg_view view, uint64_t late)
{
    lane->late[view] = late;
    lane->rate[view] = tg_lane_rate(lane, late);
}

struct tg_share_range tg_lane_rate(const struct tg_lane *lane, uint64_t late)
{
    const struct tg_share_range rate = tg_curve_rate(&lane->curve);

    if (lane->every == 0 || late == TG_NO_BOUND) {
        return rate;
    }
    return tg_share_range_min(rate, tg_share_of(lane->burst, lane->every));
}
