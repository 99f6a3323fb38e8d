/* SPDX-License-Identifier: MIT
 *
 * safety_check.c - what was seen against what was proved. What has no bound is not compared: it is
 * TG_NO_BOUND, which nothing exceeds.
 */
#include "safety_check.h"

#include <inttypes.h>
#include <stdio.h>

static char text[256];

static bool exceeds(const char *whose, const char *what, uint64_t seen, uint64_t bound)
{
    if (seen <= bound) {
        return false;
    }
    (void)snprintf(text, sizeof text, "%s of %s: seen %" PRIu64 ", bound %" PRIu64, what, whose,
                   seen, bound);
    return true;
}

static bool task_exceeds(const struct world *w, const struct tg_analysis_result *proven, uint32_t i)
{
    return exceeds(w->system->tasks[i].name, "response", w->results.tasks[i].worst_ns,
                   proven->tasks[i].response.value);
}

/* Every packet of the source arrives in time and none is lost. */
static bool conforming_exceeds(const char *name, const struct tg_flow_result *bound,
                               const struct tg_sim_flow_result *seen, bool has_receiver)
{
    if (!seen->is_conforming) {
        return false;
    }
    return exceeds(name, "arrival to acceptance", seen->worst_acceptance_ns, bound->acceptance) ||
           exceeds(name, "arrival to delivery", seen->worst_protocol_ns, bound->conforming.value) ||
           (has_receiver && exceeds(name, "arrival to the receiver's end", seen->latency.max,
                                    bound->conforming_receiver.value)) ||
           (bound->lossless &&
            exceeds(name, "loss", seen->lost + seen->dropped_budget + seen->dropped_no_buffer, 0u));
}

static bool flow_exceeds(const struct world *w, const struct tg_analysis_result *proven, uint32_t i)
{
    const bool is_best = i == w->system->n_flows;
    const char *const name = is_best ? "best effort" : w->system->flows[i].name;
    const bool has_receiver = !is_best && w->system->flows[i].receiver_wcet_ns != 0u;
    const struct tg_flow_result *const bound = &proven->flows[i];
    const struct tg_sim_flow_result *const seen = &w->results.flows[is_best ? 0u : i + 1u];

    return exceeds(name, "acceptance to delivery", seen->worst_accepted_ns,
                   bound->accepted.value) ||
           exceeds(name, "backlog", seen->most_backlog_pkts, bound->backlog) ||
           exceeds(name, "buffers", seen->most_held_pkts, bound->reserve_need) ||
           (has_receiver && exceeds(name, "acceptance to the receiver's end",
                                    seen->worst_receiver_ns, bound->accepted_receiver.value)) ||
           (!is_best && conforming_exceeds(name, bound, seen, has_receiver));
}

/* Nothing came but what the sources of the file send. */
static bool is_calm(const struct world *w)
{
    const uint32_t n = (uint32_t)w->system->n_flows;

    for (uint32_t i = 1u; i <= n; i++) {
        if (!w->results.flows[i].is_conforming) {
            return false;
        }
    }
    return w->results.flows[0].sent + w->results.flows[n + 1u].sent == 0u;
}

/* What holds while nobody floods. */
static bool calm_exceeds(const struct world *w, const struct tg_analysis_result *proven)
{
    for (uint32_t i = 0u; i < w->system->n_flows; i++) {
        if (exceeds(w->system->flows[i].name, "arrival to delivery in a calm",
                    w->results.flows[i + 1u].worst_protocol_ns, proven->flows[i].nominal.value)) {
            return true;
        }
    }
    for (uint32_t k = 0u; k < w->system->n_queues; k++) {
        if (exceeds(w->system->queues[k].name, "arrival to acceptance in a calm",
                    w->results.queues[k].worst_acceptance_ns,
                    proven->queues[k].acceptance_nominal.value)) {
            return true;
        }
    }
    return false;
}

static bool queue_exceeds(const struct world *w, const struct tg_analysis_result *proven,
                          uint32_t k)
{
    const char *const name = w->system->queues[k].name;
    const struct tg_queue_result *const bound = &proven->queues[k];
    const struct tg_sim_queue_result *const seen = &w->results.queues[k];

    return exceeds(name, "arrival to acceptance", seen->worst_acceptance_ns,
                   bound->acceptance.value) ||
           exceeds(name, "ring", seen->most_filled_pkts, bound->ring_need) ||
           (bound->lossless && exceeds(name, "loss", seen->lost, 0u));
}

/* Did all that must behave do so? Waiting for the wire can bunch packets more than their source
 * may; then nothing is promised. */
static bool is_as_promised(const struct world *w)
{
    for (uint32_t i = 1u; i <= w->system->n_flows; i++) {
        if (!attack_is_free(w->system, i) && !w->results.flows[i].is_conforming) {
            assert_int_not_equal(w->system->receive.wire_gap_ns, 0u);
            return false;
        }
    }
    return true;
}

const char *safety_violation(const struct world *w, const struct tg_analysis_result *proven)
{
    const uint32_t n_flows =
        (uint32_t)w->system->n_flows + (w->system->best_effort.is_dropped ? 0u : 1u);

    if (!is_as_promised(w)) {
        return NULL;
    }
    for (uint32_t i = 0u; i < w->system->n_tasks; i++) {
        if (task_exceeds(w, proven, i)) {
            return text;
        }
    }
    for (uint32_t i = 0u; i < n_flows; i++) {
        if (flow_exceeds(w, proven, i)) {
            return text;
        }
    }
    for (uint32_t i = 0u; i < w->system->n_queues; i++) {
        if (queue_exceeds(w, proven, i)) {
            return text;
        }
    }
    return is_calm(w) && calm_exceeds(w, proven) ? text : NULL;
}

uint32_t safety_reach_ppm(const struct attack *a, const struct world *w,
                          const struct tg_analysis_result *proven)
{
    const uint64_t bound = attack_bound(a, proven);
    const uint64_t seen = a->aim == ATTACK_RESPONSE ? w->results.tasks[a->target].worst_ns
                          : a->aim == ATTACK_DELIVERY
                              ? w->results.flows[a->target + 1u].worst_accepted_ns
                              : w->results.queues[a->target].worst_acceptance_ns;

    return bound == TG_NO_BOUND || bound == 0u ? 0u : (uint32_t)(seen * 1000000u / bound);
}
