/* SPDX-License-Identifier: MIT
 *
 * gem_tidegate.h - the driver with Tidegate: the eager half runs in the receive interrupt.
 *
 * One frame an interrupt; if more wait, the line is made pending again, so that interrupts of the
 * same or a higher level come between two frames. The buffer of a passed frame is replaced by
 * another one; nothing is allocated for a refused one.
 *
 * Caches: the eager half invalidates the head of a frame, the protocol task the rest of those that
 * passed (rx.c of the core, by the port's invalidate).
 */
#ifndef GEM_TIDEGATE_H
#define GEM_TIDEGATE_H

#include "cmsis_port.h"
#include "gem.h"
#include "tidegate/rx.h"

/* The GEM as queue 0 of a protocol task. Private; complete so that storage can be static. */
struct gem_tidegate {
    struct gem gem;
    struct tg_rxq *queue;
    struct tg_protocol *core;
    struct tg_buffer **buffers; /* of the ring, in the order of its descriptors */
};

/* What the port asks of the driver; its `driver` is the struct gem_tidegate. */
extern const struct tg_cmsis_driver GEM_TIDEGATE_DRIVER;

/* Attach the GEM to a protocol task and fill its ring; the link is down.
 *
 * Context: start-up, after tg_protocol_init.
 * Units:   buffers: storage for cfg->rx_slots pointers, as many as the queue's ring has; level: of
 *          the interrupt (gic.h); core_config: that of tg_protocol_init. */
void gem_tidegate_init(struct gem_tidegate *g, const struct gem_config *cfg,
                       struct tg_protocol *core, const struct tg_config *core_config,
                       struct tg_buffer **buffers, uint32_t level);

/* Receive from now on.
 *
 * Context: after tg_cmsis_port_start. */
void gem_tidegate_start(struct gem_tidegate *g);

#endif
