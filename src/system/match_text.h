/* SPDX-License-Identifier: MIT
 *
 * match_text.h - matches as people write them: a subset of pcap-filter(7), docs/matches.md.
 */
#ifndef TG_SYSTEM_MATCH_TEXT_H
#define TG_SYSTEM_MATCH_TEXT_H

#include "tidegate/flow.h"

/* Room for the longest text that tg_match_print gives, its end included. */
#define TG_MATCH_TEXT_BYTES 320u

/* Where a text stops being a match, and what would be allowed there. */
struct tg_match_error {
    size_t offset; /* bytes before the offending word; the column is one more */
    size_t length; /* of that word in bytes; 0: the text ended too early */
    char message[240];
};

/* Read a match.
 *
 * Context: any task.
 * Returns: 0, and *out is a match that tg_match_compile accepts; TG_ERR_UNREACHABLE for a match
 *          that no frame can have, TG_ERR_RANGE for everything else that is wrong. *error then says
 *          what and where, and *out is unchanged.
 * Cost:    O(length of the text). */
TG_NODISCARD int tg_match_parse(const char *text, struct tg_match *out,
                                struct tg_match_error *error);

/* Write a match in its canonical form: reading it gives a match that compiles to the same pattern,
 * and whose canonical form is the same text.
 *
 * Context: any task.
 * Returns: the length without the end; TG_ERR_RANGE or TG_ERR_UNREACHABLE as tg_match_compile,
 *          TG_ERR_RANGE also if the buffer is too small. buf is then an empty string (if it has
 *          room for one).
 * Cost:    O(1). */
TG_NODISCARD int tg_match_print(const struct tg_match *match, char *buf, size_t buf_bytes);

#endif
