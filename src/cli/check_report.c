/* SPDX-License-Identifier: MIT
 *
 * check_report.c - a proof in tables and sentences.
 */
#include "check_report.h"
#include "bound_text.h"

#include "report/table.h"

#include <inttypes.h>
#include <string.h>

#define LINE_COLUMNS   100u
#define SENTENCE_BYTES 512u

void tg_check_say(FILE *out, int indent, const char *text)
{
    size_t column = 0u;

    while (*text != '\0') {
        const size_t length = strcspn(text, " ");

        if (column != 0u && column + 1u + length > LINE_COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            column = (size_t)indent;
        } else if (column != 0u) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)length, text);
        column += length;
        text += length + (text[length] != '\0' ? 1u : 0u);
    }
    fputc('\n', out);
}

static void print(struct tg_table *t, FILE *out, bool has_colour)
{
    tg_table_print(t, out, has_colour);
    tg_table_free(t);
    fputc('\n', out);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void bound_cell(struct tg_table *t, uint64_t bound_ns, bool is_bad)
{
    char text[TG_SPAN_TEXT_BYTES];

    tg_table_cell(t,
                  is_bad                    ? TG_BAD
                  : bound_ns == TG_NO_BOUND ? TG_FAINT
                                            : TG_PLAIN,
                  "%s", tg_bound_text(bound_ns, text));
}

static void deadline_cells(struct tg_table *t, uint64_t deadline_ns, int64_t slack_ns)
{
    char text[TG_SPAN_TEXT_BYTES];

    if (deadline_ns == TG_NO_BOUND) {
        tg_table_cell(t, TG_FAINT, "-");
        tg_table_cell(t, TG_FAINT, "-");
        return;
    }
    tg_table_cell(t, TG_PLAIN, "%s", tg_whole_text(deadline_ns, text));
    tg_table_cell(t, slack_ns < 0 ? TG_BAD : TG_PLAIN, "%s", tg_slack_text(slack_ns, text));
}

static void verdict_cell(struct tg_table *t, bool met)
{
    tg_table_cell(t, met ? TG_GOOD : TG_BAD, "%s", met ? "holds" : "does not hold");
}

static void rests_cell(struct tg_table *t, const struct tg_proof *p, bool rests)
{
    if (p->has_assumptions) {
        tg_table_cell(t, TG_WARN, "%s", rests ? "assume_conforming" : "");
    }
}

static void print_tasks(const struct tg_proof *p, FILE *out, bool has_colour)
{
    static const struct tg_column columns[] = {
        {"task", NULL, TG_LEFT},      {"priority", NULL, TG_RIGHT}, {"bound", NULL, TG_RIGHT},
        {"deadline", NULL, TG_RIGHT}, {"slack", NULL, TG_RIGHT},    {"verdict", NULL, TG_LEFT},
        {"rests on", NULL, TG_LEFT}};
    const size_t n = sizeof columns / sizeof columns[0] - (p->has_assumptions ? 0u : 1u);
    struct tg_table *const t = tg_table_new(columns, n);

    for (size_t i = 0u; i < p->system->n_tasks; i++) {
        const struct tg_task_result *const r = &p->result.tasks[i];

        tg_table_cell(t, TG_STRONG, "%s", p->analysis.tasks[i].name);
        tg_table_count(t, TG_PLAIN, (uint64_t)p->analysis.tasks[i].priority);
        bound_cell(t, r->response.value, !r->met);
        deadline_cells(t, p->analysis.tasks[i].deadline, r->slack);
        verdict_cell(t, r->met);
        rests_cell(t, p, tg_proof_task_rests(p, i));
    }
    print(t, out, has_colour);
}

static void print_flows(const struct tg_proof *p, FILE *out, bool has_colour)
{
    static const struct tg_column columns[] = {
        {"flow", NULL, TG_LEFT},         {"priority", NULL, TG_RIGHT},
        {"bound", "accepted", TG_RIGHT}, {"bound", "from NIC", TG_RIGHT},
        {"deadline", NULL, TG_RIGHT},    {"slack", NULL, TG_RIGHT},
        {"verdict", NULL, TG_LEFT},      {"rests on", NULL, TG_LEFT}};
    const size_t n = sizeof columns / sizeof columns[0] - (p->has_assumptions ? 0u : 1u);
    struct tg_table *const t = tg_table_new(columns, n);

    for (size_t i = 0u; i < p->analysis.input.n_flows; i++) {
        const struct tg_analysis_flow *const f = &p->analysis.flows[i];
        const struct tg_flow_result *const r = &p->result.flows[i];

        tg_table_cell(t, TG_STRONG, "%s", f->name);
        tg_table_count(t, TG_PLAIN, (uint64_t)f->priority);
        bound_cell(t, tg_proof_accepted(p, i)->value, false);
        if (f->has_source) {
            bound_cell(t, tg_proof_conforming(p, i)->value, !r->met);
        } else {
            tg_table_cell(t, TG_FAINT, "-");
        }
        deadline_cells(t, f->deadline, r->slack);
        if (f->deadline == TG_NO_BOUND) {
            tg_table_cell(t, TG_FAINT, "no deadline");
        } else {
            verdict_cell(t, r->met);
        }
        rests_cell(t, p, tg_proof_flow_rests(p, i));
    }
    print(t, out, has_colour);
}

/* "7 of 8": needed, and there. */
static void need_cell(struct tg_table *t, uint64_t need, uint64_t has)
{
    char text[TG_SPAN_TEXT_BYTES];

    if (has == 0u) {
        tg_table_cell(t, TG_FAINT, "unlimited");
    } else {
        tg_table_cell(t, need > has ? TG_WARN : TG_PLAIN, "%s of %" PRIu64,
                      tg_need_text(need, text), has);
    }
}

static void lossless_cell(struct tg_table *t, bool lossless)
{
    tg_table_cell(t, lossless ? TG_GOOD : TG_WARN, "%s", lossless ? "no" : "possible");
}

static void print_losses(const struct tg_proof *p, FILE *out, bool has_colour)
{
    static const struct tg_column columns[] = {{"flow", NULL, TG_LEFT},
                                               {"budget", "needed", TG_RIGHT},
                                               {"reserve", "needed", TG_RIGHT},
                                               {"held", "at most", TG_RIGHT},
                                               {"loss", "of its source", TG_LEFT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);
    char text[TG_SPAN_TEXT_BYTES];

    for (size_t i = 0u; i < p->analysis.input.n_flows; i++) {
        const struct tg_analysis_flow *const f = &p->analysis.flows[i];
        const struct tg_flow_result *const r = &p->result.flows[i];

        tg_table_cell(t, TG_STRONG, "%s", f->name);
        if (f->has_source) {
            need_cell(t, r->budget_need, f->budget);
        } else {
            tg_table_cell(t, TG_FAINT, "-");
        }
        need_cell(t, r->reserve_need, f->reserve);
        tg_table_cell(t, TG_PLAIN, "%s", tg_need_text(r->backlog, text));
        if (f->has_source) {
            lossless_cell(t, r->lossless);
        } else {
            tg_table_cell(t, TG_FAINT, "no source");
        }
    }
    print(t, out, has_colour);
}

static void print_queues(const struct tg_proof *p, FILE *out, bool has_colour)
{
    static const struct tg_column columns[] = {{"queue", NULL, TG_LEFT},
                                               {"accepted", "under flood", TG_RIGHT},
                                               {"accepted", "no flood", TG_RIGHT},
                                               {"ring", "needed", TG_RIGHT},
                                               {"loss", "under flood", TG_LEFT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0u; i < p->analysis.input.n_queues; i++) {
        const struct tg_queue_result *const r = &p->result.queues[i];

        tg_table_cell(t, TG_STRONG, "%s", p->analysis.queues[i].name);
        bound_cell(t, r->acceptance.value, false);
        bound_cell(t, r->acceptance_nominal.value, false);
        need_cell(t, r->ring_need, p->analysis.queues[i].ring);
        lossless_cell(t, r->lossless);
    }
    print(t, out, has_colour);
}

static void print_totals(const struct tg_proof *p, FILE *out)
{
    const struct tg_analysis_totals *const totals = &p->result.totals;
    char tasks[TG_SPAN_TEXT_BYTES];
    char interrupts[TG_SPAN_TEXT_BYTES];
    char flows[TG_SPAN_TEXT_BYTES];
    char total[TG_SPAN_TEXT_BYTES];

    fprintf(out, "CPU under any arrival: interrupts %s, protocol %s, tasks %s, in all %s\n",
            tg_ppm_text(totals->interrupts_ppm, interrupts), tg_ppm_text(totals->flows_ppm, flows),
            tg_ppm_text(totals->tasks_ppm, tasks), tg_ppm_text(totals->total_ppm, total));
    fprintf(out, "packet buffers: %s in use at most, %" PRIu32 " there\n",
            tg_need_text(totals->buffers, tasks), p->system->receive.buffers_pkts);
}

/* ---- Sentences ------------------------------------------------------------------------------- */

static void say_why(const struct tg_proof *p, FILE *out, const char *name, const char *what,
                    const struct tg_why *why)
{
    char reason[SENTENCE_BYTES];
    char line[2u * SENTENCE_BYTES];

    (void)tg_why_sentence(&p->analysis.input, why, reason, sizeof reason);
    (void)snprintf(line, sizeof line, "%s: %s%s.", name, what, reason);
    tg_check_say(out, 2, line);
}

static void say_tasks(const struct tg_proof *p, FILE *out)
{
    for (size_t i = 0u; i < p->system->n_tasks; i++) {
        if (!p->result.tasks[i].met) {
            say_why(p, out, p->analysis.tasks[i].name, "does not hold: ", &p->result.tasks[i].why);
        }
    }
}

static bool is_same(const struct tg_why *a, const struct tg_why *b)
{
    return a->code == b->code && a->index == b->index;
}

/* Each reason once: a deadline, no bound, loss. */
static void say_flow(const struct tg_proof *p, FILE *out, size_t i)
{
    const struct tg_analysis_flow *const f = &p->analysis.flows[i];
    const struct tg_flow_result *const r = &p->result.flows[i];
    const struct tg_bound *const conforming = tg_proof_conforming(p, i);

    if (!r->met) {
        say_why(p, out, f->name, "does not hold: ", &r->why);
    }
    if (tg_proof_accepted(p, i)->value == TG_NO_BOUND &&
        (r->met || !is_same(&r->why, &tg_proof_accepted(p, i)->why))) {
        say_why(p, out, f->name, "no bound once accepted: ", &tg_proof_accepted(p, i)->why);
    }
    if (f->has_source && conforming->value == TG_NO_BOUND && !is_same(&r->why, &conforming->why)) {
        say_why(p, out, f->name, "no bound from the NIC: ", &conforming->why);
    }
    if (f->has_source && !r->lossless && (r->met || !is_same(&r->why, &r->loss))) {
        say_why(p, out, f->name, "packets of its source can be lost: ", &r->loss);
    }
}

static void say_queues(const struct tg_proof *p, FILE *out)
{
    for (size_t i = 0u; i < p->analysis.input.n_queues; i++) {
        if (!p->result.queues[i].lossless) {
            say_why(p, out, "loss", "", &p->result.queues[i].why);
        }
    }
}

static void say_assumptions(const struct tg_proof *p, FILE *out)
{
    for (size_t i = 0u; i < p->system->n_flows; i++) {
        if (p->analysis.flows[i].trusted) {
            char line[SENTENCE_BYTES];

            (void)snprintf(line, sizeof line,
                           "assume_conforming: nobody can spoof %s. What rests on it has another "
                           "bound, or none, if somebody does.",
                           p->analysis.flows[i].name);
            tg_check_say(out, 2, line);
        }
    }
}

static bool has_deadlines(const struct tg_proof *p)
{
    for (size_t i = 0u; i < p->system->n_flows; i++) {
        if (p->analysis.flows[i].deadline != TG_NO_BOUND) {
            return true;
        }
    }
    return p->system->n_tasks != 0u; /* each has one */
}

void tg_check_print(const struct tg_proof *p, FILE *out, bool has_colour)
{
    fprintf(out, "%s%s%s: under any flood%s\n\n", has_colour ? tg_terminal_start(TG_STRONG) : "",
            p->system->name, has_colour ? tg_terminal_end() : "",
            p->policy == TG_SIM_COMBINED ? ", policy combined" : "");
    if (p->system->n_tasks != 0u) {
        print_tasks(p, out, has_colour);
    }
    if (p->analysis.input.n_flows != 0u) {
        print_flows(p, out, has_colour);
        print_losses(p, out, has_colour);
    }
    print_queues(p, out, has_colour);
    print_totals(p, out);
    fputc('\n', out);
    say_tasks(p, out);
    for (size_t i = 0u; i < p->analysis.input.n_flows; i++) {
        say_flow(p, out, i);
    }
    say_queues(p, out);
    say_assumptions(p, out);
    fprintf(out, "%s%s%s\n", has_colour ? tg_terminal_start(p->result.ok ? TG_GOOD : TG_BAD) : "",
            !p->result.ok      ? "Not every deadline holds."
            : has_deadlines(p) ? "Every deadline holds."
                               : "There are no deadlines.",
            has_colour ? tg_terminal_end() : "");
}
