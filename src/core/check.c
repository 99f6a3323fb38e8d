/* SPDX-License-Identifier: MIT
 *
 * check.c - the invariants that the headers number.
 */
#include "tidegate/check.h"

const char *tg_server_check(const struct tg_server *s)
{
    if (s->left_pkts > s->budget_pkts) {
        return "server I1: more left than the budget";
    }
    for (uint32_t i = 1u; s->kind == TG_SERVER_SPORADIC && i < s->budget_pkts; i++) {
        const tg_ns before_ns = s->window[(s->oldest + i - 1u) % s->budget_pkts];
        const tg_ns at_ns = s->window[(s->oldest + i) % s->budget_pkts];

        if (at_ns - before_ns > UINT64_MAX / 2u) {
            return "server I4: admission times are not sorted";
        }
    }
    return NULL;
}

const char *tg_queue_check(const struct tg_queue *q)
{
    for (uint32_t p = 0u; p < TG_PRIORITIES; p++) {
        if (((q->waiting >> p & 1u) != 0u) != (q->head[p] != NULL)) {
            return "queue I1: bitmap and list disagree";
        }
        if (q->head[p] == NULL && q->tail[p] != &q->head[p]) {
            return "queue I2: the tail of an empty queue is not its head";
        }
        for (const struct tg_buffer *b = q->head[p]; b != NULL; b = b->next) {
            if (b->priority != p || b->state != TG_BUFFER_WAITING) {
                return "queue I2: a buffer that does not wait at this priority is linked";
            }
            if (b->next == NULL && q->tail[p] != &b->next) {
                return "queue I2: the tail is not the last buffer";
            }
        }
    }
    return NULL;
}

static uint32_t times_linked(const struct tg_flow_table *t, uint32_t id)
{
    uint32_t n = 0u;

    for (uint32_t i = 0u; i <= UINT32_MAX >> t->shift; i++) {
        for (uint32_t entry = t->buckets[i]; entry != 0u; entry = t->flows[entry >> 16].next) {
            n += (entry >> 16) == id;
        }
    }
    return n;
}

/* Is the flow's port among those that its shape lets through? */
static bool is_let_through(const struct tg_flow_table *t, const struct tg_flow *flow)
{
    for (uint32_t i = 0u; i < t->n_shapes; i++) {
        if (t->shapes[i].fields == flow->fields) {
            return (flow->fields & TG_FIELD_DST_PORT) != 0u
                       ? (t->shapes[i].ports >> (flow->word & 31u) & 1u) != 0u
                       : t->shapes[i].ports == UINT32_MAX;
        }
    }
    return false;
}

const char *tg_flow_table_check(const struct tg_flow_table *t)
{
    uint32_t bound = 0u;
    uint32_t with_shape = 0u;

    for (uint32_t id = 1u; id < t->n_flows; id++) {
        const bool is_bound = t->flows[id].state == TG_FLOW_BOUND;

        bound += is_bound;
        if (times_linked(t, id) != (is_bound ? 1u : 0u)) {
            return "flow I2: a flow is not in exactly one bucket, or an unbound one is in some";
        }
        if (is_bound && !is_let_through(t, &t->flows[id])) {
            return "table I5: a shape passes over one of its flows";
        }
    }
    for (uint32_t i = 0u; i < t->n_shapes; i++) {
        with_shape += t->shapes[i].flows;
        if (t->shapes[i].flows == 0u || (i > 0u && tg_shape_rank(t->shapes[i - 1u].fields) <=
                                                       tg_shape_rank(t->shapes[i].fields))) {
            return "table I3: shapes are out of order, or one has no flow";
        }
    }
    if (t->shapes[t->n_shapes].ports != UINT32_MAX || t->shapes[t->n_shapes].mask != 0u) {
        return "table I3: nothing stops a search behind the last shape";
    }
    if (bound != with_shape) {
        return "table I3: shapes do not account for the bound flows";
    }
    for (uint32_t i = 0u; i <= UINT32_MAX >> t->shift; i++) {
        uint32_t n = 0u;

        for (uint32_t entry = t->buckets[i]; entry != 0u; entry = t->flows[entry >> 16].next) {
            n++;
        }
        if (n > TG_FLOW_PROBES_MAX) {
            return "table I4: a bucket is too full";
        }
    }
    return NULL;
}

