/* SPDX-License-Identifier: MIT
 *
 * parts.h - what the kernel's tests share: threads that write what they do into a log, interrupts
 * on demand.
 */
#ifndef PARTS_H
#define PARTS_H

#include "check_cmocka.h"
#include "kernel.h"

#define PARTS_THREADS 10u

/* The priority of the thread that runs the cases. */
#define MAIN osPriorityNormal

/* Fresh threads, empty log. First line of every case. */
void parts_begin(void);

/* One character of the log. Context: any. */
void say(char c);

/* The log has this text; it is empty again. */
#define expect(text) parts_expect(text, __FILE__, __LINE__)
void parts_expect(const char *wanted, const char *file, int line);

/* A thread on a stack of 4 KB, in order: threads 0, 1, ... */
osThreadId_t spawn(osThreadFunc_t func, void *argument, int priority);

/* What spawn gave to thread n as memory, for attributes of one's own. */
osThreadAttr_t parts_attr(uint32_t n, int priority);

/* All threads of the case have ended, or end within a second. */
void join_all(void);

osSemaphoreId_t new_semaphore(uint32_t max, uint32_t initial);
osMutexId_t new_mutex(uint32_t attr_bits);

/* Call body at once in an interrupt of this level. It is over when this returns, if the level is
 * not held back. Lines 0..3 of the tests. */
void interrupt(uint32_t line, uint32_t level, void (*body)(void));

/* Micro- and milliseconds in ticks. */
#define US (100u)
#define MS (100000u)

/* The groups. */
int thread_cases(void);
int time_cases(void);
int sync_cases(void);
int mutex_cases(void);
int interrupt_cases(void);

#endif
