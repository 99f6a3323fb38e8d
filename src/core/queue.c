/* SPDX-License-Identifier: MIT
 *
 * queue.c - packet buffers, and one first-in-first-out queue of them per priority.
 */
#include "tidegate/queue.h"

void tg_queue_init(struct tg_queue *q)
{
    *q = (struct tg_queue){.waiting = 0u};
}
