/* SPDX-License-Identifier: MIT
 *
 * soft_ring.c - a NIC's receive ring in memory.
 */
#include "soft_ring.h"

#include <string.h>

void soft_ring_fill(struct soft_ring *ring, struct tg_rxq *q, const tg_ns *now_ns)
{
    struct tg_buffer *b = tg_rxq_fill(q);

    *ring = (struct soft_ring){.now_ns = now_ns};
    while (b != NULL) {
        ring->slots[ring->n_slots++].buffer = b;
        b = tg_rxq_fill(q);
    }
}

bool soft_ring_is_full(const struct soft_ring *ring)
{
    return ring->filled == ring->n_slots;
}

bool soft_ring_receive(struct soft_ring *ring, const struct frame *f)
{
    if (soft_ring_is_full(ring)) {
        ring->dropped++;
        return false;
    }
    const uint32_t slot = (ring->oldest + ring->filled) % ring->n_slots;

    memcpy(ring->slots[slot].buffer->data, f->bytes, f->len_bytes);
    ring->slots[slot].len_bytes = f->len_bytes;
    ring->slots[slot].tci = f->tci;
    ring->filled++;
    return true;
}

static bool peek(void *opaque, struct tg_rx_frame *frame)
{
    const struct soft_ring *const ring = opaque;

    frame->now_ns = *ring->now_ns;
    if (ring->filled == 0u) {
        return false;
    }
    frame->buffer = ring->slots[ring->oldest].buffer;
    frame->len_bytes = ring->slots[ring->oldest].len_bytes;
    frame->tci = ring->slots[ring->oldest].tci;
    return true;
}

static void advance(void *opaque, struct tg_buffer *buffer)
{
    struct soft_ring *const ring = opaque;

    ring->slots[ring->oldest].buffer = buffer;
    ring->oldest = (ring->oldest + 1u) % ring->n_slots;
    ring->filled--;
}

const struct tg_ring_ops SOFT_RING_OPS = {.peek = peek, .advance = advance};
