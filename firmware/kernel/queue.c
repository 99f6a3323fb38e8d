/* SPDX-License-Identifier: MIT
 *
 * queue.c - osMessageQueue: messages of one size, first in, first out.
 *
 * Invariants: threads wait for a message only while there is none, for space only while there is
 * none; so a message goes from thread to thread without a stop in the queue, or through it.
 */
#include "sched.h"

#include <string.h>

static struct kernel_queue *queue_of(osMessageQueueId_t id)
{
    struct kernel_queue *const q = id;

    return q != NULL && q->kind == KERNEL_QUEUE ? q : NULL;
}

osMessageQueueId_t osMessageQueueNew(uint32_t msg_count, uint32_t msg_size,
                                     const osMessageQueueAttr_t *attr)
{
    if (arch_in_interrupt() || msg_count == 0u || msg_size == 0u || attr == NULL ||
        attr->attr_bits != 0u || attr->cb_mem == NULL ||
        attr->cb_size < sizeof(struct kernel_queue) || attr->mq_mem == NULL ||
        (uint64_t)msg_count * msg_size > attr->mq_size) {
        return NULL;
    }
    struct kernel_queue *const q = attr->cb_mem;

    *q = (struct kernel_queue){
        .kind = KERNEL_QUEUE, .bytes = attr->mq_mem, .msg_bytes = msg_size, .capacity = msg_count};
    list_init(&q->getters);
    list_init(&q->putters);
    return q;
}

/* There is space. */
static void append(struct kernel_queue *q, const void *message)
{
    uint32_t place = q->oldest + q->count;

    if (place >= q->capacity) {
        place -= q->capacity;
    }
    memcpy(q->bytes + (size_t)place * q->msg_bytes, message, q->msg_bytes);
    q->count++;
}

/* There is a message; a thread that waits for space gets that of the message. */
static void take_oldest(struct kernel_queue *q, void *message)
{
    struct kernel_thread *const putter = sched_first_waiter(&q->putters);

    memcpy(message, q->bytes + (size_t)q->oldest * q->msg_bytes, q->msg_bytes);
    q->oldest = q->oldest + 1u < q->capacity ? q->oldest + 1u : 0u;
    q->count--;
    if (putter != NULL) {
        append(q, putter->message_out);
        sched_wake(putter, osOK);
    }
}

static osStatus_t put(struct kernel_queue *q, const void *message, uint32_t timeout)
{
    struct kernel_thread *const getter = sched_first_waiter(&q->getters);

    if (getter != NULL) {
        memcpy(getter->message_in, message, q->msg_bytes);
        sched_wake(getter, osOK);
        return osOK;
    }
    if (q->count < q->capacity) {
        append(q, message);
        return osOK;
    }
    if (timeout == 0u) {
        return osErrorResource;
    }
    sched.running->message_out = message;
    return sched_wait(&q->putters, timeout);
}

osStatus_t osMessageQueuePut(osMessageQueueId_t mq_id, const void *msg_ptr, uint8_t msg_prio,
                             uint32_t timeout)
{
    const uint32_t state = sched_lock();
    struct kernel_queue *const q = queue_of(mq_id);
    osStatus_t status = osErrorParameter;

    if (q != NULL && msg_ptr != NULL && msg_prio == 0u &&
        (timeout == 0u || sched_can_wait(state))) {
        status = put(q, msg_ptr, timeout);
    }
    sched_unlock(state);
    return status;
}

static osStatus_t get(struct kernel_queue *q, void *message, uint32_t timeout)
{
    if (q->count != 0u) {
        take_oldest(q, message);
        return osOK;
    }
    if (timeout == 0u) {
        return osErrorResource;
    }
    sched.running->message_in = message;
    return sched_wait(&q->getters, timeout);
}

osStatus_t osMessageQueueGet(osMessageQueueId_t mq_id, void *msg_ptr, uint8_t *msg_prio,
                             uint32_t timeout)
{
    const uint32_t state = sched_lock();
    struct kernel_queue *const q = queue_of(mq_id);
    osStatus_t status = osErrorParameter;

    if (q != NULL && msg_ptr != NULL && (timeout == 0u || sched_can_wait(state))) {
        status = get(q, msg_ptr, timeout);
        if (status == osOK && msg_prio != NULL) {
            *msg_prio = 0u;
        }
    }
    sched_unlock(state);
    return status;
}

uint32_t osMessageQueueGetCapacity(osMessageQueueId_t mq_id)
{
    const struct kernel_queue *const q = queue_of(mq_id);

    return q != NULL ? q->capacity : 0u;
}

uint32_t osMessageQueueGetMsgSize(osMessageQueueId_t mq_id)
{
    const struct kernel_queue *const q = queue_of(mq_id);

    return q != NULL ? q->msg_bytes : 0u;
}

uint32_t osMessageQueueGetCount(osMessageQueueId_t mq_id)
{
    const struct kernel_queue *const q = queue_of(mq_id);

    return q != NULL ? q->count : 0u;
}

uint32_t osMessageQueueGetSpace(osMessageQueueId_t mq_id)
{
    const struct kernel_queue *const q = queue_of(mq_id);

    return q != NULL ? q->capacity - q->count : 0u;
}

osStatus_t osMessageQueueDelete(osMessageQueueId_t mq_id)
{
    const uint32_t state = sched_lock();
    struct kernel_queue *const q = queue_of(mq_id);
    osStatus_t status = osOK;

    if (!sched_can_wait(state)) {
        status = osErrorISR;
    } else if (q == NULL) {
        status = osErrorParameter;
    } else {
        q->kind = KERNEL_NONE;
        sched_wake_all(&q->getters, osErrorResource);
        sched_wake_all(&q->putters, osErrorResource);
    }
    sched_unlock(state);
    return status;
}
