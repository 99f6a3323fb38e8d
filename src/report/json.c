/* SPDX-License-Identifier: MIT
 *
 * json.c - write one JSON document, value after value.
 */
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void tg_json_start(struct tg_json *j, FILE *out)
{
    *j = (struct tg_json){.out = out};
}

static bool is_row(const struct tg_json *j)
{
    return j->row_depth != 0u && j->depth >= j->row_depth;
}

static void new_line(const struct tg_json *j)
{
    if (is_row(j)) {
        fputs(j->has_values ? " " : "", j->out);
        return;
    }
    fprintf(j->out, "\n%*s", (int)(2u * j->depth), "");
}

static uint32_t continuation(unsigned char byte)
{
    return (byte & 0xc0u) == 0x80u;
}

/* Bytes of the UTF-8 character at s, 0 if there is none (RFC 3629: no overlong forms, no
 * surrogates, nothing beyond U+10FFFF). */
static uint32_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80u) {
        return 1u;
    }
    if (s[0] >= 0xc2u && s[0] <= 0xdfu) {
        return continuation(s[1]) != 0u ? 2u : 0u;
    }
    if (s[0] >= 0xe0u && s[0] <= 0xefu) {
        const unsigned char low = s[0] == 0xe0u ? 0xa0u : 0x80u;
        const unsigned char high = s[0] == 0xedu ? 0x9fu : 0xbfu;

        return s[1] >= low && s[1] <= high && continuation(s[2]) != 0u ? 3u : 0u;
    }
    if (s[0] >= 0xf0u && s[0] <= 0xf4u) {
        const unsigned char low = s[0] == 0xf0u ? 0x90u : 0x80u;
        const unsigned char high = s[0] == 0xf4u ? 0x8fu : 0xbfu;

        return s[1] >= low && s[1] <= high && continuation(s[2]) && continuation(s[3]) ? 4u : 0u;
    }
    return 0u;
}

/* Bytes from s on that stand in a document as they are. */
static size_t plain_length(const unsigned char *s)
{
    size_t length = 0u;

    while (s[length] >= 0x20u && s[length] < 0x7fu && s[length] != '"' && s[length] != '\\') {
        length++;
    }
    return length;
}

/* One character that is not plain; returns how long it was. */
static size_t put_special(const struct tg_json *j, const unsigned char *s)
{
    const uint32_t length = utf8_length(s);

    if (length == 0u) {
        fputs("\\ufffd", j->out);
        return 1u;
    }
    if (length > 1u) {
        (void)fwrite(s, 1u, length, j->out);
        return length;
    }
    if (*s == '"' || *s == '\\') {
        fprintf(j->out, "\\%c", *s);
    } else if (*s == '\n') {
        fputs("\\n", j->out);
    } else {
        fprintf(j->out, "\\u%04x", *s);
    }
    return 1u;
}

static void quoted(const struct tg_json *j, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    fputc('"', j->out);
    while (*s != '\0') {
        const size_t length = plain_length(s);

        (void)fwrite(s, 1u, length, j->out);
        s += length;
        s += *s != '\0' ? put_special(j, s) : 0u;
    }
    fputc('"', j->out);
}

/* Everything that stands before a value. */
static void begin(struct tg_json *j, const char *key)
{
    assert((key != NULL) == (j->depth != 0u && j->ends[j->depth - 1u] == '}'));
    if (j->has_values) {
        fputc(',', j->out);
    }
    if (j->depth != 0u) {
        new_line(j);
    }
    if (key != NULL) {
        quoted(j, key);
        fputs(": ", j->out);
    }
    j->has_values = true;
}

static void open_level(struct tg_json *j, const char *key, const char *ends)
{
    begin(j, key);
    assert(j->depth < TG_JSON_DEPTH_MAX);
    fputc(ends[0], j->out);
    j->ends[j->depth] = ends[1];
    j->depth++;
    j->has_values = false;
}

void tg_json_object(struct tg_json *j, const char *key)
{
    open_level(j, key, "{}");
}

void tg_json_row(struct tg_json *j, const char *key)
{
    tg_json_object(j, key);
    if (j->row_depth == 0u) {
        j->row_depth = j->depth;
    }
}

void tg_json_array(struct tg_json *j, const char *key)
{
    open_level(j, key, "[]");
}

void tg_json_end(struct tg_json *j)
{
    assert(j->depth != 0u);

    const bool was_row = is_row(j);

    j->depth--;
    if (j->has_values && !was_row) {
        new_line(j);
    }
    if (j->depth < j->row_depth) {
        j->row_depth = 0u;
    }
    fputc(j->ends[j->depth], j->out);
    j->has_values = true;
}

void tg_json_text(struct tg_json *j, const char *key, const char *text)
{
    begin(j, key);
    quoted(j, text);
}

void tg_json_count(struct tg_json *j, const char *key, uint64_t number)
{
    begin(j, key);
    fprintf(j->out, "%" PRIu64, number);
}

void tg_json_thousandths(struct tg_json *j, const char *key, uint64_t number)
{
    begin(j, key);
    fprintf(j->out, "%" PRIu64 ".%03" PRIu64, number / 1000u, number % 1000u);
}

void tg_json_int(struct tg_json *j, const char *key, int64_t number)
{
    begin(j, key);
    fprintf(j->out, "%" PRId64, number);
}

void tg_json_real(struct tg_json *j, const char *key, double number)
{
    begin(j, key);
    if (isfinite(number)) {
        fprintf(j->out, "%.17g", number);
    } else {
        fputs("null", j->out);
    }
}

void tg_json_bool(struct tg_json *j, const char *key, bool value)
{
    begin(j, key);
    fputs(value ? "true" : "false", j->out);
}

void tg_json_null(struct tg_json *j, const char *key)
{
    begin(j, key);
    fputs("null", j->out);
}

int tg_json_finish(struct tg_json *j)
{
    assert(j->depth == 0u && j->has_values);
    fputc('\n', j->out);
    return fflush(j->out) != 0 || ferror(j->out) ? -1 : 0;
}