/* What the buffers and counters of a protocol add up to. */
struct sums {
    uint64_t received;
    uint64_t verdicts;
    uint32_t buffers;
    uint32_t promised;
};

static void add_verdicts(struct sums *sums, const struct tg_flow_counters *c)
{
    sums->verdicts += c->passed + c->dropped_budget + c->dropped_no_buffer;
}

static const char *check_flows(const struct tg_protocol *p, struct sums *sums)
{
    for (uint32_t id = 0u; id < p->table.n_flows; id++) {
        const struct tg_flow *const f = &p->table.flows[id];
        const struct tg_flow_counters *const c = &f->counters;

        add_verdicts(sums, c);
        if (f->state == TG_FLOW_FREE && id != 0u) {
            continue;
        }
        if (c->held_pkts > f->reserve_pkts || c->held_pkts > c->most_held_pkts ||
            (f->state == TG_FLOW_BOUND && c->most_held_pkts > f->reserve_pkts)) {
            return "flow I1: more packets are held than the reserve, or than ever";
        }
        if (tg_server_check(&f->server) != NULL) {
            return tg_server_check(&f->server);
        }
        sums->buffers += c->held_pkts;
        sums->promised += f->reserve_pkts;
    }
    return NULL;
}

static const char *check_queues(const struct tg_protocol *p, struct sums *sums)
{
    for (uint32_t i = 0u; i < p->n_queues; i++) {
        const struct tg_rxq *const q = &p->queues[i];

        sums->received += q->counters.received;
        sums->verdicts += q->counters.malformed + q->counters.unregistered;
        sums->buffers += q->filled_pkts;
        sums->promised += q->ring_pkts;
        if (tg_server_check(&q->gate->server) != NULL) {
            return tg_server_check(&q->gate->server);
        }
    }
    return NULL;
}

static uint32_t due_priority(const struct tg_protocol *p)
{
    uint32_t priority = p->floor;

    if (p->queue.waiting != 0u && tg_highest_bit(p->queue.waiting) > priority) {
        priority = tg_highest_bit(p->queue.waiting);
    }
    if (p->is_processing && p->processing > priority) {
        priority = p->processing;
    }
    return priority;
}

const char *tg_protocol_check(const struct tg_protocol *p)
{
    struct sums sums = {0};
    const char *wrong = tg_queue_check(&p->queue);

    if (wrong == NULL) {
        wrong = tg_flow_table_check(&p->table);
    }
    if (wrong == NULL) {
        wrong = check_flows(p, &sums);
    }
    if (wrong == NULL) {
        wrong = check_queues(p, &sums);
    }
    if (wrong != NULL) {
        return wrong;
    }
    add_verdicts(&sums, &p->retired);
    for (const struct tg_buffer *b = p->free; b != NULL; b = b->next) {
        sums.buffers++;
    }
    if (p->current != due_priority(p)) {
        return "protocol I1: the priority is not that of the floor, the waiting and the processed";
    }
    if (p->alert_from != (p->is_awake && !p->trace ? p->current + 1u : 0u)) {
        return "protocol I5: a packet could be accepted without a raise, a wake or an event";
    }
    if (sums.buffers != p->n_buffers) {
        return "protocol I2: free, in rings and held are not all buffers";
    }
    if (sums.promised != p->promised_pkts || sums.promised > p->n_buffers) {
        return "protocol I3: more buffers are promised than there are";
    }
    if (sums.received != sums.verdicts) {
        return "protocol I4: received frames are not the sum of the verdicts";
    }
    return NULL;
}
