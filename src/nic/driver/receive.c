/* SPDX-License-Identifier: MIT
 *
 * receive.c - the core's ring operations and a queue's interrupt.
 */
#include "nic/driver/private.h"

/* Another token: what comes from now on interrupts. Look at the ring after this (ring.h, P5). */
static void arm(struct tg_nic_driver_queue *q)
{
    q->token = q->token == UINT32_MAX ? 1u : q->token + 1u;
    tg_nic_store_in_order(tg_nic_driver_word(q->driver, TG_NIC_Q_ARM(q->number)), q->token);
}

void tg_nic_driver_mask(struct tg_nic_driver *d, uint32_t number)
{
    d->queues[number].is_masked = true;
    tg_nic_store_in_order(tg_nic_driver_word(d, TG_NIC_Q_ARM(number)), 0u);
}

void tg_nic_driver_unmask(struct tg_nic_driver *d, uint32_t number)
{
    d->queues[number].is_masked = false;
    arm(&d->queues[number]);
}

/* A length that no buffer has (the device refused the descriptor) is handed over as an empty frame,
 * which the core counts as malformed. */
static bool peek(void *opaque, struct tg_rx_frame *frame)
{
    const struct tg_nic_driver_queue *const q = opaque;
    const struct tg_nic_ring *const ring = &q->ring;
    const struct tg_nic_board *const board = &q->driver->board;

    frame->now_ns = board->now_ns(board->context);
    if (!tg_nic_ring_has_returned(ring)) {
        return false;
    }
    const uint32_t len_bytes = tg_nic_load(&tg_nic_ring_slot(ring, ring->done)->len_bytes);

    frame->buffer = q->buffers[ring->done & (ring->size - 1u)];
    frame->len_bytes = len_bytes <= frame->buffer->size_bytes ? len_bytes : 0u;
    frame->tci = TG_TCI_NONE;
    return true;
}

static void offer(struct tg_nic_driver_queue *q, struct tg_buffer *buffer)
{
    struct tg_nic_ring *const ring = &q->ring;

    q->buffers[ring->sent & (ring->size - 1u)] = buffer;
    tg_nic_ring_offer(ring, (uint32_t)(buffer->data - q->driver->memory), buffer->size_bytes);
}

static void advance(void *opaque, struct tg_buffer *buffer)
{
    struct tg_nic_driver_queue *const q = opaque;

    tg_nic_ring_take(&q->ring);
    offer(q, buffer);
}

static const struct tg_ring_ops ring_ops = {.peek = peek, .advance = advance};

/* Buffers into the ring, and the device takes over. The queue is armed before it is enabled: no
 * frame comes unnoticed. */
static int enable(struct tg_nic_driver *d, struct tg_nic_driver_queue *q)
{
    for (struct tg_buffer *b = tg_rxq_fill(q->rxq); b != NULL; b = tg_rxq_fill(q->rxq)) {
        offer(q, b);
    }
    tg_rxq_link(q->rxq, true);
    return tg_nic_driver_write(d, TG_NIC_QUEUE(q->number) + TG_NIC_Q_CONTROL, TG_NIC_ENABLE);
}

/* The device no longer works on the ring: all buffers back to the pool, from the index `done` on,
 * whether they were returned or not. */
static int empty(struct tg_nic_driver_queue *q)
{
    int err = 0;

    tg_rxq_link(q->rxq, false);
    for (; q->ring.done != q->ring.sent && err == 0; q->ring.done++) {
        err = tg_rxq_unfill(q->rxq, q->buffers[q->ring.done & (q->ring.size - 1u)]);
    }
    return err;
}

int tg_nic_driver_attach(struct tg_nic_driver *d, struct tg_protocol *p, uint32_t number,
                         uint32_t ring_base, uint32_t ring_size, struct tg_buffer **buffers)
{
    const uint32_t block = TG_NIC_QUEUE(number);
    struct tg_nic_driver_queue *const q = &d->queues[number];

    if (number >= d->n_queues || number >= p->n_queues || ring_size < p->queues[number].ring_pkts) {
        return TG_ERR_RANGE;
    }
    int err = tg_nic_driver_write(d, block + TG_NIC_Q_RING_BASE, ring_base);

    if (err == 0) {
        err = tg_nic_driver_write(d, block + TG_NIC_Q_RING_SIZE, ring_size);
    }
    if (err) {
        return err;
    }
    *q = (struct tg_nic_driver_queue){.driver = d,
                                      .ring = tg_nic_driver_ring(d, ring_base, ring_size,
                                                                 TG_NIC_Q_OFFERED(number),
                                                                 block + TG_NIC_Q_RETURNED),
                                      .buffers = buffers,
                                      .number = (uint8_t)number};
    tg_nic_driver_mask(d, number);
    q->rxq = tg_rxq_attach(p, number, &ring_ops, q);
    err = enable(d, q);
    if (err) {
        (void)empty(q);
    }
    return err;
}

int tg_nic_driver_detach(struct tg_nic_driver *d, uint32_t number)
{
    const int err = tg_nic_driver_write(d, TG_NIC_QUEUE(number) + TG_NIC_Q_CONTROL, 0u);

    return err ? err : empty(&d->queues[number]);
}

enum tg_work tg_nic_driver_interrupt(struct tg_nic_driver *d, uint32_t number, uint32_t max_frames)
{
    struct tg_nic_driver_queue *const q = &d->queues[number];
    enum tg_work work = tg_rxq_interrupt(q->rxq, max_frames);

    if (work == TG_WORK_DONE) {
        const uint32_t state = tg_port_lock(d->port);

        if (!q->is_masked) {
            arm(q);
            work = tg_nic_ring_has_returned(&q->ring) ? TG_WORK_MORE : TG_WORK_DONE;
        }
        tg_port_unlock(d->port, state);
    }
    return work;
}

void tg_nic_driver_running(struct tg_nic_driver *d, int priority)
{
    tg_nic_store_in_order(tg_nic_driver_word(d, TG_NIC_RUNNING), (uint32_t)(priority + 1));
    if (tg_nic_load_in_order(tg_nic_driver_word(d, TG_NIC_HELD)) != 0u) {
        d->board.doorbell(d->board.context);
    }
}
