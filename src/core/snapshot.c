/* SPDX-License-Identifier: MIT
 *
 * snapshot.c - counters as they stood at one instant.
 *
 * A snapshot begins a new epoch. Whoever changes a flow's counters for the first time in an epoch
 * saves what they were, so the flows can be read one by one with the lock held O(1) and still fit
 * together.
 */
#include "path.h"

TG_NOINLINE void tg_path_save(struct tg_protocol *p, struct tg_flow *flow)
{
    flow->saved = flow->counters;
    flow->epoch = p->epoch;
}

void tg_rx_snapshot(struct tg_protocol *p, struct tg_snapshot *out)
{
    uint32_t state = tg_port_lock(p->port);

    p->epoch++;
    for (uint32_t i = 0u; i < p->n_queues; i++) {
        out->queues[i] = p->queues[i].counters;
    }
    for (uint32_t i = 0u; i < p->n_gates; i++) {
        out->closed[i] = p->gates[i].closed;
    }
    out->retired = p->retired;
    tg_port_unlock(p->port, state);

    for (uint32_t id = 0u; id < p->table.n_flows; id++) {
        const struct tg_flow *const flow = &p->table.flows[id];

        state = tg_port_lock(p->port);
        out->flows[id] = flow->epoch == p->epoch ? flow->saved : flow->counters;
        tg_port_unlock(p->port, state);
    }
}
