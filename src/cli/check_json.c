/* SPDX-License-Identifier: MIT
 *
 * check_json.c - a proof for programs. All times in nanoseconds, shares in millionths; null is "no
 * bound".
 */
#include "check_report.h"

#include <string.h>

static void count_or_null(struct tg_json *j, const char *key, uint64_t number)
{
    if (number == TG_NO_BOUND) {
        tg_json_null(j, key);
    } else {
        tg_json_count(j, key, number);
    }
}

static void slack_or_null(struct tg_json *j, int64_t slack)
{
    if (slack == INT64_MAX || slack == INT64_MIN) {
        tg_json_null(j, "slack_ns");
    } else {
        tg_json_int(j, "slack_ns", slack);
    }
}

static void write_why(struct tg_json *j, const char *key, const struct tg_proof *p,
                      const struct tg_why *why)
{
    char text[512];

    (void)tg_why_sentence(&p->analysis.input, why, text, sizeof text);
    if (text[0] == '\0') {
        tg_json_null(j, key);
    } else {
        tg_json_text(j, key, text);
    }
}

static void write_bound(struct tg_json *j, const char *key, const struct tg_proof *p,
                        const struct tg_bound *bound)
{
    const struct tg_breakdown *const b = &bound->parts;

    tg_json_row(j, key);
    count_or_null(j, "bound_ns", bound->value);
    if (bound->value == TG_NO_BOUND) {
        write_why(j, "why", p, &bound->why);
    } else {
        tg_json_count(j, "reception", b->reception);
        tg_json_count(j, "blocking", b->blocking);
        tg_json_count(j, "own", b->own);
        tg_json_count(j, "tasks", b->tasks);
        tg_json_count(j, "interrupts", b->interrupts);
        tg_json_count(j, "flows", b->flows);
        tg_json_count(j, "jitter", b->jitter);
        tg_json_count(j, "elapsed", b->elapsed);
    }
    tg_json_end(j);
}

static void name_or_null(struct tg_json *j, const char *key, const char *name)
{
    if (name == NULL) {
        tg_json_null(j, key);
    } else {
        tg_json_text(j, key, name);
    }
}

static void write_blocking(struct tg_json *j, const struct tg_proof *p, const struct tg_blocking *b)
{
    tg_json_row(j, "blocking");
    tg_json_count(j, "total_ns", b->total);
    tg_json_count(j, "packet_ns", b->packet);
    name_or_null(j, "packet_of",
                 b->packet_flow != TG_NOBODY ? p->analysis.flows[b->packet_flow].name : NULL);
    tg_json_count(j, "section_ns", b->section);
    name_or_null(j, "section_of",
                 b->section_task != TG_NOBODY   ? p->analysis.tasks[b->section_task].name
                 : b->section_flow != TG_NOBODY ? p->analysis.flows[b->section_flow].name
                                                : NULL);
    tg_json_count(j, "lock_ns", b->lock);
    tg_json_count(j, "resource_ns", b->resource);
    tg_json_end(j);
}

static bool is_wanted(const char *only, const char *name)
{
    return only == NULL || strcmp(only, name) == 0;
}

static void write_task(struct tg_json *j, const struct tg_proof *p, size_t i)
{
    const struct tg_task_result *const r = &p->result.tasks[i];

    tg_json_object(j, NULL);
    tg_json_text(j, "name", p->analysis.tasks[i].name);
    tg_json_int(j, "priority", p->analysis.tasks[i].priority);
    count_or_null(j, "deadline_ns", p->analysis.tasks[i].deadline);
    slack_or_null(j, r->slack);
    tg_json_bool(j, "holds", r->met);
    write_why(j, "why", p, &r->why);
    tg_json_bool(j, "rests_on_assume_conforming", tg_proof_task_rests(p, i));
    write_bound(j, "response", p, &r->response);
    write_blocking(j, p, &r->blocking);
    tg_json_end(j);
}

