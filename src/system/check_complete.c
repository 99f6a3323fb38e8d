/* SPDX-License-Identifier: MIT
 *
 * check_complete.c - queues and their gates, and every default that follows from another field.
 */
#include "system/check.h"

/* ---- Defaults -------------------------------------------------------------------------------- */

static void complete_times(struct tg_reader *r, struct tg_system *s)
{
    const struct tg_place file = tg_place_file(r);
    const struct tg_place receive = tg_place_in(&file, "receive");

    s->receive.at = tg_document_at(receive.node);
    s->stock_gate.kind = TG_SERVER_DEFERRABLE;
    s->receive.polled_by_task = tg_place_has(&receive, "poll_priority");
    if (s->receive.tick_ns == TG_SYSTEM_ABSENT) {
        s->receive.tick_ns = s->irq_ns;
    }
    if (s->receive.refused_ns == TG_SYSTEM_ABSENT) {
        s->receive.refused_ns = s->receive.eager_ns;
    }
    for (size_t i = 0u; i < s->n_tasks; i++) {
        struct tg_system_task *const t = &s->tasks[i];

        t->deadline_ns = t->deadline_ns == TG_SYSTEM_ABSENT ? t->period_ns : t->deadline_ns;
    }
    for (size_t i = 0u; i < s->n_flows; i++) {
        struct tg_system_flow *const f = &s->flows[i];

        f->deferred_ns =
            f->deferred_ns == TG_SYSTEM_ABSENT ? s->receive.deferred_ns : f->deferred_ns;
        f->section_ns = f->section_ns == TG_SYSTEM_ABSENT ? s->receive.section_ns : f->section_ns;
    }
}

/* ---- Gates ----------------------------------------------------------------------------------- */

static int complete_gates(const struct tg_place *file, struct tg_system_written *w)
{
    struct tg_system *const s = &w->system;
    const bool is_shared = w->gate.at.line != 0u;
    int err = 0;

    s->gate_is_shared = is_shared && w->n_queues > 1u;
    s->n_gates = is_shared ? 1u : w->n_queues;
    s->gates[0] = w->gate;
    for (size_t i = 0u; i < w->n_queues; i++) {
        const struct tg_queue_written *const q = &w->queues[i];
        const struct tg_place place = tg_place_item(file, "queues", i, q->queue.name);

        s->queues[i] = q->queue;
        s->queues[i].gate = (uint8_t)(is_shared ? 0u : i);
        if (!is_shared) {
            s->gates[i] = q->gate;
        }
        if (is_shared && q->gate.at.line != 0u) {
            err = tg_place_refuse(&place, "gate",
                                  "found a gate beside the shared one in line %u; allowed: one or "
                                  "the other",
                                  (unsigned)w->gate.at.line);
        } else if (!is_shared && q->gate.at.line == 0u) {
            err = tg_place_refuse(&place, NULL,
                                  "the field 'gate' is missing, it has no default; allowed: "
                                  "unlimited, or {packets, period, kind, fixed}, here or once for "
                                  "all queues at the top level");
        }
    }
    s->n_queues = w->n_queues;
    return err;
}

/* ---- Which queue serves which priority ------------------------------------------------------- */

static int complete_priorities(const struct tg_place *file, struct tg_system *s)
{
    int err = 0;

    for (size_t i = 0u; i < s->n_queues; i++) {
        const struct tg_place place = tg_place_item(file, "queues", i, s->queues[i].name);

        if (tg_place_has(&place, "priorities")) {
            continue;
        }
        if (s->n_queues > 1u) {
            err = tg_place_refuse(&place, NULL,
                                  "the field 'priorities' is missing, with several queues it has "
                                  "no default; allowed: priorities LOW..HIGH within 0..31");
        }
        s->queues[i].priority_max = TG_PRIORITIES - 1u;
    }
    return err;
}

/* The queue of a priority. Every priority has exactly one, or an error has been added. */
static uint8_t queue_of(const struct tg_system *s, uint32_t priority)
{
    uint8_t i = 0u;

    while (i + 1u < s->n_queues &&
           (priority < s->queues[i].priority_min || priority > s->queues[i].priority_max)) {
        i++;
    }
    return i;
}

