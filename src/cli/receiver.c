/* SPDX-License-Identifier: MIT
 *
 * receiver.c - the real receive path for one frame at a time.
 */
#include "receiver.h"
#include "reach_of_parse.h"

#include "sim_port.h"

#include <stdlib.h>
#include <string.h>

#define FRAME_MAX_BYTES 65535u
#define RESERVE_PKTS    1u /* per flow: at most one packet is held at any time */
#define PRIORITY        1u
#define SEED            UINT64_C(0x7469646567617465) /* the frames of a file cannot react */

struct tg_receiver {
    struct tg_protocol protocol;
    struct tg_rxq rxqs[TG_QUEUES_MAX];
    struct tg_gate gate_states[TG_GATES_MAX];
    struct tg_sim_port port;
    struct tg_storage storage;
    struct tg_rxq *queue;
    struct tg_buffer *in_ring;
    uint8_t bytes[FRAME_MAX_BYTES + 1u];
};

static uint32_t buckets_for(uint32_t n_flows)
{
    uint32_t n = 64u;

    while (n < 16u * n_flows && n < 65536u) {
        n *= 2u;
    }
    return n;
}

static bool allocate(struct tg_receiver *r, const struct tg_rules *rules)
{
    struct tg_storage *const s = &r->storage;

    s->queues = r->rxqs;
    s->gates = r->gate_states;
    s->n_flows = (uint32_t)rules->n + 1u;
    s->n_buckets = buckets_for(s->n_flows);
    s->n_buffers = 1u + RESERVE_PKTS * s->n_flows;
    s->flows = calloc(s->n_flows, sizeof *s->flows);
    s->buckets = calloc(s->n_buckets, sizeof *s->buckets);
    s->buffers = calloc(s->n_buffers, sizeof *s->buffers);
    if (s->flows == NULL || s->buckets == NULL || s->buffers == NULL) {
        return false;
    }
    /* Only one buffer is in use at a time, so that all share their bytes. */
    for (uint32_t i = 0u; i < s->n_buffers; i++) {
        s->buffers[i].data = r->bytes;
        s->buffers[i].size_bytes = FRAME_MAX_BYTES;
    }
    return true;
}

static bool configure(struct tg_receiver *r, const struct tg_rules *rules,
                      const struct tg_station *station, tg_ns now_ns)
{
    const struct tg_gate_config gate = {.budget = {.kind = TG_SERVER_UNLIMITED}};
    const struct tg_queue_config queue = {.ring = 1u};
    struct tg_flow_config *const flows = calloc(rules->n + 1u, sizeof *flows);
    const struct tg_config config = {.gates = &gate,
                                     .queues = &queue,
                                     .flows = flows,
                                     .station = *station,
                                     .best_effort_budget = rules->best_effort.budget,
                                     .best_effort_reserve_pkts =
                                         rules->drops_unregistered ? 0u : RESERVE_PKTS,
                                     .best_effort_priority = 0u,
                                     .floor = 0u,
                                     .n_flows = (uint16_t)rules->n,
                                     .n_gates = 1u,
                                     .n_queues = 1u};

    if (flows == NULL) {
        return false;
    }
    for (size_t i = 0u; i < rules->n; i++) {
        flows[i] = (struct tg_flow_config){.match = rules->rules[i].match,
                                           .budget = rules->rules[i].budget,
                                           .reserve_pkts = RESERVE_PKTS,
                                           .priority = PRIORITY};
    }
    tg_sim_port_init(&r->port, now_ns, config.floor);

    const int err =
        tg_protocol_init(&r->protocol, &config, &r->storage, &r->port, SEED, now_ns, NULL);

    free(flows);
    return err == 0;
}

/* The queue is served by hand, frame by frame. */
static bool no_frame(void *ring, struct tg_rx_frame *frame)
{
    const struct tg_receiver *const r = ring;

    frame->now_ns = r->port.now_ns;
    return false;
}

static void never_called(void *ring, struct tg_buffer *buffer)
{
    (void)ring;
    (void)buffer;
}

static const struct tg_ring_ops by_hand = {.peek = no_frame, .advance = never_called};

struct tg_receiver *tg_receiver_open(const struct tg_rules *rules, const struct tg_station *station,
                                     tg_ns now_ns)
{
    struct tg_receiver *const r = calloc(1u, sizeof *r);

    if (r == NULL) {
        return NULL;
    }
    if (!allocate(r, rules) || !configure(r, rules, station, now_ns)) {
        tg_receiver_close(r);
        return NULL;
    }
    r->queue = tg_rxq_attach(&r->protocol, 0u, &by_hand, r);
    r->in_ring = tg_rxq_fill(r->queue);
    tg_rxq_link(r->queue, true);
    return r;
}

void tg_receiver_close(struct tg_receiver *r)
{
    if (r != NULL) {
        free(r->storage.flows);
        free(r->storage.buckets);
        free(r->storage.buffers);
        free(r);
    }
}

/* The protocol task and the socket, done with the packet at once. */
static void deliver(struct tg_receiver *r)
{
    struct tg_buffer *const packet = tg_rx_next(&r->protocol);

    tg_rx_done(&r->protocol);
    if (packet == NULL || tg_rx_release(&r->protocol, packet) != 0) {
        abort(); /* the core lost a packet that it had passed */
    }
}

void tg_receiver_frame(struct tg_receiver *r, const struct tg_sample *sample,
                       struct tg_outcome *outcome)
{
    const uint32_t len_bytes =
        sample->len_bytes < FRAME_MAX_BYTES ? sample->len_bytes : FRAME_MAX_BYTES;
    const uint32_t n_bytes = sample->n_bytes < len_bytes ? sample->n_bytes : len_bytes;
    struct tg_rx_frame frame = {
        .now_ns = sample->now_ns, .buffer = r->in_ring, .len_bytes = len_bytes, .tci = sample->tci};

    memcpy(r->bytes, sample->bytes, n_bytes);
    memset(r->bytes + n_bytes, 0, len_bytes - n_bytes);
    *outcome = (struct tg_outcome){.is_decided = true};
    outcome->class =
        tg_frame_parse(&r->protocol.station, r->bytes, len_bytes, sample->tci, &outcome->key);
    if (tg_reach_of_parse(&outcome->key) > n_bytes && n_bytes < len_bytes) {
        outcome->is_decided = false;
        return;
    }
    if (outcome->class == TG_FRAME_MATCH) {
        outcome->flow = tg_flow_table_find(&r->protocol.table, &outcome->key, r->bytes);
    }
    r->port.now_ns = sample->now_ns;
    outcome->verdict = tg_rx_eager(r->queue, &frame);
    r->in_ring = frame.buffer;
    if (outcome->verdict == TG_VERDICT_PASSED) {
        deliver(r);
    }
}

const struct tg_flow_table *tg_receiver_table(const struct tg_receiver *r)
{
    return &r->protocol.table;
}

const uint8_t *tg_receiver_bytes(const struct tg_receiver *r)
{
    return r->bytes;
}

const char *tg_verdict_name(enum tg_verdict verdict)
{
    switch (verdict) {
    case TG_VERDICT_PASSED:
        return "passed";
    case TG_VERDICT_MALFORMED:
        return "malformed";
    case TG_VERDICT_BUDGET:
        return "budget";
    case TG_VERDICT_NO_BUFFER:
        return "no_buffer";
    case TG_VERDICT_UNREGISTERED:
        return "unregistered";
    case TG_VERDICT_NONE:
        break;
    }
    return "none";
}
