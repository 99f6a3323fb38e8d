/* SPDX-License-Identifier: MIT
 *
 * ring.h - a ring of descriptors between two parties that share memory and nothing else: the guest
 * offers descriptors, the device returns them in the same order.
 *
 * The same header serves both sides: the device process and the freestanding driver. One protocol
 * serves all rings of the NIC: receive rings, transmit ring and write port.
 *
 *     index     returned                     offered              returned + size
 *                  │                            │                        │
 *     ─────────────┼────────────────────────────┼────────────────────────┼──────▶ wraps at 2^32
 *       guest's    │         device's           │        guest's         │
 *                  └──── at most size ──────────┘                        │
 *                  └──── the slots once round: index & (size - 1) ───────┘
 *
 * Two words are shared, each has one writer: `offered` (guest) and `returned` (device). Both count
 * descriptors since the ring was set up and never step back: free-running, so that a full ring
 * (offered - returned = size) and an empty one (0) differ. This is a pair of single-producer,
 * single-consumer queues laid over one array (sDDF, "The seL4 Device Driver Framework", 2023: free
 * and active queue); since the device works in order, one array is enough.
 *
 * Ownership: the device owns the slots of the indices returned <= i < offered, the guest all
 * others. Only the owner of a slot reads or writes it.
 *
 * Proof that no descriptor is lost, duplicated or torn, if the guest never lets offered - returned
 * exceed size (what happens otherwise is at the end):
 *
 *  P1  Each index moves only by its one writer, by one, so each i is offered once and returned
 *      once.
 *  P2  The guest fills slot i & mask, then stores offered = i + 1 with release. The device loads
 *      offered with acquire and touches the slot only if i < offered: it sees the whole descriptor.
 *  P3  The device writes its part of slot i & mask (and the buffer behind it), then stores returned
 *      = i + 1 with release. The guest loads returned with acquire and touches the slot only if
 *      i < returned: it sees the whole of it, and the device never touches that i again (P1).
 *  P4  Two indices share a slot only if they differ by a multiple of size. i + size is offered only
 *      after i was returned (offered - returned <= size), so of those that share a slot the device
 *      owns at most one. With P2 and P3 each access by one side happens before or after each access
 *      by the other: no torn descriptor.
 *
 * Waking: the guest sleeps when it found no returned descriptor. It stores its wish to be woken
 * (`arm`, registers.h), THEN looks once more. The device stores returned, THEN loads the wish.
 *
 *  P5  All four are sequentially consistent, so they have one total order. If the device did not
 *      see the wish, its load stands before the guest's store, hence its store of returned before
 *      the guest's second look: the guest sees the descriptor and does not sleep. Otherwise the
 *      device wakes it. No wake-up is missed. (Dekker's argument.)
 *
 * The wish is a token: another value than the one that the device saw last. A value may come again
 * only after the device has looked, which it does with each descriptor that it returns.
 *
 * tests/nic/ring.pml states P1 to P5 for spin, tests/nic/ring_threads_test.c runs them under TSan.
 *
 * The guest is not trusted: every value of it is loaded once, into a local, and checked there. If
 * offered - returned > size the device touches nothing (TG_NIC_RING_NONSENSE).
 */
#ifndef TG_NIC_WIRE_RING_H
#define TG_NIC_WIRE_RING_H

#include <stdbool.h>
#include <stdint.h>

/* In memory: 4 words, little-endian.
 *
 *      0          4             8            12         16
 *     ┌──────────┬─────────────┬────────────┬──────────┐
 *     │  buffer  │ size_bytes  │ len_bytes  │   flow   │
 *     └──────────┴─────────────┴────────────┴──────────┘
 *       guest      guest         device       device          writes it  */
struct tg_nic_descriptor {
    uint32_t buffer;     /* offset of the buffer in the shared memory; write port: of a register */
    uint32_t size_bytes; /* receive: of the buffer; transmit: of the frame; write port: the value */
    uint32_t len_bytes;  /* receive: of the frame, 0: refused; transmit, write port: 0: refused */
    uint32_t flow;       /* receive: which rule took the frame, 0: best effort */
};

