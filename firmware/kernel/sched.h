/* SPDX-License-Identifier: MIT
 *
 * sched.h - who runs, who waits, until when. What the files of the kernel share.
 *
 * Everything here is called inside sched_lock/sched_unlock: with interrupts masked, for a bounded
 * time. Linear in the number of threads concerned are only a wait (its place among the waiters and
 * among the alarms) and the chain of owners of a mutex; all the rest is O(1).
 */
#ifndef SCHED_H
#define SCHED_H

#include "arch.h"
#include "kernel.h"

struct sched {
    struct kernel_thread *running;
    uint32_t ready_bits[2]; /* bit p: a thread of this priority is ready */
    struct kernel_node ready[KERNEL_PRIORITIES];
    struct kernel_node alarms; /* in order of time */
    uint64_t alarm_at;         /* what the board was asked for last */
    const uint8_t *level_of;   /* see kernel_unify; likewise below */
    void (*changed)(uint32_t level);
    uint8_t level;            /* in force, if level_of is used */
    uint8_t running_priority; /* the running thread's when it was chosen */
    osKernelState_t state;
};

extern struct sched sched;

/* An id is looked at inside: until then its object may be deleted. */
static inline uint32_t sched_lock(void)
{
    return arch_lock();
}

/* The part of sched_unlock for when somebody else may have to run. */
void sched_look(uint32_t state);

/* End of a critical section: whoever is the most urgent now runs, unless the caller had masked
 * interrupts or is one; then the switch comes when that ends. */
static inline void sched_unlock(uint32_t state)
{
    if (arch.is_due != 0u) {
        sched_look(state);
    }
    arch_unlock(state);
}

/* The caller of a function that took the lock with this state may be suspended. */
static inline bool sched_can_wait(uint32_t state)
{
    return !arch_in_interrupt() && !arch_was_masked(state) && sched.state == osKernelRunning;
}

void sched_init(void);

/* Make a thread ready, behind those of its priority. */
void sched_ready(struct kernel_thread *t);

/* Take a thread out of the ready list. */
void sched_unready(struct kernel_thread *t);

/* Suspend the running thread for this long, as the last of its priority among the waiters (NULL:
 * none). Returns when sched_wake has been called for it, with that result. */
osStatus_t sched_wait(struct kernel_node *waiters, uint32_t ticks);

/* The same until this instant. */
osStatus_t sched_wait_until(struct kernel_node *waiters, uint64_t at_ticks);

/* End a thread's wait; alone: it waits for no object. */
void sched_wake(struct kernel_thread *t, osStatus_t result);
void sched_wake_alone(struct kernel_thread *t, osStatus_t result);

/* The most urgent of the waiters, or NULL. */
struct kernel_thread *sched_first_waiter(const struct kernel_node *waiters);

/* End the wait of all of them. */
void sched_wake_all(struct kernel_node *waiters, osStatus_t result);

/* Bring the thread's priority to what base and inheritance ask for, and so on with the owner of the
 * mutex that it waits for. */
void sched_settle(struct kernel_thread *t);

/* The kernel's lists. */
static inline void list_init(struct kernel_node *head)
{
    head->next = head->prev = head;
}

static inline bool list_is_empty(const struct kernel_node *head)
{
    return head->next == head;
}

static inline void list_insert_before(struct kernel_node *at, struct kernel_node *node)
{
    node->next = at;
    node->prev = at->prev;
    at->prev->next = node;
    at->prev = node;
}

static inline void list_remove(struct kernel_node *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
}

#define THREAD_OF(node, member)                                                                    \
    ((struct kernel_thread *)(void *)((uint8_t *)(node)-offsetof(struct kernel_thread, member)))

#endif
