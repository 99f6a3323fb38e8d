/* SPDX-License-Identifier: MIT
 *
 * hex.h - bytes from hexadecimal text.
 */
#ifndef TG_CLI_HEX_H
#define TG_CLI_HEX_H

#include <stddef.h>
#include <stdint.h>

enum tg_hex {
    TG_HEX_OK,
    TG_HEX_DIGIT, /* something that is neither a digit, nor a blank or ':' between bytes */
    TG_HEX_HALF,  /* half a byte */
    TG_HEX_LONG   /* more than size_bytes */
};

/* Read pairs of digits, with blanks and ':' between them.
 *
 * Context: any task.
 * Returns: TG_HEX_OK and *n_bytes; else *n_bytes is the offset in text of what is wrong.
 * Cost:    O(length). */
enum tg_hex tg_hex_read(const char *text, uint8_t *bytes, size_t size_bytes, size_t *n_bytes);

#endif
