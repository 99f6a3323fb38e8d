/* SPDX-License-Identifier: MIT
 *
 * explain_report.c - the way of one frame, for people and for programs.
 */
#include "explain_report.h"
#include "budget_text.h"
#include "frame_text.h"

#include "report/json.h"
#include "report/terminal.h"
#include "system/rule_text.h"
#include "system/shape_text.h"

#include <stdarg.h>

#define BEST_EFFORT "best_effort"

/* The flow of one shape in use that takes the frame, or 0: the core's own look-up with that shape
 * alone. */
static uint32_t find_with_shape(const struct tg_explained *e, uint32_t shape)
{
    struct tg_flow_table alone = *e->table;

    alone.shapes[0] = e->table->shapes[shape];
    alone.n_shapes = 1u;
    return tg_flow_table_find(&alone, &e->outcome->key, e->bytes);
}

static const char *name_of(const struct tg_explained *e, uint32_t flow)
{
    return flow == 0u ? BEST_EFFORT : e->rules->rules[flow - 1u].name;
}

static const struct tg_rule *rule_of(const struct tg_explained *e)
{
    const uint32_t flow = e->outcome->flow;

    return flow == 0u ? &e->rules->best_effort : &e->rules->rules[flow - 1u];
}

static const char *class_name(enum tg_frame_class class)
{
    switch (class) {
    case TG_FRAME_MALFORMED:
        return "malformed";
    case TG_FRAME_BEST_EFFORT:
        return "best effort";
    case TG_FRAME_MATCH:
        break;
    }
    return "matching";
}

static const char *class_text(enum tg_frame_class class)
{
    switch (class) {
    case TG_FRAME_MALFORMED:
        return "malformed";
    case TG_FRAME_BEST_EFFORT:
        return "well formed, but never handed to matching";
    case TG_FRAME_MATCH:
        break;
    }
    return "well formed, and handed to matching";
}

/* Begin a step: its name, and the receive rule it is part of. */
__attribute__((format(printf, 3, 4))) static void step(const char *name, const char *rule,
                                                       const char *format, ...)
{
    const bool has_colour = tg_terminal_has_colour(stdout);
    va_list args;

    printf("%s%-8s%s %-15s ", has_colour ? tg_terminal_start(TG_STRONG) : "", name,
           has_colour ? tg_terminal_end() : "", rule);
    va_start(args, format);
    (void)vprintf(format, args);
    va_end(args);
    putchar('\n');
}

static void step_frame(const struct tg_explained *e)
{
    const struct tg_frame_key *const key = &e->outcome->key;
    struct tg_frame_text text;

    tg_frame_describe(key, e->bytes, e->sample->n_bytes, &text);
    if (e->sample->tci == TG_TCI_NONE) {
        step("frame", "", "%u bytes", e->sample->len_bytes);
    } else {
        step("frame", "", "%u bytes, stripped tag 0x%04x", e->sample->len_bytes, e->sample->tci);
    }
    if (text.link[0] != '\0') {
        step("", "", "%s", text.link);
    }
    if (text.network[0] != '\0') {
        step("", "", "%s", text.network);
    }
    if (text.transport[0] != '\0') {
        step("", "", "%s, %u bytes", text.transport, key->l4_len_bytes);
    }
    if (key->pcp != 0u) {
        step("", "", "priority bits %u", key->pcp);
    }
}

static void step_match(const struct tg_explained *e)
{
    char text[TG_SHAPE_TEXT_BYTES];
    uint32_t found = 0u;

    if (e->outcome->class != TG_FRAME_MATCH) {
        step("match", "receive rule 2", "not looked up: best effort by frame rule %s",
             tg_rule_number(e->outcome->key.rule));
        return;
    }
    step("match", "receive rule 2", "%u shape%s in use, most specific first", e->table->n_shapes,
         e->table->n_shapes == 1u ? "" : "s");
    for (uint32_t i = 0u; i < e->table->n_shapes && found == 0u; i++) {
        found = find_with_shape(e, i);
        step("", "", "%2u  %s: %s%s%s", i + 1u, tg_shape_text(e->table->shapes[i].fields, text),
             found != 0u ? "flow '" : "no flow", found != 0u ? name_of(e, found) : "",
             found != 0u ? "'" : "");
        if (found != 0u) {
            step("", "", "    %s", e->rules->rules[found - 1u].match_text);
        }
    }
    if (found == 0u) {
        step("", "", "no flow takes it: best effort");
    }
}

