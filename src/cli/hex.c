/* SPDX-License-Identifier: MIT
 *
 * hex.c - bytes from hexadecimal text.
 */
#include "hex.h"

#include <string.h>

#define SEPARATORS " \t\r\n:"

/* 16 if it is none. */
static uint32_t digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char lower = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
    const char *const found = lower != '\0' ? strchr(digits, lower) : NULL;

    return found != NULL ? (uint32_t)(found - digits) : 16u;
}

enum tg_hex tg_hex_read(const char *text, uint8_t *bytes, size_t size_bytes, size_t *n_bytes)
{
    size_t n = 0u;
    size_t i = strspn(text, SEPARATORS);

    while (text[i] != '\0') {
        const uint32_t high = digit(text[i]);
        const uint32_t low = high < 16u ? digit(text[i + 1u]) : 16u;

        if (high < 16u && low == 16u && strchr(SEPARATORS, text[i + 1u]) != NULL) {
            *n_bytes = i; /* also at the end: strchr finds it, too */
            return TG_HEX_HALF;
        }
        if (high == 16u || low == 16u) {
            *n_bytes = high == 16u ? i : i + 1u;
            return TG_HEX_DIGIT;
        }
        if (n == size_bytes) {
            *n_bytes = i;
            return TG_HEX_LONG;
        }
        bytes[n++] = (uint8_t)(high << 4 | low);
        i += 2u;
        i += strspn(text + i, SEPARATORS);
    }
    *n_bytes = n;
    return TG_HEX_OK;
}
