/* SPDX-License-Identifier: MIT
 *
 * safety_system.c - random systems as system files.
 *
 * Costs and periods are drawn so that most systems have bounds, since nothing is learnt from the
 * others: tasks take up to 60 % of the CPU, interrupts up to 50 %, packets up to 30 %.
 */
#include "safety_system.h"

#include "check_cmocka.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define US 1000u

/* ---- Drawing --------------------------------------------------------------------------------- */

/* As often short as long. */
static uint64_t log_between(struct rng *r, uint32_t lowest, uint32_t highest)
{
    uint32_t upto = lowest;

    while (upto < highest && rng_percent(r, 70u)) {
        upto = upto * 2u < highest ? upto * 2u : highest;
    }
    return rng_between(r, lowest, upto);
}

static uint64_t maybe(struct rng *r, uint32_t percent, uint32_t lowest, uint32_t highest)
{
    return rng_percent(r, percent) ? rng_between(r, lowest, highest) : 0u;
}

static void draw_task(struct made_task *t, struct rng *r, uint32_t n)
{
    t->is_there = true;
    t->priority = rng_between(r, 3u, 31u);
    t->period_ns = log_between(r, 100u, 3000u) * US;
    t->wcet_ns = t->period_ns * rng_between(r, 5u, 60u) / 100u / n + 1u;
    t->jitter_ns = maybe(r, 40u, 0u, (uint32_t)t->period_ns * 3u / 2u);
    t->section_ns = maybe(r, 40u, 0u, (uint32_t)t->wcet_ns);
    t->irq_off_ns = maybe(r, 25u, 0u, (uint32_t)t->wcet_ns / 4u);
    t->calls_stack = rng_percent(r, 30u);
}

static void draw_gate(struct made_budget *b, struct rng *r, uint64_t step_ns)
{
    static const enum made_kind kinds[] = {MADE_DEFERRABLE, MADE_DEFERRABLE, MADE_SPORADIC,
                                           MADE_POLLING};

    b->kind = kinds[rng_below(r, 4u)];
    b->packets = rng_between(r, 1u, 12u);
    b->period_ns = b->packets * step_ns * rng_between(r, 20u, 300u) / 10u;
    b->period_ns = b->period_ns < 20u * US ? 20u * US : b->period_ns;
}

static void draw_moderation(struct made_queue *q, struct rng *r)
{
    q->absolute_timer_ns = maybe(r, 60u, 1u * US, 300u * US);
    q->packet_timer_ns = maybe(r, 40u, 1u * US, 100u * US);
    q->packets = maybe(r, 30u, 1u, 8u);
}

/* Half of the time one is a multiple of the other, so that they end together. */
static void relate_gates(struct made_system *m, struct rng *r)
{
    for (uint32_t i = 1u; i < m->n_queues; i++) {
        const uint64_t first_ns = m->queues[0].gate.period_ns;

        if (rng_percent(r, 60u)) {
            m->queues[i].gate.period_ns = (m->queues[i].gate.period_ns / first_ns + 1u) * first_ns;
        }
    }
}

/* Mostly as their priorities are. */
static void draw_ranks(struct made_system *m, struct rng *r)
{
    const bool is_written = rng_percent(r, 30u);

    for (uint32_t i = 0u; i < m->n_queues && is_written; i++) {
        m->queues[i].rank = rng_between(r, 1u, m->n_queues);
    }
}

static void draw_queues(struct made_system *m, struct rng *r)
{
    const bool is_moderated = rng_percent(r, 30u);
    uint64_t lowest = 32u;

    m->n_queues = rng_between(r, 1u, MADE_QUEUES_MAX);
    m->is_gate_shared = m->n_queues > 1u && rng_percent(r, 40u);
    for (uint32_t i = 0u; i < m->n_queues; i++) {
        struct made_queue *const q = &m->queues[i];

        lowest -= rng_between(r, 3u, 10u);
        q->lowest_priority = i + 1u == m->n_queues ? 0u : lowest;
        q->ring = rng_between(r, 1u, 32u);
        q->is_isolated =
            i + 1u == m->n_queues ? m->is_rest_dropped && rng_percent(r, 30u) : rng_percent(r, 60u);
        if (is_moderated || rng_percent(r, 15u)) {
            draw_moderation(q, r);
        }
        draw_gate(&q->gate, r, (m->irq_ns + m->eager_ns) * m->n_queues);
    }
    relate_gates(m, r);
    draw_ranks(m, r);
    draw_gate(&m->gate, r, m->irq_ns + m->eager_ns);
}

