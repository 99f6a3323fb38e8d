/* SPDX-License-Identifier: MIT
 *
 * fit_report.c - the largest budgets, for people and for programs.
 */
#include "bound_text.h"
#include "check_report.h"
#include "fit_result.h"

#include "report/json.h"
#include "report/table.h"

#include <inttypes.h>

#define REASON_BYTES 512u

static const char *flow_name(const struct tg_fitted *f, size_t flow)
{
    return f->analysis.flows[flow].name;
}

/* Whose deadline or loss it is; NULL: nobody's. */
static const char *blamed(const struct tg_fitted *f, const struct tg_fit_blame *blame)
{
    return blame->task != TG_NOBODY   ? f->analysis.tasks[blame->task].name
           : blame->flow != TG_NOBODY ? flow_name(f, blame->flow)
                                      : NULL;
}

/* "control: the bound ... is later than the deadline ..." */
static const char *blame_text(const struct tg_fitted *f, const struct tg_fit_blame *blame,
                              char text[REASON_BYTES])
{
    const char *const who = blamed(f, blame);
    int length = 0;

    if (who != NULL) {
        length = snprintf(text, REASON_BYTES, "%s: ", who);
    }
    (void)tg_why_sentence(&f->analysis.input, &blame->why, text + length,
                          REASON_BYTES - (size_t)length);
    return text;
}

/* ---- Texts of one budget --------------------------------------------------------------------- */

static bool is_written_unlimited(const struct tg_system_budget *b)
{
    return b->kind == TG_SERVER_UNLIMITED;
}

static bool is_of_gate(const struct tg_fitted *f, const struct tg_system_budget *b)
{
    return b >= f->system->gates && b < f->system->gates + f->system->n_gates;
}

/* What binds it, in a few words. */
static const char *binding_text(const struct tg_fitted *f, const struct tg_system_budget *b,
                                const struct tg_fit_blame *blame, bool is_at_kind_max,
                                char text[REASON_BYTES])
{
    const char *const who = blamed(f, blame);

    if (is_at_kind_max) {
        return "a sporadic budget has 64 at most";
    }
    switch (blame->why.code) {
    case TG_WHY_FIXED:
        return is_written_unlimited(b) ? "unlimited in the file"
               : b->is_fixed           ? "fixed in the file"
                                       : "sporadic gates stay as they are";
    case TG_WHY_SEARCH_LIMIT:
        return is_of_gate(f, b) ? "only the wire" : "only the gate";
    case TG_WHY_NEVER_SPENT:
        return "enough: never spent";
    case TG_WHY_GATE_TOO_SLOW:
        return "period of the gate";
    case TG_WHY_OVERLOAD:
        return "the CPU";
    case TG_WHY_DEADLINE:
        (void)snprintf(text, REASON_BYTES, "deadline of %s", who != NULL ? who : "-");
        return text;
    case TG_WHY_RESERVE_TOO_SMALL:
        (void)snprintf(text, REASON_BYTES, "reserve of %s", flow_name(f, blame->why.index));
        return text;
    case TG_WHY_RING_TOO_SMALL:
        (void)snprintf(text, REASON_BYTES, "ring of %s", f->analysis.queues[blame->why.index].name);
        return text;
    case TG_WHY_BUDGET_TOO_SMALL:
        (void)snprintf(text, REASON_BYTES, "budget of %s", flow_name(f, blame->why.index));
        return text;
    default:
        (void)snprintf(text, REASON_BYTES, "no bound for %s", who != NULL ? who : "-");
        return text;
    }
}

static void budget_cell(struct tg_table *t, enum tg_paint paint, uint64_t packets, tg_ns period_ns)
{
    char text[TG_SPAN_TEXT_BYTES];

    if (period_ns == 0u) {
        tg_table_cell(t, TG_FAINT, "unlimited");
    } else {
        tg_table_cell(t, paint, "%" PRIu64 " per %s", packets, tg_whole_text(period_ns, text));
    }
}

