/* SPDX-License-Identifier: MIT
 *
 * busy.h - work that takes a given time of the CPU.
 */
#ifndef TG_NODE_BUSY_H
#define TG_NODE_BUSY_H

#include "tidegate/common.h"

#include <pthread.h>

/* Use so much CPU time: what others take in between does not count.
 *
 * Context: any thread.
 * Cost:    work_ns, and at most two readings of the thread's CPU clock more. */
void tg_busy(tg_ns work_ns);

/* CPU time that a thread has used.
 *
 * Context: any thread; it has not been joined.
 * Cost:    one system call. */
tg_ns tg_busy_used_ns(pthread_t thread);

#endif
