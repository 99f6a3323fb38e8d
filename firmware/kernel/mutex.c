/* SPDX-License-Identifier: MIT
 *
 * mutex.c - osMutex: recursive and priority-inheriting if asked for.
 *
 * Inheritance: Sha, Rajkumar, Lehoczky, "Priority Inheritance Protocols", IEEE Trans. Computers
 * 39(9), 1990: an owner has at least the priority of the most urgent thread that waits, along the
 * whole chain of owners who wait themselves, and until it releases that mutex.
 */
#include "sched.h"

static struct kernel_mutex *mutex_of(osMutexId_t id)
{
    struct kernel_mutex *const m = id;

    return m != NULL && m->kind == KERNEL_MUTEX ? m : NULL;
}

osMutexId_t osMutexNew(const osMutexAttr_t *attr)
{
    if (arch_in_interrupt() || attr == NULL || attr->cb_mem == NULL ||
        attr->cb_size < sizeof(struct kernel_mutex) ||
        (attr->attr_bits & ~(osMutexRecursive | osMutexPrioInherit)) != 0u) {
        return NULL;
    }
    struct kernel_mutex *const m = attr->cb_mem;

    *m = (struct kernel_mutex){.kind = KERNEL_MUTEX, .attr_bits = attr->attr_bits};
    list_init(&m->waiters);
    return m;
}

static void own(struct kernel_mutex *m, struct kernel_thread *t)
{
    m->owner = t;
    m->depth = 1u;
    m->next = t->owned;
    t->owned = m;
}

static void disown(struct kernel_mutex *m)
{
    struct kernel_mutex **link = &m->owner->owned;

    while (*link != m) {
        link = &(*link)->next;
    }
    *link = m->next;
    m->owner = NULL;
}

/* The lock is held, the caller may wait. */
static osStatus_t acquire(struct kernel_mutex *m, uint32_t timeout)
{
    if (m->owner == NULL) {
        own(m, sched.running);
        return osOK;
    }
    if (m->owner == sched.running) {
        if ((m->attr_bits & osMutexRecursive) == 0u) {
            return osErrorResource; /* it would wait for itself */
        }
        m->depth++;
        return osOK;
    }
    if (timeout == 0u) {
        return osErrorResource;
    }
    sched.running->wanted = m;
    return sched_wait(&m->waiters, timeout);
}

osStatus_t osMutexAcquire(osMutexId_t mutex_id, uint32_t timeout)
{
    const uint32_t state = sched_lock();
    struct kernel_mutex *const m = mutex_of(mutex_id);
    osStatus_t status;

    if (!sched_can_wait(state)) {
        status = osErrorISR;
    } else if (m == NULL) {
        status = osErrorParameter;
    } else {
        status = acquire(m, timeout);
    }
    sched_unlock(state);
    return status;
}

/* The lock is held; the caller owns it. */
static void release(struct kernel_mutex *m)
{
    struct kernel_thread *const owner = m->owner;
    struct kernel_thread *const heir = sched_first_waiter(&m->waiters);

    m->depth--;
    if (m->depth != 0u) {
        return;
    }
    disown(m);
    if (heir != NULL) {
        sched_wake(heir, osOK);
        own(m, heir);
        sched_settle(heir); /* from those who go on waiting */
    }
    sched_settle(owner);
}

osStatus_t osMutexRelease(osMutexId_t mutex_id)
{
    const uint32_t state = sched_lock();
    struct kernel_mutex *const m = mutex_of(mutex_id);
    osStatus_t status = osOK;

    if (!sched_can_wait(state)) {
        status = osErrorISR;
    } else if (m == NULL) {
        status = osErrorParameter;
    } else if (m->owner != sched.running) {
        status = osErrorResource;
    } else {
        release(m);
    }
    sched_unlock(state);
    return status;
}

osThreadId_t osMutexGetOwner(osMutexId_t mutex_id)
{
    const struct kernel_mutex *const m = mutex_of(mutex_id);

    return m != NULL && !arch_in_interrupt() ? m->owner : NULL;
}

osStatus_t osMutexDelete(osMutexId_t mutex_id)
{
    const uint32_t state = sched_lock();
    struct kernel_mutex *const m = mutex_of(mutex_id);
    osStatus_t status = osOK;

    if (!sched_can_wait(state)) {
        status = osErrorISR;
    } else if (m == NULL) {
        status = osErrorParameter;
    } else {
        struct kernel_thread *const owner = m->owner;

        if (owner != NULL) {
            disown(m);
        }
        m->kind = KERNEL_NONE;
        sched_wake_all(&m->waiters, osErrorResource);
        sched_settle(owner);
    }
    sched_unlock(state);
    return status;
}
