/* SPDX-License-Identifier: MIT
 *
 * model.c - the way of a frame into a ring, and of what the guest offers out of it.
 */
#include "nic/model/state.h"

#include <stdlib.h>
#include <string.h>

static bool setup_is_valid(const struct tg_nic_setup *s)
{
    bool is_valid = s->n_queues >= 1u && s->n_queues <= TG_NIC_QUEUES_MAX &&
                    s->n_rules <= TG_NIC_RULES_MAX && s->best_effort_priority < TG_PRIORITIES;

    for (uint32_t k = 0u; is_valid && k < s->n_queues; k++) {
        is_valid = s->queues[k].priority_min <= s->queues[k].priority_max &&
                   s->queues[k].priority_max < TG_PRIORITIES;
    }
    for (uint32_t i = 0u; is_valid && i < s->n_rules; i++) {
        is_valid = s->rules[i].priority < TG_PRIORITIES;
    }
    return is_valid;
}

static bool allocate(struct tg_nic_model *m)
{
    m->flows = calloc(TG_NIC_RULES_MAX + 1u, sizeof *m->flows);
    m->buckets = calloc(TG_NIC_BUCKETS, sizeof *m->buckets);
    return m->flows != NULL && m->buckets != NULL;
}

int tg_nic_model_open(struct tg_nic_model **out, const struct tg_nic_setup *setup,
                      const struct tg_nic_backend *backend, uint8_t *memory, uint32_t memory_bytes,
                      uint64_t seed, uint32_t *bad_rule)
{
    *out = NULL;
    if (!setup_is_valid(setup) || memory_bytes < TG_NIC_DATA) {
        return TG_ERR_RANGE;
    }
    struct tg_nic_model *const m = calloc(1u, sizeof *m);

    if (m == NULL || !allocate(m)) {
        tg_nic_model_close(m);
        return TG_ERR_FULL;
    }
    m->setup = *setup;
    m->backend = *backend;
    m->memory = memory;
    m->memory_bytes = memory_bytes;
    m->seed = seed;
    const int err = tg_nic_rules_reset(m, bad_rule);

    if (err) {
        tg_nic_model_close(m);
        return err;
    }
    memset(memory, 0, memory_bytes);
    m->port = (struct tg_nic_ring){.slots = (void *)(memory + TG_NIC_WRITE_PORT),
                                   .offered = tg_nic_word(m, TG_NIC_WRITES_OFFERED),
                                   .returned = tg_nic_word(m, TG_NIC_WRITES_DONE),
                                   .size = TG_NIC_WRITE_PORT_MAX};
    tg_nic_model_reset(m);
    *out = m;
    return 0;
}

void tg_nic_model_close(struct tg_nic_model *m)
{
    if (m != NULL) {
        free(m->flows);
        free(m->buckets);
        free(m);
    }
}

bool tg_nic_model_is_enabled(const struct tg_nic_model *m)
{
    bool is_enabled = true;

    for (uint32_t k = 0u; k < m->setup.n_queues; k++) {
        is_enabled = is_enabled && m->queues[k].is_enabled;
    }
    return is_enabled;
}

/* Return the ring's oldest descriptor. at: the register that tells `returned`. */
static void give_back(struct tg_nic_model *m, struct tg_nic_ring *ring, uint32_t at,
                      uint32_t len_bytes, uint32_t flow)
{
    tg_nic_ring_return(ring, len_bytes, flow);
    m->registers[at / 4u] = ring->done;
}

/* ---- Receive --------------------------------------------------------------------------------- */

/* Put a frame into the ring of its queue. */
static enum tg_nic_fate fill(struct tg_nic_model *m, uint32_t queue, uint32_t flow,
                             const uint8_t *bytes, uint32_t len_bytes)
{
    struct tg_nic_ring *const ring = &m->queues[queue].ring;
    const enum tg_nic_ring_state state = tg_nic_ring_state(ring);
    const struct tg_nic_descriptor *const slot = tg_nic_ring_slot(ring, ring->done);

    if (state == TG_NIC_RING_EMPTY) {
        return TG_NIC_DROP_EMPTY;
    }
    if (state == TG_NIC_RING_NONSENSE) {
        tg_nic_error(m, TG_NIC_ERROR_INDEX);
        return TG_NIC_DROP_INDEX;
    }
    const uint32_t buffer = tg_nic_load(&slot->buffer);
    const uint32_t size_bytes = tg_nic_load(&slot->size_bytes);

    if (!tg_nic_is_data(m, buffer, size_bytes)) {
        tg_nic_error(m, TG_NIC_ERROR_DESCRIPTOR);
        len_bytes = 0u;
    } else if (len_bytes > size_bytes) {
        return TG_NIC_DROP_LONG;
    } else {
        memcpy(m->memory + buffer, bytes, len_bytes);
    }
    give_back(m, ring, TG_NIC_QUEUE(queue) + TG_NIC_Q_RETURNED, len_bytes, flow);
    return len_bytes != 0u ? TG_NIC_DELIVERED : TG_NIC_DROP_DESCRIPTOR;
}

