/* SPDX-License-Identifier: MIT
 *
 * frame.c - any bytes as a frame: the parser decides as the table of docs/frames.md, reads nothing
 * behind the frame or its head, finds the same when the NIC has stripped the tag, and the eager
 * half agrees.
 *
 * Input: one byte of choices (see read_input), the tag control word that was stripped, the frame.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame_oracle.h"
#include "sim_port.h"
#include "tidegate/rx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER = 3, FLOWS = 7, RESERVE = 1, ETHERNET = 14, TAG = 4 };

static const uint8_t STATION[6] = {0x02, 0x00, 0x00, 0x00, 0x00, 0x01};

struct input {
    const uint8_t *bytes;
    uint32_t len_bytes;
    uint32_t tci;
    struct tg_station station;
};

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static struct input read_input(const uint8_t *data, size_t size)
{
    static const uint32_t mtus[4] = {1500u, 68u, 100u, 65521u};
    const uint32_t choices = data[0];

    return (struct input){.bytes = data + HEADER,
                          .len_bytes = (uint32_t)(size - HEADER),
                          .tci =
                              (choices & 2u) != 0u ? (uint32_t)data[1] << 8 | data[2] : TG_TCI_NONE,
                          .station = {.mac = (choices & 1u) != 0u ? tg_mac(STATION) : TG_MAC_NONE,
                                      .mtu_bytes = mtus[choices >> 2 & 3u]}};
}

static void check_against_table(const struct input *in, enum tg_frame_class class, uint32_t rule)
{
    const struct oracle_frame f = {.bytes = in->bytes,
                                   .len_bytes = in->len_bytes,
                                   .stripped_tci = in->tci == TG_TCI_NONE ? ORACLE_NO_TAG : in->tci,
                                   .station = in->station.mac == TG_MAC_NONE ? NULL : STATION,
                                   .mtu_bytes = in->station.mtu_bytes};
    const struct oracle_answer answer = oracle_classify(&f);
    const char result = class == TG_FRAME_MALFORMED     ? 'D'
                        : class == TG_FRAME_BEST_EFFORT ? 'B'
                                                        : 'F';

    require(answer.result == result, "another class than the table says");
    require(answer.row == rule, "another rule than the table says");
}

/* What the comments of struct tg_frame_key promise of a frame that is handed to matching. */
static void check_key(const struct tg_frame_key *key, uint32_t len_bytes)
{
    const uint32_t family = (uint32_t)(key->word >> TG_KEY_KIND_SHIFT) & 0xff00u;
    const bool is_ip = family == TG_KIND_IP4 || family == TG_KIND_IP6;
    const uint32_t address_bytes = family == TG_KIND_IP4 ? 4u : family == TG_KIND_IP6 ? 16u : 0u;

    require(key->l3_offset >= ETHERNET && key->l3_offset <= len_bytes, "no network header");
    require(key->address_bytes == address_bytes, "addresses, or none");
    require(key->word >> 63 == 0u && key->pcp <= 7u, "bits without a meaning");
    require((key->word & TG_KEY_BROADCAST) == 0u || (key->word & TG_KEY_GROUP) != 0u,
            "broadcast, and no group");
    if (is_ip) {
        require(key->l4_offset > key->l3_offset, "transport before network");
        require((uint32_t)key->l4_offset + key->l4_len_bytes <= len_bytes, "a payload behind");
        require(key->src_offset + 2u * address_bytes <= key->l4_offset, "addresses behind");
    }
    if (key->rule != TG_RULE_UDP && key->rule != TG_RULE_TCP) {
        require((key->word & (UINT32_MAX | TG_KEY_SYN)) == 0u, "ports of what has none");
    }
}

/* The same frame from a NIC that strips its outermost tag. */
static void check_stripped(const struct input *in, const uint8_t *head, uint32_t head_bytes,
                           enum tg_frame_class class, const struct tg_frame_key *key)
{
    const uint32_t type = in->len_bytes < ETHERNET + TAG ? 0u : (uint32_t)head[12] << 8 | head[13];
    uint8_t bytes[TG_FRAME_HEAD_BYTES];
    struct tg_frame_key stripped;

    if (in->tci != TG_TCI_NONE || (type != 0x8100u && type != 0x88a8u)) {
        return;
    }
    memcpy(bytes, head, 12u);
    memcpy(bytes + 12, head + 12 + TAG, head_bytes - 12u - TAG);
    require(tg_frame_parse(&in->station, bytes, in->len_bytes - TAG,
                           (uint32_t)head[14] << 8 | head[15], &stripped) == class,
            "another class without the tag");
    require(stripped.rule == key->rule, "another rule without the tag");
    if (class == TG_FRAME_MATCH) {
        require(stripped.word == key->word && stripped.pcp == key->pcp &&
                    stripped.l3_offset == key->l3_offset - TAG &&
                    stripped.l4_len_bytes == key->l4_len_bytes &&
                    stripped.address_bytes == key->address_bytes,
                "another key without the tag");
    }
}

/* ---- The eager half -------------------------------------------------------------------------- */

struct receiver {
    struct tg_sim_port port;
    struct tg_protocol protocol;
    struct tg_rxq rxqs[TG_QUEUES_MAX];
    struct tg_gate gate_states[TG_GATES_MAX];
    struct tg_flow flows[1 + FLOWS];
    uint32_t buckets[16];
    struct tg_buffer buffers[1 + (1 + FLOWS) * RESERVE]; /* one in the ring */
    uint8_t no_bytes[TG_FRAME_HEAD_BYTES];
    struct tg_buffer *in_ring; /* NULL until start() */
    tg_ns now_ns;
};

