/* SPDX-License-Identifier: MIT
 *
 * thread.c - osThread: threads on memory of the caller.
 */
#include "sched.h"

#define STACK_MIN_BYTES 256u /* a context, the guard, and a little to work with */

static struct kernel_thread *thread_of(osThreadId_t id)
{
    struct kernel_thread *const t = id;

    return t != NULL && t->kind == KERNEL_THREAD ? t : NULL;
}

static bool is_priority(osPriority_t priority)
{
    return priority >= osPriorityIdle && priority <= osPriorityISR;
}

static bool is_valid(const osThreadAttr_t *attr)
{
    return attr != NULL && attr->attr_bits == 0u && attr->cb_mem != NULL &&
           attr->cb_size >= sizeof(struct kernel_thread) && attr->stack_mem != NULL &&
           (uintptr_t)attr->stack_mem % 8u == 0u && attr->stack_size >= STACK_MIN_BYTES &&
           (attr->priority == osPriorityNone || is_priority(attr->priority)) &&
           attr->tz_module == 0u;
}

static void prepare(struct kernel_thread *t, osThreadFunc_t func, void *argument,
                    const osThreadAttr_t *attr)
{
    const uint32_t words = attr->stack_size / 8u * 2u;
    const osPriority_t priority =
        attr->priority == osPriorityNone ? osPriorityNormal : attr->priority;

    *t = (struct kernel_thread){.kind = KERNEL_THREAD,
                                .alarm_at = UINT64_MAX,
                                .priority = (uint8_t)priority,
                                .base = (uint8_t)priority,
                                .name = attr->name,
                                .stack = attr->stack_mem,
                                .stack_bytes = attr->stack_size};
    for (uint32_t i = 0u; i < words; i++) {
        t->stack[i] = ARCH_STACK_FILL;
    }
    t->sp = arch_init_stack(t->stack + words, func, argument, osThreadExit);
}

osThreadId_t osThreadNew(osThreadFunc_t func, void *argument, const osThreadAttr_t *attr)
{
    if (sched.state == osKernelInactive || arch_in_interrupt() || func == NULL || !is_valid(attr)) {
        return NULL;
    }
    struct kernel_thread *const t = attr->cb_mem;

    prepare(t, func, argument, attr); /* long, and nobody knows of it yet */

    const uint32_t state = sched_lock();

    sched_ready(t);
    sched_unlock(state);
    return t;
}

const char *osThreadGetName(osThreadId_t thread_id)
{
    const struct kernel_thread *const t = thread_of(thread_id);

    return t != NULL ? t->name : NULL;
}

osThreadId_t osThreadGetId(void)
{
    return sched.running;
}

osThreadState_t osThreadGetState(osThreadId_t thread_id)
{
    const struct kernel_thread *const t = thread_of(thread_id);

    if (t == NULL) {
        return osThreadError;
    }
    return t == sched.running && t->state == osThreadReady ? osThreadRunning
                                                           : (osThreadState_t)t->state;
}

uint32_t osThreadGetStackSize(osThreadId_t thread_id)
{
    const struct kernel_thread *const t = thread_of(thread_id);

    return t != NULL ? t->stack_bytes : 0u;
}

uint32_t osThreadGetStackSpace(osThreadId_t thread_id)
{
    const struct kernel_thread *const t = thread_of(thread_id);
    uint32_t n = 0u;

    if (t == NULL) {
        return 0u;
    }
    while (n < t->stack_bytes / 4u && t->stack[n] == ARCH_STACK_FILL) {
        n++;
    }
    return n * 4u;
}

/* Also from an interrupt, which the API leaves to the implementation. */
osStatus_t osThreadSetPriority(osThreadId_t thread_id, osPriority_t priority)
{
    struct kernel_thread *const t = thread_of(thread_id);
    osStatus_t status = osOK;

    if (t == NULL || !is_priority(priority)) {
        return osErrorParameter;
    }
    const uint32_t state = sched_lock();

    if (t->state == osThreadTerminated) {
        status = osErrorResource;
    } else {
        t->base = (uint8_t)priority;
        sched_settle(t);
    }
    sched_unlock(state);
    return status;
}

osPriority_t osThreadGetPriority(osThreadId_t thread_id)
{
    const struct kernel_thread *const t = thread_of(thread_id);

    return t != NULL && t->state != osThreadTerminated ? (osPriority_t)t->priority
                                                       : osPriorityError;
}

osStatus_t osThreadYield(void)
{
    const uint32_t state = sched_lock();
    osStatus_t status = osOK;

    if (!sched_can_wait(state)) {
        status = osErrorISR;
    } else {
        sched_unready(sched.running);
        sched_ready(sched.running);
    }
    sched_unlock(state);
    return status;
}

_Noreturn void osThreadExit(void)
{
    struct kernel_thread *const t = sched.running;
    const uint32_t state = sched_lock();

    if (!sched_can_wait(state)) {
        kernel_panic("osThreadExit outside of a thread", NULL);
    }
    if (t->owned != NULL) {
        kernel_panic("a thread ends that holds a mutex", t->name);
    }
    sched_unready(t);
    t->state = osThreadTerminated;
    arch_switch();
    kernel_panic("a thread runs that has ended", t->name);
}
