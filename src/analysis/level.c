/* SPDX-License-Identifier: MIT
 *
 * level.c - demand of one priority and above.
 */
#include "analysis/level.h"

#include "analysis/blocking.h"

#include <stdlib.h>
#include <string.h>

static bool allocate(struct tg_level *level)
{
    const size_t n_flows = level->model->in->n_flows + 1;
    const size_t n_tasks = level->model->in->n_tasks + 1;
    bool ok;

    level->lanes = calloc(n_flows, sizeof *level->lanes);
    level->place = calloc(n_flows, sizeof *level->place);
    ok = level->lanes != NULL && level->place != NULL;
    for (int i = 0; i < 2; i++) {
        level->task_parts[i] = calloc(n_tasks, sizeof *level->task_parts[i]);
        ok = ok && level->task_parts[i] != NULL;
    }
    for (int view = 0; view < TG_VIEWS; view++) {
        level->flow_parts[view] = calloc(n_flows, sizeof *level->flow_parts[view]);
        ok = ok && level->flow_parts[view] != NULL;
    }
    return ok;
}

int tg_level_init(struct tg_level *level, const struct tg_model *model)
{
    *level = (struct tg_level){.model = model, .priority = INT32_MAX};
    if (!allocate(level)) {
        tg_level_free(level);
        return TG_ANALYSIS_ERR_MEMORY;
    }
    return 0;
}

void tg_level_free(struct tg_level *level)
{
    free(level->lanes);
    free(level->place);
    for (int i = 0; i < 2; i++) {
        free(level->task_parts[i]);
    }
    for (int view = 0; view < TG_VIEWS; view++) {
        free(level->flow_parts[view]);
    }
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

/* The lanes have moved. */
static void forget(struct tg_level *level)
{
    for (size_t i = 0; i < level->n_lanes; i++) {
        level->place[level->lanes[i].lane->index] = i;
    }
    for (int view = 0; view < TG_VIEWS; view++) {
        memset(level->flow_parts[view], 0, level->n_lanes * sizeof *level->flow_parts[view]);
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
                        (struct tg_priced_lane){price(lane->in, priority), lane->gate, lane});
        }
    }

    forget(level);
    level->blocking = tg_blocking_at(m, priority);
}

static inline bool holds(const struct tg_span *valid, uint64_t span)
{
    return span > valid->above && span <= valid->upto;
}

/* ceil((span + jitter) / period), and narrow *valid to the windows with the same value; span >= 1.
 * All are times of an input or sums of few, so nothing overflows. */
static inline uint64_t periods(uint64_t span, uint64_t jitter, uint64_t period,
                               struct tg_span *valid)
{
    const uint64_t end = span + jitter;
    const uint64_t count = end <= period ? 1 : (end - 1) / period + 1;
    const uint64_t last = count * period - jitter;

    valid->above = tg_max(valid->above, tg_sub(last, period));
    valid->upto = tg_min(valid->upto, last);
    return count;
}

uint64_t tg_level_tasks(struct tg_level *level, uint64_t span, unsigned memo)
{
    const struct tg_task *tasks = level->model->tasks;
    struct tg_part *parts = level->task_parts[memo];
    const size_t n_tasks = level->n_tasks;
    uint64_t sum = 0;

    if (span > TG_ANALYSIS_TIME_MAX) {
        return TG_NO_BOUND; /* every fixed point has given up before */
    }
    for (size_t i = 0; i < n_tasks; i++) {
        struct tg_part *part = &parts[i];
        if (!holds(&part->valid, span)) {
            const struct tg_task *t = &tasks[i];
            part->valid = (struct tg_span){0, TG_NO_BOUND};
            part->time = tg_mul(t->wcet, periods(span, t->jitter, t->period, &part->valid));
        }
        sum = tg_add(sum, part->time);
    }
    for (size_t i = 0; i < level->n_servers; i++) {
        sum = tg_add(sum, tg_time_server_demand(&level->model->servers[i], span));
    }
    return sum;
}

