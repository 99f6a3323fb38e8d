/* SPDX-License-Identifier: MIT
 *
 * match_text_lex.c - the words of a match.
 */
#include "match_text_lex.h"

#include <stdio.h>
#include <string.h>

#define SHOWN_BYTES 40

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Not isalnum(): its answer would depend on the locale. */
static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c)
{
    return c != '\0' && (is_alnum(c) || strchr("_.:/%-", c) != NULL);
}

struct tg_token tg_token_at(const char *text)
{
    size_t length = 0u;

    while (is_blank(*text)) {
        text++;
    }
    while (is_word(text[length])) {
        length++;
    }
    if (length == 0u && *text != '\0') {
        length = strncmp(text, "==", 2u) == 0 || strncmp(text, "&&", 2u) == 0 ? 2u : 1u;
    }
    return (struct tg_token){.start = text, .length = length};
}

bool tg_token_is(const struct tg_token *token, const char *word)
{
    return strlen(word) == token->length && memcmp(token->start, word, token->length) == 0;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

enum tg_number tg_token_number(const struct tg_token *token, uint32_t max, uint32_t *value)
{
    const bool is_hex = token->length > 2u && token->start[0] == '0' &&
                        (token->start[1] == 'x' || token->start[1] == 'X');
    const uint32_t base = is_hex ? 16u : 10u;
    uint64_t sum = 0u;

    if (token->length == 0u) {
        return TG_NUMBER_NONE;
    }
    for (size_t i = is_hex ? 2u : 0u; i < token->length; i++) {
        const uint32_t digit = (uint32_t)digit_of(token->start[i]);

        if (digit >= base) {
            return TG_NUMBER_NONE;
        }
        sum = sum > max ? sum : sum * base + digit; /* stays above once it is */
    }
    if (!is_hex && token->length > 1u && token->start[0] == '0') {
        return TG_NUMBER_OCTAL;
    }
    if (sum > max) {
        return TG_NUMBER_LARGE;
    }
    *value = (uint32_t)sum;
    return TG_NUMBER_OK;
}

const char *tg_token_show(const struct tg_token *token, char *buf, size_t buf_bytes)
{
    const unsigned char first = (unsigned char)token->start[0];

    if (token->length == 0u) {
        (void)snprintf(buf, buf_bytes, "the end");
    } else if (first < 0x20u || first > 0x7eu) {
        (void)snprintf(buf, buf_bytes, "the byte 0x%02x", first);
    } else if (token->length > SHOWN_BYTES) {
        (void)snprintf(buf, buf_bytes, "'%.*s...'", SHOWN_BYTES, token->start);
    } else {
        (void)snprintf(buf, buf_bytes, "'%.*s'", (int)token->length, token->start);
    }
    return buf;
}