static void draw_flow(const struct made_system *m, struct made_flow *f, struct rng *r, uint32_t n)
{
    const uint64_t gate_ns = m->is_gate_shared ? m->gate.period_ns : m->queues[0].gate.period_ns;

    f->is_there = true;
    f->priority = rng_below(r, 32u);
    f->deferred_ns = log_between(r, 1u * US, 60u * US);
    f->section_ns = maybe(r, 40u, 0u, (uint32_t)f->deferred_ns);
    f->irq_off_ns = maybe(r, 20u, 0u, (uint32_t)f->deferred_ns / 2u);
    f->reserve = rng_between(r, 1u, 24u);
    f->receiver_ns = maybe(r, 35u, 1u * US, 40u * US);
    f->receiver_priority = rng_between(r, 3u, 31u);
    f->budget.kind = rng_percent(r, 10u)   ? MADE_UNLIMITED
                     : rng_percent(r, 65u) ? MADE_DEFERRABLE
                                           : MADE_SPORADIC;
    f->budget.packets = rng_between(r, 1u, 6u);
    f->budget.period_ns =
        f->budget.packets * (f->deferred_ns + f->receiver_ns) * rng_between(r, 3u, 30u) * n;
    /* A multiple of the gate's period: then both can end at the same time. */
    if (rng_percent(r, 60u)) {
        f->budget.period_ns = (f->budget.period_ns / gate_ns + 1u) * gate_ns;
    }
    if (rng_percent(r, 60u)) {
        f->burst = rng_between(r, 1u, 3u);
        f->every_ns = f->budget.period_ns * rng_between(r, 1u, 4u) * f->burst / f->budget.packets;
        f->jitter_ns = maybe(r, 60u, 0u, (uint32_t)f->every_ns);
        f->is_trusted = rng_percent(r, 20u);
    }
}

/* Reception and what it needs, nothing else: then small terms of a bound show. */
static void leave_bare(struct made_system *m)
{
    m->switch_ns = 0u;
    m->lock_ns = 0u;
    m->section_ns = 0u;
    m->wire_gap_ns = 0u;
    m->has_server = false;
    for (uint32_t i = 0u; i < MADE_TASKS_MAX; i++) {
        struct made_task *const t = &m->tasks[i];

        t->is_there = t->is_there && i == 0u;
        t->jitter_ns = 0u;
        t->section_ns = 0u;
        t->irq_off_ns = 0u;
        t->calls_stack = false;
    }
    for (uint32_t i = 0u; i < MADE_FLOWS_MAX; i++) {
        m->flows[i].section_ns = 0u;
        m->flows[i].irq_off_ns = 0u;
        m->flows[i].receiver_ns = 0u;
    }
}

