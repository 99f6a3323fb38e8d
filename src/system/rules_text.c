/* SPDX-License-Identifier: MIT
 *
 * rules_text.c - from a plain list of flows to matches and budgets, line by line.
 */
#define _POSIX_C_SOURCE 200809L
#include "system/rules_text.h"
#include "system/match_text.h"
#include "system/rules_text_admit.h"
#include "system/value.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS      " \t\r"
#define BEST_EFFORT "best_effort"
#define BUDGETS     "'budget N per TIME' (as in 'budget 3 per 1 ms') or 'unlimited'"

/* Part of a line. */
struct part {
    const char *start;
    size_t length;
};

/* One line while it is read. */
struct line {
    const char *start;
    uint32_t number;
    struct tg_rules *rules;
    struct tg_errors *errors;
};

/* Characters, not bytes, as editors count. */
static struct tg_position position(const struct line *l, const char *at)
{
    uint32_t column = 1u;

    for (const char *c = l->start; c < at; c++) {
        column += ((unsigned char)*c & 0xc0u) != 0x80u;
    }
    return (struct tg_position){.line = l->number, .column = column};
}

static struct part trim(const char *start, const char *end)
{
    while (start < end && strchr(BLANKS, *start) != NULL) {
        start++;
    }
    while (end > start && strchr(BLANKS, end[-1]) != NULL) {
        end--;
    }
    return (struct part){.start = start, .length = (size_t)(end - start)};
}

/* The next word of what is left, which shrinks. */
static struct part take_word(struct part *left)
{
    const char *const end = left->start + left->length;
    struct part word = {.start = left->start};

    while (word.length < left->length && strchr(BLANKS, word.start[word.length]) == NULL) {
        word.length++;
    }
    *left = trim(word.start + word.length, end);
    return word;
}

static bool is(struct part word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.start, text, word.length) == 0;
}

/* "found 'word'", cut when long, for the beginning of a message. */
static const char *found(struct part word, char buf[64])
{
    const bool is_long = word.length > 40u;

    if (word.length == 0u) {
        return "found the end of the line";
    }
    (void)snprintf(buf, 64u, "found '%.*s%s'", (int)(is_long ? 40u : word.length), word.start,
                   is_long ? "..." : "");
    return buf;
}

static void refuse(const struct line *l, struct part word, const char *allowed)
{
    char buf[64];

    tg_errors_add(l->errors, position(l, word.start), "%s, allowed: %s", found(word, buf), allowed);
}

static void refuse_value(const struct line *l, struct part value, const struct tg_value_error *e,
                         const char *allowed)
{
    char buf[64];

    tg_errors_add(l->errors, position(l, value.start + e->offset), "%s, %s, allowed: %s",
                  found(value, buf), e->reason, allowed);
}

/* Behind "budget". */
static bool read_budget(const struct line *l, struct part text, struct tg_server_config *out)
{
    const struct part number = take_word(&text);
    struct tg_value_error error;
    uint64_t packets;
    uint64_t period_ns;

    if (tg_value_number(number.start, number.length, &packets, &error) != 0) {
        refuse_value(l, number, &error, "a number of packets, as in 'budget 3 per 1 ms'");
        return false;
    }
    if (packets < 1u || packets > TG_SERVER_BUDGET_MAX) {
        refuse(l, number, "1 to 1000000 packets");
        return false;
    }

    const struct part per = take_word(&text);

    if (!is(per, "per")) {
        refuse(l, per, "'per', as in 'budget 3 per 1 ms'");
        return false;
    }
    if (tg_value_duration(text.start, text.length, &period_ns, &error) != 0) {
        refuse_value(l, text, &error, "a period, as in 'budget 3 per 1 ms'");
        return false;
    }
    if (period_ns < TG_PERIOD_MIN_NS || period_ns > TG_PERIOD_MAX_NS) {
        refuse(l, text, "a period of 1 us to 3600 s");
        return false;
    }
    *out = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = (uint32_t)packets, .period_ns = period_ns};
    return true;
}

