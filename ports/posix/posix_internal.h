/* SPDX-License-Identifier: MIT
 *
 * posix_internal.h - what the files of the port share.
 */
#ifndef TG_POSIX_INTERNAL_H
#define TG_POSIX_INTERNAL_H

#include "posix_port.h"

/* The instant so far from now, UINT64_MAX when it lies beyond the end of time. */
tg_ns tg_posix_after_ns(tg_ns delay_ns);

/* Not TG_ASSERT: a lock that fails must stop the program in every build. */
void tg_posix_require(int err, const char *what);

/* Wait for a signal with the lock held. at_ns of UINT64_MAX never comes.
 * Returns: false when it has come. True may be for no reason: the caller looks at its condition. */
bool tg_posix_sleep_until(struct tg_posix_port *port, struct tg_posix_event *event, tg_ns at_ns);

/* Wake a thread that waits for the event. With the lock held. */
void tg_posix_signal(struct tg_posix_event *event);

/* See to it that the lock knows who it is in a child process. Before the first lock.
 * Returns: 0 or an errno. */
int tg_posix_watch_forks(void);

/* Real-time priorities were refused: say so the first time, and do without. */
void tg_posix_lose_realtime(struct tg_posix_port *port);

/* Threads of the port; the argument is the port, or for run_receive its struct tg_posix_receive. */
void *tg_posix_run_tick(void *arg);
void *tg_posix_run_poll(void *arg);
void *tg_posix_run_receive(void *arg);

#endif
