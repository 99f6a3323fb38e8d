/* SPDX-License-Identifier: MIT
 *
 * registers_test.c - each register of the data sheet: reset value, who may write it, what a write
 * does.
 */
#include "bench.h"

#include "check_cmocka.h"

#include <string.h>

#define Q(k, at) (TG_NIC_QUEUE(k) + (at))

static void start(struct bench *b)
{
    b->setup.n_queues = 0u;
    bench_start(b);
}

/* What stands at every offset after a reset, but counters and GENERATION. */
static void assert_reset(const struct bench *b)
{
    for (uint32_t at = 0u; at < TG_NIC_QUEUE_BLOCK; at += 4u) {
        uint32_t expected = 0u;

        switch (at) {
        case TG_NIC_IDENT:
            expected = 0x314e4754u;
            break;
        case TG_NIC_VERSION:
            expected = 1u;
            break;
        case TG_NIC_CAPABILITY:
            expected = 0x10303u;
            break;
        case TG_NIC_RULES:
            expected = 1024u;
            break;
        case TG_NIC_MEMORY:
            expected = BENCH_MEMORY_BYTES;
            break;
        case TG_NIC_UNREGISTERED:
            expected = 1u;
            break;
        case TG_NIC_GENERATION:
        case TG_NIC_WRITES_DONE:
            continue;
        default:
            break;
        }
        assert_int_equal(bench_read(b, at), expected);
    }
    for (uint32_t k = 0u; k < QUEUES; k++) {
        static const uint32_t ranges[QUEUES] = {0x0700u, 0x0f08u, 0x1f10u};

        for (uint32_t at = 0u; at < TG_NIC_QUEUE_STRIDE; at += 4u) {
            const uint32_t expected = at == TG_NIC_Q_PRIORITIES ? ranges[k]
                                      : at == TG_NIC_Q_VECTOR   ? k
                                      : at == TG_NIC_Q_PACKETS  ? k + 1u
                                                                : 0u;

            assert_int_equal(bench_read(b, Q(k, at)), expected);
        }
    }
    for (uint32_t at = TG_NIC_QUEUE(QUEUES); at < TG_NIC_REGISTERS_END; at += 4u) {
        assert_int_equal(bench_read(b, at), 0u);
    }
}

static void with_counters(struct bench *b)
{
    bench_init(b);
    for (uint32_t k = 0u; k < QUEUES; k++) {
        b->setup.queues[k].packets = k + 1u;
    }
}

static void reset_values(void **state)
{
    struct bench b;

    (void)state;
    with_counters(&b);
    bench_open(&b);
    assert_int_equal(bench_read(&b, TG_NIC_GENERATION), 1u);
    assert_reset(&b);

    /* Whatever was written before: a reset gives the same. */
    bench_enable(&b, QUEUE_MID, 0u);
    bench_set(&b, Q(QUEUE_LOW, TG_NIC_Q_PRIORITIES), 0x1f00u);
    bench_set(&b, Q(QUEUE_LOW, TG_NIC_Q_GATE_BUDGET), 3u);
    bench_set(&b, TG_NIC_UNREGISTERED, 0u);
    bench_set(&b, TG_NIC_PEER, 77u);
    bench_set(&b, TG_NIC_RULE_PORTS, 99u);
    assert_false(bench_write(&b, 0xfffffffcu, 0u));
    bench_set(&b, TG_NIC_CONTROL, TG_NIC_CONTROL_RESET);
    assert_int_equal(bench_read(&b, TG_NIC_GENERATION), 2u);
    assert_reset(&b);
    assert_false(tg_nic_model_is_enabled(b.model));
    bench_close(&b);
}

static void a_guest_that_wrote_over_the_registers_resets(void **state)
{
    struct bench b;

    (void)state;
    with_counters(&b);
    bench_open(&b);
    for (uint32_t at = 0u; at < TG_NIC_REGISTERS_END; at += 4u) {
        if (at != TG_NIC_WRITES_DONE) {
            bench_store(&b, at, 0xa5a5a5a5u);
        }
    }
    bench_set(&b, TG_NIC_CONTROL, TG_NIC_CONTROL_RESET);
    assert_reset(&b);
    bench_close(&b);
}