/* What begins with "budget" or "unlimited". */
static bool read_limit(const struct line *l, struct part text, struct tg_rule *rule)
{
    const struct part word = take_word(&text);

    rule->has_budget = true;
    if (is(word, "budget")) {
        return read_budget(l, text, &rule->budget);
    }
    if (!is(word, "unlimited")) {
        refuse(l, word, BUDGETS);
        return false;
    }
    if (text.length != 0u) {
        refuse(l, text, "the end of the line after 'unlimited'");
        return false;
    }
    return true;
}

/* Where the budget begins; the end if there is none. No match has either word in it. */
static const char *find_limit(struct part text)
{
    const char *const end = text.start + text.length;

    while (text.length != 0u) {
        const struct part word = take_word(&text);

        if (is(word, "budget") || is(word, "unlimited")) {
            return word.start;
        }
    }
    return end;
}

static bool read_match(const struct line *l, struct part text, struct tg_rule *rule)
{
    struct tg_match_error error;
    char canonical[TG_MATCH_TEXT_BYTES];
    char *const copy = strndup(text.start, text.length);
    const int err = copy == NULL ? 0 : tg_match_parse(copy, &rule->match, &error);

    rule->match_at = position(l, text.start);
    if (err) {
        tg_errors_add(l->errors, position(l, text.start + error.offset), "%s", error.message);
    } else if (copy != NULL && tg_match_print(&rule->match, canonical, sizeof canonical) > 0) {
        rule->match_text = strdup(canonical);
    }
    free(copy);
    if (!err && rule->match_text == NULL) {
        tg_errors_add(l->errors, rule->match_at, "out of memory");
    }
    return rule->match_text != NULL;
}

static bool is_name(struct part name)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

    if (name.length == 0u || name.length > TG_RULES_NAME_MAX_BYTES ||
        memchr(first, name.start[0], sizeof first - 1u) == NULL) {
        return false;
    }
    for (size_t i = 1u; i < name.length; i++) {
        if (memchr(first, name.start[i], sizeof first - 1u) == NULL &&
            memchr("0123456789-.", name.start[i], 12u) == NULL) {
            return false;
        }
    }
    return true;
}

static bool is_new_name(const struct line *l, struct part name)
{
    for (size_t i = 0u; i < l->rules->n; i++) {
        if (is(name, l->rules->rules[i].name)) {
            tg_errors_add(l->errors, position(l, name.start),
                          "a second flow '%s', allowed: one (the first is in line %u)",
                          l->rules->rules[i].name, (unsigned)l->rules->rules[i].at.line);
            return false;
        }
    }
    return true;
}

static void free_rule(struct tg_rule *rule)
{
    free(rule->name);
    free(rule->match_text);
}

/* The rule belongs to the list from now on. */
static bool append(struct tg_rules *rules, const struct tg_rule *rule)
{
    struct tg_rule *const grown = realloc(rules->rules, (rules->n + 1u) * sizeof *grown);

    if (grown == NULL) {
        return false;
    }
    rules->rules = grown;
    rules->rules[rules->n++] = *rule;
    return true;
}

static void read_flow(const struct line *l, struct part name, struct part text)
{
    const char *const end = text.start + text.length;
    const char *const limit = find_limit(text);
    struct tg_rule rule = {.budget = {.kind = TG_SERVER_UNLIMITED}, .at = position(l, name.start)};
    bool is_good = is_new_name(l, name);

    /* All that is wrong in the line is said at once. */
    is_good = read_match(l, trim(text.start, limit), &rule) && is_good;
    if (limit != end) {
        is_good = read_limit(l, trim(limit, end), &rule) && is_good;
    }
    rule.name = strndup(name.start, name.length);
    if (is_good && l->rules->n == TG_FLOWS_MAX) {
        tg_errors_add(l->errors, rule.at, "one flow too many, allowed: %u", TG_FLOWS_MAX);
        is_good = false;
    }
    if (is_good && (rule.name == NULL || !append(l->rules, &rule))) {
        tg_errors_add(l->errors, rule.at, "out of memory");
        is_good = false;
    }
    if (!is_good) {
        free_rule(&rule);
    }
}

static void read_best_effort(const struct line *l, struct part name, struct part text)
{
    struct tg_rule *const rule = &l->rules->best_effort;

    if (rule->at.line != 0u) {
        tg_errors_add(l->errors, position(l, name.start),
                      "a second '" BEST_EFFORT "', allowed: one (the first is in line %u)",
                      (unsigned)rule->at.line);
        return;
    }
    rule->at = position(l, name.start);
    (void)read_limit(l, text, rule);
}

