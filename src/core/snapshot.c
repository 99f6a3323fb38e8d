/* SPDX-License-Identifier: MIT
 *
 * snapshot.c - counters as they stood at one instant, and the invariants that tests assert.
 *
 * A snapshot begins a new epoch. Whoever changes a flow's counters for the first time in an epoch saves
 * what they were, so the flows can be read one by one with the lock held O(1) and still fit together.
 */
#include "path.h"

void tg_rx_snapshot(struct tg_protocol *p, struct tg_queue_counters *queues,
                    struct tg_flow_counters *flows)
{
    uint32_t state = tg_port_lock(p->port);

    p->epoch++;
    for (uint32_t i = 0u; i < p->n_queues; i++) {
        queues[i] = p->queues[i].counters;
    }
    tg_port_unlock(p->port, state);

    for (uint32_t id = 0u; id < p->table.n_flows; id++) {
        const struct tg_flow *const flow = &p->table.flows[id];

        state = tg_port_lock(p->port);
        flows[id] = flow->epoch == p->epoch ? flow->saved : flow->counters;
        tg_port_unlock(p->port, state);
    }
}

static uint32_t check_flows(const struct tg_protocol *p, uint64_t *verdicts, uint32_t *promised)
{
    uint32_t held = 0u;

    for (uint32_t id = 0u; id < p->table.n_flows; id++) {
        const struct tg_flow *const f = &p->table.flows[id];
        const struct tg_flow_counters *const c = &f->counters;

        TG_ASSERT(f->held_pkts <= f->reserve_pkts && c->passed - c->released == f->held_pkts); /* flow I1 */
        if (f->state != TG_FLOW_FREE || id == 0u) {
            tg_server_check(&f->server);
            *promised += f->reserve_pkts;
        }
        held += f->held_pkts;
        *verdicts += c->passed + c->dropped_budget + c->dropped_no_buffer + c->dropped_unregistered;
    }
    return held;
}

void tg_protocol_check(const struct tg_protocol *p)
{
    uint64_t verdicts = 0u;
    uint64_t received = 0u;
    uint32_t buffers = 0u;
    uint32_t promised = 0u;
    uint32_t priority = p->floor;

    buffers += check_flows(p, &verdicts, &promised);
    for (uint32_t i = 0u; i < p->n_queues; i++) {
        received += p->queues[i].counters.received;
        verdicts += p->queues[i].counters.malformed;
        buffers += p->queues[i].filled_pkts;
        promised += p->queues[i].ring_pkts;
    }
    for (const struct tg_buffer *b = p->free; b != NULL; b = b->next) {
        TG_ASSERT(b->state == TG_BUFFER_FREE);
        buffers++;
    }
    TG_ASSERT(buffers == p->n_buffers);                                   /* I2 */
    TG_ASSERT(promised == p->promised_pkts && promised <= p->n_buffers);  /* I3 */
    TG_ASSERT(received == verdicts);                                      /* I4 */

    (void)tg_queue_check(&p->queue);
    if (p->queue.waiting != 0u && tg_highest_bit(p->queue.waiting) > priority) {
        priority = tg_highest_bit(p->queue.waiting);
    }
    if (p->is_processing && p->processing > priority) {
        priority = p->processing;
    }
    TG_ASSERT(p->current == priority); /* I1 */
    for (uint32_t i = 0u; i + 1u < p->table.n_shapes; i++) {
        TG_ASSERT(tg_shape_rank(p->table.shapes[i].fields) >
                  tg_shape_rank(p->table.shapes[i + 1u].fields)); /* table I3 */
    }
}
