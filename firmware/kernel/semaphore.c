/* SPDX-License-Identifier: MIT
 *
 * semaphore.c - osSemaphore: tokens, handed to the most urgent thread that waits.
 */
#include "sched.h"

static struct kernel_semaphore *semaphore_of(osSemaphoreId_t id)
{
    struct kernel_semaphore *const s = id;

    return s != NULL && s->kind == KERNEL_SEMAPHORE ? s : NULL;
}

osSemaphoreId_t osSemaphoreNew(uint32_t max_count, uint32_t initial_count,
                               const osSemaphoreAttr_t *attr)
{
    if (arch_in_interrupt() || max_count == 0u || initial_count > max_count || attr == NULL ||
        attr->attr_bits != 0u || attr->cb_mem == NULL ||
        attr->cb_size < sizeof(struct kernel_semaphore)) {
        return NULL;
    }
    struct kernel_semaphore *const s = attr->cb_mem;

    *s = (struct kernel_semaphore){
        .kind = KERNEL_SEMAPHORE, .count = initial_count, .max = max_count};
    list_init(&s->waiters);
    return s;
}

osStatus_t osSemaphoreAcquire(osSemaphoreId_t semaphore_id, uint32_t timeout)
{
    const uint32_t state = sched_lock();
    struct kernel_semaphore *const s = semaphore_of(semaphore_id);
    osStatus_t status = osOK;

    if (s == NULL || (timeout != 0u && !sched_can_wait(state))) {
        status = osErrorParameter; /* the API's code for a wait in an interrupt, too */
    } else if (s->count > 0u) {
        s->count--;
    } else if (timeout == 0u) {
        status = osErrorResource;
    } else {
        status = sched_wait(&s->waiters, timeout);
    }
    sched_unlock(state);
    return status;
}

osStatus_t osSemaphoreRelease(osSemaphoreId_t semaphore_id)
{
    const uint32_t state = sched_lock();
    struct kernel_semaphore *const s = semaphore_of(semaphore_id);
    osStatus_t status = osOK;

    if (s == NULL) {
        status = osErrorParameter;
    } else if (!list_is_empty(&s->waiters)) {
        sched_wake(sched_first_waiter(&s->waiters), osOK);
    } else if (s->count == s->max) {
        status = osErrorResource;
    } else {
        s->count++;
    }
    sched_unlock(state);
    return status;
}

uint32_t osSemaphoreGetCount(osSemaphoreId_t semaphore_id)
{
    const struct kernel_semaphore *const s = semaphore_of(semaphore_id);

    return s != NULL ? s->count : 0u;
}

osStatus_t osSemaphoreDelete(osSemaphoreId_t semaphore_id)
{
    const uint32_t state = sched_lock();
    struct kernel_semaphore *const s = semaphore_of(semaphore_id);
    osStatus_t status = osOK;

    if (!sched_can_wait(state)) {
        status = osErrorISR;
    } else if (s == NULL) {
        status = osErrorParameter;
    } else {
        s->kind = KERNEL_NONE;
        sched_wake_all(&s->waiters, osErrorResource);
    }
    sched_unlock(state);
    return status;
}
