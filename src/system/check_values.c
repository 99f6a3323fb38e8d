/* SPDX-License-Identifier: MIT
 *
 * check_values.c - times, budgets and buffers that contradict each other.
 */
#include "system/check.h"
#include "system/text.h"
#include "system/wording.h"

/* ---- Times ----------------------------------------------------------------------------------- */

static int refuse_time(const struct tg_place *place, const char *field, tg_ns found_ns,
                       const char *allowed, tg_ns limit_ns)
{
    char found[32];
    char limit[32];

    tg_word_time(found_ns, found);
    tg_word_time(limit_ns, limit);
    return tg_place_refuse(place, field, "found %s; allowed: %s %s", found, allowed, limit);
}

static int at_most(const struct tg_place *place, const char *field, tg_ns value_ns,
                   const char *allowed, tg_ns limit_ns)
{
    return value_ns <= limit_ns ? 0 : refuse_time(place, field, value_ns, allowed, limit_ns);
}

static int check_task(const struct tg_place *place, const struct tg_system_task *t)
{
    int err = at_most(place, "section", t->section_ns, "at most its wcet,", t->wcet_ns) |
              at_most(place, "irq_off", t->irq_off_ns, "at most its wcet,", t->wcet_ns);

    if (t->jitter_ns >= t->deadline_ns) {
        err = refuse_time(place, "jitter", t->jitter_ns, "less than the deadline,", t->deadline_ns);
    }
    return err;
}

static int check_receive(const struct tg_place *file, const struct tg_system_receive *rx)
{
    const struct tg_place place = tg_place_in(file, "receive");

    return at_most(&place, "driver", rx->driver_ns,
                   tg_place_has(&place, "refused") ? "at most refused, of which it is a part,"
                                                   : "at most eager, of which it is a part,",
                   rx->refused_ns) |
           at_most(&place, "refused", rx->refused_ns, "at most eager,", rx->eager_ns);
}

static int needs_every(const struct tg_place *place, const char *field)
{
    if (!tg_place_has(place, field)) {
        return 0;
    }
    return tg_place_refuse(place, field,
                           "found without 'every'; allowed: only for a flow that says what its "
                           "source sends");
}

static int check_flow_times(const struct tg_place *place, const struct tg_system_flow *f)
{
    if (f->source.every_ns == 0u) {
        return needs_every(place, "jitter") | needs_every(place, "burst") |
               needs_every(place, "deadline") | needs_every(place, "assume_conforming");
    }
    return 0;
}

/* ---- Budgets --------------------------------------------------------------------------------- */

static int check_budget(const struct tg_place *place, const char *field,
                        const struct tg_system_budget *b)
{
    const struct tg_place in = tg_place_in(place, field);

    if (b->kind != TG_SERVER_SPORADIC || b->packets <= TG_SERVER_SPORADIC_MAX) {
        return 0;
    }
    return tg_place_refuse(&in, "packets",
                           "found %u; allowed: at most %u, a sporadic server keeps the time of "
                           "each packet",
                           (unsigned)b->packets, TG_SERVER_SPORADIC_MAX);
}

static int check_gate(const struct tg_place *place, const struct tg_system_budget *b,
                      enum tg_refill refill)
{
    const struct tg_place in = tg_place_in(place, "gate");

    if (b->kind == TG_SERVER_SPORADIC && refill == TG_REFILL_TICK) {
        return tg_place_refuse(&in, "kind",
                               "found 'sporadic' with 'refill: tick'; allowed: a kind that has "
                               "refills, or 'refill: timestamp'");
    }
    return check_budget(place, "gate", b);
}

static int check_gates(const struct tg_place *file, const struct tg_system *s)
{
    int err = 0;

    if (tg_place_has(file, "gate")) {
        return check_gate(file, &s->gates[0], s->receive.refill);
    }
    for (size_t i = 0u; i < s->n_queues; i++) {
        const struct tg_place place = tg_place_item(file, "queues", i, s->queues[i].name);

        err |= check_gate(&place, &s->gates[s->queues[i].gate], s->receive.refill);
    }
    return err;
}

/* ---- Buffers --------------------------------------------------------------------------------- */

#define SUM_BYTES 240u /* of the sum, spelled out */

static int check_buffers(const struct tg_place *file, const struct tg_system *s)
{
    const struct tg_place place = tg_place_in(file, "receive");
    char sum_text[SUM_BYTES] = "";
    uint64_t sum = 0u;

    for (size_t i = 0u; i < s->n_queues; i++) {
        tg_text_add(sum_text, SUM_BYTES, "%sring %u", i != 0u ? " + " : "",
                    (unsigned)s->queues[i].ring_pkts);
        sum += s->queues[i].ring_pkts;
    }
    for (size_t i = 0u; i < s->n_flows; i++) {
        tg_text_add(sum_text, SUM_BYTES, " + %s %u", s->flows[i].name,
                    (unsigned)s->flows[i].reserve_pkts);
        sum += s->flows[i].reserve_pkts;
    }
    if (!s->best_effort.is_dropped) {
        tg_text_add(sum_text, SUM_BYTES, " + best effort %u",
                    (unsigned)s->best_effort.reserve_pkts);
        sum += s->best_effort.reserve_pkts;
    }
    if (sum <= s->receive.buffers_pkts) {
        return 0;
    }
    return tg_place_refuse(&place, "buffers",
                           "found %u; allowed: at least %llu, the sum of rings and reserves (%s)",
                           (unsigned)s->receive.buffers_pkts, (unsigned long long)sum, sum_text);
}

/* The ring of stock drivers takes buffers of the same pool, and has to leave some for packets. */
static int check_stock(const struct tg_place *file, const struct tg_system *s)
{
    const struct tg_place stock = tg_place_in(file, "stock");
    const struct tg_place place = tg_place_in(&stock, "queue");

    if (s->stock_queue.ring_pkts < s->receive.buffers_pkts) {
        return 0;
    }
    return tg_place_refuse(&place, "ring", "found %u; allowed: less than receive.buffers, %u",
                           (unsigned)s->stock_queue.ring_pkts, (unsigned)s->receive.buffers_pkts);
}

/* ---- All ------------------------------------------------------------------------------------- */

int tg_check_values(struct tg_reader *r, const struct tg_system *s)
{
    const struct tg_place file = tg_place_file(r);
    int err = check_receive(&file, &s->receive) | check_gates(&file, s) | check_buffers(&file, s) |
              check_stock(&file, s);

    for (size_t i = 0u; i < s->n_tasks; i++) {
        const struct tg_place place = tg_place_item(&file, "tasks", i, s->tasks[i].name);

        err |= check_task(&place, &s->tasks[i]);
    }
    for (size_t i = 0u; i < s->n_servers; i++) {
        const struct tg_place place = tg_place_item(&file, "servers", i, s->servers[i].name);

        err |= at_most(&place, "capacity", s->servers[i].capacity_ns, "at most its period,",
                       s->servers[i].period_ns);
    }
    for (size_t i = 0u; i < s->n_flows; i++) {
        const struct tg_place place = tg_place_item(&file, "flows", i, s->flows[i].name);

        err |= check_flow_times(&place, &s->flows[i]) |
               check_budget(&place, "budget", &s->flows[i].budget);
    }
    if (!s->best_effort.is_dropped) {
        const struct tg_place place = tg_place_in(&file, "best_effort");

        err |= check_budget(&place, "budget", &s->best_effort.budget);
    }
    return err;
}