static void budget_row(struct tg_table *t, const struct tg_fitted *f, const char *name,
                       const struct tg_system_budget *b, uint64_t packets, tg_ns period_ns,
                       const struct tg_fit_blame *blame, bool is_at_kind_max)
{
    char text[REASON_BYTES];

    tg_table_cell(t, TG_STRONG, "%s", name);
    budget_cell(t, TG_PLAIN, b->packets, b->period_ns);
    budget_cell(t, TG_STRONG, packets, is_written_unlimited(b) ? 0u : period_ns);
    tg_table_cell(t, TG_PLAIN, "%s", binding_text(f, b, blame, is_at_kind_max, text));
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void print(struct tg_table *t, FILE *out, bool has_colour)
{
    tg_table_print(t, out, has_colour);
    tg_table_free(t);
    fputc('\n', out);
}

static void print_budgets(const struct tg_fitted *f, const struct tg_fit_candidate *best, FILE *out,
                          bool has_colour)
{
    static const struct tg_column columns[] = {{"budget", NULL, TG_LEFT},
                                               {"in the file", NULL, TG_RIGHT},
                                               {"largest", NULL, TG_RIGHT},
                                               {"one more is stopped by", NULL, TG_LEFT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0u; i < f->result.n_gates; i++) {
        const size_t g = f->result.gate_order[i];
        char name[TG_FIT_GATE_BYTES];

        budget_row(t, f, tg_fitted_gate_name(f, g, name), &f->system->gates[g], f->gate_packets[g],
                   tg_fitted_period(f, best, g), &best->gates[g].binding, false);
    }
    for (size_t i = 0u; i < f->result.n_flows; i++) {
        const size_t flow = f->result.order[i];

        budget_row(t, f, flow_name(f, flow), tg_fitted_budget(f, flow), f->packets[flow],
                   f->analysis.flows[flow].period, &best->flows[flow].binding,
                   f->is_at_kind_max[flow]);
    }
    print(t, out, has_colour);
}

static void print_memory(const struct tg_fitted *f, const struct tg_fit_candidate *best, FILE *out,
                         bool has_colour)
{
    static const struct tg_column columns[] = {{"buffers", NULL, TG_LEFT},
                                               {"in the file", NULL, TG_RIGHT},
                                               {"lose nothing", NULL, TG_RIGHT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);
    char text[TG_SPAN_TEXT_BYTES];

    for (size_t i = 0u; i < f->analysis.input.n_queues; i++) {
        tg_table_cell(t, TG_STRONG, "ring of %s", f->analysis.queues[i].name);
        tg_table_count(t, TG_PLAIN, f->analysis.queues[i].ring);
        tg_table_cell(t, TG_PLAIN, "%s", tg_need_text(best->rings[i], text));
    }
    for (size_t i = 0u; i < f->result.n_flows; i++) {
        tg_table_cell(t, TG_STRONG, "reserve of %s", flow_name(f, i));
        tg_table_count(t, TG_PLAIN, f->analysis.flows[i].reserve);
        tg_table_cell(t, TG_PLAIN, "%s", tg_need_text(best->reserves[i], text));
    }
    print(t, out, has_colour);
}

static void print_candidates(const struct tg_fitted *f, FILE *out, bool has_colour)
{
    static const struct tg_column columns[] = {
        {"gate period", NULL, TG_RIGHT}, {"packets", NULL, TG_RIGHT}, {"result", NULL, TG_LEFT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);
    char text[TG_SPAN_TEXT_BYTES];

    for (size_t i = 0u; i < f->result.n_candidates; i++) {
        const struct tg_fit_candidate *const c = &f->result.candidates[i];

        tg_table_cell(t, TG_PLAIN, "%s", c->period != 0u ? tg_whole_text(c->period, text) : "none");
        if (i == f->best) {
            tg_table_count(t, TG_STRONG, f->gate_packets[0]);
        } else if (c->feasible && c->gates[0].binding.why.code == TG_WHY_SEARCH_LIMIT) {
            tg_table_cell(t, TG_PLAIN, "any");
        } else if (c->feasible) {
            tg_table_count(t, TG_PLAIN, c->gates[0].packets);
        } else {
            tg_table_cell(t, TG_FAINT, "-");
        }
        if (i == f->best) {
            tg_table_cell(t, TG_GOOD, "taken");
        } else {
            tg_table_cell(t, c->feasible ? TG_PLAIN : TG_WARN, "%s",
                          c->feasible ? "holds" : "does not hold with any budget");
        }
    }
    print(t, out, has_colour);
}

/* ---- Sentences ------------------------------------------------------------------------------- */

static void say_order(const struct tg_fitted *f, FILE *out)
{
    char line[2048];
    char gate[TG_FIT_GATE_BYTES];
    size_t length = (size_t)snprintf(line, sizeof line, "Order:");

    for (size_t i = 0u; i < f->result.n_gates; i++) {
        length += (size_t)snprintf(line + length, sizeof line - length, "%s %s", i != 0u ? "," : "",
                                   tg_fitted_gate_name(f, f->result.gate_order[i], gate));
    }
    length += (size_t)snprintf(line + length, sizeof line - length,
                               " first, then by descending priority:");
    for (size_t i = 0u; i < f->result.n_flows && length < sizeof line; i++) {
        length += (size_t)snprintf(line + length, sizeof line - length, "%s %s", i != 0u ? "," : "",
                                   flow_name(f, f->result.order[i]));
    }
    tg_check_say(out, 2, line);
}

static void say_binding(const struct tg_fitted *f, const char *name,
                        const struct tg_fit_blame *blame, FILE *out)
{
    char reason[REASON_BYTES];
    char line[2u * REASON_BYTES];

    if (blame->why.code != TG_WHY_FIXED && blame->why.code != TG_WHY_SEARCH_LIMIT &&
        blame->why.code != TG_WHY_NEVER_SPENT) {
        (void)snprintf(line, sizeof line, "One packet more for %s, and %s.", name,
                       blame_text(f, blame, reason));
        tg_check_say(out, 2, line);
    }
}

static bool is_same(const struct tg_fit_blame *a, const struct tg_fit_blame *b)
{
    return a->why.code == b->why.code && a->why.index == b->why.index && a->task == b->task &&
           a->flow == b->flow;
}

static bool is_same_for_all(const struct tg_fitted *f)
{
    for (size_t i = 0u; i < f->result.n_candidates; i++) {
        if (f->result.candidates[i].feasible ||
            !is_same(&f->result.candidates[i].why, &f->result.candidates[0].why)) {
            return false;
        }
    }
    return true;
}

static void say_infeasible(const struct tg_fitted *f, FILE *out)
{
    char period[TG_SPAN_TEXT_BYTES];
    char reason[REASON_BYTES];
    char line[2u * REASON_BYTES];

    if (is_same_for_all(f)) {
        (void)snprintf(line, sizeof line, "No budgets hold: %s.",
                       blame_text(f, &f->result.candidates[0].why, reason));
        tg_check_say(out, 2, line);
        return;
    }
    for (size_t i = 0u; i < f->result.n_candidates; i++) {
        const struct tg_fit_candidate *const c = &f->result.candidates[i];

        if (!c->feasible) {
            (void)snprintf(line, sizeof line, "No budgets hold with a gate per %s: %s.",
                           tg_whole_text(c->period, period), blame_text(f, &c->why, reason));
            tg_check_say(out, 2, line);
        }
    }
}

void tg_fit_print(const struct tg_fitted *f, FILE *out, bool has_colour)
{
    const struct tg_fit_candidate *const best = tg_fitted_best(f);

    fprintf(out, "%s%s%s: the largest budgets that still prove\n\n",
            has_colour ? tg_terminal_start(TG_STRONG) : "", f->system->name,
            has_colour ? tg_terminal_end() : "");
    if (f->result.n_gates == 1u) {
        print_candidates(f, out, has_colour);
    }
    if (best == NULL) {
        say_infeasible(f, out);
        return;
    }
    print_budgets(f, best, out, has_colour);
    print_memory(f, best, out, has_colour);
    say_order(f, out);
    for (size_t i = 0u; i < f->result.n_gates; i++) {
        const size_t g = f->result.gate_order[i];
        char name[TG_FIT_GATE_BYTES];

        say_binding(f, tg_fitted_gate_name(f, g, name), &best->gates[g].binding, out);
    }
    for (size_t i = 0u; i < f->result.n_flows; i++) {
        const size_t flow = f->result.order[i];

        say_binding(f, flow_name(f, flow), &best->flows[flow].binding, out);
    }
    say_infeasible(f, out);
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void need(struct tg_json *j, const char *key, uint64_t number)
{
    if (number == TG_NO_BOUND) {
        tg_json_null(j, key);
    } else {
        tg_json_count(j, key, number);
    }
}

static void write_budget(struct tg_json *j, const struct tg_fitted *f,
                         const struct tg_system_budget *b, uint64_t packets, tg_ns period_ns,
                         const struct tg_fit_blame *blame, bool is_at_kind_max)
{
    char text[REASON_BYTES];

    if (is_written_unlimited(b)) {
        tg_json_null(j, "packets");
        tg_json_null(j, "file_packets");
    } else {
        tg_json_count(j, "packets", packets);
        tg_json_count(j, "period_ns", period_ns);
        tg_json_count(j, "file_packets", b->packets);
        tg_json_count(j, "file_period_ns", b->period_ns);
    }
    tg_json_bool(j, "fixed", blame->why.code == TG_WHY_FIXED);
    tg_json_bool(j, "only_gate", blame->why.code == TG_WHY_SEARCH_LIMIT);
    tg_json_text(j, "stopped_by", binding_text(f, b, blame, is_at_kind_max, text));
    if (blamed(f, blame) != NULL) {
        tg_json_text(j, "why", blame_text(f, blame, text));
    } else {
        tg_json_null(j, "why");
    }
}

static void write_gate(struct tg_json *j, const struct tg_fitted *f,
                       const struct tg_fit_candidate *best, size_t g)
{
    write_budget(j, f, &f->system->gates[g], f->gate_packets[g], tg_fitted_period(f, best, g),
                 &best->gates[g].binding, false);
    tg_json_bool(j, "never_spent", best->gates[g].binding.why.code == TG_WHY_NEVER_SPENT);
}

/* The gate, or with several all of them in the order used. */
static void write_gates(struct tg_json *j, const struct tg_fitted *f,
                        const struct tg_fit_candidate *best)
{
    if (f->result.n_gates == 1u) {
        tg_json_row(j, "gate");
        write_gate(j, f, best, 0u);
        tg_json_end(j);
        return;
    }
    tg_json_array(j, "gates");
    for (size_t i = 0u; i < f->result.n_gates; i++) {
        const size_t g = f->result.gate_order[i];

        tg_json_row(j, NULL);
        tg_json_text(j, "queue", f->system->queues[g].name); /* a gate per queue, in their order */
        write_gate(j, f, best, g);
        tg_json_end(j);
    }
    tg_json_end(j);
}

static void write_best(struct tg_json *j, const struct tg_fitted *f,
                       const struct tg_fit_candidate *best)
{
    write_gates(j, f, best);
    tg_json_array(j, "flows"); /* in the order used */
    for (size_t i = 0u; i < f->result.n_flows; i++) {
        const size_t flow = f->result.order[i];

        tg_json_row(j, NULL);
        tg_json_text(j, "name", flow_name(f, flow));
        write_budget(j, f, tg_fitted_budget(f, flow), f->packets[flow],
                     f->analysis.flows[flow].period, &best->flows[flow].binding,
                     f->is_at_kind_max[flow]);
        tg_json_count(j, "file_reserve", f->analysis.flows[flow].reserve);
        need(j, "reserve", best->reserves[flow]);
        tg_json_end(j);
    }
    tg_json_end(j);
    tg_json_array(j, "queues");
    for (size_t i = 0u; i < f->analysis.input.n_queues; i++) {
        tg_json_row(j, NULL);
        tg_json_text(j, "name", f->analysis.queues[i].name);
        tg_json_count(j, "file_ring", f->analysis.queues[i].ring);
        need(j, "ring", best->rings[i]);
        tg_json_end(j);
    }
    tg_json_end(j);
}

static void write_packets(struct tg_json *j, const struct tg_fitted *f,
                          const struct tg_fit_candidate *c)
{
    if (f->result.n_gates == 1u) {
        tg_json_count(j, "packets", c->gates[0].packets);
    }
}

void tg_fit_json(const struct tg_fitted *f, FILE *out)
{
    const struct tg_fit_candidate *const best = tg_fitted_best(f);
    struct tg_json j;

    tg_json_start(&j, out);
    tg_json_object(&j, NULL);
    tg_json_text(&j, "system", f->system->name);
    tg_json_bool(&j, "holds", best != NULL);
    tg_json_array(&j, "candidates");
    for (size_t i = 0u; i < f->result.n_candidates; i++) {
        const struct tg_fit_candidate *const c = &f->result.candidates[i];
        char text[REASON_BYTES];

        tg_json_row(&j, NULL);
        if (f->result.n_gates == 1u) {
            tg_json_count(&j, "period_ns", c->period);
        }
        tg_json_bool(&j, "holds", c->feasible);
        tg_json_bool(&j, "taken", i == f->best);
        if (c->feasible) {
            write_packets(&j, f, c);
        } else {
            tg_json_text(&j, "why", blame_text(f, &c->why, text));
        }
        tg_json_end(&j);
    }
    tg_json_end(&j);
    if (best != NULL) {
        write_best(&j, f, best);
    }
    tg_json_end(&j);
    (void)tg_json_finish(&j); /* the command looks at the stream itself */
}