uint64_t tg_level_interrupts(const struct tg_level *level, uint64_t span, struct tg_room *room)
{
    const size_t n = level->model->in->n_gates;
    uint64_t time = 0;

    for (size_t i = 0; i < n; i++) {
        const struct tg_gate_demand one =
            tg_gate_demand(&level->model->gates[i], level->priority, span);
        room->packets[i] = one.packets;
        time = tg_add(time, one.time);
    }
    room->packets[n] = TG_NO_BOUND;
    return time;
}

void tg_level_room(const struct tg_level *level, uint64_t span, struct tg_room *room)
{
    const size_t n = level->model->in->n_gates;

    for (size_t i = 0; i < n; i++) {
        room->packets[i] = tg_gate_packets(&level->model->gates[i], level->priority, span);
    }
    room->packets[n] = TG_NO_BOUND;
}

/* tg_lane_packets(), and for which windows it is the same. */
static uint64_t lane_packets(const struct tg_lane *lane, enum tg_view view, uint64_t span,
                             struct tg_span *valid)
{
    const struct tg_curve *c = &lane->curve;
    uint64_t count = TG_NO_BOUND;

    *valid = (struct tg_span){0, TG_NO_BOUND};
    if (c->kind == TG_CURVE_DEFERRABLE) {
        count = tg_mul(c->budget, periods(span, c->lateness, c->period, valid) + 1);
    } else if (c->kind != TG_CURVE_UNLIMITED) {
        count = tg_curve_units(c, span);
        *valid = (struct tg_span){span - 1, span};
    }
    if (lane->every != 0 && lane->late[view] != TG_NO_BOUND) {
        const uint64_t sent =
            tg_mul(lane->burst, periods(span, lane->late[view], lane->every, valid));
        count = tg_min(count, sent);
    }
    return count;
}

