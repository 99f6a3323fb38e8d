/* SPDX-License-Identifier: MIT
 *
 * generator.h - traffic for the first GEM, sent by the second one: a list of arrivals, replayed by
 * a timer interrupt above all others.
 *
 * On one emulated hub a frame is received inside the write that sends it. QEMU's GEM keeps frames
 * that find no free descriptor and delivers them much later; a real one drops them. So the
 * generator looks at the receiver's next descriptor first and drops the frame itself when it is not
 * free: what it counts as dropped is what a real NIC would have dropped.
 *
 * Its own time is part of a run: measure it with reception off, and subtract it.
 */
#ifndef GENERATOR_H
#define GENERATOR_H

#include "gem.h"

#define GENERATOR_FRAMES_MAX 64u

/* A frame and what became of it. bytes: from GENERATOR_STAMP on four bytes are replaced by the
 * index of the arrival, if the frame is long enough: the first payload bytes of UDP over IPv4,
 * whose checksum is to be 0. Put the frame at an address of 2 modulo 4. */
struct generator_frame {
    uint8_t *bytes;
    uint32_t len_bytes;
    uint32_t sent;
    uint32_t dropped; /* found the receive ring full */
};

#define GENERATOR_STAMP 42u

/* In order of time; several may have the same. */
struct generator_arrival {
    uint32_t at_ticks; /* after the start */
    uint32_t frame;    /* index */
};

struct generator_config {
    struct gem *sender;         /* initialised, without tx_bytes */
    const struct gem *receiver; /* initialised, its ring is filled */
    struct generator_frame *frames;
    const struct generator_arrival *arrivals; /* n_arrivals */
    uint32_t n_frames;
    uint32_t n_arrivals;
};

/* Begin now.
 *
 * Context: start-up or a thread; both GEMs are started. */
void generator_start(const struct generator_config *cfg);

/* All arrivals are over. Context: any. */
bool generator_is_over(void);

/* Ticks of the board at which arrival 0 ticks would be. Context: after generator_start. */
uint64_t generator_start_ticks(void);

#endif
