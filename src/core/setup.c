/* SPDX-License-Identifier: MIT
 *
 * setup.c - from the configuration to a receive path that waits for its links.
 */
#include "path.h"

static int init_gates(struct tg_protocol *p, const struct tg_config *cfg, tg_ns now_ns)
{
    if (cfg->n_gates < 1u || cfg->n_gates > TG_GATES_MAX || p->gates == NULL) {
        return TG_ERR_RANGE;
    }
    for (uint32_t i = 0u; i < cfg->n_gates; i++) {
        const struct tg_gate_config *const c = &cfg->gates[i];
        const int err = tg_server_init_gate(&p->gates[i].server, &c->budget, c->refill, now_ns);

        if (err) {
            return err;
        }
        p->gates[i].closed = 0u;
        p->gates[i].is_polled = c->budget.kind == TG_SERVER_POLLING;
    }
    p->n_gates = cfg->n_gates;
    return 0;
}

/* Insert into the list in order of rank, behind those of the same rank. */
static void rank(struct tg_protocol *p, struct tg_rxq *q)
{
    struct tg_rxq **link = &p->highest;

    while (*link != NULL && (*link)->rank >= q->rank) {
        link = &(*link)->lower;
    }
    q->lower = *link;
    *link = q;
}

static int init_queues(struct tg_protocol *p, const struct tg_config *cfg)
{
    if (cfg->n_queues < 1u || cfg->n_queues > TG_QUEUES_MAX || p->queues == NULL) {
        return TG_ERR_RANGE;
    }
    for (uint32_t i = 0u; i < cfg->n_queues; i++) {
        const struct tg_queue_config *const c = &cfg->queues[i];

        if (c->ring < 1u || c->gate >= cfg->n_gates) {
            return TG_ERR_RANGE;
        }
        struct tg_rxq *const q = &p->queues[i];

        *q = (struct tg_rxq){.protocol = p,
                             .gate = &p->gates[c->gate],
                             .ring_pkts = c->ring,
                             .number = (uint8_t)i,
                             .rank = c->rank};
        rank(p, q);
        p->n_queues++;
        p->promised_pkts += c->ring;
    }
    return 0;
}

static int init_best_effort(struct tg_protocol *p, const struct tg_config *cfg, tg_ns now_ns)
{
    const bool is_accepted = cfg->best_effort_reserve_pkts != 0u;
    const struct tg_server_config none = {.kind = TG_SERVER_UNLIMITED};
    struct tg_flow *const flow = &p->table.flows[0];

    flow->reserve_pkts = cfg->best_effort_reserve_pkts;
    flow->priority = cfg->best_effort_priority;
    flow->epoch = p->epoch;
    p->promised_pkts += cfg->best_effort_reserve_pkts;
    if (cfg->best_effort_priority >= TG_PRIORITIES) {
        return TG_ERR_RANGE;
    }
    return tg_server_init(&flow->server, is_accepted ? &cfg->best_effort_budget : &none, now_ns);
}

static int init_buffers(struct tg_protocol *p, const struct tg_storage *storage)
{
    for (uint32_t i = storage->n_buffers; i-- > 0u;) {
        struct tg_buffer *const b = &storage->buffers[i];

        if (b->data == NULL || b->size_bytes < TG_FRAME_HEAD_BYTES) {
            return TG_ERR_RANGE; /* the head is invalidated before a length is known */
        }
        b->state = TG_BUFFER_FREE;
        b->next = p->free;
        p->free = b;
        tg_port_cache_invalidate(p->port, b->data, b->size_bytes);
    }
    p->n_buffers = storage->n_buffers;
    return p->promised_pkts <= p->n_buffers ? 0 : TG_ERR_BUFFERS;
}

static int init_parts(struct tg_protocol *p, const struct tg_config *cfg,
                      const struct tg_storage *storage, uint64_t seed, tg_ns now_ns)
{
    int err = tg_flow_table_init(&p->table, storage->flows, storage->n_flows, storage->buckets,
                                 storage->n_buckets, seed);
    if (err) {
        return err;
    }
    if (cfg->floor >= TG_PRIORITIES || cfg->station.mtu_bytes < 68u ||
        cfg->station.mtu_bytes > 65521u) {
        return TG_ERR_RANGE;
    }
    err = init_gates(p, cfg, now_ns);
    if (err) {
        return err;
    }
    err = init_queues(p, cfg);
    if (err) {
        return err;
    }
    err = init_best_effort(p, cfg, now_ns);
    if (err) {
        return err;
    }
    return init_buffers(p, storage);
}

int tg_protocol_init(struct tg_protocol *p, const struct tg_config *cfg,
                     const struct tg_storage *storage, void *port, uint64_t seed, tg_ns now_ns,
                     int *bad_flow)
{
    *p = (struct tg_protocol){.port = port,
                              .gates = storage->gates,
                              .queues = storage->queues,
                              .station = cfg->station,
                              .floor = cfg->floor,
                              .current = cfg->floor,
                              .trace = cfg->trace};
    tg_queue_init(&p->queue);
    if (bad_flow != NULL) {
        *bad_flow = -1;
    }
    const int err = init_parts(p, cfg, storage, seed, now_ns);

    if (err) {
        return err;
    }
    for (uint32_t i = 0u; i < cfg->n_flows; i++) {
        const int id = tg_rx_bind(p, &cfg->flows[i], now_ns);

        if (id < 0) {
            if (bad_flow != NULL) {
                *bad_flow = (int)i;
            }
            return id;
        }
    }
    return 0;
}

struct tg_rxq *tg_rxq_attach(struct tg_protocol *p, uint32_t number, const struct tg_ring_ops *ops,
                             void *ring)
{
    struct tg_rxq *const q = &p->queues[number];

    TG_ASSERT(number < p->n_queues && !q->is_up);
    q->ops = ops;
    q->ring = ring;
    return q;
}

struct tg_buffer *tg_rxq_fill(struct tg_rxq *q)
{
    struct tg_protocol *const p = q->protocol;
    struct tg_buffer *b = NULL;
    const uint32_t state = tg_port_lock(p->port);

    if (q->filled_pkts < q->ring_pkts) {
        q->filled_pkts++;
        b = p->free;
        TG_ASSERT(b != NULL); /* protocol I3 */
        p->free = b->next;
        b->state = TG_BUFFER_RING;
    }
    tg_port_unlock(p->port, state);
    return b;
}

int tg_rxq_unfill(struct tg_rxq *q, struct tg_buffer *buffer)
{
    struct tg_protocol *const p = q->protocol;
    int err = TG_ERR_STATE;
    const uint32_t state = tg_port_lock(p->port);

    if (buffer->state == TG_BUFFER_RING && q->filled_pkts > 0u && !q->is_up) {
        buffer->state = TG_BUFFER_FREE;
        buffer->next = p->free;
        p->free = buffer;
        q->filled_pkts--;
        err = 0;
    }
    tg_port_unlock(p->port, state);
    return err;
}
