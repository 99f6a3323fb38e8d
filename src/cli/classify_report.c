/* SPDX-License-Identifier: MIT
 *
 * classify_report.c - what `tidegate classify` prints: figures per flow and verdict, and each
 * frame.
 */
#include "classify_report.h"
#include "budget_text.h"
#include "frame_text.h"

#include "report/table.h"
#include "system/rule_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BEST_EFFORT "best_effort"
#define CUT         "cut"

int tg_classify_report_start(struct tg_classify_report *r, const struct tg_rules *rules,
                             const char *rules_path, const char *capture_path, bool is_each,
                             bool is_json)
{
    *r = (struct tg_classify_report){.rules = rules,
                                     .flows = calloc(rules->n + 1u, sizeof r->flows[0]),
                                     .is_each = is_each,
                                     .is_json = is_json,
                                     .has_colour = tg_terminal_has_colour(stdout)};
    if (r->flows == NULL) {
        return -1;
    }
    if (is_json) {
        tg_json_start(&r->json, stdout);
        tg_json_object(&r->json, NULL);
        tg_json_text(&r->json, "rules", rules_path);
        tg_json_text(&r->json, "capture", capture_path);
        if (is_each) {
            tg_json_array(&r->json, "each");
        }
    } else if (is_each) {
        printf("%s%6s %12s %5s  %-12s %-16s %4s  frame%s\n",
               r->has_colour ? tg_terminal_start(TG_STRONG) : "", "number", "time [s]", "bytes",
               "verdict", "flow", "rule", r->has_colour ? tg_terminal_end() : "");
    }
    return 0;
}

static void add(struct tg_tally *t, uint32_t len_bytes)
{
    t->frames++;
    t->bytes += len_bytes;
}

static const char *flow_name(const struct tg_classify_report *r, const struct tg_outcome *o)
{
    if (!o->is_decided || o->class == TG_FRAME_MALFORMED) {
        return "-";
    }
    return o->flow == 0u ? BEST_EFFORT : r->rules->rules[o->flow - 1u].name;
}

static enum tg_paint paint_of(enum tg_verdict verdict)
{
    switch (verdict) {
    case TG_VERDICT_PASSED:
        return TG_GOOD;
    case TG_VERDICT_MALFORMED:
        return TG_BAD;
    default:
        return TG_WARN;
    }
}

/* Time since the first frame in seconds; captures of several interfaces may step back. */
static void print_time(const struct tg_classify_report *r, tg_ns at_ns)
{
    const bool is_before = at_ns < r->start_ns;
    const tg_ns ns = is_before ? r->start_ns - at_ns : at_ns - r->start_ns;
    char text[40];

    (void)snprintf(text, sizeof text, "%s%" PRIu64 ".%06" PRIu64, is_before ? "-" : "",
                   ns / UINT64_C(1000000000), ns / 1000u % 1000000u);
    printf("%12s", text);
}

static void print_each(const struct tg_classify_report *r, const struct tg_sample *sample,
                       const struct tg_outcome *o, const struct tg_frame_text *text)
{
    const char *const verdict = o->is_decided ? tg_verdict_name(o->verdict) : CUT;
    const enum tg_paint paint = o->is_decided ? paint_of(o->verdict) : TG_FAINT;

    printf("%6" PRIu64 " ", r->all.frames);
    print_time(r, sample->now_ns);
    printf(" %5" PRIu32 "  %s%-12s%s %-16s %4s  ", sample->len_bytes,
           r->has_colour ? tg_terminal_start(paint) : "", verdict,
           r->has_colour ? tg_terminal_end() : "", flow_name(r, o),
           o->is_decided ? tg_rule_number(o->key.rule) : "-");
    printf("%s%s%s%s%s\n", text->link, text->network[0] != '\0' ? ", " : "", text->network,
           text->transport[0] != '\0' ? ", " : "", text->transport);
}

