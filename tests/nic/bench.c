/* SPDX-License-Identifier: MIT
 *
 * bench.c - the NIC's model on a bench.
 */
#include "bench.h"

#include "check_cmocka.h"

#include <stdlib.h>
#include <string.h>

#define RING_BASE(k)    (TG_NIC_DATA + (k)*0x200u) /* room for 32 descriptors */
#define BUFFER_BASE(k)  (0x4000u + (k)*0x4000u)
#define TRANSMIT_BASE   RING_BASE(7u)
#define TRANSMIT_BUFFER 0x20000u
#define START_NS        UINT64_C(1000000000)

static bool raise_vector(void *context, uint32_t peer, uint32_t vector)
{
    struct bench *const b = context;

    b->raised_peer = peer;
    if (!b->is_peer_gone) {
        b->raised[vector]++;
    }
    return !b->is_peer_gone;
}

static bool transmit(void *context, const uint8_t *bytes, uint32_t len_bytes)
{
    struct bench *const b = context;

    b->sent++;
    b->last_sent_bytes = len_bytes;
    memcpy(b->last_sent, bytes, len_bytes < sizeof b->last_sent ? len_bytes : sizeof b->last_sent);
    return true;
}

static struct tg_nic_rule udp_rule(uint16_t port, uint8_t priority)
{
    return (struct tg_nic_rule){.match = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                                          .protocol = PROTO_UDP,
                                          .dst_port = port},
                                .priority = priority};
}

void bench_init(struct bench *b)
{
    memset(b, 0, sizeof *b);
    b->rules[0] = udp_rule(PORT_HIGH, 24u);
    b->rules[1] = udp_rule(PORT_MID, 12u);
    b->rules[2] = udp_rule(PORT_LOW, 3u);
    b->setup = (struct tg_nic_setup){.station = {.mac = tg_mac(STATION_MAC), .mtu_bytes = 1500u},
                                     .rules = b->rules,
                                     .n_rules = BENCH_RULES,
                                     .n_queues = QUEUES,
                                     .queues = {{.priority_max = 7u},
                                                {.priority_min = 8u, .priority_max = 15u},
                                                {.priority_min = 16u, .priority_max = 31u}},
                                     .accepts_unregistered = true};
    b->now_ns = START_NS;
}

static uint32_t *word(const struct bench *b, uint32_t offset)
{
    return (uint32_t *)(void *)(b->memory + offset);
}

void bench_open(struct bench *b)
{
    const struct tg_nic_backend backend = {
        .raise = raise_vector, .transmit = transmit, .context = b};
    uint32_t bad_rule;

    b->setup.rules = b->rules; /* b may have been copied since */
    b->memory = aligned_alloc(64u, BENCH_MEMORY_BYTES);
    assert_non_null(b->memory);
    assert_int_equal(tg_nic_model_open(&b->model, &b->setup, &backend, b->memory,
                                       BENCH_MEMORY_BYTES, 1u, &bad_rule),
                     0);
    b->writes = (struct tg_nic_ring){.slots = (void *)(b->memory + TG_NIC_WRITE_PORT),
                                     .offered = word(b, TG_NIC_WRITES_OFFERED),
                                     .returned = word(b, TG_NIC_WRITES_DONE),
                                     .size = TG_NIC_WRITE_PORT_MAX};
}

void bench_close(struct bench *b)
{
    bench_check(b);
    tg_nic_model_close(b->model);
    free(b->memory);
}

void bench_check(const struct bench *b)
{
    const char *const wrong = tg_nic_model_check(b->model);

    if (wrong != NULL) {
        fail_msg("%s", wrong);
    }
}

void bench_doorbell(struct bench *b)
{
    assert_int_equal(tg_nic_model_doorbell(b->model, b->now_ns), TG_WORK_DONE);
}

bool bench_write(struct bench *b, uint32_t offset, uint32_t value)
{
    const struct tg_nic_descriptor *const slot = tg_nic_ring_slot(&b->writes, b->writes.done);

    tg_nic_ring_offer(&b->writes, offset, value);
    bench_doorbell(b);
    assert_true(tg_nic_ring_has_returned(&b->writes));
    tg_nic_ring_take(&b->writes);
    return slot->len_bytes != 0u;
}

void bench_set(struct bench *b, uint32_t offset, uint32_t value)
{
    assert_true(bench_write(b, offset, value));
}

