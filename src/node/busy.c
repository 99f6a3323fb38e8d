/* SPDX-License-Identifier: MIT
 *
 * busy.c - work that takes a given time of the CPU.
 */
#include "busy.h"

#include <time.h>

static tg_ns read_ns(clockid_t clock)
{
    struct timespec used;

    if (clock_gettime(clock, &used) != 0) {
        return 0u;
    }
    return (tg_ns)used.tv_sec * UINT64_C(1000000000) + (tg_ns)used.tv_nsec;
}

tg_ns tg_busy_used_ns(pthread_t thread)
{
    clockid_t clock;

    return pthread_getcpuclockid(thread, &clock) == 0 ? read_ns(clock) : 0u;
}

void tg_busy(tg_ns work_ns)
{
    const tg_ns end_ns = read_ns(CLOCK_THREAD_CPUTIME_ID) + work_ns;

    while (read_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
    }
}
