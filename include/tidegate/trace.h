/* SPDX-License-Identifier: MIT
 *
 * trace.h - what happened when: a ring of fixed-size events in memory of the caller.
 *
 * The core reports events through tg_port_trace, because only the port has a clock; a port that
 * records them puts them in here.
 */
#ifndef TIDEGATE_TRACE_H
#define TIDEGATE_TRACE_H

#include "tidegate/common.h"

/* What the core and drivers report, and what the two arguments mean. */
enum tg_event_kind {
    TG_EVENT_INTERRUPT_IN =
        1, /* queue number, 0: reported by the driver's or port's interrupt handler */
    TG_EVENT_INTERRUPT_OUT, /* queue number, 0: likewise */
    TG_EVENT_VERDICT,       /* flow, enum tg_verdict */
    TG_EVENT_ENQUEUE,       /* flow, priority */
    TG_EVENT_RAISE,         /* 0, new priority of the protocol task */
    TG_EVENT_LOWER,         /* 0, new priority of the protocol task */
    TG_EVENT_DELIVER,       /* flow, priority: the protocol task took the packet */
    TG_EVENT_POLLED,        /* gate number, 1: from interrupts to polling; 0: back */
    TG_EVENT_LINK           /* queue number, 1: up; 0: down */
};

struct tg_event {
    tg_ns at_ns;
    uint16_t subject; /* flow, queue or gate number */
    uint8_t kind;     /* enum tg_event_kind */
    uint8_t value;
    uint32_t lost; /* events lost since the one before */
};

/* The ring; free-running indices, so full and empty differ:
 *
 *      events ┌───┬───┬───┬───┬───┬───┬───┬───┐
 *             │   │ 2 │ 3 │ 4 │ 5 │   │   │   │    taken = 1, added = 5 (modulo 2^32)
 *             └───┴───┴───┴───┴───┴───┴───┴───┘
 *
 * Invariant: I1  added - taken <= size */
struct tg_trace {
    struct tg_event *events;
    uint32_t mask; /* size - 1 */
    uint32_t added;
    uint32_t taken;
    uint32_t lost; /* since the last event added */
};

/* Start empty.
 *
 * Context: start-up.
 * Units:   n_events: a power of two, 1..2^31.
 * Returns: 0; TG_ERR_RANGE, nothing changed.
 * Cost:    O(1). */
TG_NODISCARD int tg_trace_init(struct tg_trace *t, struct tg_event *events, uint32_t n_events);

/* Append an event. When the ring is full the event is lost and counted in the next one that fits:
 * the start of a story explains it better than its end.
 *
 * Context: ISR or task; callers are serialised (the core reports under the lock of the receive
 *          path).
 * Cost:    O(1). */
void tg_trace_add(struct tg_trace *t, tg_ns at_ns, enum tg_event_kind kind, uint32_t subject,
                  uint32_t value);

/* Take the oldest event.
 *
 * Context: task; serialised with tg_trace_add.
 * Returns: true and the event, or false when there is none.
 * Cost:    O(1). */
TG_NODISCARD bool tg_trace_take(struct tg_trace *t, struct tg_event *event);

#endif
