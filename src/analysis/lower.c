/* SPDX-License-Identifier: MIT
 *
 * lower.c - from a system file to the input of the analysis.
 */
#include "analysis/lower.h"
#include "system/lower.h"

#include <stdlib.h>
#include <string.h>

static enum tg_curve_kind curve_of(enum tg_server_kind kind)
{
    switch (kind) {
    case TG_SERVER_SPORADIC:
        return TG_CURVE_SPORADIC;
    case TG_SERVER_POLLING:
        return TG_CURVE_POLLING;
    case TG_SERVER_UNLIMITED:
        return TG_CURVE_UNLIMITED;
    default:
        return TG_CURVE_DEFERRABLE;
    }
}

static enum tg_curve_kind curve_of_server(enum tg_system_server_kind kind)
{
    switch (kind) {
    case TG_SYSTEM_SERVER_POLLING:
        return TG_CURVE_POLLING;
    case TG_SYSTEM_SERVER_SPORADIC:
        return TG_CURVE_SPORADIC;
    case TG_SYSTEM_SERVER_PERIODIC:
        return TG_CURVE_PERIODIC;
    default:
        return TG_CURVE_DEFERRABLE;
    }
}

static void lower_tasks(const struct tg_system *s, struct tg_system_analysis *out)
{
    for (size_t i = 0u; i < s->n_tasks; i++) {
        const struct tg_system_task *const t = &s->tasks[i];

        out->tasks[i] = (struct tg_analysis_task){.name = t->name,
                                                  .priority = t->priority,
                                                  .wcet = tg_system_with_switches_ns(s, t->wcet_ns),
                                                  .period = t->period_ns,
                                                  .deadline = t->deadline_ns,
                                                  .jitter = t->jitter_ns,
                                                  .blocking = t->blocking_ns,
                                                  .section = t->section_ns,
                                                  .irq_off = t->irq_off_ns,
                                                  .calls_stack = t->calls_stack};
    }
    for (size_t i = 0u; i < s->n_servers; i++) {
        const struct tg_system_server *const v = &s->servers[i];

        out->servers[i] = (struct tg_analysis_server){.name = v->name,
                                                      .kind = curve_of_server(v->kind),
                                                      .priority = v->priority,
                                                      .capacity = v->capacity_ns,
                                                      .period = v->period_ns};
    }
}

/* With the lock two more switches: to the caller that has it, and back. */
static tg_ns lock_ns(const struct tg_system *s)
{
    const tg_ns call_ns = s->receive.lock_ns;

    return call_ns == 0u ? 0u : tg_system_with_switches_ns(s, call_ns);
}

/* A polling task is switched to and away from once per tick. */
static tg_ns tick_ns(const struct tg_system *s)
{
    const struct tg_system_receive *const rx = &s->receive;

    return rx->polled_by_task ? tg_system_with_switches_ns(s, rx->tick_ns) : rx->tick_ns;
}

/* A queue that a register holds back waits like a task at the top of its range. */
static bool has_work_at_floor(const struct tg_system *s, bool has_register)
{
    const uint8_t floor = s->receive.floor;
    bool is_there = s->receive.polled_by_task && s->receive.poll_priority <= floor;

    for (size_t i = 0u; i < s->n_tasks; i++) {
        is_there = is_there || s->tasks[i].priority <= floor;
    }
    for (size_t i = 0u; i < s->n_servers; i++) {
        is_there = is_there || s->servers[i].priority <= floor;
    }
    for (size_t i = 0u; i < s->n_flows; i++) {
        const struct tg_system_flow *const f = &s->flows[i];

        is_there = is_there || (f->receiver_wcet_ns != 0u && f->receiver_priority <= floor);
    }
    for (size_t i = 0u; i < s->n_queues && has_register; i++) {
        is_there = is_there || s->queues[i].priority_max <= floor;
    }
    return is_there;
}

/* After its last packet the protocol task may be preempted before it finds that there is no other.
 * Then it comes once more, at its floor, only to go to sleep: one more switch, which delays whoever
 * runs there. */
static tg_ns packet_ns(const struct tg_system *s, bool has_register, tg_ns deferred_ns)
{
    return tg_system_with_switches_ns(s, deferred_ns) +
           (has_work_at_floor(s, has_register) ? s->switch_ns : 0u);
}

