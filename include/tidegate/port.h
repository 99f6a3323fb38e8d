/* SPDX-License-Identifier: MIT
 *
 * port.h - what the core asks of the system below it. One port is linked in; ports/ has those we
 * keep.
 *
 * Every function takes the `port` pointer that tg_protocol_init was given, so one program can hold
 * several instances. Unless its comment says otherwise, a function is called with the lock held,
 * must not block, and must not call the core. The port conformance test (tests/port) runs against
 * any port.
 */
#ifndef TIDEGATE_PORT_H
#define TIDEGATE_PORT_H

#include "tidegate/common.h"
#include "tidegate/trace.h"

/* ---- Mutual exclusion ------------------------------------------------------------------------ */

/* Keep every receive vector, the tick handler and every task that calls the core out. On several
 * cores also take a spinlock. With threads: a mutex that inherits priorities, or has a ceiling
 * above all of them (docs/porting.md says why ports/posix inherits). Not nested.
 *
 * Context: ISR or task, lock not held.
 * Returns: a value for tg_port_unlock (the interrupt state, where there is one). */
TG_NODISCARD uint32_t tg_port_lock(void *port);

void tg_port_unlock(void *port, uint32_t state);

/* ---- The protocol task ----------------------------------------------------------------------- */

enum tg_port_priority_kind {
    /* tg_port_set_priority takes effect before tg_port_unlock returns, in an ISR before the ISR
     * does. */
    TG_PORT_DIRECT,

    /* A task above all others changes the priority: two more context switches each time, to be
     * added to the eager and deferred costs of the analysis. */
    TG_PORT_BROKER
};

/* How this port changes priorities.
 *
 * Context: any; the lock may be held or not. */
enum tg_port_priority_kind tg_port_priority_kind(void *port);

/* Give the protocol task this priority, 0..TG_PRIORITIES - 1. Only called when it changes. */
void tg_port_set_priority(void *port, uint32_t priority);

/* Let the protocol task run: it waits, or is about to wait, for this. A wake that nobody waits for
 * yet is kept (a binary semaphore, not a condition). Called once until tg_rx_next has found
 * nothing. */
void tg_port_wake(void *port);

/* ---- Receive interrupts ---------------------------------------------------------------------- */

/* Mask and unmask EVERY cause that a frame of this queue can raise, error causes included, and no
 * other (transmit completions are reaped at send). Both may be called for a queue already in that
 * state. queue: its number in struct tg_config. */
void tg_port_mask(void *port, uint32_t queue);
void tg_port_unmask(void *port, uint32_t queue);

/* ---- Time ------------------------------------------------------------------------------------ */

/* Call tg_rx_tick once, delay_ns from now or as soon as possible after that, waking a tickless
 * sleep. A second start replaces the first. Relative, so that a clock that is set does not stretch
 * it. */
void tg_port_timer_start(void *port, tg_ns delay_ns);

/* ---- Caches ---------------------------------------------------------------------------------- */

/* Drop cached copies of this memory without writing them back, so that the next read comes from
 * memory and nothing is evicted over what the NIC writes. Empty on coherent machines.
 * May be called with the lock not held. data is the start of a buffer or TG_FRAME_HEAD_BYTES into
 * it. */
void tg_port_cache_invalidate(void *port, uint8_t *data, uint32_t len_bytes);

/* ---- Diagnosis ------------------------------------------------------------------------------- */

/* Stamp and record an event, see trace.h. Called only if struct tg_config asks for it. */
void tg_port_trace(void *port, enum tg_event_kind kind, uint32_t subject, uint32_t value);

/* tg_port_assert_failed stands in common.h. */

#endif
