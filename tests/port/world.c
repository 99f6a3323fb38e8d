/* SPDX-License-Identifier: MIT
 *
 * world.c - rings, frames that can be checked, and what must add up.
 */
#include "check_cmocka.h"
#include "harness.h"
#include "test_frame.h"
#include "tidegate/check.h"

#include <string.h>

#define FLOOR          2u
#define PORT_FIRST     5000u
#define PORT_EXTRA     6000u /* every other frame of the last producer; at times a flow */
#define PAYLOAD_OFFSET 42u

/* Milliseconds; what has not come by then never will. Fewer where time does not depend on a
 * host. */
#ifndef WORLD_PASSES_MAX
#define WORLD_PASSES_MAX 30000u
#endif

static struct world the_world;
static atomic_uint ticks;

/* The linker puts this in place of tg_rx_tick (--wrap), so that a case sees what the timer does. */
enum tg_work __real_tg_rx_tick(struct tg_protocol *p, tg_ns now_ns); /* NOLINT(*-identifier) */
enum tg_work __wrap_tg_rx_tick(struct tg_protocol *p, tg_ns now_ns); /* NOLINT(*-identifier) */

enum tg_work __wrap_tg_rx_tick(struct tg_protocol *p, tg_ns now_ns) /* NOLINT(*-identifier) */
{
    atomic_fetch_add(&ticks, 1u);
    return __real_tg_rx_tick(p, now_ns);
}

uint32_t world_ticks(void)
{
    return atomic_load(&ticks);
}