void made_random(struct made_system *m, struct rng *r)
{
    const uint32_t n_tasks = rng_between(r, 1u, MADE_TASKS_MAX - 1u);
    const uint32_t n_flows = rng_below(r, MADE_FLOWS_MAX);

    memset(m, 0, sizeof *m);
    m->irq_ns = rng_between(r, 0u, 3u * US);
    m->switch_ns = maybe(r, 50u, 0u, 1500u);
    m->eager_ns = rng_between(r, 500u, 4u * US);
    m->refused_ns = maybe(r, 50u, 1u, (uint32_t)m->eager_ns);
    m->tick_ns = rng_between(r, 100u, rng_percent(r, 70u) ? 3u * US : 20u * US);
    m->deferred_ns = log_between(r, 1u * US, 100u * US);
    m->section_ns = maybe(r, 50u, 0u, (uint32_t)m->deferred_ns);
    m->lock_ns = maybe(r, 40u, 1u, 20u * US);
    m->wire_gap_ns = maybe(r, 8u, 1u * US, 20u * US);
    m->floor = rng_percent(r, 20u) ? rng_between(r, 3u, 20u) : rng_below(r, 3u);
    m->poll_priority = maybe(r, 30u, 3u, 31u);
    m->best_effort_reserve = rng_between(r, 1u, 24u);
    m->is_rest_dropped = rng_percent(r, 20u);
    draw_queues(m, r);
    m->is_refilled_by_tick = rng_percent(r, 40u);
    m->has_server = rng_percent(r, 15u);
    m->server_kind = (enum made_kind)rng_below(r, 3u);
    m->server_priority = rng_between(r, 3u, 31u);
    m->server_period_ns = log_between(r, 200u, 3000u) * US;
    m->server_ns = m->server_period_ns * rng_between(r, 1u, 15u) / 100u;
    for (uint32_t i = 0u; i < n_tasks; i++) {
        draw_task(&m->tasks[i], r, n_tasks);
    }
    for (uint32_t i = 0u; i < n_flows; i++) {
        draw_flow(m, &m->flows[i], r, n_flows);
    }
    if (rng_percent(r, 25u)) {
        leave_bare(m);
    }
}

/* ---- Printing -------------------------------------------------------------------------------- */

struct out {
    char *text;
    size_t length;
};

static __attribute__((format(printf, 2, 3))) void add(struct out *o, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    o->length += (size_t)vsnprintf(o->text + o->length, MADE_TEXT_BYTES - o->length, format, args);
    va_end(args);
    assert_true(o->length < MADE_TEXT_BYTES);
}

/* A time that says nothing where it is zero. */
static void add_time(struct out *o, const char *name, uint64_t ns)
{
    if (ns != 0u) {
        add(o, ", %s: %" PRIu64 " ns", name, ns);
    }
}

static void add_budget(struct out *o, const struct made_budget *b)
{
    static const char *const kinds[] = {"deferrable", "sporadic", "polling"};

    if (b->kind == MADE_UNLIMITED) {
        add(o, "unlimited");
        return;
    }
    add(o, "{kind: %s, packets: %" PRIu64 ", period: %" PRIu64 " ns}", kinds[b->kind], b->packets,
        b->period_ns);
}

static void print_tasks(struct out *o, const struct made_system *m)
{
    static const char *const kinds[] = {"deferrable", "sporadic", "polling"};

    add(o, "tasks:\n");
    for (uint32_t i = 0u; i < MADE_TASKS_MAX; i++) {
        const struct made_task *const t = &m->tasks[i];

        if (!t->is_there) {
            continue;
        }
        add(o,
            "  - {name: t%u, priority: %" PRIu64 ", period: %" PRIu64 " ns, wcet: %" PRIu64
            " ns, deadline: %" PRIu64 " ns",
            i, t->priority, t->period_ns, t->wcet_ns, 3u * t->period_ns);
        add_time(o, "jitter", t->jitter_ns);
        add_time(o, "section", t->section_ns);
        add_time(o, "irq_off", t->irq_off_ns);
        add(o, t->calls_stack ? ", calls_stack: true}\n" : "}\n");
    }
    if (m->has_server) {
        add(o,
            "servers: [{name: s, kind: %s, priority: %" PRIu64 ", capacity: %" PRIu64
            " ns, period: %" PRIu64 " ns}]\n",
            kinds[m->server_kind], m->server_priority, m->server_ns, m->server_period_ns);
    }
}

/* Only a gate that keeps a count can be refilled by the tick. */
static bool is_any_sporadic(const struct made_system *m)
{
    bool is_there = m->is_gate_shared && m->gate.kind == MADE_SPORADIC;

    for (uint32_t i = 0u; i < m->n_queues && !m->is_gate_shared; i++) {
        is_there = is_there || m->queues[i].gate.kind == MADE_SPORADIC;
    }
    return is_there;
}

