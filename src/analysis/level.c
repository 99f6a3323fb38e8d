/* SPDX-License-Identifier: MIT
 *
 * level.c - demand of one priority and above.
 */
#include "analysis/level.h"

#include "analysis/blocking.h"

#include <stdlib.h>
#include <string.h>

int tg_level_init(struct tg_level *level, const struct tg_model *model)
{
    *level = (struct tg_level){.model = model, .priority = INT32_MAX};
    level->lanes = calloc(model->in->n_flows + 1, sizeof *level->lanes);
    return level->lanes == NULL ? TG_ANALYSIS_ERR_MEMORY : 0;
}

void tg_level_free(struct tg_level *level)
{
    free(level->lanes);
    *level = (struct tg_level){0};
}

static uint64_t price(const struct tg_analysis_flow *flow, int32_t priority)
{
    return flow->has_receiver && flow->receiver_priority >= priority
               ? tg_add(flow->cost, flow->receiver_wcet)
               : flow->cost;
}

/* Put a lane in its place among the first n, dearest first. */
static void insert_lane(struct tg_priced_lane *lanes, size_t n, struct tg_priced_lane lane)
{
    size_t low = 0;
    size_t high = n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (lanes[middle].cost >= lane.cost) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    memmove(&lanes[low + 1], &lanes[low], (n - low) * sizeof *lanes);
    lanes[low] = lane;
}

/* A receiver that has come into the level makes its flow dearer; the others keep their order. */
static void reprice_lanes(struct tg_level *level)
{
    for (size_t i = 0; i < level->n_lanes; i++) {
        struct tg_priced_lane lane = level->lanes[i];
        const uint64_t cost = price(lane.lane->in, level->priority);
        if (cost != lane.cost) {
            lane.cost = cost;
            insert_lane(level->lanes, i, lane);
        }
    }
}

void tg_level_enter(struct tg_level *level, int32_t priority)
{
    const struct tg_model *m = level->model;
    const int32_t before = level->priority;
    const bool first = level->n_lanes == 0;

    level->priority = priority;
    while (level->n_tasks < m->in->n_tasks && m->tasks[level->n_tasks].priority >= priority) {
        level->n_tasks++;
    }
    while (level->n_servers < m->in->n_servers &&
           m->servers[level->n_servers].priority >= priority) {
        level->n_servers++;
    }
    reprice_lanes(level);
    for (size_t i = 0; i < m->in->n_flows; i++) {
        const struct tg_lane *lane = &m->lanes[i];
        if (lane->in->priority >= priority && (first || lane->in->priority < before)) {
            insert_lane(level->lanes, level->n_lanes++,
                        (struct tg_priced_lane){price(lane->in, priority), lane});
        }
    }

    level->memo[0] = level->memo[1] = (struct tg_task_memo){0};
    level->blocking = tg_blocking_at(m, priority);
}

/* Recompute the tasks' demand, and between which windows it does not change. */
static void refresh(const struct tg_level *level, uint64_t span, struct tg_task_memo *memo)
{
    uint64_t sum = 0;
    uint64_t above = 0;
    uint64_t upto = TG_NO_BOUND;

    for (size_t i = 0; i < level->n_tasks; i++) {
        const struct tg_task *t = &level->model->tasks[i];
        const uint64_t releases = tg_ceil_div(tg_add(span, t->jitter), t->period);
        const uint64_t last = tg_sub(tg_mul(releases, t->period), t->jitter);

        sum = tg_add_product(sum, releases, t->wcet);
        upto = tg_min(upto, last);
        above = tg_max(above, tg_sub(last, t->period));
    }
    for (size_t i = 0; i < level->n_servers; i++) {
        sum = tg_add(sum, tg_time_server_demand(&level->model->servers[i], span));
        above = span - 1; /* their curves bend anywhere: remember nothing */
        upto = span;
    }
    *memo = (struct tg_task_memo){above, upto, sum};
}

uint64_t tg_level_tasks(struct tg_level *level, uint64_t span, unsigned memo)
{
    struct tg_task_memo *m = &level->memo[memo];

    if (span == 0 || span == TG_NO_BOUND) {
        struct tg_task_memo once;
        refresh(level, span, &once);
        return once.value;
    }
    if (span <= m->above || span > m->upto) {
        refresh(level, span, m);
    }
    return m->value;
}

