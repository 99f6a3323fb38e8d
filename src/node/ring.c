/* SPDX-License-Identifier: MIT
 *
 * ring.c - an interface as a ring of the core.
 */
#include "ring.h"

#include "posix_port.h"

#include <stdlib.h>

static bool ring_peek(void *ring, struct tg_rx_frame *out)
{
    struct tg_ring *const r = ring;
    struct tg_buffer *const buffer = r->slots[r->oldest];

    out->now_ns = tg_posix_port_now_ns();
    if (!tg_iface_look(r->iface, &r->frame)) {
        return false;
    }
    /* A longer frame than any buffer holds is oversize with that length, too. */
    if (r->frame.len_bytes > buffer->size_bytes) {
        r->frame.len_bytes = buffer->size_bytes;
    }
    tg_iface_copy(&r->frame, buffer->data, 0u,
                  r->frame.len_bytes < TG_FRAME_HEAD_BYTES ? r->frame.len_bytes
                                                           : TG_FRAME_HEAD_BYTES);
    out->buffer = buffer;
    out->len_bytes = r->frame.len_bytes;
    out->tci = r->frame.tci;
    return true;
}

/* Another buffer means that the packet was accepted: nobody reads it before the lock is free. */
static void ring_advance(void *ring, struct tg_buffer *buffer)
{
    struct tg_ring *const r = ring;
    struct tg_buffer *const with_frame = r->slots[r->oldest];

    if (buffer != with_frame) {
        if (r->frame.len_bytes > TG_FRAME_HEAD_BYTES) {
            tg_iface_copy(&r->frame, with_frame->data, TG_FRAME_HEAD_BYTES, r->frame.len_bytes);
        }
        r->arrival_ns[with_frame - r->first] = r->frame.arrival_ns;
        r->slots[r->oldest] = buffer;
    }
    if (!pthread_equal(pthread_self(), atomic_load_explicit(&r->receiver, memory_order_relaxed))) {
        atomic_fetch_add_explicit(&r->polled, 1u, memory_order_relaxed);
    }
    r->oldest = r->oldest + 1u != r->n_slots ? r->oldest + 1u : 0u;
    tg_iface_next(r->iface);
}

const struct tg_ring_ops tg_ring_ops = {.peek = ring_peek, .advance = ring_advance};

void tg_ring_wait(void *ring, int stop_fd)
{
    struct tg_ring *const r = ring;

    atomic_store_explicit(&r->receiver, pthread_self(), memory_order_relaxed);
    tg_iface_wait(r->iface, stop_fd);
    atomic_fetch_add_explicit(&r->interrupts, 1u, memory_order_relaxed);
}

uint64_t tg_ring_interrupts(const struct tg_ring *r)
{
    return atomic_load_explicit(&r->interrupts, memory_order_relaxed);
}

uint64_t tg_ring_polled(const struct tg_ring *r)
{
    return atomic_load_explicit(&r->polled, memory_order_relaxed);
}

int tg_ring_attach(struct tg_ring *r, struct tg_protocol *p, struct tg_iface *iface,
                   const struct tg_buffer *buffers, uint32_t n_buffers)
{
    struct tg_rxq *const queue = tg_rxq_attach(p, 0u, &tg_ring_ops, r);

    *r = (struct tg_ring){.iface = iface,
                          .first = buffers,
                          .arrival_ns = calloc(n_buffers, sizeof *r->arrival_ns),
                          .slots = calloc(queue->ring_pkts, sizeof(struct tg_buffer *))};
    if (r->arrival_ns == NULL || r->slots == NULL) {
        (void)tg_ring_free(r, queue);
        return -1;
    }
    while (r->n_slots < queue->ring_pkts) {
        r->slots[r->n_slots++] = tg_rxq_fill(queue);
    }
    return 0;
}

tg_ns tg_ring_arrival_ns(const struct tg_ring *r, const struct tg_buffer *buffer)
{
    return r->arrival_ns[buffer - r->first];
}

int tg_ring_free(struct tg_ring *r, struct tg_rxq *queue)
{
    int err = 0;

    for (uint32_t i = 0u; r->slots != NULL && i < r->n_slots; i++) {
        err = tg_rxq_unfill(queue, r->slots[i]) != 0 ? -1 : err;
    }
    free(r->slots);
    free(r->arrival_ns);
    *r = (struct tg_ring){.n_slots = 0u};
    return err;
}