/* At the pace of check_eager it never ends. */
static const struct tg_server_config BUDGET = {
    .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 1000u, .period_ns = 1000000u};

/* Shapes of all sorts; ports that differ in one bit; the same ports by host. */
static void bind_flows(struct receiver *r)
{
    static const struct tg_match matches[FLOWS] = {
        {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT, .protocol = 17u, .dst_port = 5000u},
        {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT, .protocol = 17u, .dst_port = 5032u},
        {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT | TG_FIELD_SRC_HOST,
         .protocol = 17u,
         .family = 4u,
         .dst_port = 5000u,
         .src_host = {192u, 0u, 2u, 2u}},
        {.fields = TG_FIELD_PROTOCOL | TG_FIELD_SRC_PORT, .protocol = 17u, .src_port = 5000u},
        {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT | TG_FIELD_SYN,
         .protocol = 6u,
         .dst_port = 502u},
        {.fields = TG_FIELD_TYPE | TG_FIELD_VLAN, .type = 0x0806u, .vlan = 5u},
        {.fields = TG_FIELD_BROADCAST, .broadcast = true}};

    for (uint32_t i = 0u; i < FLOWS; i++) {
        const struct tg_flow_config cfg = {
            .match = matches[i], .budget = BUDGET, .reserve_pkts = RESERVE};

        require(tg_rx_bind(&r->protocol, &cfg, r->now_ns) == (int)i + 1, "a flow is refused");
    }
}

static void start(struct receiver *r, const struct tg_station *station)
{
    const struct tg_gate_config gate = {.budget = BUDGET};
    const struct tg_queue_config queue = {.ring = 1u};
    const struct tg_config cfg = {.gates = &gate,
                                  .queues = &queue,
                                  .station = *station,
                                  .best_effort_budget = BUDGET,
                                  .best_effort_reserve_pkts = RESERVE,
                                  .n_gates = 1u,
                                  .n_queues = 1u};
    const struct tg_storage storage = {.flows = r->flows,
                                       .buckets = r->buckets,
                                       .buffers = r->buffers,
                                       .queues = r->rxqs,
                                       .gates = r->gate_states,
                                       .n_flows = 1u + FLOWS,
                                       .n_buckets = 16u,
                                       .n_buffers = 1u + (1u + FLOWS) * RESERVE};

    for (uint32_t i = 0u; i < storage.n_buffers; i++) {
        r->buffers[i] = (struct tg_buffer){.data = r->no_bytes, .size_bytes = sizeof r->no_bytes};
    }
    tg_sim_port_init(&r->port, 0u, 0u);
    require(tg_protocol_init(&r->protocol, &cfg, &storage, &r->port, 1u, 0u, NULL) == 0,
            "a good configuration is refused");
    bind_flows(r);
    r->in_ring = tg_rxq_fill(&r->protocol.queues[0]);
}

/* Twice: the first frame wakes the protocol task, the second finds it awake. */
static void check_eager(const struct input *in, uint8_t *head, enum tg_frame_class class,
                        const struct tg_frame_key *key)
{
    static struct receiver r;

    if (r.in_ring == NULL) {
        start(&r, &in->station);
    }
    const uint32_t flow =
        class == TG_FRAME_MATCH ? tg_flow_table_find(&r.protocol.table, key, head) : 0u;

    r.protocol.station = in->station;
    for (uint32_t round = 0u; round < 2u; round++) {
        struct tg_rx_frame frame = {.now_ns = r.now_ns += 10000u,
                                    .buffer = r.in_ring,
                                    .len_bytes = in->len_bytes,
                                    .tci = in->tci};

        r.in_ring->data = head;
        const enum tg_verdict verdict = tg_rx_eager(&r.protocol.queues[0], &frame);

        r.in_ring->data = r.no_bytes;
        require(verdict == (class == TG_FRAME_MALFORMED ? TG_VERDICT_MALFORMED : TG_VERDICT_PASSED),
                "another verdict than the parser's");
        if (verdict != TG_VERDICT_PASSED) {
            continue;
        }
        struct tg_buffer *const packet = tg_rx_next(&r.protocol);

        require(packet == r.in_ring && packet->flow == flow, "another flow than the table's");
        tg_rx_done(&r.protocol);
        require(tg_rx_release(&r.protocol, packet) == 0, "not delivered");
        r.in_ring = frame.buffer;
    }
    require(tg_rx_next(&r.protocol) == NULL, "a packet that nobody sent");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tg_frame_key key;

    if (size < HEADER || size > HEADER + UINT16_MAX) {
        return 0;
    }
    const struct input in = read_input(data, size);
    const uint32_t head_bytes =
        in.len_bytes < TG_FRAME_HEAD_BYTES ? in.len_bytes : TG_FRAME_HEAD_BYTES;
    uint8_t *const block = malloc(head_bytes + 1u);

    if (block == NULL) {
        abort();
    }
    /* At the end of the block: a sanitizer sees what is read behind it. */
    uint8_t *const head = memcpy(block + 1, in.bytes, head_bytes);
    const enum tg_frame_class class = tg_frame_parse(&in.station, head, in.len_bytes, in.tci, &key);

    check_against_table(&in, class, key.rule);
    if (class == TG_FRAME_MATCH) {
        check_key(&key, in.len_bytes);
    }
    check_stripped(&in, head, head_bytes, class, &key);
    check_eager(&in, head, class, &key);
    free(block);
    return 0;
}