static void print_receive(struct out *o, const struct made_system *m)
{
    uint64_t buffers = m->best_effort_reserve;

    for (uint32_t i = 0u; i < m->n_queues; i++) {
        buffers += m->queues[i].ring;
    }
    for (uint32_t i = 0u; i < MADE_FLOWS_MAX; i++) {
        buffers += m->flows[i].is_there ? m->flows[i].reserve : 0u;
    }
    add(o,
        "receive: {station: 02:00:00:00:00:01, driver: 0 ns, eager: %" PRIu64
        " ns, deferred: %" PRIu64 " ns, section: %" PRIu64 " ns, lock: %" PRIu64
        " ns, floor: %" PRIu64 ", mtu: 1500, buffers: %" PRIu64 ", refill: %s",
        m->eager_ns, m->deferred_ns, m->section_ns, m->lock_ns, m->floor, buffers,
        m->is_refilled_by_tick && !is_any_sporadic(m) ? "tick" : "timestamp");
    if (m->refused_ns != 0u) {
        add_time(o, "refused", m->refused_ns < m->eager_ns ? m->refused_ns : m->eager_ns);
    }
    add_time(o, "tick", m->tick_ns);
    add_time(o, "wire_gap", m->wire_gap_ns);
    if (m->poll_priority != 0u) {
        add(o, ", poll_priority: %" PRIu64, m->poll_priority);
    }
    add(o, "}\n");
}

static void print_queues(struct out *o, const struct made_system *m)
{
    uint64_t highest = 31u;

    if (m->is_gate_shared) {
        add(o, "gate: ");
        add_budget(o, &m->gate);
        add(o, "\n");
    }
    add(o, "queues:\n");
    for (uint32_t i = 0u; i < m->n_queues; i++) {
        const struct made_queue *const q = &m->queues[i];

        add(o, "  - {name: q%u, ring: %" PRIu64, i, q->ring);
        if (m->n_queues > 1u) {
            add(o, ", priorities: %" PRIu64 "..%" PRIu64, q->lowest_priority, highest);
        }
        if (q->rank != 0u) {
            add(o, ", rank: %" PRIu64, q->rank);
        }
        if (q->is_isolated) {
            add(o, ", isolated: true");
        }
        add_time(o, "absolute_timer", q->absolute_timer_ns);
        add_time(o, "packet_timer", q->packet_timer_ns);
        if (q->packets != 0u) {
            add(o, ", packets: %" PRIu64, q->packets);
        }
        if (!m->is_gate_shared) {
            add(o, ", gate: ");
            add_budget(o, &q->gate);
        }
        add(o, "}\n");
        highest = q->lowest_priority - 1u;
    }
}

static void print_flow(struct out *o, const struct made_flow *f, uint32_t i)
{
    add(o,
        "  - {name: f%u, match: udp dst port %u, priority: %" PRIu64 ", reserve: %" PRIu64
        ", deferred: %" PRIu64 " ns, section: %" PRIu64 " ns, budget: ",
        i, 100u + i, f->priority, f->reserve, f->deferred_ns, f->section_ns);
    add_budget(o, &f->budget);
    add_time(o, "irq_off", f->irq_off_ns);
    add_time(o, "every", f->every_ns);
    if (f->every_ns != 0u) {
        add_time(o, "jitter", f->jitter_ns);
        add(o, ", burst: %" PRIu64, f->burst);
        add(o, f->is_trusted ? ", assume_conforming: true" : "");
    }
    if (f->receiver_ns != 0u) {
        add(o, ", receiver: {priority: %" PRIu64 ", wcet: %" PRIu64 " ns}", f->receiver_priority,
            f->receiver_ns);
    }
    add(o, "}\n");
}

void made_print(const struct made_system *m, char text[MADE_TEXT_BYTES])
{
    struct out o = {.text = text};
    uint32_t n_tasks = 0u;
    uint32_t n_flows = 0u;

    for (uint32_t i = 0u; i < MADE_TASKS_MAX; i++) {
        n_tasks += m->tasks[i].is_there ? 1u : 0u;
    }
    add(&o, "name: random\ncpu: {irq: %" PRIu64 " ns, switch: %" PRIu64 " ns}\n", m->irq_ns,
        m->switch_ns);
    if (n_tasks == 0u) {
        add(&o, "tasks: []\n");
    } else {
        print_tasks(&o, m);
    }
    print_receive(&o, m);
    print_queues(&o, m);
    for (uint32_t i = 0u; i < MADE_FLOWS_MAX; i++) {
        if (m->flows[i].is_there) {
            add(&o, n_flows++ == 0u ? "flows:\n" : "");
            print_flow(&o, &m->flows[i], i);
        }
    }
    add(&o, n_flows == 0u ? "flows: []\n" : "");
    if (m->is_rest_dropped) {
        add(&o, "unregistered: drop\n");
    } else {
        add(&o, "best_effort: {priority: 0, budget: unlimited, reserve: %" PRIu64 "}\n",
            m->best_effort_reserve);
    }
}

