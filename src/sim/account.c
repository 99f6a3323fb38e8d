/* SPDX-License-Identifier: MIT
 *
 * account.c - what the results say, and whether every frame is in them.
 */
#include "sim/state.h"

#include <stdarg.h>

static void raise_to(tg_ns *worst_ns, tg_ns value_ns)
{
    if (value_ns > *worst_ns) {
        *worst_ns = value_ns;
    }
}

/* Does this arrival keep to at most burst * ceil((D + jitter) / every) frames in any window D? Give
 * each group of burst frames the latest nominal time that its jitter allows, at least a period
 * after the last one. */
static void judge_source(struct tg_sim_flow *flow, struct tg_sim_flow_result *out, tg_ns now_ns)
{
    const struct tg_system_source *const source = &flow->source;

    if (source->every_ns == 0u || !out->is_conforming) {
        return;
    }
    const tg_ns latest_ns = flow->nominal_ns + source->jitter_ns;

    if (flow->in_burst != 0u && flow->in_burst < source->burst_pkts && now_ns <= latest_ns) {
        flow->in_burst++;
        return;
    }
    const tg_ns earliest_ns = flow->in_burst == 0u ? 0u : flow->nominal_ns + source->every_ns;
    const tg_ns since_ns = now_ns > source->jitter_ns ? now_ns - source->jitter_ns : 0u;

    flow->nominal_ns = since_ns > earliest_ns ? since_ns : earliest_ns;
    flow->in_burst = 1u;
    out->is_conforming = flow->nominal_ns <= now_ns;
}

void tg_account_arrival(struct tg_sim *s, uint32_t number, const struct tg_sim_frame *frame,
                        enum tg_nic_fate fate)
{
    struct tg_sim_flow_result *const flow = &s->out->flows[frame->flow];
    struct tg_sim_queue_result *const queue = &s->out->queues[number];
    const uint32_t filled_pkts = s->nic.filled_pkts[number];

    s->out->packets++;
    flow->sent++;
    judge_source(&s->flows[frame->flow], flow, s->now_ns);
    switch (fate) {
    case TG_NIC_ENTERS:
        queue->received++;
        if (filled_pkts > queue->most_filled_pkts) {
            queue->most_filled_pkts = filled_pkts;
        }
        tg_sim_emit(s, TG_SIM_EVENT_ARRIVAL, frame->flow, number);
        break;
    case TG_NIC_LOST:
        flow->lost++;
        queue->lost++;
        tg_sim_emit(s, TG_SIM_EVENT_LOST, frame->flow, number);
        break;
    case TG_NIC_REFUSED:
        tg_sim_emit(s, TG_SIM_EVENT_VERDICT, frame->flow,
                    frame->flow == 0u ? TG_VERDICT_UNREGISTERED : TG_VERDICT_MALFORMED);
        break;
    }
}

void tg_account_step(struct tg_sim *s, uint32_t queue, const struct tg_nic_slot *slot)
{
    raise_to(&s->out->queues[queue].worst_acceptance_ns, s->now_ns - slot->at_ns);
}

void tg_account_accepted(struct tg_sim *s, struct tg_packet *packet, const struct tg_nic_slot *slot)
{
    const uint32_t index = slot->frame->flow;
    struct tg_sim_flow *const flow = &s->flows[index];
    struct tg_sim_flow_result *const out = &s->out->flows[index];

    packet->flow = index;
    packet->is_held = true;
    packet->arrived_ns = slot->at_ns;
    packet->accepted_ns = s->now_ns;
    raise_to(&out->worst_acceptance_ns, s->now_ns - slot->at_ns);

    flow->accepted++;
    flow->backlog_pkts++;
    flow->held_pkts++;
    if (flow->backlog_pkts > out->most_backlog_pkts) {
        out->most_backlog_pkts = flow->backlog_pkts;
    }
    if (flow->held_pkts > out->most_held_pkts) {
        out->most_held_pkts = flow->held_pkts;
    }
    s->held_pkts++;
    if (s->held_pkts > s->out->most_held_pkts) {
        s->out->most_held_pkts = s->held_pkts;
    }
}

static void deliver(struct tg_sim *s, const struct tg_packet *packet)
{
    struct tg_sim_flow_result *const out = &s->out->flows[packet->flow];
    const tg_ns latency_ns = s->now_ns - packet->arrived_ns;

    out->delivered++;
    out->late += latency_ns > s->flows[packet->flow].deadline_ns;
    tg_hist_add(&out->latency, latency_ns);
}