/* Which registers take a write at all. */
static bool is_writable(uint32_t at)
{
    if (at >= TG_NIC_QUEUE_BLOCK) {
        return at < TG_NIC_QUEUE(QUEUES) && at % TG_NIC_QUEUE_STRIDE <= TG_NIC_Q_GATE_PERIOD;
    }
    return at == TG_NIC_CONTROL || at == TG_NIC_ERRORS || at == TG_NIC_PEER ||
           at == TG_NIC_UNREGISTERED || (at >= TG_NIC_RULE_FIELDS && at <= TG_NIC_RULE_COMMAND) ||
           (at >= TG_NIC_TX_CONTROL && at <= TG_NIC_TX_RING_SIZE);
}

static void read_only_registers_refuse(void **state)
{
    struct bench b;
    uint32_t n = 0u;

    (void)state;
    bench_init(&b);
    bench_open(&b);
    for (uint32_t at = 0u; at < TG_NIC_REGISTERS_END + 0x800u; at++) {
        if (at % 4u != 0u || !is_writable(at)) {
            const uint32_t before =
                at % 4u == 0u && at < TG_NIC_REGISTERS_END ? bench_read(&b, at) : 0u;

            assert_false(bench_write(&b, at, 0x01010101u));
            assert_int_equal(bench_read(&b, TG_NIC_ERRORS), TG_NIC_ERROR_WRITE);
            if (at % 4u == 0u && at < TG_NIC_REGISTERS_END && at != TG_NIC_WRITES_DONE) {
                assert_int_equal(bench_read(&b, at), before);
            }
            bench_set(&b, TG_NIC_ERRORS, TG_NIC_ERROR_WRITE);
            n++;
        }
    }
    assert_true(n > 3000u);
    assert_int_equal(bench_read(&b, TG_NIC_GENERATION), 1u);
    bench_close(&b);
}

static void read_write_registers_take_what_they_can_hold(void **state)
{
    static const struct {
        uint32_t at;
        uint32_t good;
        uint32_t bad; /* equal to good: none is */
    } cases[] = {
        {TG_NIC_PEER, 0xffffu, 0x10000u},
        {TG_NIC_UNREGISTERED, 0x1f01u, 0x2001u},
        {TG_NIC_UNREGISTERED, 0x1f01u, 0x0002u},
        {TG_NIC_RULE_FIELDS, 0xffffffffu, 0xffffffffu},
        {TG_NIC_RULE_KIND, 0xffffffffu, 0xffffffffu},
        {TG_NIC_RULE_PORTS, 0xffffffffu, 0xffffffffu},
        {TG_NIC_RULE_FLAGS, 0x1f01u, 0x2000u},
        {TG_NIC_RULE_SRC, 0xffffffffu, 0xffffffffu},
        {TG_NIC_RULE_SRC + 12u, 0xffffffffu, 0xffffffffu},
        {TG_NIC_RULE_DST, 0xffffffffu, 0xffffffffu},
        {TG_NIC_RULE_DST + 12u, 0xffffffffu, 0xffffffffu},
        {TG_NIC_RULE_ID, 0xffffffffu, 0xffffffffu},
        {TG_NIC_TX_RING_BASE, 0xffffffffu, 0xffffffffu},
        {TG_NIC_TX_RING_SIZE, 0xffffffffu, 0xffffffffu},
        {Q(1u, TG_NIC_Q_RING_BASE), 0xffffffffu, 0xffffffffu},
        {Q(1u, TG_NIC_Q_RING_SIZE), 0xffffffffu, 0xffffffffu},
        {Q(1u, TG_NIC_Q_PRIORITIES), 0x1f00u, 0x2000u},
        {Q(1u, TG_NIC_Q_PRIORITIES), 0x0505u, 0x0405u},
        {Q(1u, TG_NIC_Q_VECTOR), 2u, 3u},
        {Q(1u, TG_NIC_Q_PACKETS), 0xffffffffu, 0xffffffffu},
        {Q(1u, TG_NIC_Q_ABSOLUTE_NS), 0xffffffffu, 0xffffffffu},
        {Q(1u, TG_NIC_Q_PACKET_NS), 0xffffffffu, 0xffffffffu},
        {Q(1u, TG_NIC_Q_GATE_BUDGET), 0xffffffffu, 0xffffffffu},
        {Q(1u, TG_NIC_Q_GATE_PERIOD), 0xffffffffu, 0xffffffffu},
    };
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_open(&b);
    for (size_t i = 0u; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(bench_write(&b, cases[i].at, cases[i].good));
        assert_int_equal(bench_read(&b, cases[i].at), cases[i].good);
        if (cases[i].bad != cases[i].good) {
            assert_false(bench_write(&b, cases[i].at, cases[i].bad));
            assert_int_equal(bench_read(&b, cases[i].at), cases[i].good);
        }
    }
    bench_close(&b);
}