struct tg_gate_demand tg_level_interrupts(const struct tg_level *level, uint64_t span)
{
    const size_t n = level->model->in->n_gates;
    struct tg_gate_demand sum = {.packets = n == 0 ? TG_NO_BOUND : 0};

    for (size_t i = 0; i < n; i++) {
        const struct tg_gate_demand one =
            tg_gate_demand(&level->model->gates[i], level->priority, span);
        sum.packets = tg_add(sum.packets, one.packets);
        sum.time = tg_add(sum.time, one.time);
    }
    return sum;
}

uint64_t tg_level_packets(const struct tg_level *level, uint64_t span)
{
    const size_t n = level->model->in->n_gates;
    uint64_t sum = n == 0 ? TG_NO_BOUND : 0;

    for (size_t i = 0; i < n; i++) {
        sum = tg_add(sum, tg_gate_packets(&level->model->gates[i], level->priority, span));
    }
    return sum;
}

/* The joint cap is exact: what was accepted went through the interrupt in the same window. */
uint64_t tg_level_flows(const struct tg_level *level, enum tg_view view, uint64_t span,
                        uint64_t room, const struct tg_own_packets *own)
{
    const struct tg_lane *skip = own == NULL ? NULL : own->lane;
    uint64_t own_left = own == NULL ? 0 : own->count;
    uint64_t sum = 0;

    for (size_t i = 0; i < level->n_lanes && room > 0; i++) {
        const struct tg_priced_lane *p = &level->lanes[i];
        if (own_left > 0 && own->cost >= p->cost) {
            const uint64_t packets = tg_min(own_left, room);
            sum = tg_add_product(sum, packets, own->cost);
            room = tg_sub(room, packets);
            own_left = 0;
        }
        if (p->lane != skip) {
            const uint64_t packets = tg_min(tg_lane_packets(p->lane, view, span), room);
            sum = tg_add_product(sum, packets, p->cost);
            room = tg_sub(room, packets);
        }
    }
    return own_left > 0 ? tg_add_product(sum, tg_min(own_left, room), own->cost) : sum;
}

/* The same greedy choice, of rates. */
static tg_share flows_share(const struct tg_level *level, enum tg_view view,
                            const struct tg_lane *own, const struct tg_share_range *own_rate,
                            tg_share room, bool upper)
{
    tg_share sum = 0;

    for (size_t i = 0; i < level->n_lanes; i++) {
        const struct tg_priced_lane *p = &level->lanes[i];
        const struct tg_share_range *rate = p->lane == own ? own_rate : &p->lane->rate[view];
        const tg_share taken = tg_share_min(upper ? rate->upper : rate->lower, room);

        sum = tg_share_add(sum, tg_share_mul(p->cost, taken));
        room = tg_share_sub(room, taken);
    }
    return sum;
}

static struct tg_share_range tasks_share(const struct tg_level *level)
{
    struct tg_share_range sum = {0, 0};

    for (size_t i = 0; i < level->n_tasks; i++) {
        sum = tg_share_range_add(sum, level->model->tasks[i].share);
    }
    for (size_t i = 0; i < level->n_servers; i++) {
        const struct tg_analysis_server *s = &level->model->servers[i];
        sum = tg_share_range_add(sum, tg_share_of(s->capacity, s->period));
    }
    return sum;
}

/* Packets per time and CPU share of all gates. */
static struct tg_share_range gates_share(const struct tg_level *level, struct tg_share_range *rate)
{
    const size_t n = level->model->in->n_gates;
    struct tg_share_range sum = {0, 0};

    *rate = n == 0 ? (struct tg_share_range){TG_SHARE_FULL, TG_SHARE_FULL} : sum;
    for (size_t i = 0; i < n; i++) {
        const struct tg_gate *gate = &level->model->gates[i];
        *rate = tg_share_range_add(*rate, tg_gate_packet_rate(gate, level->priority));
        sum = tg_share_range_add(sum, tg_gate_share(gate, level->priority));
    }
    return sum;
}