void world_note(struct world *w, const char *what)
{
    const char *nothing = NULL;

    (void)atomic_compare_exchange_strong(&w->wrong, &nothing, what);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static struct frame frame_of(uint32_t producer, uint32_t number)
{
    const bool is_extra = producer == WORLD_PRODUCERS - 1u && number % 2u == 0u;
    const struct frame_spec spec = {.dst_port =
                                        (uint16_t)(is_extra ? PORT_EXTRA : PORT_FIRST + producer),
                                    .payload_bytes = (uint16_t)(20u + number * 37u % 600u)};
    struct frame f = frame_build(&spec);
    uint8_t *const payload = f.bytes + PAYLOAD_OFFSET;

    payload[0] = (uint8_t)producer;
    for (uint32_t i = 0u; i < 4u; i++) {
        payload[1u + i] = (uint8_t)(number >> (8u * i));
    }
    for (uint32_t i = 5u; i < spec.payload_bytes; i++) {
        payload[i] = (uint8_t)(number * 31u + producer * 7u + i * 13u);
    }
    return f;
}

/* Is it byte for byte one of the frames that were sent? Then these are its sender and number. */
static bool read_packet(const struct tg_buffer *b, uint32_t *producer, uint32_t *number)
{
    const uint8_t *const payload = b->data + PAYLOAD_OFFSET;

    if (b->len_bytes <= PAYLOAD_OFFSET + 5u || payload[0] >= WORLD_PRODUCERS) {
        return false;
    }
    *producer = payload[0];
    *number = 0u;
    for (uint32_t i = 0u; i < 4u; i++) {
        *number |= (uint32_t)payload[1u + i] << (8u * i);
    }
    const struct frame f = frame_of(*producer, *number);

    return b->len_bytes == f.len_bytes && memcmp(b->data, f.bytes, f.len_bytes) == 0;
}

/* ---- Rings ----------------------------------------------------------------------------------- */

bool world_has_frame(const struct world_ring *ring)
{
    return atomic_load(&ring->filled) != ring->taken;
}

static bool peek(void *ring, struct tg_rx_frame *frame)
{
    struct world_ring *const r = ring;

    frame->now_ns = harness_now_ns(r->world);
    if (!world_has_frame(r)) {
        return false;
    }
    frame->buffer = r->slots[r->taken % WORLD_RING].buffer;
    frame->len_bytes = r->slots[r->taken % WORLD_RING].len_bytes;
    frame->tci = TG_TCI_NONE;
    return true;
}

static void advance(void *ring, struct tg_buffer *buffer)
{
    struct world_ring *const r = ring;

    r->slots[r->taken % WORLD_RING].buffer = buffer;
    r->taken++;
    atomic_fetch_add(&r->given, 1u);
}

static const struct tg_ring_ops RING_OPS = {.peek = peek, .advance = advance};

static void open_ring(struct world *w, uint32_t i)
{
    struct world_ring *const ring = &w->rings[i];

    ring->world = w;
    ring->queue = tg_rxq_attach(&w->protocol, i, &RING_OPS, ring);
    for (uint32_t k = 0u; k < WORLD_RING; k++) {
        ring->slots[k].buffer = tg_rxq_fill(ring->queue);
        assert_non_null(ring->slots[k].buffer);
    }
    assert_null(tg_rxq_fill(ring->queue));
    atomic_store(&ring->given, WORLD_RING);
}

static uint32_t close_ring(struct world_ring *ring)
{
    tg_rxq_link(ring->queue, false);
    for (uint32_t k = 0u; k < WORLD_RING; k++) {
        assert_int_equal(tg_rxq_unfill(ring->queue, ring->slots[k].buffer), 0);
    }
    return atomic_load(&ring->filled) - ring->taken;
}

bool world_has_sent_all(const struct world *w, uint32_t producer)
{
    return atomic_load(&w->sent[producer]) >= w->cfg.frames_per_producer;
}

bool world_produce(struct world *w, uint32_t producer)
{
    const uint32_t queue = producer % WORLD_QUEUES;
    struct world_ring *const ring = &w->rings[queue];
    bool has_room;

    if (world_has_sent_all(w, producer)) {
        return false;
    }
    harness_nic_lock(w, queue);
    const uint32_t filled = atomic_load(&ring->filled);

    has_room = filled != atomic_load(&ring->given);
    if (has_room) {
        const struct frame f = frame_of(producer, 1u + atomic_fetch_add(&w->sent[producer], 1u));

        harness_nic_write(w, ring->slots[filled % WORLD_RING].buffer->data, f.bytes, f.len_bytes);
        ring->slots[filled % WORLD_RING].len_bytes = f.len_bytes;
        atomic_store(&ring->filled, filled + 1u);
    }
    harness_nic_unlock(w, queue);
    if (has_room) {
        harness_raise(w, queue);
    }
    return has_room;
}

/* ---- Protocol task and receivers ------------------------------------------------------------- */

static void check_packet(struct world *w, const struct tg_buffer *b, uint32_t *producer)
{
    uint32_t number;

    if (!read_packet(b, producer, &number)) {
        world_note(w, "the protocol task got a packet that nobody sent like this");
        return;
    }
    if (number <= w->last_seen[*producer][b->flow]) {
        world_note(w, "packets of a flow are out of order");
    }
    w->last_seen[*producer][b->flow] = number;
}

bool world_process(struct world *w)
{
    struct tg_buffer *const b = tg_rx_next(&w->protocol);
    uint32_t producer = 0u;

    if (b == NULL) {
        return false;
    }
    check_packet(w, b, &producer);

    struct world_mailbox *const mailbox = &w->mailboxes[producer % WORLD_CONSUMERS];
    const uint32_t put = atomic_load(&mailbox->put);

    mailbox->packets[put % WORLD_BUFFERS] = b;
    atomic_store(&mailbox->put, put + 1u);
    tg_rx_done(&w->protocol);
    atomic_fetch_add(&w->processed, 1u);
    return true;
}

bool world_consume(struct world *w, uint32_t consumer)
{
    struct world_mailbox *const mailbox = &w->mailboxes[consumer];
    const uint32_t got = atomic_load(&mailbox->got);
    uint32_t producer;
    uint32_t number;

    if (got == atomic_load(&mailbox->put)) {
        return false;
    }
    struct tg_buffer *const b = mailbox->packets[got % WORLD_BUFFERS];

    if (!read_packet(b, &producer, &number)) {
        world_note(w, "a packet changed after the protocol task had it");
    }
    memset(b->data, (int)(got & 0xffu), b->size_bytes); /* a stack may write into what it holds */
    atomic_store(&mailbox->got, got + 1u);
    if (tg_rx_release(&w->protocol, b) != 0) {
        world_note(w, "a packet could not be released");
    }
    atomic_fetch_add(&w->released, 1u);
    return true;
}

/* ---- Administrator --------------------------------------------------------------------------- */

static uint64_t verdicts_of(const struct tg_flow_counters *c)
{
    return c->passed + c->dropped_budget + c->dropped_no_buffer;
}

/* Frames with a verdict according to the queues; whether the flows agree. */
static uint64_t count(struct world *w, bool *is_consistent)
{
    struct tg_snapshot s = {.flows = w->counted};
    uint64_t received = 0u;
    uint64_t verdicts = 0u;

    tg_rx_snapshot(&w->protocol, &s);
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        received += s.queues[i].received;
        verdicts += s.queues[i].malformed + s.queues[i].unregistered;
    }
    verdicts += verdicts_of(&s.retired);
    for (uint32_t i = 0u; i < WORLD_FLOWS; i++) {
        verdicts += verdicts_of(&w->counted[i]);
    }
    *is_consistent = received == verdicts;
    return received;
}