_Static_assert(sizeof(struct tg_nic_descriptor) == 16u, "layout of the shared memory");

/* One side's view of a ring. Private to that side: nothing in it is shared. */
struct tg_nic_ring {
    struct tg_nic_descriptor *slots; /* shared, size of them */
    uint32_t *offered;               /* shared, the guest writes it */
    uint32_t *returned;              /* shared, the device writes it */
    uint32_t size;                   /* a power of two */
    uint32_t done; /* guest: returned ones that it took; device: those that it returned */
    uint32_t sent; /* guest: those that it offered; the device does not use it */
};

enum tg_nic_ring_state {
    TG_NIC_RING_EMPTY,   /* no descriptor is offered */
    TG_NIC_RING_READY,   /* the one at index `done` is the device's */
    TG_NIC_RING_NONSENSE /* offered is no possible value: nothing may be touched */
};

/* ---- Words of the shared memory: each access is one load or store ---------------------------- */

static inline uint32_t tg_nic_load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void tg_nic_store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* Those of P5. */
static inline uint32_t tg_nic_load_in_order(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static inline void tg_nic_store_in_order(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static inline struct tg_nic_descriptor *tg_nic_ring_slot(const struct tg_nic_ring *r,
                                                         uint32_t index)
{
    return &r->slots[index & (r->size - 1u)];
}

/* ---- The guest's side ------------------------------------------------------------------------ */

/* Descriptors that can be offered now.
 *
 * Context: the one context that works for the guest on this ring; likewise below.
 * Cost:    O(1), likewise below. */
static inline uint32_t tg_nic_ring_room(const struct tg_nic_ring *r)
{
    return r->size - (r->sent - r->done);
}

/* Offer a descriptor; tg_nic_ring_room() is not 0. P2. */
static inline void tg_nic_ring_offer(struct tg_nic_ring *r, uint32_t buffer, uint32_t size_bytes)
{
    struct tg_nic_descriptor *const slot = tg_nic_ring_slot(r, r->sent);

    tg_nic_store(&slot->buffer, buffer);
    tg_nic_store(&slot->size_bytes, size_bytes);
    r->sent++;
    __atomic_store_n(r->offered, r->sent, __ATOMIC_RELEASE);
}

/* Has the oldest offered descriptor come back? Then it is at index r->done, and stays the guest's
 * until tg_nic_ring_take(). P3, P5. */
static inline bool tg_nic_ring_has_returned(const struct tg_nic_ring *r)
{
    return r->sent != r->done && tg_nic_load_in_order(r->returned) != r->done;
}

static inline void tg_nic_ring_take(struct tg_nic_ring *r)
{
    r->done++;
}

/* ---- The device's side ----------------------------------------------------------------------- */

/* Is there a descriptor at index r->done? P2.
 *
 * Context: the one context that works for the device on this ring; likewise below.
 * Cost:    O(1), likewise below. */
static inline enum tg_nic_ring_state tg_nic_ring_state(const struct tg_nic_ring *r)
{
    const uint32_t n = __atomic_load_n(r->offered, __ATOMIC_ACQUIRE) - r->done;

    if (n == 0u) {
        return TG_NIC_RING_EMPTY;
    }
    return n <= r->size ? TG_NIC_RING_READY : TG_NIC_RING_NONSENSE;
}

/* Return it. P3, P5. */
static inline void tg_nic_ring_return(struct tg_nic_ring *r, uint32_t len_bytes, uint32_t flow)
{
    struct tg_nic_descriptor *const slot = tg_nic_ring_slot(r, r->done);

    tg_nic_store(&slot->len_bytes, len_bytes);
    tg_nic_store(&slot->flow, flow);
    r->done++;
    tg_nic_store_in_order(r->returned, r->done);
}

#endif
