/* SPDX-License-Identifier: MIT
 *
 * path.h - steps of the receive path that its files share. All are called with the lock held.
 */
#ifndef TG_CORE_PATH_H
#define TG_CORE_PATH_H

#include "tidegate/rx.h"

/* tg_rx_eager under the caller's lock. */
enum tg_verdict tg_path_step(struct tg_rxq *q, struct tg_rx_frame *frame);

/* If no unit is left for the next step: mask the queues of the gate and let the timer poll them
 * (R2). */
void tg_path_close_if_spent(struct tg_protocol *p, struct tg_gate *gate, tg_ns now_ns);

/* Report an event, if anybody wants to know. */
void tg_path_trace(struct tg_protocol *p, enum tg_event_kind kind, uint32_t subject,
                   uint32_t value);

/* Keep the counters of a flow for the snapshot that is being taken. */
void tg_path_save(struct tg_protocol *p, struct tg_flow *flow);

/* Call before a counter of the flow changes. */
static inline void tg_path_touch(struct tg_protocol *p, struct tg_flow *flow)
{
    if (TG_UNLIKELY(flow->epoch != p->epoch)) {
        tg_path_save(p, flow);
    }
}

#endif
