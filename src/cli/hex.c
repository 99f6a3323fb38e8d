/* SPDX-License-Identifier: MIT
 *
 * hex.c - bytes from hexadecimal text.
 */
#include "hex.h"

#include <string.h>

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
    size_t i = strspn(text, " \t\r\n:");

    while (text[i] != '\0') {
        const uint32_t high = digit(text[i]);
        const uint32_t low = high < 16u ? digit(text[i + 1u]) : 16u;

        if (high == 16u || low == 16u || n == size_bytes) {
            *n_bytes = high < 16u && low == 16u ? i + 1u : i;
            if (high < 16u && low < 16u) {
                return TG_HEX_LONG;
            }
            return high < 16u && strchr(" \t\r\n:", text[i + 1u]) != NULL ? TG_HEX_HALF
                                                                          : TG_HEX_DIGIT;
        }
        bytes[n++] = (uint8_t)(high << 4 | low);
        i += 2u;
        i += strspn(text + i, " \t\r\n:");
    }
    *n_bytes = n;
    return TG_HEX_OK;
}
