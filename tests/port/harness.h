/* SPDX-License-Identifier: MIT
 *
 * harness.h - what a port supplies so that the conformance cases can run on it.
 *
 * The cases know a world (world.h): NIC rings, a protocol task, receivers. The harness brings a
 * port to life below it: it does what drivers and the application do on that port, and lets time
 * pass. On a port with threads the functions of the world run in threads, on one without they take
 * turns.
 */
#ifndef TG_TESTS_PORT_HARNESS_H
#define TG_TESTS_PORT_HARNESS_H

#include "world.h"

/* Set up a port with this floor and the place for events in w->trace (or NULL), all masked.
 * Returns: what tg_protocol_init gets as port. */
void *harness_open(struct world *w, uint32_t floor);

/* Let everything run from now on: interrupts are taken while they are unmasked, the timer calls
 * tg_rx_tick, the protocol task runs when it is woken, producers and receivers run.
 * When a case wants to be the protocol task itself (w->is_manual), all but the protocol task. */
void harness_start(struct world *w);

/* Nothing is received any more, what was accepted has been processed and released. */
void harness_stop(struct world *w);

void harness_close(struct world *w);

/* Let everything run for this long. */
void harness_pass(struct world *w, tg_ns delay_ns);

/* The clock for frame->now_ns. */
tg_ns harness_now_ns(struct world *w);

/* The priority that the protocol task really has, as the system sees it. Lock held. */
uint32_t harness_priority(struct world *w);

/* As the protocol task: wait for a wake, but not now. Returns: true if there was one. */
bool harness_take_wake(struct world *w);

/* Run body(w) in as many contexts at the same time as the port has, and wait for all of them. */
void harness_contend(struct world *w, void (*body)(struct world *w));

/* Keep other producers of this queue out, who may run at the same time. */
void harness_nic_lock(struct world *w, uint32_t queue);
void harness_nic_unlock(struct world *w, uint32_t queue);

/* Call tg_port_assert_failed("where.c", 4711): what it says, cut at size_bytes.
 * Returns: false if it returned, or ended as if nothing were wrong. */
bool harness_assert(char *said, size_t size_bytes);

/* What the NIC does with a frame: put its bytes behind data, raise the queue's interrupt cause. */
void harness_nic_write(struct world *w, uint8_t *data, const uint8_t *bytes, uint32_t len_bytes);
void harness_raise(struct world *w, uint32_t queue);

#endif
