/* SPDX-License-Identifier: MIT
 *
 * generator.h - traffic for the first GEM, sent by the second one: a list of arrivals, replayed by
 * a timer interrupt above all others.
 *
 * The network costs nothing: what that interrupt takes, its way in and out included, is taken out
 * of the clock (board_pause), so that everything else sees frames that come by themselves.
 *
 *     global timer  ──────┬───────────────┬──────────▶  never stands still
 *                         │  interrupt:   │
 *     board_ticks() ──────┤  frames sent  ├──────────▶  the same before and after
 *
 * A full ring drops. On one emulated hub a frame is received inside the write that sends it; QEMU's
 * GEM keeps one that finds no free descriptor and delivers it much later. So what would find none
 * is not sent.
 */
#ifndef GENERATOR_H
#define GENERATOR_H

#include "gem.h"

struct generator_frame {
    const uint8_t *bytes;
    uint32_t len_bytes;
};

/* In order of time; several may have the same. */
struct generator_arrival {
    uint32_t gap_ticks; /* since the one before, or the start; at most 2^31 - 1 */
    uint32_t frame;     /* index */
};

struct generator_config {
    struct gem *sender;   /* started, without tx_bytes */
    struct gem *receiver; /* initialised, its ring is filled */
    const struct generator_frame *frames;
    const struct generator_arrival *arrivals; /* n_arrivals */
    uint32_t n_arrivals;

    /* Arrival `index` is due. address: where the receiver will write it; 0: its ring is full, the
     * frame is lost. The frame's bytes may be changed until this returns. Context: interrupt. */
    void (*arrives)(uint32_t index, uint32_t address, uint64_t due_ticks);
};

/* Find out what the way into the interrupt and out of it takes, and be ready.
 *
 * Context: a thread, after the receiver was started; nothing else runs meanwhile. */
void generator_init(const struct generator_config *cfg);

/* Begin: the first gap counts from this instant of board_ticks(), which may lie ahead.
 *
 * Context: a thread. */
void generator_start(uint64_t at_ticks);

/* All arrivals are over. Context: any. */
bool generator_is_over(void);

/* Frames that lay in the receiver's ring at one time, at most. Context: any. */
uint32_t generator_most_filled(void);

/* What the last interrupt took of the global timer, in ticks, and the way in and out in ns; nested:
 * of one that interrupts another interrupt.
 *
 * Context: any. */
uint32_t generator_last_ticks(void);
uint32_t generator_around_ns(bool is_nested);

#endif
