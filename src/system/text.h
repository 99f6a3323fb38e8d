/* SPDX-License-Identifier: MIT
 *
 * text.h - sentences that are put together piece by piece in a buffer of fixed size.
 */
#ifndef TG_SYSTEM_TEXT_H
#define TG_SYSTEM_TEXT_H

#include <stddef.h>

/* Append to the text in buf. What does not fit is cut, and "..." ends the text then.
 *
 * Context: any. buf holds a text; size > 4.
 * Cost:    O(length of both). */
__attribute__((format(printf, 3, 4))) void tg_text_add(char *buf, size_t size, const char *format,
                                                       ...);

#endif
