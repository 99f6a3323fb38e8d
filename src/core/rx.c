/* SPDX-License-Identifier: MIT
 *
 * rx.c - the way of a frame: eager half, priority queues, deferred half, release.
 */
#include "path.h"
#include "shortcut.h"
#include "table.h"

void tg_path_trace(struct tg_protocol *p, enum tg_event_kind kind, uint32_t subject, uint32_t value)
{
    if (p->trace) {
        tg_port_trace(p->port, kind, subject, value);
    }
}

/* Rule 1: take one unit of the gate for a step that starts now; it gives a verdict then. */
TG_INLINE bool charge(struct tg_rxq *q, tg_ns now_ns)
{
    const bool has_unit = tg_server_take(&q->gate->server, now_ns);

    if (TG_UNLIKELY(q->gate->server.left_pkts == 0u)) {
        tg_path_close_if_spent(q->protocol, q->gate,
                               now_ns); /* kinds without a count come here, too */
    }
    q->counters.received += has_unit;
    return has_unit;
}

static TG_NOINLINE void set_priority(struct tg_protocol *p, uint32_t priority,
                                     enum tg_event_kind event)
{
    p->current = (uint8_t)priority;
    tg_port_set_priority(p->port, priority);
    tg_path_trace(p, event, 0u, priority);
}

/* Below this priority a new packet changes nothing for the task. */
static void set_alert(struct tg_protocol *p)
{
    p->alert_from = p->is_awake && !p->trace ? (uint8_t)(p->current + 1u) : 0u;
}

/* The protocol task inherits the priority of what waits for it (rule 5), and wakes (rule 6). */
static TG_NOINLINE void announce(struct tg_protocol *p, const struct tg_flow *flow)
{
    tg_path_trace(p, TG_EVENT_VERDICT, flow->id, TG_VERDICT_PASSED);
    tg_path_trace(p, TG_EVENT_ENQUEUE, flow->id, flow->priority);
    if (flow->priority > p->current) {
        set_priority(p, flow->priority, TG_EVENT_RAISE);
    }
    if (!p->is_awake) {
        p->is_awake = true;
        tg_port_wake(p->port);
    }
    set_alert(p);
}

/* Count a frame that no buffer was left for; the driver keeps the one that it came in. */
static TG_NOINLINE enum tg_verdict refuse(struct tg_rxq *q, struct tg_flow *flow)
{
    enum tg_verdict verdict = TG_VERDICT_NO_BUFFER;

    if (flow->reserve_pkts != 0u) {
        flow->counters.dropped_no_buffer++;
    } else {
        q->counters.unregistered++; /* only best effort can have no reserve */
        verdict = TG_VERDICT_UNREGISTERED;
    }
    tg_path_trace(q->protocol, TG_EVENT_VERDICT, flow->id, verdict);
    return verdict;
}

/* The frame's buffer becomes a packet, another one takes its place in the ring. */
static inline void accept(struct tg_protocol *p, struct tg_flow *flow, struct tg_rx_frame *frame)
{
    struct tg_buffer *const b = frame->buffer;
    struct tg_buffer *const fresh = p->free;

    TG_ASSERT(fresh != NULL && b->state == TG_BUFFER_RING); /* protocol I2, I3 */
    p->free = fresh->next;
    fresh->state = TG_BUFFER_RING;
    frame->buffer = fresh;

    flow->counters.passed++;
    flow->counters.held_pkts++;
    if (flow->counters.held_pkts > flow->counters.most_held_pkts) {
        flow->counters.most_held_pkts = flow->counters.held_pkts;
    }
    b->len_bytes = frame->len_bytes;
    b->tci = frame->tci;
    b->flow = flow->id;
    b->priority = flow->priority;
    b->state = TG_BUFFER_WAITING;
    tg_queue_push(&p->queue, b);
    if (TG_UNLIKELY(flow->priority >= p->alert_from)) {
        announce(p, flow);
    }
}

/* The flow that takes a frame which the shortcut does not know; NULL: it is malformed. */
static TG_NOINLINE struct tg_flow *classify_in_full(const struct tg_protocol *p,
                                                    const struct tg_rx_frame *frame)
{
    const uint8_t *const bytes = frame->buffer->data;
    struct tg_frame_key key;
    const enum tg_frame_class class =
        tg_frame_parse(&p->station, bytes, frame->len_bytes, frame->tci, &key);

    if (TG_LIKELY(class == TG_FRAME_MATCH)) {
        return tg_shortcut_find(&p->table, key.word, bytes + key.l3_offset);
    }
    return class == TG_FRAME_MALFORMED ? NULL : p->table.flows;
}

static TG_NOINLINE enum tg_verdict refuse_malformed(struct tg_rxq *q, tg_ns now_ns)
{
    if (!charge(q, now_ns)) {
        return TG_VERDICT_NONE;
    }
    q->counters.malformed++;
    tg_path_trace(q->protocol, TG_EVENT_VERDICT, 0u, TG_VERDICT_MALFORMED);
    return TG_VERDICT_MALFORMED;
}

