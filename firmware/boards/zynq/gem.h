/* SPDX-License-Identifier: MIT
 *
 * gem.h - the Gigabit Ethernet MAC of the Zynq-7000 (Cadence GEM): rings of descriptors, cause
 * registers. What both variants of the driver share, gem_tidegate.h and gem_stock.h.
 *
 *     receive ring  ┌──────┬──────┬──────┬──────┐  the GEM fills free descriptors in order and
 *     (uncached)    │ used │ used │ free │ free │  marks them used; the driver takes the used
 *                   └──────┴──────┴──────┴──────┘  ones in order and gives them back with a
 *                     next ▲      ▲ GEM            buffer
 *
 *     transmit ring the other way round; what was sent is looked for at the next send, without an
 *                   interrupt
 *
 * Not used: the address filter (all frames are received: the classification is the core's), pause
 * frames, hardware checksums, the PHY (QEMU's link is always up).
 *
 * Source: Zynq-7000 SoC Technical Reference Manual (UG585), chapter 16 and appendix B.18.
 */
#ifndef GEM_H
#define GEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEM_BUFFER_BYTES 1536u /* of a received frame, at most; a multiple of 64 */
#define GEM_TX_SLOTS     32u

struct gem_descriptor {
    uint32_t address; /* receive: | 1 filled by the GEM, | 2 last of the ring */
    uint32_t control;
};

struct gem_config {
    uint32_t base; /* BOARD_GEM0, BOARD_GEM1 */
    uint32_t line; /* of its interrupt */
    uint64_t mac;  /* as tg_mac */

    /* Uncached: receive descriptors, and those to send. */
    volatile struct gem_descriptor *rx;
    volatile struct gem_descriptor *tx;    /* GEM_TX_SLOTS */
    uint8_t (*tx_bytes)[GEM_BUFFER_BYTES]; /* GEM_TX_SLOTS; NULL: it sends other memory */
    uint32_t rx_slots;
};

/* Private; complete so that storage can be static. */
struct gem {
    struct gem_config cfg;
    uint32_t rx_next;
    uint32_t tx_next;   /* descriptor of the next frame to send */
    uint32_t tx_unsent; /* not known to be sent yet */
    uint64_t tx_full;   /* frames for which there was no room */
};

/* Reset, with an empty receive ring; all causes masked, nothing is received or sent.
 *
 * Context: start-up. */
void gem_init(struct gem *g, const struct gem_config *cfg);

/* Give this buffer to descriptor i; all of them, before gem_start.
 *
 * Context: start-up. */
void gem_rx_fill(struct gem *g, uint32_t i, uint8_t *data);

/* Receive and send from now on.
 *
 * Context: start-up. */
void gem_start(struct gem *g);

/* Has a frame been received that was not taken out?
 *
 * Context: serialised by the caller with gem_rx_give.
 * Cost:    O(1): one uncached read. */
static inline bool gem_rx_has(const struct gem *g)
{
    return (g->cfg.rx[g->rx_next].address & 1u) != 0u;
}

/* The oldest received frame. Returns: false if there is none.
 *
 * Context: serialised by the caller with gem_rx_give.
 * Cost:    O(1): one uncached read, two with a frame. */
static inline bool gem_rx_look(const struct gem *g, uint32_t *len_bytes)
{
    const volatile struct gem_descriptor *const d = &g->cfg.rx[g->rx_next];

    if (!gem_rx_has(g)) {
        return false;
    }
    *len_bytes = d->control & 0x1fffu;
    return true;
}

/* Take that frame's descriptor out and give it back with this buffer.
 *
 * Context: as gem_rx_look.
 * Cost:    O(1). */
static inline void gem_rx_give(struct gem *g, const uint8_t *data)
{
    volatile struct gem_descriptor *const d = &g->cfg.rx[g->rx_next];
    const bool is_last = g->rx_next + 1u == g->cfg.rx_slots;

    g->rx_next = is_last ? 0u : g->rx_next + 1u;
    d->control = 0u;
    __asm volatile("dmb" ::: "memory"); /* before the GEM may fill it */
    d->address = (uint32_t)(uintptr_t)data | (is_last ? 2u : 0u);
}

/* Every cause that a received frame can raise: frame, no descriptor, overrun, bus error. What comes
 * while they are masked is not kept: look at the ring after unmasking.
 *
 * Context: any. */
void gem_rx_mask(struct gem *g);
void gem_rx_unmask(struct gem *g);

/* The causes are taken back, before looking at the ring.
 *
 * Context: the interrupt. */
void gem_acknowledge(struct gem *g);

/* Memory for a frame to send, GEM_BUFFER_BYTES; NULL, counted, if all of it waits to be sent.
 *
 * Context: a thread or interrupt; serialised by the caller with gem_send.
 * Cost:    O(frames sent since the last call). */
uint8_t *gem_tx_buffer(struct gem *g);

/* Send what is in the memory that gem_tx_buffer gave.
 *
 * Context: as gem_tx_buffer. */
void gem_send(struct gem *g, uint32_t len_bytes);

#endif