static void errors_are_cleared_by_writing_ones(void **state)
{
    struct bench b;

    (void)state;
    start(&b);
    assert_false(bench_write(&b, TG_NIC_IDENT, 0u));
    bench_store(&b, TG_NIC_TX_OFFERED, 0x80000000u);
    bench_doorbell(&b);
    assert_int_equal(bench_read(&b, TG_NIC_ERRORS), TG_NIC_ERROR_WRITE | TG_NIC_ERROR_INDEX);
    bench_store(&b, TG_NIC_TX_OFFERED, 0u);
    bench_set(&b, TG_NIC_ERRORS, 0u);
    assert_int_equal(bench_read(&b, TG_NIC_ERRORS), TG_NIC_ERROR_WRITE | TG_NIC_ERROR_INDEX);
    bench_set(&b, TG_NIC_ERRORS, TG_NIC_ERROR_WRITE);
    assert_int_equal(bench_read(&b, TG_NIC_ERRORS), TG_NIC_ERROR_INDEX);
    bench_set(&b, TG_NIC_ERRORS, 0xffffffffu);
    assert_int_equal(bench_read(&b, TG_NIC_ERRORS), 0u);
    bench_close(&b);
}

static void commands_read_as_zero(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_open(&b);
    assert_true(bench_write(&b, TG_NIC_CONTROL, 0u));
    assert_int_equal(bench_read(&b, TG_NIC_GENERATION), 1u);
    assert_false(bench_write(&b, TG_NIC_CONTROL, 2u));
    bench_set(&b, TG_NIC_CONTROL, TG_NIC_CONTROL_RESET);
    assert_int_equal(bench_read(&b, TG_NIC_CONTROL), 0u);
    assert_false(bench_write(&b, TG_NIC_RULE_COMMAND, 3u));
    assert_false(bench_write(&b, TG_NIC_RULE_COMMAND, 0u));
    bench_set(&b, TG_NIC_RULE_COMMAND, TG_NIC_RULE_UNBIND);
    assert_int_equal(bench_read(&b, TG_NIC_RULE_COMMAND), 0u);
    bench_close(&b);
}

static void a_queue_is_set_up_while_it_is_disabled(void **state)
{
    struct bench b;

    (void)state;
    start(&b);
    for (uint32_t at = TG_NIC_Q_RING_BASE; at <= TG_NIC_Q_GATE_PERIOD; at += 4u) {
        const uint32_t before = bench_read(&b, Q(1u, at));

        assert_false(bench_write(&b, Q(1u, at), 2u));
        assert_int_equal(bench_read(&b, Q(1u, at)), before);
    }
    assert_false(bench_write(&b, TG_NIC_TX_RING_BASE, 0x2000u));
    assert_false(bench_write(&b, TG_NIC_TX_RING_SIZE, 2u));
    assert_false(bench_write(&b, Q(1u, TG_NIC_Q_CONTROL), 3u));

    /* Enabling twice changes nothing; disabling opens it again. */
    assert_int_equal(bench_udp(&b, PORT_MID), TG_NIC_DELIVERED);
    bench_set(&b, Q(1u, TG_NIC_Q_CONTROL), TG_NIC_ENABLE);
    assert_int_equal(bench_read(&b, Q(1u, TG_NIC_Q_RETURNED)), 1u);
    bench_set(&b, Q(1u, TG_NIC_Q_CONTROL), 0u);
    assert_int_equal(bench_udp(&b, PORT_MID), TG_NIC_DROP_DISABLED);
    bench_set(&b, Q(1u, TG_NIC_Q_RING_SIZE), 2u);
    bench_set(&b, TG_NIC_TX_CONTROL, 0u);
    bench_set(&b, TG_NIC_TX_RING_SIZE, 2u);
    bench_close(&b);
}

