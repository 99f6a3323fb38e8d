/* SPDX-License-Identifier: MIT
 *
 * run_describe.c - a system and its traffic in tables.
 */
#include "run_describe.h"
#include "rate_text.h"
#include "span_text.h"

#include "report/html.h"
#include "report/table.h"
#include "system/text.h"

#include <inttypes.h>

#define TEXT_BYTES 256u

static void put(struct tg_table *t, FILE *out)
{
    tg_table_html(t, out);
    tg_table_free(t);
}

static void time_cell(struct tg_table *t, tg_ns ns)
{
    char text[TG_SPAN_TEXT_BYTES];

    tg_table_cell(t, TG_PLAIN, "%s", ns != 0u ? tg_whole_text(ns, text) : "0");
}

static void budget_cell(struct tg_table *t, const struct tg_system_budget *b)
{
    char text[TG_SPAN_TEXT_BYTES];

    if (b->kind == TG_SERVER_UNLIMITED) {
        tg_table_cell(t, TG_PLAIN, "unlimited");
    } else {
        tg_table_cell(t, TG_PLAIN, "%" PRIu32 " per %s", b->packets,
                      tg_whole_text(b->period_ns, text));
    }
}

/* ---- The system ------------------------------------------------------------------------------ */

static void put_costs(const struct tg_system *s, FILE *out)
{
    static const struct tg_column columns[] = {{"what the CPU spends", NULL, TG_LEFT},
                                               {"time", NULL, TG_RIGHT}};
    const struct tg_system_receive *const r = &s->receive;
    const struct {
        const char *name;
        tg_ns ns;
    } costs[] = {{"entry and exit of an interrupt", s->irq_ns},
                 {"a context switch", s->switch_ns},
                 {"stock interrupt, each packet: ring handling", r->driver_ns},
                 {"eager half, each packet: ring, parse, match, charge, enqueue", r->eager_ns},
                 {"eager half of a frame that is refused", r->refused_ns},
                 {"deferred half, each packet: protocol work", r->deferred_ns},
                 {"refill tick that finds nothing to poll", r->tick_ns}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0u; i < sizeof costs / sizeof costs[0]; i++) {
        tg_table_cell(t, TG_PLAIN, "%s", costs[i].name);
        time_cell(t, costs[i].ns);
    }
    put(t, out);
}

