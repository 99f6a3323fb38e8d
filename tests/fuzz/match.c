/* SPDX-License-Identifier: MIT
 *
 * match.c - any text: it is refused at a place within it, or it is a match whose canonical text
 * means the same and is its own canonical text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/match_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what, const char *text)
{
    if (!condition) {
        fprintf(stderr, "%s: '%s'\n", what, text);
        abort();
    }
}

static void check_error(const struct tg_match_error *e, const char *text)
{
    require(e->offset + e->length <= strlen(text), "the error lies outside", text);
    require(strlen(e->message) + 1u < sizeof e->message, "the error is cut", text);
    require(strstr(e->message, ", allowed") != NULL, "the error does not say what is allowed",
            text);
    for (const char *c = e->message; *c != '\0'; c++) {
        require(*c >= ' ' && *c <= '~', "the error is not printable", text);
    }
}

static bool is_same(const struct tg_pattern *a, const struct tg_pattern *b)
{
    return a->fields == b->fields && a->word == b->word &&
           memcmp(&a->hosts, &b->hosts, sizeof a->hosts) == 0;
}

static void check_match(const struct tg_match *match, const char *text)
{
    char canonical[TG_MATCH_TEXT_BYTES];
    char again[TG_MATCH_TEXT_BYTES];
    struct tg_match reread;
    struct tg_match_error error;
    struct tg_pattern pattern;
    struct tg_pattern pattern_of_reread;

    require(tg_match_compile(match, &pattern) == 0, "the core refuses the match", text);
    require(tg_match_print(match, canonical, sizeof canonical) > 0, "it cannot be printed", text);
    require(tg_match_parse(canonical, &reread, &error) == 0, "it cannot be read again", canonical);
    require(tg_match_compile(&reread, &pattern_of_reread) == 0, "refused", canonical);
    require(is_same(&pattern, &pattern_of_reread), "the meaning changed", canonical);
    require(tg_match_print(&reread, again, sizeof again) > 0, "not printed again", canonical);
    require(strcmp(canonical, again) == 0, "the canonical text changed", canonical);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1u);
    struct tg_match match;
    struct tg_match_error error;

    if (text == NULL) {
        abort();
    }
    if (size != 0u) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    if (tg_match_parse(text, &match, &error) != 0) {
        check_error(&error, text);
    } else {
        check_match(&match, text);
    }
    free(text);
    return 0;
}
