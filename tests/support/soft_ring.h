/* SPDX-License-Identifier: MIT
 *
 * soft_ring.h - a NIC's receive ring in memory: the NIC writes at one end and drops when it is
 * full.
 */
#ifndef TG_TESTS_SOFT_RING_H
#define TG_TESTS_SOFT_RING_H

#include "test_frame.h"
#include "tidegate/rx.h"

#define SOFT_RING_MAX 64u

/* Descriptors go round: oldest..oldest + filled hold frames, the rest wait for the NIC. Every one
 * has a buffer at all times. */
struct soft_ring {
    struct {
        struct tg_buffer *buffer;
        uint32_t len_bytes;
        uint32_t tci;
    } slots[SOFT_RING_MAX];
    uint32_t n_slots;
    uint32_t oldest;
    uint32_t filled;
    uint32_t dropped;    /* by the NIC, because the ring was full */
    const tg_ns *now_ns; /* the clock that peek reads */
};

extern const struct tg_ring_ops SOFT_RING_OPS;

/* Empty, with a buffer from tg_rxq_fill in each descriptor. */
void soft_ring_fill(struct soft_ring *ring, struct tg_rxq *q, const tg_ns *now_ns);

/* The NIC receives a frame. Returns: false if it had to drop it. */
bool soft_ring_receive(struct soft_ring *ring, const struct frame *f);

bool soft_ring_is_full(const struct soft_ring *ring);

#endif