static void look(struct world *w)
{
    bool is_consistent;
    const uint32_t state = tg_port_lock(w->port);
    const char *const wrong = tg_protocol_check(&w->protocol);

    if (wrong != NULL) {
        world_note(w, wrong);
    }
    if (tg_port_priority_kind(w->port) == TG_PORT_DIRECT && !w->cfg.is_manual &&
        harness_priority(w) != w->protocol.current) {
        world_note(w, "the protocol task does not have the priority that the core gave it");
    }
    tg_port_unlock(w->port, state);
    (void)count(w, &is_consistent);
    if (!is_consistent) {
        world_note(w, "a snapshot in the middle: received frames are not the sum of the verdicts");
    }
}

static void bind_or_unbind(struct world *w)
{
    const struct tg_flow_config extra = {
        .match = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                  .protocol = PROTO_UDP,
                  .dst_port = PORT_EXTRA},
        .budget = {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 8u, .period_ns = 1000000u},
        .reserve_pkts = 4u,
        .priority = 12u};

    if (w->extra_flow > 0) {
        if (tg_rx_unbind(&w->protocol, (uint32_t)w->extra_flow) != 0) {
            world_note(w, "a bound flow cannot be unbound");
        }
        w->extra_flow = -1;
        return;
    }
    w->extra_flow = tg_rx_bind(&w->protocol, &extra, harness_now_ns(w));
    if (w->extra_flow < 0 && w->extra_flow != TG_ERR_FULL && w->extra_flow != TG_ERR_BUFFERS) {
        world_note(w, "a flow cannot be bound");
    }
}

void world_administrate(struct world *w)
{
    look(w);
    bind_or_unbind(w);
}

uint64_t world_received(struct world *w)
{
    bool is_consistent;

    return count(w, &is_consistent);
}

bool world_is_drained(struct world *w)
{
    for (uint32_t i = 0u; i < WORLD_PRODUCERS; i++) {
        if (!world_has_sent_all(w, i)) {
            return false;
        }
    }
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        if (atomic_load(&w->rings[i].given) - atomic_load(&w->rings[i].filled) != WORLD_RING) {
            return false;
        }
    }
    return true;
}

void world_await(struct world *w, bool (*holds)(struct world *w))
{
    for (uint32_t n = 0u; n < WORLD_PASSES_MAX; n++) {
        if (holds(w)) {
            return;
        }
        harness_pass(w, 1000000u);
    }
    fail_msg("what the case waits for does not come (%s)",
             atomic_load(&w->wrong) != NULL ? atomic_load(&w->wrong) : "nothing else is wrong");
}

/* ---- Begin and end --------------------------------------------------------------------------- */