static void step_budget(const struct tg_explained *e)
{
    const struct tg_rule *const rule = rule_of(e);
    char text[TG_BUDGET_TEXT_BYTES];

    if (rule->budget.kind == TG_SERVER_UNLIMITED) {
        step("budget", "receive rule 2", "%s",
             rule->has_budget ? "unlimited" : "none given, as if unlimited");
    } else {
        step("budget", "receive rule 2", "%s: takes 1, leaves %u", tg_budget_text(rule, text),
             rule->budget.budget_pkts - 1u);
    }
}

void tg_explain_text(const struct tg_explained *e)
{
    const struct tg_outcome *const o = e->outcome;

    step_frame(e);
    step("gate", "receive rule 1", "unlimited: the step starts");
    step("parse", "receive rule 2", "frame rule %s: %s", tg_rule_number(o->key.rule),
         tg_rule_condition(o->key.rule));
    step("", "", "this frame is %s", class_text(o->class));
    if (o->class != TG_FRAME_MALFORMED) {
        step_match(e);
        step_budget(e);
        step("buffer", "receive rule 4", "a buffer of the flow's reserve is free");
    }
    if (o->verdict == TG_VERDICT_PASSED) {
        step("verdict", "", "passed, to %s%s%s", o->flow == 0u ? "" : "flow '", name_of(e, o->flow),
             o->flow == 0u ? "" : "'");
    } else {
        step("verdict", "", "dropped: %s", tg_verdict_name(o->verdict));
    }
}

static void write_shapes(struct tg_json *j, const struct tg_explained *e)
{
    char text[TG_SHAPE_TEXT_BYTES];
    uint32_t found = 0u;

    tg_json_array(j, "shapes");
    for (uint32_t i = 0u;
         e->outcome->class == TG_FRAME_MATCH && i < e->table->n_shapes && found == 0u; i++) {
        found = find_with_shape(e, i);
        tg_json_row(j, NULL);
        tg_json_text(j, "shape", tg_shape_text(e->table->shapes[i].fields, text));
        if (found != 0u) {
            tg_json_text(j, "flow", name_of(e, found));
        } else {
            tg_json_null(j, "flow");
        }
        tg_json_end(j);
    }
    tg_json_end(j);
}

static void write_frame(struct tg_json *j, const struct tg_explained *e)
{
    struct tg_frame_text text;

    tg_frame_describe(&e->outcome->key, e->bytes, e->sample->n_bytes, &text);
    tg_json_object(j, "frame");
    tg_json_count(j, "bytes", e->sample->len_bytes);
    if (e->sample->tci == TG_TCI_NONE) {
        tg_json_null(j, "stripped_tci");
    } else {
        tg_json_count(j, "stripped_tci", e->sample->tci);
    }
    tg_json_text(j, "link", text.link);
    tg_json_text(j, "network", text.network);
    tg_json_text(j, "transport", text.transport);
    tg_json_end(j);
}

void tg_explain_json(const struct tg_explained *e)
{
    const struct tg_outcome *const o = e->outcome;
    struct tg_json j;

    tg_json_start(&j, stdout);
    tg_json_object(&j, NULL);
    write_frame(&j, e);
    tg_json_text(&j, "rule", tg_rule_number(o->key.rule));
    tg_json_text(&j, "condition", tg_rule_condition(o->key.rule));
    tg_json_text(&j, "class", class_name(o->class));
    write_shapes(&j, e);
    if (o->class == TG_FRAME_MALFORMED) {
        tg_json_null(&j, "flow");
        tg_json_null(&j, "budget");
    } else {
        tg_json_text(&j, "flow", name_of(e, o->flow));
        tg_budget_json(&j, "budget", rule_of(e));
    }
    tg_json_text(&j, "verdict", tg_verdict_name(o->verdict));
    tg_json_end(&j);
    (void)tg_json_finish(&j); /* the command looks at the stream itself */
}