struct tg_level_shares tg_level_share(const struct tg_level *level, enum tg_view view,
                                      const struct tg_lane *own, uint64_t own_late)
{
    struct tg_level_shares share = {.tasks = tasks_share(level)};
    struct tg_share_range own_rate = {0, 0};
    struct tg_share_range room;

    if (own != NULL) {
        own_rate = tg_lane_rate(own, own_late);
    }
    share.interrupts = gates_share(level, &room);
    share.flows.lower = flows_share(level, view, own, &own_rate, room.lower, false);
    share.flows.upper = flows_share(level, view, own, &own_rate, room.upper, true);
    share.total =
        tg_share_range_add(tg_share_range_add(share.tasks, share.interrupts), share.flows);
    return share;
}

/* A gate that lets through any rate; TG_NOBODY: none. */
static size_t open_gate(const struct tg_model *model)
{
    for (size_t i = 0; i < model->in->n_gates; i++) {
        if (tg_gate_packet_rate(&model->gates[i], INT32_MIN).lower == TG_SHARE_FULL) {
            return i;
        }
    }
    return TG_NOBODY;
}

/* The most telling reason why the shares are too much: something without limit, if there is. */
static struct tg_why overload(const struct tg_level *level, enum tg_view view,
                              const struct tg_level_shares *share)
{
    const struct tg_analysis_input *in = level->model->in;
    const size_t open = open_gate(level->model);
    struct tg_why why = tg_why(TG_WHY_OVERLOAD);

    if (open != TG_NOBODY && share->interrupts.lower >= TG_SHARE_ONE) {
        why.code = TG_WHY_NO_GATE;
        for (size_t k = in->n_queues; k-- > 0;) {
            why.index = in->queues[k].gate == open ? k : why.index;
        }
        return why;
    }
    for (size_t i = 0; i < level->n_lanes && (in->n_gates == 0 || open != TG_NOBODY); i++) {
        const struct tg_lane *lane = level->lanes[i].lane;
        if (lane->rate[view].lower == TG_SHARE_FULL) {
            why.code = TG_WHY_NO_BUDGET;
            why.index = lane->index;
            return why;
        }
    }
    why.priority = level->priority;
    why.tasks_ppm = tg_share_ppm(share->tasks.upper);
    why.interrupts_ppm = tg_share_ppm(share->interrupts.upper);
    why.flows_ppm = tg_share_ppm(share->flows.upper);
    return why;
}

uint64_t tg_level_limit(const struct tg_level *level, enum tg_view view,
                        const struct tg_level_shares *share, struct tg_why *why)
{
    if (share->total.lower > TG_SHARE_ONE) {
        *why = overload(level, view, share);
        return 0;
    }
    /* Below the whole CPU the window ends; at exactly the whole CPU it may. */
    return share->total.upper < TG_SHARE_ONE ? TG_ANALYSIS_TIME_MAX : level->model->time_cap;
}

uint64_t tg_least_fixed_point(tg_demand_fn *f, void *context, uint64_t start, uint64_t limit,
                              uint32_t *steps)
{
    uint64_t w = start;

    while (*steps > 0 && w <= limit) {
        (*steps)--;
        const uint64_t next = f(context, w);
        if (next <= w) {
            return w;
        }
        w = next;
    }
    return TG_NO_BOUND;
}

struct busy_window {
    struct tg_level *level;
    enum tg_view view;
};

static uint64_t busy_demand(void *context, uint64_t span)
{
    const struct busy_window *b = context;
    const struct tg_gate_demand rx = tg_level_interrupts(b->level, span);
    uint64_t sum = tg_add(b->level->blocking.total, rx.time);

    sum = tg_add(sum, tg_level_tasks(b->level, span, 0));
    return tg_add(sum, tg_level_flows(b->level, b->view, span, rx.packets, NULL));
}

void tg_level_find_busy_window(struct tg_level *level, enum tg_view view)
{
    struct busy_window b = {level, view};
    struct tg_why why = tg_why(TG_WHY_NO_CONVERGENCE);
    uint32_t steps = TG_STEPS_MAX;

    level->share[view] = tg_level_share(level, view, NULL, TG_NO_BOUND);
    level->busy[view] = (struct tg_bound){.value = TG_NO_BOUND};
    const uint64_t limit = tg_level_limit(level, view, &level->share[view], &why);
    if (limit > 0) {
        level->busy[view].value = tg_least_fixed_point(busy_demand, &b, 1, limit, &steps);
    }
    if (level->busy[view].value == TG_NO_BOUND) {
        level->busy[view].why = why;
    }
}