static void lower_gates(const struct tg_system *s, struct tg_system_analysis *out)
{
    const struct tg_system_receive *const rx = &s->receive;

    for (size_t i = 0u; i < s->n_gates; i++) {
        const struct tg_system_budget *const b = &s->gates[i];

        out->gates[i] = (struct tg_analysis_gate){
            .kind = curve_of(b->kind),
            .budget = b->packets,
            .period = b->period_ns,
            .interrupt = s->irq_ns,
            .packet = rx->eager_ns,
            .tick = tick_ns(s),
            .wire_gap = rx->wire_gap_ns,
            /* A polling server has no other refill than the tick. */
            .refilled_by_tick = rx->refill == TG_REFILL_TICK || b->kind == TG_SERVER_POLLING,
            .polled_by_task = rx->polled_by_task,
            .poll_priority = rx->polled_by_task ? rx->poll_priority : 0};
    }
    for (size_t i = 0u; i < s->n_queues; i++) {
        const struct tg_system_queue *const q = &s->queues[i];

        out->queues[i] = (struct tg_analysis_queue){.name = q->name,
                                                    .gate = q->gate,
                                                    .rank = q->rank,
                                                    .priority_max = q->priority_max,
                                                    .ring = q->ring_pkts,
                                                    .isolated = q->is_isolated,
                                                    .absolute_timer = q->absolute_timer_ns,
                                                    .packet_timer = q->packet_timer_ns,
                                                    .packets = q->moderation_pkts};
    }
}

static int32_t at_least_floor(const struct tg_system *s, uint8_t priority)
{
    return priority > s->receive.floor ? priority : s->receive.floor;
}

static struct tg_analysis_flow lower_flow(const struct tg_system *s, bool has_register,
                                          const struct tg_system_flow *f)
{
    const bool has_receiver = f->receiver_wcet_ns != 0u;
    const bool has_source = f->source.every_ns != 0u;

    return (struct tg_analysis_flow){
        .name = f->name,
        .priority = at_least_floor(s, f->priority),
        .cost = packet_ns(s, has_register, f->deferred_ns),
        .section = f->section_ns,
        .irq_off = f->irq_off_ns,
        .queue = f->queue,
        .kind = curve_of(f->budget.kind),
        .budget = f->budget.packets,
        .period = f->budget.period_ns,
        .reserve = f->reserve_pkts,
        .has_source = has_source,
        .every = f->source.every_ns,
        .jitter = f->source.jitter_ns,
        .burst = has_source ? f->source.burst_pkts : 0u,
        .trusted = f->assume_conforming,
        .deadline = f->deadline_ns == TG_SYSTEM_ABSENT ? TG_NO_BOUND : f->deadline_ns,
        .has_receiver = has_receiver,
        .receiver_priority = has_receiver ? f->receiver_priority : 0,
        .receiver_wcet = has_receiver ? tg_system_with_switches_ns(s, f->receiver_wcet_ns) : 0u};
}

static struct tg_analysis_flow lower_best_effort(const struct tg_system *s, bool has_register)
{
    const struct tg_system_best_effort *const b = &s->best_effort;

    return (struct tg_analysis_flow){.name = "best effort",
                                     .priority = at_least_floor(s, b->priority),
                                     .cost = packet_ns(s, has_register, s->receive.deferred_ns),
                                     .section = s->receive.section_ns,
                                     .queue = b->queue,
                                     .kind = curve_of(b->budget.kind),
                                     .budget = b->budget.packets,
                                     .period = b->budget.period_ns,
                                     .reserve = b->reserve_pkts,
                                     .deadline = TG_NO_BOUND};
}

int tg_system_lower_analysis_with(const struct tg_system *system, bool has_register,
                                  struct tg_system_analysis *out)
{
    size_t n_flows = system->n_flows;

    memset(out, 0, sizeof *out);
    out->tasks = calloc(system->n_tasks + 1u, sizeof *out->tasks);
    out->servers = calloc(system->n_servers + 1u, sizeof *out->servers);
    out->flows = calloc(system->n_flows + 1u, sizeof *out->flows);
    if (out->tasks == NULL || out->servers == NULL || out->flows == NULL) {
        tg_system_analysis_free(out);
        return -1;
    }
    lower_tasks(system, out);
    lower_gates(system, out);
    for (size_t i = 0u; i < system->n_flows; i++) {
        out->flows[i] = lower_flow(system, has_register, &system->flows[i]);
    }
    if (!system->best_effort.is_dropped) {
        out->flows[n_flows] = lower_best_effort(system, has_register);
        n_flows++;
    }
    out->input = (struct tg_analysis_input){.unit = "ns",
                                            .tasks = out->tasks,
                                            .n_tasks = system->n_tasks,
                                            .servers = out->servers,
                                            .n_servers = system->n_servers,
                                            .gates = out->gates,
                                            .n_gates = system->n_gates,
                                            .queues = out->queues,
                                            .n_queues = system->n_queues,
                                            .flows = out->flows,
                                            .n_flows = n_flows,
                                            .irq_off = system->receive.irq_off_ns,
                                            .lock = lock_ns(system),
                                            .has_register = has_register};
    return 0;
}

int tg_system_lower_analysis(const struct tg_system *system, struct tg_system_analysis *out)
{
    return tg_system_lower_analysis_with(system, system->stock_queue.ring_pkts != 0u, out);
}

void tg_system_analysis_free(struct tg_system_analysis *analysis)
{
    free(analysis->tasks);
    free(analysis->servers);
    free(analysis->flows);
    memset(analysis, 0, sizeof *analysis);
}