#ifndef __OPTIMIZE_SIZE__
__attribute__((always_inline)) /* in both of its callers */
#endif
static inline enum tg_verdict
step(struct tg_protocol *p, struct tg_rxq *q, struct tg_rx_frame *frame)
{
    /* Nothing behind the frame's end is read. */
    tg_port_cache_invalidate(p->port, frame->buffer->data,
                             frame->len_bytes < TG_FRAME_HEAD_BYTES ? frame->len_bytes
                                                                    : TG_FRAME_HEAD_BYTES);

    const tg_ns now_ns = frame->now_ns;
    const uint8_t *network;
    struct tg_flow *flow;
    uint64_t word;

    if (tg_shortcut_parse(&p->station, frame, &word, &network)) {
        flow = tg_shortcut_find(&p->table, word, network);
    } else {
        flow = classify_in_full(p, frame);
        if (flow == NULL) {
            return refuse_malformed(q, now_ns);
        }
    }
    if (TG_UNLIKELY(!charge(q, now_ns))) {
        return TG_VERDICT_NONE;
    }
    tg_path_touch(p, flow);
    if (!tg_server_take(&flow->server, now_ns)) {
        flow->counters.dropped_budget++;
        tg_path_trace(p, TG_EVENT_VERDICT, flow->id, TG_VERDICT_BUDGET);
        return TG_VERDICT_BUDGET;
    }
    if (TG_UNLIKELY(flow->counters.held_pkts >= flow->reserve_pkts)) {
        return refuse(q, flow);
    }
    accept(p, flow, frame);
    return TG_VERDICT_PASSED;
}

enum tg_verdict tg_path_step(struct tg_rxq *q, struct tg_rx_frame *frame)
{
    return step(q->protocol, q, frame);
}

enum tg_verdict tg_rx_eager(struct tg_rxq *q, struct tg_rx_frame *frame)
{
    struct tg_protocol *const p = q->protocol;
    const uint32_t state = tg_port_lock(p->port);
    const enum tg_verdict verdict = step(p, q, frame);

    tg_port_unlock(p->port, state);
    return verdict;
}

struct tg_buffer *tg_rx_next(struct tg_protocol *p)
{
    const uint32_t state = tg_port_lock(p->port);

    TG_ASSERT(!p->is_processing);
    if (p->queue.waiting == 0u) {
        p->is_awake = false;
        p->alert_from = 0u;
        tg_port_unlock(p->port, state);
        return NULL;
    }

    struct tg_buffer *const b = tg_queue_pop(&p->queue);

    b->state = TG_BUFFER_DELIVERED;
    p->processing = b->priority;
    p->is_processing = true;
    if (TG_UNLIKELY(p->trace)) {
        tg_path_trace(p, TG_EVENT_DELIVER, b->flow, b->priority);
    }
    tg_port_unlock(p->port, state);
    if (b->len_bytes > TG_FRAME_HEAD_BYTES) {
        tg_port_cache_invalidate(p->port, b->data + TG_FRAME_HEAD_BYTES,
                                 b->len_bytes - TG_FRAME_HEAD_BYTES);
    }
    return b;
}

void tg_rx_done(struct tg_protocol *p)
{
    const uint32_t state = tg_port_lock(p->port);
    uint32_t priority = p->floor;

    TG_ASSERT(p->is_processing);
    p->is_processing = false;
    if (p->queue.waiting != 0u && tg_highest_bit(p->queue.waiting) > priority) {
        priority = tg_highest_bit(p->queue.waiting);
    }
    if (priority != p->current) {
        /* Never higher: what outranks the current priority has raised it when it was queued. */
        set_priority(p, priority, TG_EVENT_LOWER);
        set_alert(p);
    }
    tg_port_unlock(p->port, state);
}

/* A closing flow promises only what it still holds, so that each buffer that comes back can be
 * promised to another one; with the last the slot is free. */
static void shrink_closing(struct tg_protocol *p, struct tg_flow *flow)
{
    flow->reserve_pkts--;
    p->promised_pkts--;
    if (flow->counters.held_pkts == 0u) {
        flow->state = TG_FLOW_FREE;
    }
}

int tg_rx_release(struct tg_protocol *p, struct tg_buffer *buffer)
{
    struct tg_flow *const flow = &p->table.flows[buffer->flow];

    /* Whatever the stack wrote must not be evicted over a frame once the NIC has the buffer
     * again. */
    if (buffer->state == TG_BUFFER_DELIVERED) {
        tg_port_cache_invalidate(p->port, buffer->data, buffer->size_bytes);
    }

    const uint32_t state = tg_port_lock(p->port);

    if (buffer->state != TG_BUFFER_DELIVERED) {
        tg_port_unlock(p->port, state);
        return TG_ERR_STATE;
    }
    tg_path_touch(p, flow);
    buffer->state = TG_BUFFER_FREE;
    buffer->next = p->free;
    p->free = buffer;
    flow->counters.held_pkts--;
    if (TG_UNLIKELY(flow->state == TG_FLOW_CLOSING)) {
        shrink_closing(p, flow);
    }
    tg_port_unlock(p->port, state);
    return 0;
}