static enum tg_nic_fate deliver(struct tg_nic_model *m, uint32_t queue, uint32_t flow,
                                const uint8_t *bytes, uint32_t len_bytes, tg_ns now_ns)
{
    static const uint32_t counters[] = {[TG_NIC_DELIVERED] = TG_NIC_Q_DELIVERED,
                                        [TG_NIC_DROP_DISABLED] = TG_NIC_Q_DROP_DISABLED,
                                        [TG_NIC_DROP_EMPTY] = TG_NIC_Q_DROP_EMPTY,
                                        [TG_NIC_DROP_INDEX] = TG_NIC_Q_DROP_INDEX,
                                        [TG_NIC_DROP_DESCRIPTOR] = TG_NIC_Q_DROP_DESCRIPTOR,
                                        [TG_NIC_DROP_LONG] = TG_NIC_Q_DROP_LONG};
    const enum tg_nic_fate fate =
        m->queues[queue].is_enabled ? fill(m, queue, flow, bytes, len_bytes) : TG_NIC_DROP_DISABLED;

    tg_nic_count(m, TG_NIC_QUEUE(queue) + TG_NIC_Q_FRAMES);
    tg_nic_count(m, TG_NIC_QUEUE(queue) + counters[fate]);
    if (fate == TG_NIC_DELIVERED || fate == TG_NIC_DROP_DESCRIPTOR) {
        tg_nic_interrupt_arrive(m, queue, now_ns);
    }
    return fate;
}

/* A frame that reaches no queue. */
static enum tg_nic_fate refuse(struct tg_nic_model *m, uint32_t counter, enum tg_nic_fate fate)
{
    tg_nic_count(m, counter);
    return fate;
}

enum tg_nic_fate tg_nic_model_receive(struct tg_nic_model *m, const uint8_t *bytes,
                                      uint32_t len_bytes, tg_ns now_ns)
{
    const uint32_t unregistered = tg_nic_get(m, TG_NIC_UNREGISTERED);
    struct tg_frame_key key;
    uint32_t flow = 0u;
    uint32_t priority = unregistered >> 8;
    const enum tg_frame_class class =
        tg_frame_parse(&m->setup.station, bytes, len_bytes, TG_TCI_NONE, &key);

    tg_nic_count(m, TG_NIC_RX_FRAMES);
    if (class == TG_FRAME_MALFORMED) {
        return refuse(m, TG_NIC_RX_MALFORMED, TG_NIC_MALFORMED);
    }
    if (class == TG_FRAME_MATCH) {
        flow = tg_flow_table_find(&m->table, &key, bytes);
    }
    if (flow != 0u) {
        priority = m->flows[flow].priority;
    } else if ((unregistered & TG_NIC_UNREGISTERED_ACCEPT) == 0u) {
        return refuse(m, TG_NIC_RX_REFUSED, TG_NIC_REFUSED);
    }
    if (m->queue_of[priority] == TG_NIC_QUEUES_MAX) {
        return refuse(m, TG_NIC_RX_NO_QUEUE, TG_NIC_NO_QUEUE);
    }
    return deliver(m, m->queue_of[priority], flow, bytes, len_bytes, now_ns);
}

/* ---- What the guest offers ------------------------------------------------------------------- */

/* One write from the write port, or one frame from the transmit ring: performed, or refused. */
typedef bool serve(struct tg_nic_model *m, const struct tg_nic_descriptor *slot, tg_ns now_ns);

static bool serve_write(struct tg_nic_model *m, const struct tg_nic_descriptor *slot, tg_ns now_ns)
{
    const uint32_t offset = tg_nic_load(&slot->buffer);
    const uint32_t value = tg_nic_load(&slot->size_bytes);
    const bool is_taken = tg_nic_write(m, offset, value, now_ns);

    if (!is_taken) {
        tg_nic_error(m, TG_NIC_ERROR_WRITE);
    }
    return is_taken;
}