static void put_tasks(const struct tg_system *s, FILE *out)
{
    static const struct tg_column columns[] = {
        {"task", NULL, TG_LEFT},      {"priority", NULL, TG_RIGHT}, {"period", NULL, TG_RIGHT},
        {"longest", "job", TG_RIGHT}, {"deadline", NULL, TG_RIGHT}, {"CPU", "%", TG_RIGHT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);
    char text[TG_SPAN_TEXT_BYTES];

    for (size_t i = 0u; i < s->n_tasks; i++) {
        tg_table_cell(t, TG_PLAIN, "%s", s->tasks[i].name);
        tg_table_count(t, TG_PLAIN, s->tasks[i].priority);
        time_cell(t, s->tasks[i].period_ns);
        time_cell(t, s->tasks[i].wcet_ns);
        time_cell(t, s->tasks[i].deadline_ns);
        tg_table_cell(t, TG_PLAIN, "%s",
                      tg_percent_text(s->tasks[i].wcet_ns, s->tasks[i].period_ns, text));
    }
    put(t, out);
}

static void source_cell(struct tg_table *t, const struct tg_system_source *source)
{
    char every[TG_SPAN_TEXT_BYTES];
    char text[TEXT_BYTES] = "";

    if (source->every_ns == 0u) {
        tg_table_cell(t, TG_FAINT, "-");
        return;
    }
    tg_text_add(text, sizeof text, "%" PRIu32 " every %s", source->burst_pkts,
                tg_whole_text(source->every_ns, every));
    if (source->jitter_ns != 0u) {
        tg_text_add(text, sizeof text, ", late by up to %s",
                    tg_whole_text(source->jitter_ns, every));
    }
    tg_table_cell(t, TG_PLAIN, "%s", text);
}

static void put_flows(const struct tg_system *s, FILE *out)
{
    static const struct tg_column columns[] = {
        {"flow", NULL, TG_LEFT},          {"which frames", NULL, TG_LEFT},
        {"priority", NULL, TG_RIGHT},     {"budget", "packets", TG_RIGHT},
        {"reserve", "buffers", TG_RIGHT}, {"its source sends", NULL, TG_LEFT},
        {"deadline", NULL, TG_RIGHT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0u; i < s->n_flows; i++) {
        const struct tg_system_flow *const f = &s->flows[i];

        tg_table_cell(t, TG_PLAIN, "%s", f->name);
        tg_table_cell(t, TG_PLAIN, "%s", f->match_text);
        tg_table_count(t, TG_PLAIN, f->priority);
        budget_cell(t, &f->budget);
        tg_table_count(t, TG_PLAIN, f->reserve_pkts);
        source_cell(t, &f->source);
        if (f->deadline_ns == TG_SYSTEM_ABSENT) {
            tg_table_cell(t, TG_FAINT, "-");
        } else {
            time_cell(t, f->deadline_ns);
        }
    }
    tg_table_cell(t, TG_PLAIN, "best effort");
    if (s->best_effort.is_dropped) {
        tg_table_cell(t, TG_PLAIN, "what no flow takes is dropped");
    } else {
        tg_table_cell(t, TG_PLAIN, "what no flow takes");
        tg_table_count(t, TG_PLAIN, s->best_effort.priority);
        budget_cell(t, &s->best_effort.budget);
        tg_table_count(t, TG_PLAIN, s->best_effort.reserve_pkts);
    }
    tg_table_end_row(t);
    put(t, out);
}

static void put_queues(const struct tg_system *s, FILE *out)
{
    static const struct tg_column columns[] = {{"receive queue", NULL, TG_LEFT},
                                               {"ring", "frames", TG_RIGHT},
                                               {"flows of", "priorities", TG_RIGHT},
                                               {"gate", NULL, TG_LEFT},
                                               {"isolated", NULL, TG_LEFT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0u; i < s->n_queues; i++) {
        const struct tg_system_queue *const q = &s->queues[i];

        tg_table_cell(t, TG_PLAIN, "%s", q->name);
        tg_table_count(t, TG_PLAIN, q->ring_pkts);
        tg_table_cell(t, TG_PLAIN, "%u..%u", q->priority_min, q->priority_max);
        budget_cell(t, &s->gates[q->gate]);
        tg_table_cell(t, TG_PLAIN, "%s", q->is_isolated ? "yes" : "no");
    }
    put(t, out);
}

void tg_describe_system(const struct tg_system *system, FILE *out)
{
    fputs("<p>One CPU with fixed-priority preemptive tasks; interrupts stand above all of them. "
          "One network controller. Larger priorities are more urgent.</p>\n",
          out);
    put_costs(system, out);
    if (system->n_tasks != 0u) {
        put_tasks(system, out);
    }
    fprintf(out,
            "<p>The network controller has %zu receive queue%s, the system %" PRIu32
            " packet buffers. A gate limits the packets that are taken by interrupt; when it is "
            "spent, reception is polled. %s</p>\n",
            system->n_queues, system->n_queues == 1u ? "" : "s", system->receive.buffers_pkts,
            system->gate_is_shared ? "All queues share one gate." : "");
    put_queues(system, out);
    fputs("<p>Every frame belongs to one flow. A flow has a priority, a budget and buffers of its "
          "own under <b>tidegate</b>; a stock driver does not tell flows apart.</p>\n",
          out);
    put_flows(system, out);
}

/* ---- Traffic --------------------------------------------------------------------------------- */

static void what_cell(struct tg_table *t, const struct tg_system *s,
                      const struct tg_system_traffic *traffic)
{
    static const char *const forms[] = {[TG_FORM_WHOLE] = "",
                                        [TG_FORM_FRAGMENT] = ", fragments",
                                        [TG_FORM_MALFORMED] = ", malformed"};

    if (traffic->flow >= 0) {
        tg_table_cell(t, TG_PLAIN, "the source of flow %s", s->flows[traffic->flow].name);
    } else if (traffic->kind == TG_TRAFFIC_CAPTURE) {
        tg_table_cell(t, TG_PLAIN, "the capture %s", traffic->capture_path);
    } else {
        tg_table_cell(t, TG_PLAIN, "anybody: %s%s", traffic->match_text, forms[traffic->form]);
    }
}

static void when_cell(struct tg_table *t, const struct tg_system_traffic *traffic)
{
    char text[TEXT_BYTES] = "";
    char value[TG_SPAN_TEXT_BYTES];

    switch (traffic->kind) {
    case TG_TRAFFIC_PERIODIC:
        tg_text_add(text, sizeof text, "every %s", tg_whole_text(traffic->every_ns, value));
        if (traffic->jitter_ns != 0u) {
            tg_text_add(text, sizeof text, ", late by up to %s",
                        tg_whole_text(traffic->jitter_ns, value));
        }
        break;
    case TG_TRAFFIC_RATE:
        tg_text_add(text, sizeof text, "%s", tg_rate_text(traffic->rate_pps, value));
        break;
    case TG_TRAFFIC_POISSON:
        tg_text_add(text, sizeof text, "%s in the mean, at random",
                    tg_rate_text(traffic->rate_pps, value));
        break;
    case TG_TRAFFIC_CAPTURE:
        tg_text_add(text, sizeof text, "as recorded, %" PRIu32 " times", traffic->repeat);
        break;
    }
    if (traffic->kind != TG_TRAFFIC_CAPTURE && traffic->burst_pkts > 1u) {
        tg_text_add(text, sizeof text, ", bursts of %" PRIu32, traffic->burst_pkts);
    }
    tg_table_cell(t, TG_PLAIN, "%s", text);
}

void tg_describe_traffic(const struct tg_system *system, const struct tg_system_scenario *scenario,
                         FILE *out)
{
    static const struct tg_column columns[] = {{"what is sent", NULL, TG_LEFT},
                                               {"when", NULL, TG_LEFT},
                                               {"from", NULL, TG_RIGHT},
                                               {"until", NULL, TG_RIGHT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0u; i < scenario->n_traffic; i++) {
        what_cell(t, system, &scenario->traffic[i]);
        when_cell(t, &scenario->traffic[i]);
        time_cell(t, scenario->traffic[i].from_ns);
        time_cell(t, scenario->traffic[i].until_ns);
    }
    put(t, out);
}
