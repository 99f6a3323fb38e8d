/* SPDX-License-Identifier: MIT
 *
 * ring.h - an interface as a ring of the core. The kernel's slots are copied into the core's
 * buffers: of a refused frame the head alone, the rest of a frame once it has been accepted.
 */
#ifndef TG_NODE_RING_H
#define TG_NODE_RING_H

#include "iface/iface.h"

#include "tidegate/rx.h"

#include <pthread.h>

struct tg_ring {
    struct tg_iface *iface;
    const struct tg_buffer *first; /* of all buffers */
    tg_ns *arrival_ns;             /* by buffer: when its packet reached the kernel */
    struct tg_buffer **slots;
    uint32_t n_slots;
    uint32_t oldest;             /* slot that is served next */
    struct tg_iface_frame frame; /* in it */
    _Atomic(pthread_t) receiver; /* valid once there were interrupts */
    _Atomic uint64_t interrupts;
    _Atomic uint64_t polled;
};

extern const struct tg_ring_ops tg_ring_ops;

/* Attach queue 0 of a protocol that has been set up, and fill its ring.
 *
 * Context: start-up; allocates.
 * Units:   buffers, n_buffers: as in struct tg_storage.
 * Returns: 0, the ring to be given to tg_ring_free; -1 when out of memory.
 * Cost:    O(ring + buffers). */
TG_NODISCARD int tg_ring_attach(struct tg_ring *r, struct tg_protocol *p, struct tg_iface *iface,
                                const struct tg_buffer *buffers, uint32_t n_buffers);

/* tg_posix_wait_frames of the ring.
 *
 * Context: receive thread.
 * Cost:    blocks. */
void tg_ring_wait(void *ring, int stop_fd);

/* Times that the receive thread woke up for frames.
 *
 * Context: any thread, likewise below.
 * Cost:    O(1), likewise below. */
uint64_t tg_ring_interrupts(const struct tg_ring *r);

/* Frames served by another thread than that. */
uint64_t tg_ring_polled(const struct tg_ring *r);

/* When the packet in this buffer reached the kernel.
 *
 * Context: from its acceptance to its release.
 * Cost:    O(1). */
tg_ns tg_ring_arrival_ns(const struct tg_ring *r, const struct tg_buffer *buffer);

/* Give the buffers of the ring back to the core, whose link is down.
 *
 * Context: all threads of the port have been joined; an all-zero object is allowed.
 * Returns: 0; -1 if the core did not take them.
 * Cost:    O(ring). */
int tg_ring_free(struct tg_ring *r, struct tg_rxq *queue);

#endif
