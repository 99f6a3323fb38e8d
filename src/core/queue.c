/* SPDX-License-Identifier: MIT
 *
 * queue.c - packet buffers, and one first-in-first-out queue of them per priority.
 */
#include "tidegate/queue.h"

void tg_queue_init(struct tg_queue *q)
{
    *q = (struct tg_queue){.waiting = 0u};
}

uint32_t tg_queue_check(const struct tg_queue *q)
{
    uint32_t n = 0u;

    for (uint32_t p = 0u; p < TG_PRIORITIES; p++) {
        TG_ASSERT(((q->waiting >> p & 1u) != 0u) == (q->head[p] != NULL)); /* I1 */
        for (const struct tg_buffer *b = q->head[p]; b != NULL; b = b->next) {
            TG_ASSERT(b->priority == p && b->state == TG_BUFFER_WAITING);
            TG_ASSERT(b->next != NULL || q->tail[p] == b);
            n++;
        }
    }
    return n;
}