static void write_flow(struct tg_json *j, const struct tg_proof *p, size_t i)
{
    const struct tg_analysis_flow *const f = &p->analysis.flows[i];
    const struct tg_flow_result *const r = &p->result.flows[i];

    tg_json_object(j, NULL);
    tg_json_text(j, "name", f->name);
    tg_json_int(j, "priority", f->priority);
    count_or_null(j, "deadline_ns", f->deadline);
    slack_or_null(j, r->slack);
    tg_json_bool(j, "holds", r->met);
    write_why(j, "why", p, &r->why);
    tg_json_bool(j, "rests_on_assume_conforming", tg_proof_flow_rests(p, i));
    write_bound(j, "accepted", p, &r->accepted);
    if (f->has_receiver) {
        write_bound(j, "accepted_receiver", p, &r->accepted_receiver);
    }
    if (f->has_source) {
        write_bound(j, "conforming", p, &r->conforming);
        write_bound(j, "nominal", p, &r->nominal);
    }
    if (f->has_source && f->has_receiver) {
        write_bound(j, "conforming_receiver", p, &r->conforming_receiver);
    }
    write_blocking(j, p, &r->blocking);
    count_or_null(j, "budget_need", f->has_source ? r->budget_need : TG_NO_BOUND);
    count_or_null(j, "reserve_need", r->reserve_need);
    count_or_null(j, "backlog", r->backlog);
    tg_json_bool(j, "lossless", f->has_source && r->lossless);
    write_why(j, "loss", p, &r->loss);
    tg_json_end(j);
}

static void write_queues(struct tg_json *j, const struct tg_proof *p)
{
    tg_json_array(j, "queues");
    for (size_t i = 0u; i < p->analysis.input.n_queues; i++) {
        const struct tg_queue_result *const r = &p->result.queues[i];

        tg_json_row(j, NULL);
        tg_json_text(j, "name", p->analysis.queues[i].name);
        count_or_null(j, "held_ns", r->held);
        count_or_null(j, "acceptance_ns", r->acceptance.value);
        count_or_null(j, "acceptance_nominal_ns", r->acceptance_nominal.value);
        tg_json_count(j, "ring", p->analysis.queues[i].ring);
        count_or_null(j, "ring_need", r->ring_need);
        tg_json_bool(j, "lossless", r->lossless);
        write_why(j, "why", p, &r->why);
        tg_json_end(j);
    }
    tg_json_end(j);
}

static void write_totals(struct tg_json *j, const struct tg_proof *p)
{
    const struct tg_analysis_totals *const totals = &p->result.totals;

    tg_json_row(j, "cpu_ppm");
    count_or_null(j, "interrupts", totals->interrupts_ppm);
    count_or_null(j, "protocol", totals->flows_ppm);
    count_or_null(j, "tasks", totals->tasks_ppm);
    count_or_null(j, "total", totals->total_ppm);
    tg_json_count(j, "best_effort", totals->best_effort_ppm);
    tg_json_end(j);
    count_or_null(j, "buffers_need", totals->buffers);
    tg_json_count(j, "buffers", p->system->receive.buffers_pkts);
}

void tg_check_json(const struct tg_proof *p, const char *only, FILE *out)
{
    struct tg_json j;

    tg_json_start(&j, out);
    tg_json_object(&j, NULL);
    tg_json_text(&j, "system", p->system->name);
    tg_json_text(&j, "policy", tg_sim_policy_name(p->policy));
    tg_json_bool(&j, "holds", p->result.ok);
    tg_json_array(&j, "tasks");
    for (size_t i = 0u; i < p->system->n_tasks; i++) {
        if (is_wanted(only, p->analysis.tasks[i].name)) {
            write_task(&j, p, i);
        }
    }
    tg_json_end(&j);
    tg_json_array(&j, "flows");
    for (size_t i = 0u; i < p->analysis.input.n_flows; i++) {
        if (is_wanted(only, p->analysis.flows[i].name)) {
            write_flow(&j, p, i);
        }
    }
    tg_json_end(&j);
    if (only == NULL) {
        write_queues(&j, p);
        write_totals(&j, p);
    }
    tg_json_end(&j);
    (void)tg_json_finish(&j); /* the command looks at the stream itself */
}
