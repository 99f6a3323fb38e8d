/* SPDX-License-Identifier: MIT
 *
 * posix_lock.c - the lock of an instance, and the events that threads wait for with it.
 *
 * The kernel's priority-inheriting futex without a mutex around it: futex(2), "Priority-
 * inheritance futexes". The lock word is 0 or the owner's thread id. Whoever finds 0 writes his
 * own, and 0 again at the end, without a system call. Else the kernel queues the thread by
 * priority, lends its priority to the owner, and sets a bit in the word, so that the owner gives
 * the lock back through the kernel. A PTHREAD_PRIO_INHERIT mutex (glibc 2.36) does the same in 140
 * instructions, this in 13: the kinds of mutex that it tells apart have no use here.
 *
 * Inheritance, not a ceiling. With both an urgent thread waits for at most one critical section,
 * but glibc sets a thread with a ceiling to another priority under a second, plain lock. A thread
 * that is pre-empted on its way down from the ceiling keeps it; who wants to raise that thread
 * waits for everything in between: 5 ms where inheritance took 28 us. A ceiling also costs two
 * system calls each time, and inheritance needs no right.
 */
#define _DEFAULT_SOURCE /* syscall; NOLINT(bugprone-reserved-identifier) */

#include "posix_internal.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

/* SYS_futex takes the time as two longs. */
_Static_assert(sizeof(struct timespec) == 2u * sizeof(long), "this system needs SYS_futex_time64");

/* The kernel's thread id; 0: not asked for yet. */
static _Thread_local uint32_t self;

/* A child process has one thread, a copy of the one that forked, with an id of its own. */
static void forget_self(void)
{
    self = 0u;
}

static pthread_once_t forks_once = PTHREAD_ONCE_INIT;
static int forks_err;

static void watch_forks(void)
{
    forks_err = pthread_atfork(NULL, NULL, forget_self);
}

int tg_posix_watch_forks(void)
{
    (void)pthread_once(&forks_once, watch_forks);
    return forks_err;
}

/* Returns: 0 or an errno. at: an instant of CLOCK_MONOTONIC, for the operations that take one. */
static int futex(atomic_uint *word, int operation, uint32_t value, const struct timespec *at)
{
    const long result =
        syscall(SYS_futex, word, operation, value, at, NULL, FUTEX_BITSET_MATCH_ANY);

    return result < 0 ? errno : 0;
}

static bool take_if_free(atomic_uint *owner)
{
    uint32_t nobody = 0u;

    return atomic_compare_exchange_strong_explicit(owner, &nobody, self, memory_order_acquire,
                                                   memory_order_relaxed);
}

/* The kernel hands the lock over, which neither the language's rules nor TSan can see. So there is
 * a release of the word before it does, and an acquire of the word after it has.
 *
 * A lock taken twice is EDEADLK, one given back by another thread EPERM: the program stops. */
static void take_slowly(atomic_uint *owner)
{
    int err = EAGAIN;

    if (self == 0u) {
        self = (uint32_t)syscall(SYS_gettid);
        err = take_if_free(owner) ? 0 : EAGAIN;
    }
    while (err == EAGAIN || err == EINTR) { /* EAGAIN: the owner is about to exit, futex(2) */
        err = futex(owner, FUTEX_LOCK_PI_PRIVATE, 0u, NULL);
    }
    tg_posix_require(err, "take the lock");
    (void)atomic_load_explicit(owner, memory_order_acquire);
}

static void give_slowly(atomic_uint *owner)
{
    (void)atomic_fetch_or_explicit(owner, 0u, memory_order_release);
    tg_posix_require(futex(owner, FUTEX_UNLOCK_PI_PRIVATE, 0u, NULL), "give the lock back");
}

static void take(atomic_uint *owner)
{
    if (self == 0u || !take_if_free(owner)) {
        take_slowly(owner);
    }
}

static void give(atomic_uint *owner)
{
    uint32_t expected = self;

    if (!atomic_compare_exchange_strong_explicit(owner, &expected, 0u, memory_order_release,
                                                 memory_order_relaxed)) {
        give_slowly(owner);
    }
}

uint32_t tg_port_lock(void *port)
{
    struct tg_posix_port *const posix = port;

    take(&posix->owner);
    return 0u;
}

void tg_port_unlock(void *port, uint32_t state)
{
    struct tg_posix_port *const posix = port;

    (void)state;
    give(&posix->owner);
}

/* The number is read under the lock, and changes under the lock: after a signal that comes between
 * the unlock and the sleep the kernel finds another number, and does not let the thread sleep. */
bool tg_posix_sleep_until(struct tg_posix_port *port, struct tg_posix_event *event, tg_ns at_ns)
{
    const struct timespec at = {.tv_sec = (time_t)(at_ns / NS_PER_S),
                                .tv_nsec = (long)(at_ns % NS_PER_S)};
    const uint32_t seen = atomic_load_explicit(&event->signals, memory_order_relaxed);

    event->sleepers++;
    give(&port->owner);
    const int err =
        futex(&event->signals, FUTEX_WAIT_BITSET_PRIVATE, seen, at_ns == UINT64_MAX ? NULL : &at);

    take(&port->owner);
    event->sleepers--;
    tg_posix_require(err == ETIMEDOUT || err == EAGAIN || err == EINTR ? 0 : err, "wait");
    return err != ETIMEDOUT;
}

void tg_posix_signal(struct tg_posix_event *event)
{
    (void)atomic_fetch_add_explicit(&event->signals, 1u, memory_order_relaxed);
    if (event->sleepers != 0u) {
        tg_posix_require(futex(&event->signals, FUTEX_WAKE_PRIVATE, 1u, NULL), "wake");
    }
}