/* First lane that is no dearer than a price. */
static size_t no_dearer(const struct tg_level *level, uint64_t cost)
{
    size_t low = 0;
    size_t high = level->n_lanes;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (level->lanes[middle].cost > cost) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* What is left to choose, and what it has come to. */
struct choice {
    struct tg_room room;
    size_t open; /* gates that have room */
    uint64_t sum;
};

/* Bring what is known of a lane up to date. */
static inline void look_at_lane(struct tg_part *part, const struct tg_priced_lane *p,
                                enum tg_view view, uint64_t span)
{
    if (!holds(&part->valid, span)) {
        part->packets = lane_packets(p->lane, view, span, &part->valid);
        part->time = tg_mul(part->packets, p->cost);
    }
}

/* choose_lanes() where all lanes come through one gate. This and the sum over the tasks are what
 * an analysis spends its time on. */
static void choose_lanes_of_one(const struct tg_level *level, enum tg_view view, uint64_t span,
                                size_t first, size_t end, struct choice *c)
{
    const struct tg_priced_lane *const lanes = level->lanes;
    struct tg_part *const parts = level->flow_parts[view];
    uint64_t room = c->room.packets[0];
    uint64_t sum = c->sum;

    for (size_t i = first; i < end; i++) {
        struct tg_part *part = &parts[i];
        look_at_lane(part, &lanes[i], view, span);
        if (part->packets >= room) {
            sum = tg_add_product(sum, room, lanes[i].cost);
            room = 0;
            c->open = 0;
            break;
        }
        room -= part->packets;
        sum = tg_add(sum, part->time);
    }
    c->room.packets[0] = room;
    c->sum = sum;
}

/* Packets of lanes first..end - 1 as far as there is room. */
static void choose_lanes(const struct tg_level *level, enum tg_view view, uint64_t span,
                         size_t first, size_t end, struct choice *c)
{
    const struct tg_priced_lane *lanes = level->lanes;
    struct tg_part *parts = level->flow_parts[view];
    size_t gate = 0; /* whose room is at hand */
    uint64_t room = c->room.packets[gate];
    uint64_t sum = c->sum;
    size_t open = c->open;

    if (level->model->one_gate) {
        if (open > 0) {
            choose_lanes_of_one(level, view, span, first, end, c);
        }
        return;
    }
    for (size_t i = first; i < end && open > 0; i++) {
        struct tg_part *part = &parts[i];
        look_at_lane(part, &lanes[i], view, span);
        if (lanes[i].gate != gate) {
            c->room.packets[gate] = room;
            gate = lanes[i].gate;
            room = c->room.packets[gate];
        }
        if (part->packets < room) {
            room -= part->packets;
            sum = tg_add(sum, part->time);
        } else {
            sum = tg_add_product(sum, room, lanes[i].cost);
            open -= room != 0;
            room = 0;
        }
    }
    c->room.packets[gate] = room;
    c->open = open;
    c->sum = sum;
}

static void choose_own(struct tg_own_packets *own, struct choice *c)
{
    uint64_t *const room = &c->room.packets[own->lane->gate];

    own->taken = tg_min(own->count, *room);
    *room -= own->taken;
    c->open -= own->taken != 0 && *room == 0;
    c->sum = tg_add_product(c->sum, own->taken, own->cost);
}

/* Where there is no limit: more than any lane with one has; a lane without one then has no
 * bound. */
static void open_gates(const struct tg_level *level, const struct tg_room *room, struct choice *c)
{
    const size_t n = level->model->in->n_gates;

    c->open = 0;
    c->sum = 0;
    for (size_t i = 0; i <= n; i++) {
        c->room.packets[i] = tg_min(room->packets[i], UINT64_C(1) << 63);
        c->open += c->room.packets[i] != 0;
    }
    if (level->model->all_gated) {
        c->room.packets[n] = 0;
        c->open--;
    }
}

/* The cap of each gate is exact: what was accepted went through its interrupts in the same
 * window. */
uint64_t tg_level_flows(struct tg_level *level, enum tg_view view, uint64_t span,
                        const struct tg_room *room, struct tg_own_packets *own)
{
    struct choice c;

    if (span > TG_ANALYSIS_TIME_MAX) {
        return TG_NO_BOUND; /* every fixed point has given up before */
    }
    open_gates(level, room, &c);
    if (own == NULL) {
        choose_lanes(level, view, span, 0, level->n_lanes, &c);
        return c.sum;
    }
    const size_t skip = level->place[own->lane->index];
    const size_t place = own->count > 0 ? no_dearer(level, own->cost) : skip;
    const size_t low = skip < place ? skip : place;
    const size_t high = skip < place ? place : skip;

    choose_lanes(level, view, span, 0, low, &c);
    if (place == low) {
        choose_own(own, &c);
    }
    choose_lanes(level, view, span, low == skip ? low + 1 : low, high, &c);
    if (place > low) {
        choose_own(own, &c);
    }
    choose_lanes(level, view, span, high == skip ? high + 1 : high, level->n_lanes, &c);
    return c.sum;
}

/* Packets per time through each gate; behind the last: without limit. */
struct rates {
    tg_share lower[TG_ANALYSIS_GATES_MAX + 1];
    tg_share upper[TG_ANALYSIS_GATES_MAX + 1];
};

/* The same greedy choice, of rates. */
static tg_share flows_share(const struct tg_level *level, enum tg_view view,
                            const struct tg_lane *own, const struct tg_share_range *own_rate,
                            tg_share *room, bool upper)
{
    tg_share sum = 0;

    for (size_t i = 0; i < level->n_lanes; i++) {
        const struct tg_priced_lane *p = &level->lanes[i];
        const struct tg_share_range *rate = p->lane == own ? own_rate : &p->lane->rate[view];
        tg_share *const left = &room[p->gate];
        const tg_share taken = tg_share_min(upper ? rate->upper : rate->lower, *left);

        sum = tg_share_add(sum, tg_share_mul(p->cost, taken));
        *left = tg_share_sub(*left, taken);
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

/* CPU share of all gates, and what each lets through. */
static struct tg_share_range gates_share(const struct tg_level *level, struct rates *rates)
{
    const size_t n = level->model->in->n_gates;
    struct tg_share_range sum = {0, 0};

    for (size_t i = 0; i < n; i++) {
        const struct tg_gate *gate = &level->model->gates[i];
        const struct tg_share_range rate = tg_gate_packet_rate(gate, level->priority);
        rates->lower[i] = rate.lower;
        rates->upper[i] = rate.upper;
        sum = tg_share_range_add(sum, tg_gate_share(gate, level->priority));
    }
    rates->lower[n] = TG_SHARE_FULL;
    rates->upper[n] = TG_SHARE_FULL;
    return sum;
}

struct tg_level_shares tg_level_share(const struct tg_level *level, enum tg_view view,
                                      const struct tg_lane *own, uint64_t own_late)
{
    struct tg_level_shares share = {.tasks = tasks_share(level)};
    struct tg_share_range own_rate = {0, 0};
    struct rates rates;

    if (own != NULL) {
        own_rate = tg_lane_rate(own, own_late);
    }
    share.interrupts = gates_share(level, &rates);
    share.flows.lower = flows_share(level, view, own, &own_rate, rates.lower, false);
    share.flows.upper = flows_share(level, view, own, &own_rate, rates.upper, true);
    share.total =
        tg_share_range_add(tg_share_range_add(share.tasks, share.interrupts), share.flows);
    return share;
}

/* Does it let through any rate? */
static bool is_open(const struct tg_gate *gate)
{
    return tg_gate_packet_rate(gate, INT32_MIN).lower == TG_SHARE_FULL;
}

/* The first gate that does; TG_NOBODY: none. */
static size_t open_gate(const struct tg_model *model)
{
    for (size_t i = 0; i < model->in->n_gates; i++) {
        if (is_open(&model->gates[i])) {
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
    for (size_t i = 0; i < level->n_lanes; i++) {
        const struct tg_lane *lane = level->lanes[i].lane;
        const bool is_gated =
            lane->gate < in->n_gates && !is_open(&level->model->gates[lane->gate]);
        if (!is_gated && lane->rate[view].lower == TG_SHARE_FULL) {
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

uint64_t tg_level_least(const struct tg_level *level, uint64_t fixed, tg_share rest)
{
    /* Every curve lies above its long-run rate, but for a gate that starts full and shut: w is at
     * least fixed + rest * w. */
    for (size_t i = 0; i < level->model->in->n_gates; i++) {
        const struct tg_gate *g = &level->model->gates[i];
        if (g->curve.kind == TG_CURVE_DEFERRABLE && g->shift > g->curve.period) {
            return fixed;
        }
    }
    if (rest >= TG_SHARE_ONE || fixed > TG_ANALYSIS_TIME_MAX) {
        return fixed;
    }
    const tg_u128 least = ((tg_u128)fixed << 64) / (TG_SHARE_ONE - rest);
    return least > TG_ANALYSIS_TIME_MAX ? TG_ANALYSIS_TIME_MAX : (uint64_t)least;
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
    struct tg_room room;
    uint64_t sum = tg_add(b->level->blocking.total, tg_level_interrupts(b->level, span, &room));

    sum = tg_add(sum, tg_level_tasks(b->level, span, 0));
    return tg_add(sum, tg_level_flows(b->level, b->view, span, &room, NULL));
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
        const uint64_t least =
            tg_level_least(level, level->blocking.total, level->share[view].total.lower);
        level->busy[view].value =
            tg_least_fixed_point(busy_demand, &b, tg_max(least, 1), limit, &steps);
    }
    if (level->busy[view].value == TG_NO_BOUND) {
        level->busy[view].why = why;
    }
}
