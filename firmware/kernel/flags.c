/* SPDX-License-Identifier: MIT
 *
 * flags.c - osThreadFlags: 31 flags a thread, set by anybody.
 */
#include "sched.h"

/* What a wait for these flags takes now; 0: it goes on. */
static uint32_t taken(uint32_t flags, uint32_t wanted, uint32_t options)
{
    const uint32_t common = flags & wanted;

    if ((options & osFlagsWaitAll) != 0u && common != wanted) {
        return 0u;
    }
    return common;
}

/* Take them out unless they are to stay. Returns: the flags before. */
static uint32_t take(struct kernel_thread *t, uint32_t wanted, uint32_t options)
{
    const uint32_t before = t->flags;

    if ((options & osFlagsNoClear) == 0u) {
        t->flags &= ~wanted;
    }
    return before;
}

uint32_t osThreadFlagsSet(osThreadId_t thread_id, uint32_t flags)
{
    struct kernel_thread *const t = thread_id;

    if (t == NULL || t->kind != KERNEL_THREAD || (flags & osFlagsError) != 0u) {
        return osFlagsErrorParameter;
    }
    const uint32_t state = sched_lock();

    if (t->state == osThreadTerminated) {
        sched_unlock(state);
        return osFlagsErrorResource;
    }
    t->flags |= flags;
    if (t->wait_flags != 0u && taken(t->flags, t->wait_flags, t->wait_options) != 0u) {
        /* The waiter's return value: it sees the flags as they were. */
        t->wait_flags_seen = take(t, t->wait_flags, t->wait_options);
        sched_wake_alone(t, osOK);
    }
    const uint32_t after = t->flags;

    sched_unlock(state);
    return after;
}

uint32_t osThreadFlagsClear(uint32_t flags)
{
    const uint32_t state = sched_lock();
    uint32_t before;

    if (arch_in_interrupt() || sched.running == NULL) {
        before = osFlagsErrorISR;
    } else if ((flags & osFlagsError) != 0u) {
        before = osFlagsErrorParameter;
    } else {
        before = sched.running->flags;
        sched.running->flags &= ~flags;
    }
    sched_unlock(state);
    return before;
}

uint32_t osThreadFlagsGet(void)
{
    return arch_in_interrupt() || sched.running == NULL ? 0u : sched.running->flags;
}

/* The lock is held, the caller may wait. */
static uint32_t wait_for(uint32_t flags, uint32_t options, uint32_t timeout)
{
    struct kernel_thread *const t = sched.running;

    if (taken(t->flags, flags, options) != 0u) {
        return take(t, flags, options);
    }
    if (timeout == 0u) {
        return osFlagsErrorResource;
    }
    t->wait_flags = flags;
    t->wait_options = options;
    return sched_wait(NULL, timeout) == osOK ? t->wait_flags_seen : osFlagsErrorTimeout;
}

uint32_t osThreadFlagsWait(uint32_t flags, uint32_t options, uint32_t timeout)
{
    const uint32_t state = sched_lock();
    uint32_t result;

    if (!sched_can_wait(state)) {
        result = osFlagsErrorISR;
    } else if (flags == 0u || (flags & osFlagsError) != 0u ||
               options > (osFlagsWaitAll | osFlagsNoClear)) {
        result = osFlagsErrorParameter;
    } else {
        result = wait_for(flags, options, timeout);
    }
    sched_unlock(state);
    return result;
}
