/* SPDX-License-Identifier: MIT
 *
 * path.h - steps of the receive path that its files share. All are called with the lock held.
 */
#ifndef TG_CORE_PATH_H
#define TG_CORE_PATH_H

#include "tidegate/rx.h"

/* tg_rx_eager under the caller's lock. */
enum tg_verdict tg_path_step(struct tg_rxq *q, struct tg_rx_frame *frame);

/* Mask the queues of a gate and let the timer poll them. */
void tg_path_close(struct tg_protocol *p, struct tg_gate *gate, tg_ns now_ns);

static inline void tg_path_trace(struct tg_protocol *p, enum tg_event_kind kind, uint32_t subject,
                                 uint32_t value)
{
    if (TG_UNLIKELY(p->trace)) {
        tg_port_trace(p->port, kind, subject, value);
    }
}

/* Rule 1: take one unit of the gate for a step that starts now. */
static inline bool tg_path_charge(struct tg_rxq *q, tg_ns now_ns)
{
    struct tg_gate *const gate = q->gate;
    const bool has_unit = tg_server_take(&gate->server, now_ns);

    /* No unit left for the next step (kinds without a count look closely): off to polling. */
    if (TG_UNLIKELY(gate->server.left_pkts == 0u) && !gate->is_polled &&
        !tg_server_left(&gate->server, now_ns)) {
        tg_path_close(q->protocol, gate, now_ns);
    }
    return has_unit;
}

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
