/* SPDX-License-Identifier: MIT
 *
 * queue.h - packet buffers, and one first-in-first-out queue of them per priority.
 */
#ifndef TIDEGATE_QUEUE_H
#define TIDEGATE_QUEUE_H

#include "tidegate/common.h"

/* Where a buffer is. It goes round one way:
 *
 *        take_for_ring            eager: passed            next                release
 *   FREE ────────────▶ RING ────────────────▶ WAITING ────────────▶ DELIVERED ────────▶ FREE
 *                       ▲  a refused frame's buffer stays */
enum tg_buffer_state { TG_BUFFER_FREE = 0, TG_BUFFER_RING, TG_BUFFER_WAITING, TG_BUFFER_DELIVERED };

/* A packet buffer's descriptor. The caller sets data and size_bytes before start-up; a stack
 * adaptor may embed the descriptor in a structure of its own. On a machine with caches data and
 * size_bytes are multiples of a cache line, so that invalidating a buffer touches nothing else. */
struct tg_buffer {
    uint8_t *data;          /* not NULL */
    struct tg_buffer *next; /* private: free list, or queue */
    uint32_t size_bytes;    /* the longest frame the ring accepts, TG_FRAME_HEAD_BYTES or more */
    uint32_t len_bytes;     /* of the packet; valid from the verdict on */
    uint32_t tci;           /* stripped tag of the packet, or TG_TCI_NONE */
    uint16_t flow;          /* which takes it, 0 is best effort; valid as len_bytes */
    uint8_t priority;       /* of its flow when the packet was accepted */
    uint8_t state;          /* private: enum tg_buffer_state */
};

/* The queues. Invariants (check.h):
 *  I1  bit p of waiting is set iff head[p] is not NULL
 *  I2  packets in = packets out + those linked from the heads */
struct tg_queue {
    uint32_t waiting;                       /* bit p: something waits at priority p */
    struct tg_buffer **tail[TG_PRIORITIES]; /* where the next one is linked: no case for "empty" */
    struct tg_buffer *head[TG_PRIORITIES];
};

/* Make it empty.
 *
 * Context: start-up.
 * Cost:    O(TG_PRIORITIES). */
static inline void tg_queue_init(struct tg_queue *q)
{
    q->waiting = 0u;
    for (uint32_t i = 0u; i < TG_PRIORITIES; i++) {
        q->head[i] = NULL;
        q->tail[i] = &q->head[i];
    }
}

/* Number of the highest bit set. x is not 0.
 *
 * Context: any.
 * Cost:    O(1): one instruction where the machine has it, else 5 comparisons; never a library
 *          call. */
static inline uint32_t tg_highest_bit(uint32_t x)
{
#if defined(__ARM_FEATURE_CLZ) || defined(__x86_64__) || defined(__aarch64__)
    return 31u ^ (uint32_t)__builtin_clz(x);
#else
    uint32_t n = 0u;

    for (uint32_t half = 16u; half != 0u; half >>= 1) {
        if (x >> half != 0u) {
            x >>= half;
            n += half;
        }
    }
    return n;
#endif
}

/* Append a buffer at its priority.
 *
 * Context: ISR or task; the caller holds the lock of the receive path.
 * Cost:    O(1). */
static inline void tg_queue_push(struct tg_queue *q, struct tg_buffer *b)
{
    b->next = NULL;
    *q->tail[b->priority] = b;
    q->tail[b->priority] = &b->next;
    q->waiting |= 1u << b->priority;
}

/* Take the oldest buffer of the highest priority. The queue is not empty.
 *
 * Context, cost: as tg_queue_push. */
static inline struct tg_buffer *tg_queue_pop(struct tg_queue *q)
{
    const uint32_t priority = tg_highest_bit(q->waiting);
    struct tg_buffer *const b = q->head[priority];

    q->head[priority] = b->next;
    if (b->next == NULL) {
        q->tail[priority] = &q->head[priority];
        q->waiting ^= 1u << priority;
    }
    return b;
}

#endif