void tg_account_done(struct tg_sim *s, const struct tg_packet *packet)
{
    struct tg_sim_flow *const flow = &s->flows[packet->flow];
    struct tg_sim_flow_result *const out = &s->out->flows[packet->flow];

    flow->backlog_pkts--;
    raise_to(&out->worst_accepted_ns, s->now_ns - packet->accepted_ns);
    raise_to(&out->worst_protocol_ns, s->now_ns - packet->arrived_ns);
    tg_sim_emit(s, TG_SIM_EVENT_DONE, packet->flow, 0u);
    if (flow->receiver == NULL) {
        deliver(s, packet);
    }
}

void tg_account_received(struct tg_sim *s, const struct tg_packet *packet)
{
    raise_to(&s->out->flows[packet->flow].worst_receiver_ns, s->now_ns - packet->accepted_ns);
    tg_sim_emit(s, TG_SIM_EVENT_RECEIVED, packet->flow, 0u);
    deliver(s, packet);
}

void tg_account_released(struct tg_sim *s, struct tg_packet *packet)
{
    packet->is_held = false;
    s->flows[packet->flow].held_pkts--;
    s->held_pkts--;
}

/* Jobs that are not done although they should be, at the end of the run. */
static void close_task(struct tg_sim *s, uint32_t i)
{
    const struct tg_system_task *const task = &s->system->tasks[i];
    const struct tg_sim_task *const state = &s->tasks[i];
    struct tg_sim_task_result *const out = &s->out->tasks[i];
    const tg_ns oldest_ns = state->offset_ns + state->finished * task->period_ns;

    out->unfinished = state->released - state->finished;
    if (out->unfinished == 0u) {
        return;
    }
    raise_to(&out->worst_ns, s->now_ns - oldest_ns);
    if (s->now_ns >= oldest_ns + task->deadline_ns) {
        const uint64_t past = (s->now_ns - oldest_ns - task->deadline_ns) / task->period_ns + 1u;

        out->misses += past < out->unfinished ? past : out->unfinished;
        s->out->has_missed = true;
    }
}

static void close_packet(struct tg_sim *s, uint32_t flow, tg_ns arrived_ns, bool is_accepted)
{
    s->out->flows[flow].in_flight++;
    if (is_accepted) {
        s->out->flows[flow].late += s->now_ns - arrived_ns > s->flows[flow].deadline_ns;
    }
}

static void close_packets(struct tg_sim *s)
{
    for (uint32_t i = 0u; i < s->nic.n_queues; i++) {
        const struct tg_nic_queue *const q = &s->nic.queues[i];

        for (uint32_t k = 0u; k < s->nic.filled_pkts[i]; k++) {
            const struct tg_nic_slot *const slot = &q->slots[(q->head + k) % q->size];

            close_packet(s, slot->frame->flow, slot->at_ns, false);
        }
    }
    for (uint32_t i = 0u; i < s->n_packets; i++) {
        if (s->packets[i].is_held) {
            close_packet(s, s->packets[i].flow, s->packets[i].arrived_ns, true);
        }
    }
}

static __attribute__((format(printf, 2, 3))) int fail(struct tg_sim *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(s->out->failure, sizeof s->out->failure, format, args);
    va_end(args);
    return TG_SIM_ERR_INVARIANT;
}

static int check(struct tg_sim *s)
{
    const char *const broken = s->ops->check(s);
    tg_ns cpu_ns = 0u;

    if (broken != NULL) {
        return fail(s, "%s", broken);
    }
    for (uint32_t i = 0u; i < s->out->n_flows; i++) {
        const struct tg_sim_flow_result *const f = &s->out->flows[i];
        const uint64_t counted = f->lost + f->malformed + f->unregistered + f->dropped_budget +
                                 f->dropped_no_buffer + f->delivered + f->in_flight;

        if (counted != f->sent) {
            return fail(s, "flow %u: %llu frames sent, %llu accounted for", i,
                        (unsigned long long)f->sent, (unsigned long long)counted);
        }
    }
    for (uint32_t i = 0u; i < TG_SIM_SHARES; i++) {
        cpu_ns += s->out->cpu_ns[i];
    }
    return cpu_ns == s->out->for_ns ? 0 : fail(s, "the shares of the CPU do not add up");
}

int tg_account_close(struct tg_sim *s)
{
    s->out->for_ns = s->now_ns;
    s->ops->count(s);
    close_packets(s);
    for (uint32_t i = 0u; i < s->out->n_tasks; i++) {
        close_task(s, i);
    }
    return s->err != 0 ? s->err : check(s);
}
