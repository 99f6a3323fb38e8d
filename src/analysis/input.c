/* SPDX-License-Identifier: MIT
 *
 * input.c - is an input within its documented ranges?
 */
#include "analysis/analysis.h"

#include <stdarg.h>
#include <stdio.h>

struct report {
    char *text;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static int fault(const struct report *r, const char *format,
                                                       ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(r->text, r->size, format, args);
    va_end(args);
    return TG_ANALYSIS_ERR_INPUT;
}

static bool is_time(uint64_t time)
{
    return time <= TG_ANALYSIS_TIME_MAX;
}

static bool is_period(uint64_t time)
{
    return time >= 1 && is_time(time);
}

static bool is_deadline(uint64_t time)
{
    return is_time(time) || time == TG_NO_BOUND;
}

static int check_task(const struct tg_analysis_task *t, const struct report *r)
{
    if (!is_period(t->wcet) || !is_period(t->period)) {
        return fault(r, "task %s: execution time and period must be at least 1", t->name);
    }
    if (!is_deadline(t->deadline) || !is_time(t->jitter) || !is_time(t->blocking) ||
        !is_time(t->section) || !is_time(t->irq_off)) {
        return fault(r, "task %s: a time is too large", t->name);
    }
    return 0;
}

static int check_server(const struct tg_analysis_server *s, const struct report *r)
{
    if (s->kind < TG_CURVE_DEFERRABLE || s->kind > TG_CURVE_PERIODIC) {
        return fault(r, "time server %s: no kind that a time server can have", s->name);
    }
    if (!is_period(s->capacity) || !is_period(s->period) || s->capacity > s->period) {
        return fault(r, "time server %s: capacity must be 1 to its period", s->name);
    }
    return 0;
}

/* A budget of packets: of a gate or a flow. */
static int check_budget(const char *what, const char *name, enum tg_curve_kind kind,
                        uint64_t budget, uint64_t period, const struct report *r)
{
    if (kind == TG_CURVE_UNLIMITED) {
        return budget == 0 && period == 0
                   ? 0
                   : fault(r, "%s %s: unlimited, but with a budget or period", what, name);
    }
    if (kind < TG_CURVE_DEFERRABLE || kind > TG_CURVE_TOKEN) {
        return fault(r, "%s %s: no kind of budget is set", what, name);
    }
    if (budget < 1 || budget > TG_ANALYSIS_BUDGET_MAX || !is_period(period)) {
        return fault(r, "%s %s: budget and period must be at least 1", what, name);
    }
    return 0;
}

static int check_gate(const struct tg_analysis_gate *g, size_t index, const struct report *r)
{
    char number[24];

    (void)snprintf(number, sizeof number, "%zu", index);
    if (!is_time(g->interrupt) || !is_time(g->packet) || !is_time(g->tick) ||
        !is_time(g->wire_gap)) {
        return fault(r, "gate %s: a time is too large", number);
    }
    return check_budget("gate", number, g->kind, g->budget, g->period, r);
}

static int check_queue(const struct tg_analysis_input *in, const struct tg_analysis_queue *q,
                       const struct report *r)
{
    if (q->gate >= in->n_gates) {
        return fault(r, "queue %s: it has no gate (unlimited is a gate, too)", q->name);
    }
    if (!is_time(q->absolute_timer) || !is_time(q->packet_timer) || !is_time(q->packets) ||
        !is_time(q->ring)) {
        return fault(r, "queue %s: a value is too large", q->name);
    }
    return 0;
}

static int check_flow(const struct tg_analysis_input *in, const struct tg_analysis_flow *f,
                      const struct report *r)
{
    if (!is_time(f->cost) || !is_time(f->section) || !is_time(f->irq_off) ||
        !is_deadline(f->deadline)) {
        return fault(r, "flow %s: a time is too large", f->name);
    }
    if (f->queue != TG_NOBODY && f->queue >= in->n_queues) {
        return fault(r, "flow %s: there is no such queue", f->name);
    }
    if (f->has_source && (!is_period(f->every) || !is_time(f->jitter) || f->burst < 1 ||
                          f->burst > TG_ANALYSIS_BUDGET_MAX)) {
        return fault(r, "flow %s: its source needs a period and a burst of at least 1", f->name);
    }
    if (f->has_receiver && !is_period(f->receiver_wcet)) {
        return fault(r, "flow %s: its receiver must take at least 1", f->name);
    }
    return check_budget("flow", f->name, f->kind, f->budget, f->period, r);
}

int tg_analysis_input_check(const struct tg_analysis_input *in, char *text, size_t size)
{
    const struct report r = {text, size};
    int err = 0;

    if (size > 0) {
        text[0] = '\0';
    }
    if (!is_time(in->irq_off) || !is_time(in->lock)) {
        return fault(&r, "a time is too large");
    }
    if (in->n_gates > TG_ANALYSIS_GATES_MAX) {
        return fault(&r, "there are too many gates");
    }
    for (size_t i = 0; i < in->n_tasks && err == 0; i++) {
        err = check_task(&in->tasks[i], &r);
    }
    for (size_t i = 0; i < in->n_servers && err == 0; i++) {
        err = check_server(&in->servers[i], &r);
    }
    for (size_t i = 0; i < in->n_gates && err == 0; i++) {
        err = check_gate(&in->gates[i], i, &r);
    }
    for (size_t i = 0; i < in->n_queues && err == 0; i++) {
        err = check_queue(in, &in->queues[i], &r);
    }
    for (size_t i = 0; i < in->n_flows && err == 0; i++) {
        err = check_flow(in, &in->flows[i], &r);
    }
    return err;
}