static void init_protocol(struct world *w)
{
    static const uint8_t priorities[WORLD_PRODUCERS] = {30u, 3u, 17u, 9u};
    struct tg_flow_config flows[WORLD_PRODUCERS];
    struct tg_queue_config queues[WORLD_QUEUES];
    const struct tg_server_config budgets[WORLD_PRODUCERS] = {
        {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 8u, .period_ns = 1000000u},
        {.kind = TG_SERVER_SPORADIC, .budget_pkts = 8u, .period_ns = 1000000u, .window = w->window},
        {.kind = TG_SERVER_UNLIMITED},
        {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 12u, .period_ns = 1000000u}};

    for (uint32_t i = 0u; i < WORLD_PRODUCERS; i++) {
        flows[i] =
            (struct tg_flow_config){.match = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                                              .protocol = PROTO_UDP,
                                              .dst_port = (uint16_t)(PORT_FIRST + i)},
                                    .budget = budgets[i],
                                    .reserve_pkts = 8u,
                                    .priority = priorities[i]};
    }
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        queues[i] = (struct tg_queue_config){
            .ring = WORLD_RING, .rank = (uint8_t)i, .gate = w->cfg.gate_of[i]};
    }
    const struct tg_config cfg = {.gates = w->cfg.gates,
                                  .queues = queues,
                                  .flows = flows,
                                  .station = {.mac = tg_mac(STATION_MAC), .mtu_bytes = 1500u},
                                  .best_effort_budget = budgets[0],
                                  .best_effort_reserve_pkts = 8u,
                                  .floor = FLOOR,
                                  .n_flows = WORLD_PRODUCERS,
                                  .n_gates = WORLD_QUEUES,
                                  .n_queues = WORLD_QUEUES,
                                  .trace = w->cfg.trace};
    const struct tg_storage storage = {.flows = w->flows,
                                       .buckets = w->buckets,
                                       .buffers = w->buffers,
                                       .queues = w->rxqs,
                                       .gates = w->gate_states,
                                       .n_flows = WORLD_FLOWS,
                                       .n_buckets = WORLD_BUCKETS,
                                       .n_buffers = WORLD_BUFFERS};

    assert_int_equal(tg_protocol_init(&w->protocol, &cfg, &storage, w->port,
                                      UINT64_C(0x9e3779b97f4a7c15), harness_now_ns(w), NULL),
                     0);
}

struct world *world_open(const struct world_config *cfg)
{
    struct world *const w = &the_world;

    memset(w, 0, sizeof(*w));
    memset(w->memory, 0x5a, sizeof(w->memory));
    w->cfg = *cfg;
    w->extra_flow = -1;
    for (uint32_t i = 0u; i < WORLD_BUFFERS; i++) {
        w->buffers[i].data = w->memory + (size_t)i * WORLD_BUFFER_BYTES;
        w->buffers[i].size_bytes = WORLD_BUFFER_BYTES;
    }
    assert_int_equal(tg_trace_init(&w->trace, w->events, WORLD_EVENTS), 0);
    w->port = harness_open(w, FLOOR);
    init_protocol(w);
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        open_ring(w, i);
    }
    return w;
}

static void check_counters(struct world *w, uint64_t unseen)
{
    struct tg_snapshot s = {.flows = w->counted};
    uint64_t sent = 0u;
    uint64_t received = 0u;
    uint64_t passed = 0u;

    tg_rx_snapshot(&w->protocol, &s);
    for (uint32_t i = 0u; i < WORLD_PRODUCERS; i++) {
        sent += atomic_load(&w->sent[i]);
    }
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        received += s.queues[i].received;
        assert_int_equal(s.queues[i].malformed, 0);
        assert_int_equal(s.queues[i].unregistered, 0);
    }
    passed = s.retired.passed;
    for (uint32_t i = 0u; i < WORLD_FLOWS; i++) {
        passed += w->counted[i].passed;
        assert_int_equal(w->counted[i].held_pkts, 0);
        assert_true(w->flows[i].state != TG_FLOW_CLOSING); /* its last packet is back */
    }
    assert_int_equal(sent, received + unseen);
    assert_int_equal(passed, atomic_load(&w->processed));
    assert_int_equal(passed, atomic_load(&w->released));
}

void world_close(struct world *w)
{
    uint64_t unseen = 0u;
    bool is_consistent;

    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        unseen += close_ring(&w->rings[i]);
    }
    (void)count(w, &is_consistent);
    if (atomic_load(&w->wrong) != NULL) {
        fail_msg("%s", atomic_load(&w->wrong));
    }
    if (tg_protocol_check(&w->protocol) != NULL) {
        fail_msg("%s", tg_protocol_check(&w->protocol));
    }
    assert_true(is_consistent);
    check_counters(w, unseen);
    harness_close(w);
}