static void write_each(struct tg_classify_report *r, const struct tg_sample *sample,
                       const struct tg_outcome *o, const struct tg_frame_text *text)
{
    struct tg_json *const j = &r->json;

    tg_json_row(j, NULL);
    tg_json_count(j, "number", r->all.frames);
    tg_json_int(j, "time_ns", (int64_t)(sample->now_ns - r->start_ns));
    tg_json_count(j, "bytes", sample->len_bytes);
    tg_json_text(j, "verdict", o->is_decided ? tg_verdict_name(o->verdict) : CUT);
    if (o->is_decided && o->class != TG_FRAME_MALFORMED) {
        tg_json_text(j, "flow", flow_name(r, o));
    }
    if (o->is_decided) {
        tg_json_text(j, "rule", tg_rule_number(o->key.rule));
    }
    tg_json_text(j, "link", text->link);
    tg_json_text(j, "network", text->network);
    tg_json_text(j, "transport", text->transport);
    tg_json_end(j);
}

void tg_classify_report_frame(struct tg_classify_report *r, const struct tg_sample *sample,
                              const struct tg_outcome *outcome, const uint8_t *bytes)
{
    struct tg_frame_text text;

    if (r->all.frames == 0u) {
        r->start_ns = sample->now_ns;
    }
    add(&r->all, sample->len_bytes);
    if (!outcome->is_decided) {
        add(&r->cut, sample->len_bytes);
    } else if (outcome->class == TG_FRAME_MALFORMED) {
        add(&r->malformed[outcome->key.rule], sample->len_bytes);
    } else {
        add(&r->flows[outcome->flow][outcome->verdict], sample->len_bytes);
    }
    if (!r->is_each) {
        return;
    }
    tg_frame_describe(&outcome->key, bytes, sample->n_bytes, &text);
    if (!outcome->is_decided) { /* the rest of the key rests on bytes that are not there */
        text.network[0] = '\0';
        text.transport[0] = '\0';
    }
    if (r->is_json) {
        write_each(r, sample, outcome, &text);
    } else {
        print_each(r, sample, outcome, &text);
    }
}

static void table_figures(struct tg_table *t, enum tg_paint paint, const struct tg_tally *tally)
{
    tg_table_count(t, paint, tally->frames);
    tg_table_count(t, paint, tally->bytes);
}

/* A line per verdict that happened; `passed` always, and with it what the flow is. */
static void table_flow(struct tg_table *t, const struct tg_rule *rule, const char *name,
                       const char *match, const struct tg_tally *tallies)
{
    char budget[TG_BUDGET_TEXT_BYTES];

    for (uint32_t v = 0u; v < TG_VERDICTS; v++) {
        const bool is_none = tallies[v].frames == 0u;

        if (v != TG_VERDICT_PASSED && is_none) {
            continue;
        }
        tg_table_cell(t, TG_PLAIN, "%s", v == TG_VERDICT_PASSED ? name : "");
        tg_table_cell(t, is_none ? TG_FAINT : paint_of(v), "%s", tg_verdict_name(v));
        table_figures(t, is_none ? TG_FAINT : TG_PLAIN, &tallies[v]);
        if (v == TG_VERDICT_PASSED) {
            tg_table_cell(t, TG_PLAIN, "%s", tg_budget_text(rule, budget));
            tg_table_cell(t, TG_FAINT, "%s", match);
        }
        tg_table_end_row(t);
    }
}

static void table_other(struct tg_table *t, enum tg_paint paint, const char *verdict,
                        const struct tg_tally *tally, const char *what)
{
    tg_table_cell(t, TG_PLAIN, "-");
    tg_table_cell(t, paint, "%s", verdict);
    table_figures(t, TG_PLAIN, tally);
    tg_table_cell(t, TG_PLAIN, "%s", "");
    tg_table_cell(t, TG_FAINT, "%s", what);
}

static void table_malformed(struct tg_table *t, const struct tg_classify_report *r)
{
    char what[96];

    for (uint32_t rule = 0u; rule < TG_RULES; rule++) {
        if (r->malformed[rule].frames != 0u) {
            (void)snprintf(what, sizeof what, "rule %s: %s", tg_rule_number(rule),
                           tg_rule_condition(rule));
            table_other(t, TG_BAD, tg_verdict_name(TG_VERDICT_MALFORMED), &r->malformed[rule],
                        what);
        }
    }
    if (r->cut.frames != 0u) {
        table_other(t, TG_FAINT, CUT, &r->cut, "captured too short to tell");
    }
}

