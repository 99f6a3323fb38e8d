/* SPDX-License-Identifier: MIT
 *
 * kernel.h - what the kernel adds to cmsis_os2.h: storage of its objects, interrupts that follow
 * the running thread's priority, and what it asks of the board.
 *
 * One processor. Threads run privileged; interrupts nest by their own priorities.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "cmsis_os2.h"

#include <stdbool.h>

#define KERNEL_PRIORITIES 57u /* osPriorityIdle..osPriorityISR; 0 is the idle thread's */

/* ---- Objects: private, complete so that storage can be static -------------------------------- */

enum kernel_kind { KERNEL_NONE, KERNEL_THREAD, KERNEL_MUTEX, KERNEL_SEMAPHORE, KERNEL_QUEUE };

/* An element, or the head, of a ring of elements. */
struct kernel_node {
    struct kernel_node *next;
    struct kernel_node *prev;
};

/* Invariants:
 *  I1  ready: place is in the list of its priority; the running thread is the first of its list
 *  I2  blocked on an object: place is in that object's list of waiters, in order of priority
 *  I3  alarm is in the list of alarms iff the wait ends by itself
 *  I4  priority = max(base, priorities of those who wait for its mutexes that inherit) */
struct kernel_thread {
    uint32_t kind;
    uint32_t *sp; /* while it does not run */
    struct kernel_node place;
    struct kernel_node alarm;
    uint64_t alarm_at;           /* ticks; UINT64_MAX: none */
    struct kernel_node *waiters; /* the list that place is in, or NULL */
    struct kernel_mutex *wanted; /* the mutex that it waits for */
    struct kernel_mutex *owned;  /* first of those it holds */
    const void *message_out;     /* of a wait for space in a queue */
    void *message_in;            /* of a wait for a message */
    uint32_t flags;
    uint32_t wait_flags;      /* 0: it does not wait for flags */
    uint32_t wait_flags_seen; /* flags when that wait ended */
    uint32_t wait_options;
    osStatus_t result; /* of the wait */
    uint8_t priority;
    uint8_t base; /* without inheritance */
    uint8_t state;
    const char *name;
    uint32_t *stack;
    uint32_t stack_bytes;
};

struct kernel_mutex {
    uint32_t kind;
    struct kernel_thread *owner; /* NULL: free */
    struct kernel_node waiters;
    struct kernel_mutex *next; /* of those that the owner holds */
    uint32_t attr_bits;
    uint32_t depth; /* how often the owner has acquired it */
};

struct kernel_semaphore {
    uint32_t kind;
    struct kernel_node waiters;
    uint32_t count;
    uint32_t max;
};

/* Messages stand in bytes[] from oldest on, around the end. */
struct kernel_queue {
    uint32_t kind;
    struct kernel_node getters;
    struct kernel_node putters;
    uint8_t *bytes;
    uint32_t msg_bytes;
    uint32_t capacity;
    uint32_t count;
    uint32_t oldest;
};

/* ---- One space of priorities for threads and interrupts -------------------------------------- */

/* From now on the interrupt controller's mask is level_of[priority of the running thread], changed
 * with every switch and with every change of the running thread's priority: interrupts that are not
 * above that level stay pending until a less urgent thread runs.
 *
 * Context: before osKernelStart, or a thread.
 * Units:   level_of: KERNEL_PRIORITIES hardware levels as gic_enable takes them; interrupts of
 *          smaller levels are taken. NULL: all are taken, always. Owned by the caller.
 *          changed: told the mask each time that it changes, for devices that hold interrupts back
 *          themselves; with interrupts masked, O(1). NULL: nobody is told.
 * Cost:    O(1); from then on a few instructions at each switch and interrupt. */
void kernel_unify(const uint8_t *level_of, void (*changed)(uint32_t level));

/* ---- Between kernel and board ---------------------------------------------------------------- */

/* The board calls it when board_alarm's instant has come.
 *
 * Context: the timer's interrupt.
 * Cost:    O(threads whose wait ends). */
void kernel_alarm(void);

/* Stop, saying what is wrong and with which thread (or NULL).
 *
 * Context: any. */
_Noreturn void kernel_panic(const char *what, const char *thread);

/* The board's part. Ticks of the system timer since the start. */
uint64_t board_ticks(void);
uint32_t board_tick_hz(void);

/* Call kernel_alarm at this instant or as soon as possible after it; UINT64_MAX: never. */
void board_alarm(uint64_t at_ticks);

/* Run when nothing else does. */
_Noreturn void board_idle(void);

/* Say it where it can be seen, and end. */
_Noreturn void board_panic(const char *what, const char *thread);

#endif
