/* SPDX-License-Identifier: MIT
 *
 * flows.h - from acceptance to delivery and to the end of the receiver's job (section 7).
 */
#ifndef TG_ANALYSIS_FLOWS_H
#define TG_ANALYSIS_FLOWS_H

#include "analysis/level.h"

/* One flow's latencies after acceptance, under the assumptions that its result asks for. */
struct tg_flow_latency {
    struct tg_bound accepted;   /* other flows and this one under flood */
    struct tg_bound conforming; /* this one as its source sends it */
    struct tg_bound nominal;    /* all as their sources send */
    struct tg_bound receiver_accepted;
    struct tg_bound receiver_conforming;
};

/* [L_acc] and its variants; the level is the flow's, its busy windows are known. late: jitter of
 * the conforming flow when accepted, TG_NO_BOUND: not known. */
void tg_flow_delivery(struct tg_level *level, const struct tg_lane *lane, uint64_t late,
                      struct tg_flow_latency *out);

/* [L_conf] alone. */
void tg_flow_conforming_delivery(struct tg_level *level, const struct tg_lane *lane, uint64_t late,
                                 struct tg_flow_latency *out);

/* [E_acc] and [E_conf] of a receiver at most as urgent as its flow; the level is the receiver's. */
void tg_flow_receiver_below(struct tg_level *level, const struct tg_lane *lane, uint64_t late,
                            struct tg_flow_latency *out);

/* [E_conf] alone. */
void tg_flow_conforming_receiver(struct tg_level *level, const struct tg_lane *lane, uint64_t late,
                                 struct tg_flow_latency *out);

/* Delivery to the end of the job of a receiver that is more urgent than its flow. */
struct tg_bound tg_flow_receiver_above(struct tg_level *level, const struct tg_lane *lane);

/* One bound after the other. */
struct tg_bound tg_bound_add(struct tg_bound first, struct tg_bound second);

#endif