static void a_ring_must_be_one(void **state)
{
    static const struct {
        uint32_t base;
        uint32_t size;
    } bad[] = {{0x2000u, 0u},
               {0x2000u, 1u},
               {0x2000u, 3u},
               {0x2000u, 8192u},
               {0x2000u, 0x80000000u},
               {0x2020u, 16u},
               {0x1fc0u, 16u},
               {0u, 16u},
               {BENCH_MEMORY_BYTES - 192u, 16u},
               {BENCH_MEMORY_BYTES, 2u},
               {0xffffffc0u, 4u},
               {0xffffffc0u, 4096u}};
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_open(&b);
    for (size_t i = 0u; i < sizeof bad / sizeof bad[0]; i++) {
        bench_set(&b, Q(0u, TG_NIC_Q_RING_BASE), bad[i].base);
        bench_set(&b, Q(0u, TG_NIC_Q_RING_SIZE), bad[i].size);
        assert_false(bench_write(&b, Q(0u, TG_NIC_Q_CONTROL), TG_NIC_ENABLE));
        assert_int_equal(bench_read(&b, Q(0u, TG_NIC_Q_CONTROL)), 0u);
        bench_set(&b, TG_NIC_TX_RING_BASE, bad[i].base);
        bench_set(&b, TG_NIC_TX_RING_SIZE, bad[i].size);
        assert_false(bench_write(&b, TG_NIC_TX_CONTROL, TG_NIC_ENABLE));
    }
    bench_set(&b, Q(0u, TG_NIC_Q_RING_BASE), BENCH_MEMORY_BYTES - 256u);
    bench_set(&b, Q(0u, TG_NIC_Q_RING_SIZE), 16u);
    bench_set(&b, Q(0u, TG_NIC_Q_CONTROL), TG_NIC_ENABLE);
    assert_int_equal(bench_read(&b, Q(0u, TG_NIC_Q_CONTROL)), TG_NIC_ENABLE);
    bench_close(&b);
}