static bool serve_frame(struct tg_nic_model *m, const struct tg_nic_descriptor *slot, tg_ns now_ns)
{
    const uint32_t buffer = tg_nic_load(&slot->buffer);
    const uint32_t len_bytes = tg_nic_load(&slot->size_bytes);

    (void)now_ns;
    if (!tg_nic_is_data(m, buffer, len_bytes)) {
        tg_nic_error(m, TG_NIC_ERROR_DESCRIPTOR);
        tg_nic_count(m, TG_NIC_TX_DROPPED);
        return false;
    }
    if (len_bytes < TG_NIC_FRAME_MIN || len_bytes > TG_NIC_FRAME_MAX ||
        !m->backend.transmit(m->backend.context, m->memory + buffer, len_bytes)) {
        tg_nic_count(m, TG_NIC_TX_DROPPED);
        return false;
    }
    tg_nic_count(m, TG_NIC_TX_SENT);
    return true;
}

/* At most once round a ring: a guest that offers for ever keeps nobody waiting. */
static enum tg_work serve_ring(struct tg_nic_model *m, struct tg_nic_ring *ring, uint32_t at,
                               serve *one, tg_ns now_ns)
{
    for (uint32_t n = 0u; n < ring->size; n++) {
        const enum tg_nic_ring_state state = tg_nic_ring_state(ring);

        if (state == TG_NIC_RING_NONSENSE) {
            tg_nic_error(m, TG_NIC_ERROR_INDEX);
        }
        if (state != TG_NIC_RING_READY) {
            return TG_WORK_DONE;
        }
        give_back(m, ring, at, one(m, tg_nic_ring_slot(ring, ring->done), now_ns), 0u);
    }
    return TG_WORK_MORE;
}

enum tg_work tg_nic_model_doorbell(struct tg_nic_model *m, tg_ns now_ns)
{
    enum tg_work work = serve_ring(m, &m->port, TG_NIC_WRITES_DONE, serve_write, now_ns);

    if (tg_nic_get(m, TG_NIC_TX_CONTROL) != 0u &&
        serve_ring(m, &m->transmit, TG_NIC_TX_RETURNED, serve_frame, now_ns) == TG_WORK_MORE) {
        work = TG_WORK_MORE;
    }
    tg_nic_interrupt_running(m, now_ns);
    return work;
}

/* ---- Check ----------------------------------------------------------------------------------- */

static const char *check_queue(const struct tg_nic_model *m, uint32_t queue)
{
    const struct tg_nic_model_queue *const q = &m->queues[queue];
    const uint32_t block = TG_NIC_QUEUE(queue);
    uint64_t sum = tg_nic_model_count(m, block + TG_NIC_Q_DELIVERED);

    for (uint32_t at = TG_NIC_Q_DROP_DISABLED; at <= TG_NIC_Q_DROP_LONG; at += 8u) {
        sum += tg_nic_model_count(m, block + at);
    }
    if (tg_nic_model_count(m, block + TG_NIC_Q_FRAMES) != sum) {
        return "I2: frames of a queue are not those delivered and dropped";
    }
    if (((tg_nic_get(m, TG_NIC_HELD) | tg_nic_get(m, TG_NIC_GATED)) >> queue & 1u) != 0u &&
        q->interrupt != TG_NIC_DUE) {
        return "I3: an interrupt is held back that is not due";
    }
    if (q->is_enabled &&
        !tg_nic_is_data(m, (uint32_t)((uint8_t *)q->ring.slots - m->memory),
                        q->ring.size * (uint32_t)sizeof(struct tg_nic_descriptor))) {
        return "I4: a ring is not within rings and buffers";
    }
    return NULL;
}

const char *tg_nic_model_check(const struct tg_nic_model *m)
{
    uint64_t sum = tg_nic_model_count(m, TG_NIC_RX_MALFORMED) +
                   tg_nic_model_count(m, TG_NIC_RX_REFUSED) +
                   tg_nic_model_count(m, TG_NIC_RX_NO_QUEUE);

    for (uint32_t k = 0u; k < m->setup.n_queues; k++) {
        const char *const wrong = check_queue(m, k);

        if (wrong != NULL) {
            return wrong;
        }
        sum += tg_nic_model_count(m, TG_NIC_QUEUE(k) + TG_NIC_Q_FRAMES);
    }
    return sum == tg_nic_model_count(m, TG_NIC_RX_FRAMES)
               ? NULL
               : "I1: frames are not those of the queues and those refused before";
}