static void read_line(const struct line *l, const char *end)
{
    const char *const comment = memchr(l->start, '#', (size_t)(end - l->start));
    const struct part text = trim(l->start, comment != NULL ? comment : end);
    const char *const text_end = text.start + text.length;
    const char *const equals = memchr(text.start, '=', text.length);

    if (text.length == 0u) {
        return;
    }

    const struct part name = trim(text.start, equals != NULL ? equals : text_end);
    char buf[64];

    if (equals == NULL || !is_name(name)) {
        tg_errors_add(
            l->errors, position(l, text.start),
            "%s, allowed: a name (a letter, then letters, digits, '_', '-', '.'), '=' and "
            "a match",
            found(name, buf));
        return;
    }
    if (is(name, BEST_EFFORT)) {
        read_best_effort(l, name, trim(equals + 1, text_end));
    } else {
        read_flow(l, name, trim(equals + 1, text_end));
    }
}

/* What no text has, and what would reach the terminal of who reads the message. */
static const char *find_control(const char *text, const char *end)
{
    for (const char *c = text; c < end; c++) {
        if (iscntrl((unsigned char)*c) && memchr("\t\r\n", *c, 3u) == NULL) {
            return c;
        }
    }
    return NULL;
}

int tg_rules_parse(const char *text, size_t size_bytes, struct tg_rules *out,
                   struct tg_errors *errors)
{
    const char *const end = text + size_bytes;
    const char *const control = find_control(text, end);
    struct line l = {.start = text, .rules = out, .errors = errors};

    *out = (struct tg_rules){.best_effort = {.budget = {.kind = TG_SERVER_UNLIMITED}}};
    tg_errors_init(errors);
    while (l.start < end) {
        const char *const newline = memchr(l.start, '\n', (size_t)(end - l.start));
        const char *const line_end = newline != NULL ? newline : end;

        l.number++;
        if (control != NULL && control < line_end) {
            tg_errors_add(errors, position(&l, control), "found the byte 0x%02x, allowed: text",
                          (unsigned)(unsigned char)*control);
            break;
        }
        read_line(&l, line_end);
        l.start = line_end + 1;
    }
    if (errors->n == 0u && out->n == 0u) {
        tg_errors_add(errors, (struct tg_position){.line = 0u}, "no flow, allowed: one or more");
    }
    if (errors->n == 0u) {
        tg_rules_admit(out, errors);
    }
    if (errors->n != 0u) {
        tg_rules_free(out);
        return -1;
    }
    return 0;
}

/* All of a file, or NULL with errno set. */
static char *read_all(const char *path, size_t *size_bytes)
{
    FILE *const file = fopen(path, "rb");

    if (file == NULL) {
        return NULL;
    }

    char *const text = malloc(TG_RULES_FILE_MAX_BYTES + 1u);

    errno = 0;
    *size_bytes = text != NULL ? fread(text, 1u, TG_RULES_FILE_MAX_BYTES + 1u, file) : 0u;

    const int error = ferror(file) ? errno : 0;

    (void)fclose(file);
    if (text != NULL && error == 0 && *size_bytes <= TG_RULES_FILE_MAX_BYTES) {
        return text;
    }
    free(text);
    errno = error != 0 ? error : text == NULL ? ENOMEM : EFBIG;
    return NULL;
}

int tg_rules_load(const char *path, struct tg_rules *out, struct tg_errors *errors)
{
    size_t size_bytes;
    char *const text = read_all(path, &size_bytes);

    if (text == NULL) {
        *out = (struct tg_rules){.n = 0u};
        tg_errors_init(errors);
        tg_errors_add(errors, (struct tg_position){.line = 0u}, "cannot be read: %s",
                      strerror(errno));
        return -1;
    }

    const int err = tg_rules_parse(text, size_bytes, out, errors);

    free(text);
    return err;
}

void tg_rules_free(struct tg_rules *rules)
{
    for (size_t i = 0u; i < rules->n; i++) {
        free_rule(&rules->rules[i]);
    }
    free(rules->rules);
    free(rules->windows);
    *rules = (struct tg_rules){.n = 0u};
}
