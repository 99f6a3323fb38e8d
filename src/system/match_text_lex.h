/* SPDX-License-Identifier: MIT
 *
 * match_text_lex.h - the words of a match.
 */
#ifndef TG_SYSTEM_MATCH_TEXT_LEX_H
#define TG_SYSTEM_MATCH_TEXT_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word (letters, digits and the signs of addresses), a sign, or the end of the text. */
struct tg_token {
    const char *start;
    size_t length; /* 0 at the end */
};

/* The token at or after this place; blanks are skipped. */
struct tg_token tg_token_at(const char *text);

bool tg_token_is(const struct tg_token *token, const char *word);

enum tg_number { TG_NUMBER_OK, TG_NUMBER_NONE, TG_NUMBER_LARGE, TG_NUMBER_OCTAL };

/* The value of a token as a decimal or 0x number up to max. A leading 0 is refused: for pcap-filter
 * it makes a number octal, for people it does not. */
enum tg_number tg_token_number(const struct tg_token *token, uint32_t max, uint32_t *value);

/* A token as a message shows it: quoted, cut when long, unprintable bytes as a number. Returns
 * buf. */
const char *tg_token_show(const struct tg_token *token, char *buf, size_t buf_bytes);

#endif