uint32_t bench_read(const struct bench *b, uint32_t offset)
{
    const uint32_t value = tg_nic_load(word(b, offset));

    assert_int_equal(value, tg_nic_model_read(b->model, offset));
    return value;
}

uint64_t bench_count(const struct bench *b, uint32_t offset)
{
    return (uint64_t)bench_read(b, offset + 4u) << 32 | bench_read(b, offset);
}

void bench_store(struct bench *b, uint32_t offset, uint32_t value)
{
    tg_nic_store_in_order(word(b, offset), value);
}

void bench_arm(struct bench *b, uint32_t queue)
{
    bench_store(b, TG_NIC_Q_ARM(queue), ++b->tokens[queue]);
}

void bench_offer(struct bench *b, uint32_t queue, uint32_t buffer, uint32_t size_bytes)
{
    tg_nic_ring_offer(&b->rings[queue], buffer, size_bytes);
}

static void offer_own(struct bench *b, uint32_t queue)
{
    const uint32_t slot = b->rings[queue].sent & (BENCH_RING - 1u);

    bench_offer(b, queue, BUFFER_BASE(queue) + slot * BENCH_BUFFER_BYTES, BENCH_BUFFER_BYTES);
}

void bench_enable(struct bench *b, uint32_t queue, uint32_t n)
{
    const uint32_t block = TG_NIC_QUEUE(queue);

    b->rings[queue] = (struct tg_nic_ring){.slots = (void *)(b->memory + RING_BASE(queue)),
                                           .offered = word(b, TG_NIC_Q_OFFERED(queue)),
                                           .returned = word(b, block + TG_NIC_Q_RETURNED),
                                           .size = BENCH_RING};
    bench_store(b, TG_NIC_Q_OFFERED(queue), 0u);
    bench_set(b, block + TG_NIC_Q_RING_BASE, RING_BASE(queue));
    bench_set(b, block + TG_NIC_Q_RING_SIZE, BENCH_RING);
    bench_set(b, block + TG_NIC_Q_CONTROL, TG_NIC_ENABLE);
    while (n-- > 0u) {
        offer_own(b, queue);
    }
}

static void enable_transmit(struct bench *b)
{
    b->transmit = (struct tg_nic_ring){.slots = (void *)(b->memory + TRANSMIT_BASE),
                                       .offered = word(b, TG_NIC_TX_OFFERED),
                                       .returned = word(b, TG_NIC_TX_RETURNED),
                                       .size = BENCH_RING};
    bench_set(b, TG_NIC_TX_RING_BASE, TRANSMIT_BASE);
    bench_set(b, TG_NIC_TX_RING_SIZE, BENCH_RING);
    bench_set(b, TG_NIC_TX_CONTROL, TG_NIC_ENABLE);
}

void bench_start(struct bench *b)
{
    if (b->setup.n_queues == 0u) {
        bench_init(b);
    }
    bench_open(b);
    bench_set(b, TG_NIC_PEER, BENCH_PEER);
    for (uint32_t k = 0u; k < QUEUES; k++) {
        bench_enable(b, k, BENCH_RING);
        bench_arm(b, k);
    }
    enable_transmit(b);
}

void bench_wait(struct bench *b, tg_ns duration_ns)
{
    const tg_ns end_ns = b->now_ns + duration_ns;

    while (tg_nic_model_next_ns(b->model) <= end_ns) {
        b->now_ns = tg_nic_model_next_ns(b->model);
        tg_nic_model_timer(b->model, b->now_ns);
        /* Else the process around the model would never sleep. */
        assert_true(tg_nic_model_next_ns(b->model) > b->now_ns);
    }
    b->now_ns = end_ns;
}

enum tg_nic_fate bench_udp(struct bench *b, uint16_t port)
{
    const struct frame f = frame_udp(port);

    return tg_nic_model_receive(b->model, f.bytes, f.len_bytes, b->now_ns);
}

uint32_t bench_take(struct bench *b, uint32_t queue)
{
    uint32_t n = 0u;

    while (tg_nic_ring_has_returned(&b->rings[queue])) {
        tg_nic_ring_take(&b->rings[queue]);
        offer_own(b, queue);
        n++;
    }
    return n;
}

uint32_t bench_raised(const struct bench *b)
{
    uint32_t n = 0u;

    for (uint32_t v = 0u; v < TG_NIC_QUEUES_MAX; v++) {
        n += b->raised[v];
    }
    return n;
}
