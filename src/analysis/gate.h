/* SPDX-License-Identifier: MIT
 *
 * gate.h - what the receive interrupts behind one gate cost in a busy window (sections 3.1 and 4).
 */
#ifndef TG_ANALYSIS_GATE_H
#define TG_ANALYSIS_GATE_H

#include "analysis/curve.h"

struct tg_gate {
    const struct tg_analysis_gate *in;
    const struct tg_analysis_queue
        *queues; /* all of the input: those with this gate's index count */
    size_t n_queues;
    size_t index;
    struct tg_curve curve; /* busy windows */
    struct tg_curve any;   /* any window */
    uint64_t step;         /* [e] most that one unit of budget can cost */
    uint64_t shift;        /* [x] earliest refill in a window that starts idle and full */
    uint64_t accept_shift; /* [x], or 0 where acceptance may come sooner than its comparison says */
    uint64_t rings;        /* descriptors of all its queues */
    uint64_t early_tick;   /* a tick that comes before its time when this gate closes; 0: none */
    bool moderated;        /* every queue is */
};

struct tg_gate_demand {
    uint64_t packets;
    uint64_t time;
};

void tg_gate_init(struct tg_gate *gate, const struct tg_analysis_input *in, size_t index,
                  uint64_t irq_off);

/* Units in any window: section 3, and what the wire allows. */
uint64_t tg_gate_units(const struct tg_gate *gate, uint64_t span);

/* CPU time that so many units need in a window, without ticks. */
uint64_t tg_gate_work(const struct tg_gate *gate, uint64_t packets, uint64_t span);

/* Refill ticks that are due in any window, and how often the gate closes there. */
uint64_t tg_gate_ticks(const struct tg_gate *gate, uint64_t span);
uint64_t tg_gate_closings(const struct tg_gate *gate, uint64_t span);

/* Packets in a busy window of `priority` that starts with the interrupt idle: section 3.1. The
 * count is a bound inside the response-time equation only. */
uint64_t tg_gate_packets(const struct tg_gate *gate, int32_t priority, uint64_t span);

/* Packets that can have been accepted so early in the window. The same count without a wire gap:
 * the comparison of section 3.1 delays a packet's acceptance and its end alike. Where the wire
 * holds back the end it does not; then the count of any window is due. */
uint64_t tg_gate_accepted(const struct tg_gate *gate, int32_t priority, uint64_t span);

/* Shortest span with at least n >= 1 accepted packets; TG_NO_BOUND: there is none. */
uint64_t tg_gate_first(const struct tg_gate *gate, int32_t priority, uint64_t n);

/* Packets and CPU time in the same window. */
struct tg_gate_demand tg_gate_demand(const struct tg_gate *gate, int32_t priority, uint64_t span);

/* Long-run packets per time, and CPU share. */
struct tg_share_range tg_gate_packet_rate(const struct tg_gate *gate, int32_t priority);
struct tg_share_range tg_gate_share(const struct tg_gate *gate, int32_t priority);

#endif
