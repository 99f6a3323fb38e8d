/* SPDX-License-Identifier: MIT
 *
 * terminal.c - colour, where a person sees it.
 */
#define _POSIX_C_SOURCE 200809L
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool tg_terminal_has_colour(FILE *out)
{
    const char *const no_color = getenv("NO_COLOR");
    const char *const term = getenv("TERM");

    if (no_color != NULL && no_color[0] != '\0') {
        return false;
    }
    return term != NULL && strcmp(term, "dumb") != 0 && isatty(fileno(out)) == 1;
}

const char *tg_terminal_start(enum tg_paint paint)
{
    switch (paint) {
    case TG_STRONG:
        return "\033[1m";
    case TG_FAINT:
        return "\033[2m";
    case TG_GOOD:
        return "\033[32m";
    case TG_WARN:
        return "\033[33m";
    case TG_BAD:
        return "\033[1;31m";
    case TG_PLAIN:
        break;
    }
    return "";
}

const char *tg_terminal_end(void)
{
    return "\033[0m";
}