static int check_cover(const struct tg_place *file, const struct tg_system *s)
{
    const struct tg_place first = tg_place_item(file, "queues", 0u, s->queues[0].name);
    const struct tg_system_queue *owner[TG_PRIORITIES] = {NULL};

    for (size_t i = 0u; i < s->n_queues; i++) {
        const struct tg_system_queue *const q = &s->queues[i];

        for (uint32_t p = q->priority_min; p <= q->priority_max; p++) {
            if (owner[p] != NULL) {
                const struct tg_place place = tg_place_item(file, "queues", i, q->name);

                return tg_place_refuse(&place, "priorities",
                                       "found priority %u, which belongs to queue '%s' already; "
                                       "allowed: each priority in one queue",
                                       (unsigned)p, owner[p]->name);
            }
            owner[p] = q;
        }
    }
    for (uint32_t p = 0u; p < TG_PRIORITIES; p++) {
        if (owner[p] == NULL) {
            return tg_place_refuse(&first, "priorities",
                                   "found no queue for priority %u; allowed: each of 0..31 in one "
                                   "queue",
                                   (unsigned)p);
        }
    }
    return 0;
}

/* Without ranks the queue of the higher priorities is served first. */
static int complete_ranks(const struct tg_place *file, struct tg_system *s)
{
    size_t n_written = 0u;
    size_t without = 0u;

    for (size_t i = 0u; i < s->n_queues; i++) {
        const struct tg_place place = tg_place_item(file, "queues", i, s->queues[i].name);

        if (tg_place_has(&place, "rank")) {
            n_written++;
        } else {
            without = i;
        }
    }
    if (n_written == s->n_queues) {
        return 0;
    }
    if (n_written != 0u) {
        const struct tg_place place =
            tg_place_item(file, "queues", without, s->queues[without].name);

        return tg_place_refuse(&place, NULL,
                               "the field 'rank' is missing, another queue has it; allowed: a "
                               "rank for every queue, or for none");
    }
    for (size_t i = 0u; i < s->n_queues; i++) {
        for (size_t j = 0u; j < s->n_queues; j++) {
            if (s->queues[j].priority_min < s->queues[i].priority_min) {
                s->queues[i].rank++;
            }
        }
    }
    return 0;
}

/* ---- Best effort ----------------------------------------------------------------------------- */

static int complete_best_effort(const struct tg_place *file, struct tg_system *s)
{
    const bool is_written = tg_place_has(file, "best_effort");

    if (!is_written && !s->best_effort.is_dropped) {
        return tg_place_refuse(file, NULL,
                               "the field 'best_effort' is missing, it has no default; allowed: "
                               "{priority, budget, reserve}, or 'unregistered: drop'");
    }
    if (is_written && s->best_effort.is_dropped) {
        return tg_place_refuse(file, "best_effort",
                               "found best effort beside 'unregistered: drop' in line %u; allowed: "
                               "one or the other",
                               (unsigned)tg_place_at(file, "unregistered").line);
    }
    return 0;
}

/* What no match takes is the opposite of what is known to behave. */
static int check_isolated(const struct tg_place *file, const struct tg_system *s)
{
    const struct tg_system_queue *const q = &s->queues[s->best_effort.queue];
    const struct tg_place place = tg_place_item(file, "queues", s->best_effort.queue, q->name);

    if (s->best_effort.is_dropped || !q->is_isolated) {
        return 0;
    }
    return tg_place_refuse(&place, "isolated",
                           "found true for the queue that best effort enters; allowed: false, or "
                           "'unregistered: drop'");
}

int tg_check_complete(struct tg_reader *r, struct tg_system_written *w)
{
    struct tg_system *const s = &w->system;
    const struct tg_place file = tg_place_file(r);

    complete_times(r, s);
    int err =
        complete_gates(&file, w) | complete_best_effort(&file, s) | complete_priorities(&file, s);
    if (err) {
        return err;
    }
    err = check_cover(&file, s) | complete_ranks(&file, s);
    for (size_t i = 0u; i < s->n_flows; i++) {
        s->flows[i].queue = queue_of(s, s->flows[i].priority);
    }
    s->best_effort.queue = queue_of(s, s->best_effort.priority);
    return err | check_isolated(&file, s);
}
