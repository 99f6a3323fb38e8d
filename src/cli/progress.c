/* SPDX-License-Identifier: MIT
 *
 * progress.c - how far along something is.
 */
#include "progress.h"

#include "report/terminal.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define NS_PER_S     UINT64_C(1000000000)
#define FIRST_NS     NS_PER_S
#define EVERY_NS     (NS_PER_S / 10u)
#define BAR_COLUMNS  30u
#define CLEAR_TO_END "\033[K"

static uint64_t clock_ns(void)
{
    struct timespec now;

    (void)timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void tg_progress_start(struct tg_progress *p)
{
    *p = (struct tg_progress){.start_ns = clock_ns(), .is_wanted = tg_terminal_has_colour(stderr)};
}

uint64_t tg_progress_elapsed_ns(const struct tg_progress *p)
{
    const uint64_t now_ns = clock_ns();

    return now_ns > p->start_ns ? now_ns - p->start_ns : 0u;
}

void tg_progress_show(struct tg_progress *p, uint64_t done, uint64_t total, const char *what)
{
    const uint64_t elapsed_ns = tg_progress_elapsed_ns(p);

    if (!p->is_wanted || elapsed_ns < FIRST_NS || elapsed_ns < p->shown_ns + EVERY_NS) {
        return;
    }
    p->shown_ns = elapsed_ns;

    const uint64_t columns = total != 0u ? done * BAR_COLUMNS / total : 0u;

    fputs("\r[", stderr);
    for (uint32_t i = 0u; i < BAR_COLUMNS; i++) {
        fputc(i < columns ? '#' : '.', stderr);
    }
    fprintf(stderr, "] %3" PRIu64 " %%  %s" CLEAR_TO_END, total != 0u ? done * 100u / total : 0u,
            what);
    fflush(stderr);
}

void tg_progress_end(struct tg_progress *p)
{
    if (p->shown_ns != 0u) {
        fputs("\r" CLEAR_TO_END, stderr);
        p->shown_ns = 0u;
    }
}
