/* SPDX-License-Identifier: MIT
 *
 * sim_port.h - the port without a machine: what the core asks for is written down, time is a
 * variable.
 *
 * The simulator and the tests look at the fields and act on them. Instances are independent, so
 * several receive paths can live in one process.
 */
#ifndef TG_SIM_PORT_H
#define TG_SIM_PORT_H

#include "tidegate/port.h"
#include "tidegate/trace.h"

struct tg_sim_port {
    tg_ns now_ns;      /* set by the user; only tg_port_trace and the timer read it */
    tg_ns timer_at_ns; /* when to call tg_rx_tick; UINT64_MAX: not started */
    uint32_t priority; /* of the protocol task; set to the floor by the user before start-up */
    uint32_t unmasked; /* bit k: interrupts of queue k can be taken */
    uint32_t wakes;    /* so far */
    uint32_t changes;  /* of priority so far */
    bool is_woken;     /* set by a wake, cleared by the user when the protocol task starts to run */
    bool is_locked;    /* taking a lock twice, or giving one back that is not held, asserts */
    struct tg_trace *trace; /* where events go, or NULL */

    /* What waited for the lock, an interrupt say: runs once, when the lock is given back next, and
     * may set itself again. NULL: nothing waits. */
    void (*waiter)(void *context);
    void *context;
};

/* An instance at this time: nothing started, all masked.
 *
 * Context: any. Cost: O(1). */
void tg_sim_port_init(struct tg_sim_port *port, tg_ns now_ns, uint32_t priority);

#endif
