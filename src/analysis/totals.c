/* SPDX-License-Identifier: MIT
 *
 * totals.c - sums over the whole system.
 */
#include "analysis/totals.h"

/* What has no budget takes only what the others leave. */
static void leave_out_best_effort(struct tg_level *level)
{
    size_t kept = 0;

    for (size_t i = 0; i < level->n_lanes; i++) {
        if (level->lanes[i].lane->rate[TG_VIEW_FLOOD].lower < TG_SHARE_FULL) {
            level->lanes[kept++] = level->lanes[i];
        }
    }
    level->n_lanes = kept;
}

static uint64_t buffers(const struct tg_analysis_input *in, const struct tg_flow_result *flows)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < in->n_flows; i++) {
        sum = tg_add(sum, flows[i].backlog);
    }
    for (size_t k = 0; k < in->n_queues; k++) {
        sum = tg_add(sum, in->queues[k].ring);
    }
    return sum;
}

struct tg_analysis_totals tg_totals(struct tg_level *level, const struct tg_flow_result *flows)
{
    tg_level_enter(level, INT32_MIN);
    leave_out_best_effort(level);
    const struct tg_level_shares share = tg_level_share(level, TG_VIEW_FLOOD, NULL, TG_NO_BOUND);
    const uint64_t total_ppm = tg_share_ppm(share.total.upper);

    return (struct tg_analysis_totals){
        .tasks_ppm = tg_share_ppm(share.tasks.upper),
        .interrupts_ppm = tg_share_ppm(share.interrupts.upper),
        .flows_ppm = tg_share_ppm(share.flows.upper),
        .total_ppm = total_ppm,
        .best_effort_ppm = total_ppm >= 1000000 ? 0 : 1000000 - total_ppm,
        .buffers = buffers(level->model->in, flows),
    };
}