/* Values that moderation or gate cannot work with show when the queue is enabled. */
static void moderation_and_gate_must_be_possible(void **state)
{
    static const struct {
        uint32_t at;
        uint32_t bad;
        uint32_t good;
    } cases[] = {{TG_NIC_Q_PACKETS, 65536u, 65535u},
                 {TG_NIC_Q_GATE_BUDGET, 1000001u, 1000000u},
                 {TG_NIC_Q_GATE_PERIOD, 999u, 1000u}};
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_open(&b);
    bench_set(&b, Q(0u, TG_NIC_Q_GATE_BUDGET), 1u);
    bench_set(&b, Q(0u, TG_NIC_Q_GATE_PERIOD), 1000u);
    bench_set(&b, Q(0u, TG_NIC_Q_RING_BASE), 0x2000u);
    bench_set(&b, Q(0u, TG_NIC_Q_RING_SIZE), 16u);
    for (size_t i = 0u; i < sizeof cases / sizeof cases[0]; i++) {
        bench_set(&b, Q(0u, cases[i].at), cases[i].bad);
        assert_false(bench_write(&b, Q(0u, TG_NIC_Q_CONTROL), TG_NIC_ENABLE));
        bench_set(&b, Q(0u, cases[i].at), cases[i].good);
    }
    bench_set(&b, Q(0u, TG_NIC_Q_CONTROL), TG_NIC_ENABLE);
    bench_close(&b);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static void put_udp_rule(struct bench *b, uint16_t port, uint32_t priority)
{
    bench_set(b, TG_NIC_RULE_FIELDS, TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT);
    bench_set(b, TG_NIC_RULE_KIND, (uint32_t)PROTO_UDP << 16);
    bench_set(b, TG_NIC_RULE_PORTS, port);
    bench_set(b, TG_NIC_RULE_FLAGS, priority << 8);
}

static int command(struct bench *b, uint32_t value)
{
    bench_set(b, TG_NIC_RULE_COMMAND, value);
    return (int)bench_read(b, TG_NIC_RULE_RESULT);
}

static void rules_come_and_go(void **state)
{
    struct bench b;

    (void)state;
    start(&b);
    put_udp_rule(&b, 7000u, 31u);
    assert_int_equal(command(&b, TG_NIC_RULE_BIND), 0);
    assert_int_equal(bench_read(&b, TG_NIC_RULE_ID), BENCH_RULES + 1u);
    assert_int_equal(command(&b, TG_NIC_RULE_BIND), TG_ERR_EXISTS);
    assert_int_equal(bench_udp(&b, 7000u), TG_NIC_DELIVERED);
    assert_int_equal(tg_nic_ring_slot(&b.rings[QUEUE_HIGH], 0u)->flow, BENCH_RULES + 1u);

    assert_int_equal(command(&b, TG_NIC_RULE_UNBIND), 0);
    assert_int_equal(command(&b, TG_NIC_RULE_UNBIND), TG_ERR_STATE);
    assert_int_equal(bench_udp(&b, 7000u), TG_NIC_DELIVERED);
    assert_int_equal(tg_nic_ring_slot(&b.rings[QUEUE_LOW], 0u)->flow, 0u);

    bench_set(&b, TG_NIC_RULE_ID, 0u);
    assert_int_equal(command(&b, TG_NIC_RULE_UNBIND), TG_ERR_STATE);
    bench_set(&b, TG_NIC_RULE_ID, 0xffffffffu);
    assert_int_equal(command(&b, TG_NIC_RULE_UNBIND), TG_ERR_STATE);
    bench_set(&b, TG_NIC_RULE_FIELDS, 0u);
    assert_int_equal(command(&b, TG_NIC_RULE_BIND), TG_ERR_RANGE);

    /* Those of the setup can go, too, and are back after a reset. */
    bench_set(&b, TG_NIC_RULE_ID, 1u);
    assert_int_equal(command(&b, TG_NIC_RULE_UNBIND), 0);
    put_udp_rule(&b, 7000u, 31u);
    assert_int_equal(command(&b, TG_NIC_RULE_BIND), 0);
    bench_set(&b, TG_NIC_CONTROL, TG_NIC_CONTROL_RESET);
    put_udp_rule(&b, PORT_HIGH, 31u);
    assert_int_equal(command(&b, TG_NIC_RULE_BIND), TG_ERR_EXISTS);
    put_udp_rule(&b, 7000u, 31u);
    assert_int_equal(command(&b, TG_NIC_RULE_BIND), 0);
    bench_close(&b);
}

static void addresses_are_in_network_order(void **state)
{
    const struct frame_spec from_us = {.src_host = {10, 1, 2, 3}, .dst_port = 9u};
    const struct frame_spec from_them = {.src_host = {3, 2, 1, 10}, .dst_port = 9u};
    struct bench b;

    (void)state;
    start(&b);
    bench_set(&b, TG_NIC_RULE_FIELDS, TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT | TG_FIELD_SRC_HOST);
    bench_set(&b, TG_NIC_RULE_KIND, 4u << 24 | (uint32_t)PROTO_UDP << 16);
    bench_set(&b, TG_NIC_RULE_PORTS, 9u);
    bench_set(&b, TG_NIC_RULE_FLAGS, 31u << 8);
    bench_set(&b, TG_NIC_RULE_SRC, 0x0302010au);
    assert_int_equal(command(&b, TG_NIC_RULE_BIND), 0);

    const struct frame ours = frame_build(&from_us);
    const struct frame theirs = frame_build(&from_them);

    (void)tg_nic_model_receive(b.model, ours.bytes, ours.len_bytes, b.now_ns);
    assert_int_equal(bench_count(&b, Q(QUEUE_HIGH, TG_NIC_Q_DELIVERED)), 1u);
    (void)tg_nic_model_receive(b.model, theirs.bytes, theirs.len_bytes, b.now_ns);
    assert_int_equal(bench_count(&b, Q(QUEUE_HIGH, TG_NIC_Q_DELIVERED)), 1u);
    assert_int_equal(bench_count(&b, Q(QUEUE_LOW, TG_NIC_Q_DELIVERED)), 1u);
    bench_close(&b);
}

static void the_table_has_an_end(void **state)
{
    struct bench b;

    (void)state;
    start(&b);
    for (uint32_t i = BENCH_RULES; i < TG_NIC_RULES_MAX; i++) {
        put_udp_rule(&b, (uint16_t)(10000u + i), i % 32u);
        assert_int_equal(command(&b, TG_NIC_RULE_BIND), 0);
    }
    put_udp_rule(&b, 9u, 1u);
    assert_int_equal(command(&b, TG_NIC_RULE_BIND), TG_ERR_FULL);
    bench_set(&b, TG_NIC_RULE_ID, 500u);
    assert_int_equal(command(&b, TG_NIC_RULE_UNBIND), 0);
    assert_int_equal(command(&b, TG_NIC_RULE_BIND), 0);
    assert_int_equal(bench_read(&b, TG_NIC_RULE_ID), 500u);
    bench_close(&b);
}

/* ---- The write port -------------------------------------------------------------------------- */

static void many_writes_are_done_in_their_order(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_open(&b);
    for (uint32_t i = 0u; i < TG_NIC_WRITE_PORT_MAX; i++) {
        tg_nic_ring_offer(&b.writes, TG_NIC_PEER, i);
    }
    assert_int_equal(tg_nic_ring_room(&b.writes), 0u);
    assert_int_equal(tg_nic_model_doorbell(b.model, b.now_ns), TG_WORK_MORE);
    assert_int_equal(tg_nic_model_doorbell(b.model, b.now_ns), TG_WORK_DONE);
    assert_int_equal(bench_read(&b, TG_NIC_PEER), TG_NIC_WRITE_PORT_MAX - 1u);
    assert_int_equal(bench_read(&b, TG_NIC_WRITES_DONE), TG_NIC_WRITE_PORT_MAX);
    bench_close(&b);
}

static void an_impossible_index_performs_nothing(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_open(&b);
    bench_set(&b, TG_NIC_PEER, 9u);
    bench_store(&b, TG_NIC_WRITES_OFFERED, 1u + TG_NIC_WRITE_PORT_MAX + 1u);
    bench_doorbell(&b);
    assert_int_equal(bench_read(&b, TG_NIC_WRITES_DONE), 1u);
    assert_int_equal(bench_read(&b, TG_NIC_ERRORS), TG_NIC_ERROR_INDEX);
    bench_store(&b, TG_NIC_WRITES_OFFERED, 0u); /* stepped back */
    bench_doorbell(&b);
    assert_int_equal(bench_read(&b, TG_NIC_WRITES_DONE), 1u);

    /* A driver that starts over goes on where the device is. */
    bench_store(&b, TG_NIC_WRITES_OFFERED, 1u);
    bench_set(&b, TG_NIC_PEER, 10u);
    assert_int_equal(bench_read(&b, TG_NIC_PEER), 10u);
    bench_close(&b);
}

static void a_setup_has_ranges(void **state)
{
    const struct tg_nic_backend backend = {.context = NULL};
    static uint8_t memory[0x2000];
    struct tg_nic_model *m = NULL;
    struct bench b;
    uint32_t bad_rule = 99u;

    (void)state;
    bench_init(&b);
    b.setup.n_queues = 0u;
    assert_int_equal(
        tg_nic_model_open(&m, &b.setup, &backend, memory, sizeof memory, 1u, &bad_rule),
        TG_ERR_RANGE);
    b.setup.n_queues = 9u;
    assert_int_equal(
        tg_nic_model_open(&m, &b.setup, &backend, memory, sizeof memory, 1u, &bad_rule),
        TG_ERR_RANGE);
    b.setup.n_queues = QUEUES;
    b.setup.queues[2].priority_max = 32u;
    assert_int_equal(
        tg_nic_model_open(&m, &b.setup, &backend, memory, sizeof memory, 1u, &bad_rule),
        TG_ERR_RANGE);
    b.setup.queues[2].priority_max = 31u;
    b.rules[1].priority = 32u;
    assert_int_equal(
        tg_nic_model_open(&m, &b.setup, &backend, memory, sizeof memory, 1u, &bad_rule),
        TG_ERR_RANGE);
    b.rules[1] = b.rules[0];
    assert_int_equal(
        tg_nic_model_open(&m, &b.setup, &backend, memory, sizeof memory, 1u, &bad_rule),
        TG_ERR_EXISTS);
    assert_int_equal(bad_rule, 1u);
    assert_null(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reset_values),
        cmocka_unit_test(a_guest_that_wrote_over_the_registers_resets),
        cmocka_unit_test(read_only_registers_refuse),
        cmocka_unit_test(read_write_registers_take_what_they_can_hold),
        cmocka_unit_test(errors_are_cleared_by_writing_ones),
        cmocka_unit_test(commands_read_as_zero),
        cmocka_unit_test(a_queue_is_set_up_while_it_is_disabled),
        cmocka_unit_test(a_ring_must_be_one),
        cmocka_unit_test(moderation_and_gate_must_be_possible),
        cmocka_unit_test(rules_come_and_go),
        cmocka_unit_test(addresses_are_in_network_order),
        cmocka_unit_test(the_table_has_an_end),
        cmocka_unit_test(many_writes_are_done_in_their_order),
        cmocka_unit_test(an_impossible_index_performs_nothing),
        cmocka_unit_test(a_setup_has_ranges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