/* ---- Reducing -------------------------------------------------------------------------------- */

#define OF_TASK  7u
#define OF_FLOW  13u
#define OF_QUEUE 7u
#define OF_REST  17u

static void reduce_task(struct made_task *t, uint32_t step)
{
    uint64_t *const numbers[] = {&t->jitter_ns, &t->section_ns, &t->irq_off_ns, &t->wcet_ns,
                                 &t->period_ns};

    if (step == 0u) {
        t->is_there = false;
    } else if (step == 1u) {
        t->calls_stack = false;
    } else {
        *numbers[step - 2u] /= 2u;
    }
}

static void reduce_flow(struct made_flow *f, uint32_t step)
{
    uint64_t *const numbers[] = {
        &f->section_ns,  &f->irq_off_ns,     &f->receiver_ns,      &f->jitter_ns,
        &f->deferred_ns, &f->budget.packets, &f->budget.period_ns, &f->budget.packets,
        &f->every_ns,    &f->burst,          &f->reserve};

    if (step == 0u) {
        f->is_there = false;
    } else if (step == 1u) {
        f->is_trusted = false;
    } else {
        *numbers[step - 2u] /= 2u;
    }
}

static void reduce_queue(struct made_queue *q, uint32_t step)
{
    uint64_t *const numbers[] = {&q->absolute_timer_ns, &q->packet_timer_ns, &q->packets, &q->ring,
                                 &q->gate.packets,      &q->gate.period_ns};

    if (step == 0u) {
        q->is_isolated = false;
    } else {
        *numbers[step - 1u] /= 2u;
    }
}

static void reduce_rest(struct made_system *m, uint32_t step)
{
    uint64_t *const numbers[] = {&m->irq_ns,       &m->switch_ns,      &m->eager_ns,
                                 &m->tick_ns,      &m->deferred_ns,    &m->section_ns,
                                 &m->lock_ns,      &m->wire_gap_ns,    &m->floor,
                                 &m->gate.packets, &m->gate.period_ns, &m->best_effort_reserve,
                                 &m->refused_ns};

    switch (step) {
    case 0u:
        m->has_server = false;
        break;
    case 1u:
        m->is_refilled_by_tick = false;
        break;
    case 2u:
        m->poll_priority = 0u;
        break;
    case 3u:
        if (m->n_queues > 1u) {
            m->n_queues--;
            m->queues[m->n_queues - 1u].lowest_priority = 0u;
            m->is_gate_shared = m->is_gate_shared && m->n_queues > 1u;
            m->queues[0].gate = m->is_gate_shared ? m->queues[0].gate : m->gate;
        }
        break;
    default:
        *numbers[step - 4u] /= 2u;
        break;
    }
}

bool made_reduce(struct made_system *m, uint32_t step)
{
    if (step < MADE_TASKS_MAX * OF_TASK) {
        reduce_task(&m->tasks[step / OF_TASK], step % OF_TASK);
        return true;
    }
    step -= MADE_TASKS_MAX * OF_TASK;
    if (step < MADE_FLOWS_MAX * OF_FLOW) {
        reduce_flow(&m->flows[step / OF_FLOW], step % OF_FLOW);
        return true;
    }
    step -= MADE_FLOWS_MAX * OF_FLOW;
    if (step < MADE_QUEUES_MAX * OF_QUEUE) {
        reduce_queue(&m->queues[step / OF_QUEUE], step % OF_QUEUE);
        return true;
    }
    step -= MADE_QUEUES_MAX * OF_QUEUE;
    if (step < OF_REST) {
        reduce_rest(m, step);
        return true;
    }
    return false;
}
