/* SPDX-License-Identifier: MIT
 *
 * level.h - everything at one priority and above: demand in a busy window (section 6).
 */
#ifndef TG_ANALYSIS_LEVEL_H
#define TG_ANALYSIS_LEVEL_H

#include "analysis/model.h"

/* Steps of all fixed points of one task or flow; then "no convergence". */
#define TG_STEPS_MAX 1000000u

/* A packet's price at a level: protocol work, and its receiver's job if that is of the level. */
struct tg_priced_lane {
    uint64_t cost; /* [u] */
    size_t gate;   /* of the lane */
    const struct tg_lane *lane;
};

/* Packets that each gate lets through; behind the last: no limit, for what comes through none. */
struct tg_room {
    uint64_t packets[TG_ANALYSIS_GATES_MAX + 1];
};

/* Windows for which something does not change: above < span <= upto. */
struct tg_span {
    uint64_t above;
    uint64_t upto;
};

/* What one task or flow demands, remembered while it does not change. All zero: not known. */
struct tg_part {
    struct tg_span valid;
    uint64_t packets; /* flows only */
    uint64_t time;
};

struct tg_level_shares {
    struct tg_share_range tasks;
    struct tg_share_range interrupts;
    struct tg_share_range flows;
    struct tg_share_range total;
};

struct tg_level {
    const struct tg_model *model;
    int32_t priority;
    size_t n_tasks;   /* of model->tasks: those of this priority and above come first */
    size_t n_servers; /* likewise */
    size_t n_lanes;
    struct tg_priced_lane *lanes; /* dearest first */
    struct tg_blocking blocking;  /* [B_i] */
    struct tg_level_shares share[TG_VIEWS];
    struct tg_bound busy[TG_VIEWS]; /* [L_i] without a task's own resource blocking; no parts */
    size_t *place;                  /* of each flow of the level among the lanes */
    struct tg_part *task_parts[2];  /* as model->tasks; for two windows looked at in turn */
    struct tg_part *flow_parts[TG_VIEWS]; /* as lanes */
};

/* A flow that the caller counts himself: left out, or put in at another price and count. */
struct tg_own_packets {
    const struct tg_lane *lane;
    uint64_t cost;
    uint64_t count;
    uint64_t taken; /* out: how many of them are among the packets chosen */
};

/* A level above all; tg_level_enter() goes down from there, cheaply, never up.
 * Returns 0 or TG_ANALYSIS_ERR_MEMORY. */
int tg_level_init(struct tg_level *level, const struct tg_model *model);
void tg_level_free(struct tg_level *level);

/* Packets priced and blocking known; shares and busy windows are not. */
void tg_level_enter(struct tg_level *level, int32_t priority);

/* Fill in level->share[view] and level->busy[view]. */
void tg_level_find_busy_window(struct tg_level *level, enum tg_view view);

/* Tasks and time servers of the level; memo 0 or 1. */
uint64_t tg_level_tasks(struct tg_level *level, uint64_t span, unsigned memo);

/* Time of the receive interrupts of all gates, and the packets that each lets through. */
uint64_t tg_level_interrupts(const struct tg_level *level, uint64_t span, struct tg_room *room);

/* The latter alone. */
void tg_level_room(const struct tg_level *level, uint64_t span, struct tg_room *room);

/* Packets of the level, dearest first, as far as there is room at their gates. own may be NULL, or
 * a lane of the level. */
uint64_t tg_level_flows(struct tg_level *level, enum tg_view view, uint64_t span,
                        const struct tg_room *room, struct tg_own_packets *own);

/* Long-run shares of the level. own: NULL, or the lane whose source bounds it with own_late. */
struct tg_level_shares tg_level_share(const struct tg_level *level, enum tg_view view,
                                      const struct tg_lane *own, uint64_t own_late);

/* Where a fixed point gives up; 0: the shares leave no hope, *why says so. */
uint64_t tg_level_limit(const struct tg_level *level, enum tg_view view,
                        const struct tg_level_shares *share, struct tg_why *why);

/* A time that no fixed point with so much fixed demand and this share of the rest can be below. */
uint64_t tg_level_least(const struct tg_level *level, uint64_t fixed, tg_share rest);

/* Replace w by f(w) until f(w) <= w, from start, which must not exceed the least fixed point.
 * TG_NO_BOUND: beyond limit, or no steps left. */
typedef uint64_t tg_demand_fn(void *context, uint64_t span);
uint64_t tg_least_fixed_point(tg_demand_fn *f, void *context, uint64_t start, uint64_t limit,
                              uint32_t *steps);

static inline struct tg_why tg_why(enum tg_why_code code)
{
    return (struct tg_why){.code = code, .index = TG_NOBODY};
}

static inline struct tg_bound tg_unbounded(struct tg_why why)
{
    return (struct tg_bound){.value = TG_NO_BOUND, .why = why};
}

#endif
