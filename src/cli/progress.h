/* SPDX-License-Identifier: MIT
 *
 * progress.h - how far along something is, on a terminal, once it has taken a second.
 */
#ifndef TG_CLI_PROGRESS_H
#define TG_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct tg_progress {
    uint64_t start_ns;
    uint64_t shown_ns; /* when it was drawn last; 0: never */
    bool is_wanted;
};

/* Start the clock. Nothing is ever drawn unless standard error is a terminal and NO_COLOR is not
 * set.
 *
 * Context: main task, likewise below.
 * Cost:    O(1), likewise below. */
void tg_progress_start(struct tg_progress *p);

/* Draw, if it is time to: done of total, and what is going on. */
void tg_progress_show(struct tg_progress *p, uint64_t done, uint64_t total, const char *what);

/* Remove what was drawn. */
void tg_progress_end(struct tg_progress *p);

/* Wall clock since the start. */
uint64_t tg_progress_elapsed_ns(const struct tg_progress *p);

#endif