static void print_table(const struct tg_classify_report *r)
{
    static const struct tg_column columns[] = {{.title = "flow"},
                                               {.title = "verdict"},
                                               {.title = "frames", .align = TG_RIGHT},
                                               {.title = "bytes", .align = TG_RIGHT},
                                               {.title = "budget"},
                                               {.title = "match"}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0u; i < r->rules->n; i++) {
        const struct tg_rule *const rule = &r->rules->rules[i];

        table_flow(t, rule, rule->name, rule->match_text, r->flows[i + 1u]);
    }
    table_flow(t, &r->rules->best_effort, BEST_EFFORT, "what no flow takes", r->flows[0]);
    table_malformed(t, r);
    tg_table_rule(t);
    tg_table_cell(t, TG_STRONG, "all");
    tg_table_cell(t, TG_PLAIN, "%s", "");
    table_figures(t, TG_STRONG, &r->all);
    tg_table_end_row(t);
    if (r->is_each) {
        putchar('\n');
    }
    tg_table_print(t, stdout, r->has_colour);
    tg_table_free(t);
}

static void write_tally(struct tg_json *j, const char *key, const struct tg_tally *tally)
{
    tg_json_row(j, key);
    tg_json_count(j, "frames", tally->frames);
    tg_json_count(j, "bytes", tally->bytes);
    tg_json_end(j);
}

static void write_flow(struct tg_json *j, const char *key, const struct tg_rule *rule,
                       const struct tg_tally *tallies)
{
    tg_json_object(j, key);
    if (rule->name != NULL) {
        tg_json_text(j, "name", rule->name);
        tg_json_text(j, "match", rule->match_text);
    }
    tg_budget_json(j, "budget", rule);
    tg_json_object(j, "verdicts");
    write_tally(j, "passed", &tallies[TG_VERDICT_PASSED]);
    write_tally(j, "budget", &tallies[TG_VERDICT_BUDGET]);
    write_tally(j, "no_buffer", &tallies[TG_VERDICT_NO_BUFFER]);
    tg_json_end(j);
    tg_json_end(j);
}

static void write_malformed(struct tg_json *j, const struct tg_classify_report *r)
{
    struct tg_tally sum = {.frames = 0u};

    tg_json_object(j, "malformed");
    tg_json_array(j, "rules");
    for (uint32_t rule = 0u; rule < TG_RULES; rule++) {
        if (r->malformed[rule].frames != 0u) {
            sum.frames += r->malformed[rule].frames;
            sum.bytes += r->malformed[rule].bytes;
            tg_json_row(j, NULL);
            tg_json_text(j, "rule", tg_rule_number(rule));
            tg_json_count(j, "frames", r->malformed[rule].frames);
            tg_json_count(j, "bytes", r->malformed[rule].bytes);
            tg_json_end(j);
        }
    }
    tg_json_end(j);
    tg_json_count(j, "frames", sum.frames);
    tg_json_count(j, "bytes", sum.bytes);
    tg_json_end(j);
}

static void write_json(struct tg_classify_report *r)
{
    struct tg_json *const j = &r->json;

    if (r->is_each) {
        tg_json_end(j);
    }
    tg_json_bool(j, "truncated", r->is_truncated);
    tg_json_array(j, "flows");
    for (size_t i = 0u; i < r->rules->n; i++) {
        write_flow(j, NULL, &r->rules->rules[i], r->flows[i + 1u]);
    }
    tg_json_end(j);
    write_flow(j, BEST_EFFORT, &r->rules->best_effort, r->flows[0]);
    write_malformed(j, r);
    write_tally(j, CUT, &r->cut);
    write_tally(j, "all", &r->all);
    tg_json_end(j);
    (void)tg_json_finish(j); /* the command looks at the stream itself */
}

void tg_classify_report_end(struct tg_classify_report *r)
{
    if (r->is_json) {
        write_json(r);
    } else {
        print_table(r);
    }
}

void tg_classify_report_free(struct tg_classify_report *r)
{
    free(r->flows);
}
