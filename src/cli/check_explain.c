/* SPDX-License-Identifier: MIT
 *
 * check_explain.c - what one bound is made of.
 */
#include "bound_text.h"
#include "check_report.h"

#include "report/table.h"
#include "system/text.h"

#include <inttypes.h>
#include <string.h>

#define NOTE_BYTES 256u

static const char *task_name(const struct tg_proof *p, size_t task)
{
    return p->analysis.tasks[task].name;
}

static const char *flow_name(const struct tg_proof *p, size_t flow)
{
    return p->analysis.flows[flow].name;
}

/* Who makes it wait. */
static void blocking_note(const struct tg_proof *p, const struct tg_blocking *b,
                          char note[NOTE_BYTES])
{
    char text[TG_SPAN_TEXT_BYTES];

    note[0] = '\0';
    if (b->packet != 0u) {
        tg_text_add(note, NOTE_BYTES, "a packet of %s that has begun, %s",
                    b->packet_flow != TG_NOBODY ? flow_name(p, b->packet_flow) : "somebody",
                    tg_whole_text(b->packet, text));
    }
    if (b->section != 0u) {
        const char *const who = b->section_task != TG_NOBODY   ? task_name(p, b->section_task)
                                : b->section_flow != TG_NOBODY ? flow_name(p, b->section_flow)
                                                               : "somebody";

        tg_text_add(note, NOTE_BYTES, "%sa locked section of %s, %s", note[0] != '\0' ? "; " : "",
                    who, tg_whole_text(b->section, text));
    }
    if (b->lock != 0u) {
        tg_text_add(note, NOTE_BYTES, "%sthe stack's lock, %s", note[0] != '\0' ? "; " : "",
                    tg_whole_text(b->lock, text));
    }
    if (b->resource != 0u) {
        tg_text_add(note, NOTE_BYTES, "%sa resource, %s", note[0] != '\0' ? "; " : "",
                    tg_whole_text(b->resource, text));
    }
}

static void part(struct tg_table *t, const char *name, const char *sign, uint64_t span_ns,
                 const char *note)
{
    if (span_ns != 0u) {
        tg_table_cell(t, TG_PLAIN, "%s", name);
        tg_table_cell(t, TG_PLAIN, "%s%" PRIu64, sign, span_ns);
        tg_table_cell(t, TG_FAINT, "%s", note);
    }
}

/* In nanoseconds, so that anybody can add them up. */
static void print_parts(const struct tg_proof *p, const struct tg_bound *bound,
                        const struct tg_blocking *blocking, FILE *out, bool has_colour)
{
    static const struct tg_column columns[] = {
        {"part", NULL, TG_LEFT}, {"time", "ns", TG_RIGHT}, {"what", NULL, TG_LEFT}};
    const struct tg_breakdown *const b = &bound->parts;
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);
    char note[NOTE_BYTES];

    part(t, "reception", "", b->reception, "from the NIC to acceptance");
    blocking_note(p, blocking, note);
    part(t, "blocking", "", b->blocking, note);
    part(t, "own work", "", b->own, "this one and those before it in the window");
    part(t, "tasks", "", b->tasks, "other tasks and time servers");
    part(t, "interrupts", "", b->interrupts, "receive interrupts, polls and refills");
    part(t, "flows", "", b->flows, "other packets and their receivers");
    part(t, "jitter", "", b->jitter, "nominal arrival to release");
    part(t, "elapsed", "-", b->elapsed, "the window began earlier");
    tg_table_rule(t);
    tg_table_cell(t, TG_STRONG, "bound");
    tg_table_count(t, TG_STRONG, bound->value);
    tg_table_end_row(t);
    tg_table_print(t, out, has_colour);
    tg_table_free(t);
}

static void explain(const struct tg_proof *p, const char *title, const struct tg_bound *bound,
                    const struct tg_blocking *blocking, FILE *out)
{
    const bool has_colour = tg_terminal_has_colour(out);
    char reason[512];

    if (bound->value != TG_NO_BOUND) {
        fprintf(out, "\n%s\n\n", title);
        print_parts(p, bound, blocking, out, has_colour);
        return;
    }
    (void)tg_why_sentence(&p->analysis.input, &bound->why, reason, sizeof reason);

    char line[1024];

    (void)snprintf(line, sizeof line, "%s: no bound: %s.", title, reason);
    fputc('\n', out);
    tg_check_say(out, 2, line);
}

static void explain_task(const struct tg_proof *p, size_t i, FILE *out)
{
    const struct tg_task_result *const r = &p->result.tasks[i];
    char text[TG_SPAN_TEXT_BYTES];

    fprintf(out, "task %s, priority %" PRId32 "\n", task_name(p, i), p->analysis.tasks[i].priority);
    explain(p, "from its nominal release to its end", &r->response, &r->blocking, out);
    if (r->response.value != TG_NO_BOUND) {
        fprintf(out,
                "\nThe worst job is number %" PRIu64 " of a busy window of %s.\n"
                "This priority and those above leave at least %" PRIu64 ".%" PRIu64
                " %% of the CPU.\n",
                r->worst_job + 1u, tg_bound_text(r->busy_window, text), r->left_ppm / 10000u,
                r->left_ppm / 1000u % 10u);
    }
}

static void explain_flow(const struct tg_proof *p, size_t i, FILE *out)
{
    const struct tg_analysis_flow *const f = &p->analysis.flows[i];
    const struct tg_flow_result *const r = &p->result.flows[i];

    fprintf(out, "flow %s, priority %" PRId32 "\n", f->name, f->priority);
    explain(p, "any packet, from acceptance to delivery", &r->accepted, &r->blocking, out);
    if (f->has_receiver) {
        explain(p, "any packet, from acceptance to the end of the receiver's job",
                &r->accepted_receiver, &r->blocking, out);
    }
    if (f->has_source) {
        explain(p, "packets of its source, from the NIC to delivery", &r->conforming, &r->blocking,
                out);
        explain(p, "packets of its source, from the NIC to delivery, while nobody floods",
                &r->nominal, &r->blocking, out);
    }
    if (f->has_source && f->has_receiver) {
        explain(p, "packets of its source, from the NIC to the end of the receiver's job",
                &r->conforming_receiver, &r->blocking, out);
    }
}

void tg_check_explain(const struct tg_proof *p, const char *name, FILE *out)
{
    bool is_found = false;

    for (size_t i = 0u; i < p->system->n_tasks; i++) {
        if (strcmp(task_name(p, i), name) == 0) {
            explain_task(p, i, out);
            is_found = true;
        }
    }
    for (size_t i = 0u; i < p->analysis.input.n_flows; i++) {
        if (strcmp(flow_name(p, i), name) == 0) {
            fputs(is_found ? "\n\n" : "", out);
            explain_flow(p, i, out);
            is_found = true;
        }
    }
}
