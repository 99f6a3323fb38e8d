/* SPDX-License-Identifier: MIT
 *
 * model.h - the input, sorted and with everything derived once: what the equations work on.
 */
#ifndef TG_ANALYSIS_MODEL_H
#define TG_ANALYSIS_MODEL_H

#include "analysis/gate.h"

/* Two sets of assumptions about other flows: any flood, or everybody conforms (section 8.4). */
enum tg_view { TG_VIEW_FLOOD, TG_VIEW_NOMINAL, TG_VIEWS };

struct tg_task {
    uint64_t wcet;
    uint64_t period;
    uint64_t jitter;
    int32_t priority;
    size_t index; /* in the input */
    struct tg_share_range share;
};

/* A flow as the equations see it. */
struct tg_lane {
    const struct tg_analysis_flow *in;
    size_t index;
    size_t gate; /* index; as many as there are: none */
    struct tg_curve curve;
    uint64_t every; /* [T] 0: source not known */
    uint64_t burst; /* [b] */
    /* Per view: jitter of its source plus acceptance jitter, if its source bounds it there;
     * else TG_NO_BOUND. */
    uint64_t late[TG_VIEWS];
    struct tg_share_range rate[TG_VIEWS]; /* long-run packets per time */
};

struct tg_model {
    const struct tg_analysis_input *in;
    struct tg_task *tasks;              /* most urgent first */
    struct tg_analysis_server *servers; /* most urgent first */
    struct tg_gate *gates;
    struct tg_lane *lanes;     /* as in the input */
    struct tg_lane **by_queue; /* grouped by queue */
    size_t *queue_first;       /* by_queue[queue_first[k]..queue_first[k + 1]): those of queue k */
    size_t *by_rank;           /* queues, those served first first */
    int32_t *levels;           /* distinct priorities, most urgent first */
    size_t n_levels;
    int32_t most_urgent; /* priority of anything that runs; INT32_MIN: nothing does */
    uint64_t irq_off;    /* [qirq] longest time that anything holds reception off */
    bool all_gated;      /* every flow comes through a gate */
    bool one_gate;       /* and that is the same for all */
    uint64_t time_cap;   /* where iterations stop if the CPU may be used up exactly */
};

/* Returns 0 or TG_ANALYSIS_ERR_MEMORY, then nothing is held. */
int tg_model_init(struct tg_model *model, const struct tg_analysis_input *in);
void tg_model_free(struct tg_model *model);

/* Packets of a flow accepted in a window: its server and, where known, its source. */
static inline uint64_t tg_lane_packets(const struct tg_lane *lane, enum tg_view view, uint64_t span)
{
    return tg_min(tg_curve_units(&lane->curve, span),
                  tg_arrivals(lane->burst, lane->every, lane->late[view], span));
}

/* From now on the source bounds the flow in this view, with so much jitter when accepted. */
void tg_lane_bound(struct tg_lane *lane, enum tg_view view, uint64_t late);

/* Long-run packets per time; late as in struct tg_lane. */
struct tg_share_range tg_lane_rate(const struct tg_lane *lane, uint64_t late);

#endif
