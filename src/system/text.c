/* SPDX-License-Identifier: MIT
 *
 * text.c - sentences that are put together piece by piece.
 */
#include "system/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tg_text_add(char *buf, size_t size, const char *format, ...)
{
    const size_t used = strlen(buf);
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(buf + used, size - used, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < size - used) {
        return;
    }
    size_t cut = size - 4u;
    while (cut > 0u && ((unsigned char)buf[cut] & 0xc0u) == 0x80u) {
        cut--; /* not through the middle of a character */
    }
    memcpy(buf + cut, "...", 4u);
}
