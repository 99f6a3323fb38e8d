/* SPDX-License-Identifier: MIT
 *
 * wording.c - what was found and what is allowed, in words.
 */
#include "system/wording.h"
#include "system/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define SHOWN_MAX_BYTES 60u /* of a text that was found */
#define WORD_MAX_BYTES  24u /* no field has a longer name */

void tg_word_found(const yaml_node_t *node, char out[TG_WORDING_BYTES])
{
    if (node->type != YAML_SCALAR_NODE) {
        (void)snprintf(out, TG_WORDING_BYTES, "%s",
                       node->type == YAML_SEQUENCE_NODE ? "a list" : "a mapping");
        return;
    }
    const char *const text = (const char *)node->data.scalar.value;
    if (node->data.scalar.length == 0u && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        (void)snprintf(out, TG_WORDING_BYTES, "nothing");
        return;
    }
    char shown[SHOWN_MAX_BYTES] = "";

    tg_text_add(shown, sizeof shown, "%s", text);
    for (char *c = shown; *c != '\0'; c++) {
        *c = (uint8_t)*c < 0x20u || *c == 0x7f ? '?' : *c;
    }
    (void)snprintf(out, TG_WORDING_BYTES, "'%s'", shown);
}

void tg_word_time(tg_ns time_ns, char out[32])
{
    const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0u;

    while (unit < 3u && time_ns != 0u && time_ns % 1000u == 0u) {
        time_ns /= 1000u;
        unit++;
    }
    (void)snprintf(out, 32u, "%" PRIu64 " %s", time_ns, units[unit]);
}

static void list_choices(const struct tg_schema_choice *choices, char out[TG_WORDING_BYTES])
{
    const char *between = "";

    out[0] = '\0';
    for (const struct tg_schema_choice *c = choices; c->name != NULL; c++) {
        if (!c->is_planned) {
            tg_text_add(out, TG_WORDING_BYTES, "%s%s", between, c->name);
            between = ", ";
        }
    }
}

void tg_word_fields(const struct tg_schema *schema, char out[TG_WORDING_BYTES])
{
    out[0] = '\0';
    for (const struct tg_schema_field *f = schema->fields; f->name != NULL; f++) {
        tg_text_add(out, TG_WORDING_BYTES, "%s%s", f == schema->fields ? "" : ", ", f->name);
    }
}

static void describe_map(const char *before, const struct tg_schema *map,
                         char out[TG_WORDING_BYTES])
{
    char fields[TG_WORDING_BYTES];

    tg_word_fields(map, fields);
    out[0] = '\0';
    tg_text_add(out, TG_WORDING_BYTES, "%s{%s}", before, fields);
}

void tg_word_allowed(const struct tg_schema_field *field, char out[TG_WORDING_BYTES])
{
    char low[32];
    char high[32];

    switch (field->type) {
    case TG_VALUE_NAME:
        (void)snprintf(out, TG_WORDING_BYTES, "a name of 1..%" PRIu64 " bytes", field->max);
        return;
    case TG_VALUE_REFERENCE:
        (void)snprintf(out, TG_WORDING_BYTES, "the name of a flow");
        return;
    case TG_VALUE_PATH:
        (void)snprintf(out, TG_WORDING_BYTES, "the path of a capture");
        return;
    case TG_VALUE_MATCH:
        (void)snprintf(out, TG_WORDING_BYTES, "a match, such as udp dst port 5000");
        return;
    case TG_VALUE_NUMBER:
        (void)snprintf(out, TG_WORDING_BYTES, "a whole number %" PRIu64 "..%" PRIu64, field->min,
                       field->max);
        return;
    case TG_VALUE_DURATION:
        tg_word_time(field->min, low);
        tg_word_time(field->max, high);
        (void)snprintf(out, TG_WORDING_BYTES, "%s..%s, with its unit (ns, us, ms, s)", low, high);
        return;
    case TG_VALUE_RATE:
        (void)snprintf(out, TG_WORDING_BYTES,
                       "1 /s..1 Gpps, with its unit (/s, pps, kpps, Mpps, Gpps)");
        return;
    case TG_VALUE_BOOL:
        (void)snprintf(out, TG_WORDING_BYTES, "true, false");
        return;
    case TG_VALUE_CHOICE:
        list_choices(field->choices, out);
        return;
    case TG_VALUE_ADDRESS:
        (void)snprintf(out, TG_WORDING_BYTES,
                       "the address of one station, such as "
                       "02:00:00:00:00:01");
        return;
    case TG_VALUE_RANGE:
        (void)snprintf(out, TG_WORDING_BYTES, "priorities LOW..HIGH within %" PRIu64 "..%" PRIu64,
                       field->min, field->max);
        return;
    case TG_VALUE_BUDGET:
        describe_map("unlimited, or ", field->map, out);
        return;
    case TG_VALUE_MAP:
        describe_map("", field->map, out);
        return;
    case TG_VALUE_LIST:
        (void)snprintf(out, TG_WORDING_BYTES, "a list of %" PRIu64 "..%" PRIu64 " entries",
                       field->min, field->max);
        return;
    }
}

static size_t least(size_t a, size_t b, size_t c)
{
    const size_t smaller = a < b ? a : b;

    return smaller < c ? smaller : c;
}

/* Letters to insert, delete or replace, case ignored (Levenshtein 1966), one row of the table at a
 * time. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[WORD_MAX_BYTES + 1u];

    for (size_t j = 0u; j <= b_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1u; i <= a_length; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1u; j <= b_length; j++) {
            const bool is_same =
                tolower((unsigned char)a[i - 1u]) == tolower((unsigned char)b[j - 1u]);
            const size_t replaced = diagonal + (is_same ? 0u : 1u);

            diagonal = row[j];
            row[j] = least(row[j] + 1u, row[j - 1u] + 1u, replaced);
        }
    }
    return row[b_length];
}

const char *tg_word_nearest(const struct tg_schema *schema, const char *text)
{
    const size_t length = strlen(text);
    const char *nearest = NULL;
    size_t best = length / 2u + 1u; /* half of the letters may differ */

    for (const struct tg_schema_field *f = schema->fields; f->name != NULL; f++) {
        /* What begins alike is an abbreviation, whatever the rest. */
        const size_t d = length >= 3u && strncmp(f->name, text, length) == 0
                             ? 0u
                             : distance(text, length, f->name, strlen(f->name));

        if (d < best) {
            best = d;
            nearest = f->name;
        }
    }
    return nearest;
}
