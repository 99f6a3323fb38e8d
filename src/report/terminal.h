/* SPDX-License-Identifier: MIT
 *
 * terminal.h - colour, where a person sees it.
 */
#ifndef TG_REPORT_TERMINAL_H
#define TG_REPORT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

enum tg_paint {
    TG_PLAIN = 0,
    TG_STRONG, /* headings, totals */
    TG_FAINT,  /* what is there for completeness */
    TG_GOOD,
    TG_WARN,
    TG_BAD
};

/* Colour is wanted: the stream is a terminal that can show it, and NO_COLOR (no-color.org) is not
 * set.
 *
 * Context: any task.
 * Cost:    O(1). */
bool tg_terminal_has_colour(FILE *out);

/* The control sequence that starts this paint; it ends with tg_terminal_end().
 *
 * Context: any.
 * Returns: "" for TG_PLAIN.
 * Cost:    O(1). */
const char *tg_terminal_start(enum tg_paint paint);

/* Context: any. Cost: O(1). */
const char *tg_terminal_end(void);

#endif
