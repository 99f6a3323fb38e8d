/* SPDX-License-Identifier: MIT
 *
 * nic.c - any bytes as what a guest does to the NIC: it writes any register, any word of the shared
 * memory (indices, descriptors, its own words, the device's), rings the doorbell, lets time pass,
 * and frames come. Every invariant of the model must hold after each step, and no byte outside the
 * memory may be touched: it is a block of its own, under ASan.
 */
#include "nic/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MEMORY_BYTES 0x8000u
#define STEPS_MAX    2000u
#define QUEUES       3u
#define START_NS     UINT64_C(1000000000)

static const uint8_t *next;
static const uint8_t *end;

static uint32_t draw(uint32_t n_bytes)
{
    uint32_t x = 0u;

    while (n_bytes-- > 0u && next < end) {
        x = x << 8 | *next++;
    }
    return x;
}

static bool raise_vector(void *context, uint32_t peer, uint32_t vector)
{
    (void)context;
    if (peer > 0xffffu || vector >= QUEUES) {
        fprintf(stderr, "peer %u, vector %u\n", peer, vector);
        abort();
    }
    return (peer & 1u) != 0u;
}

/* Every byte is looked at, so that ASan sees each. */
static bool transmit(void *context, const uint8_t *bytes, uint32_t len_bytes)
{
    uint32_t sum = 0u;

    (void)context;
    if (len_bytes < TG_NIC_FRAME_MIN || len_bytes > TG_NIC_FRAME_MAX) {
        abort();
    }
    for (uint32_t i = 0u; i < len_bytes; i++) {
        sum += bytes[i];
    }
    return (sum & 1u) != 0u;
}

static uint32_t *word(uint8_t *memory, uint32_t offset)
{
    return (uint32_t *)(void *)(memory + offset);
}

/* A value that is likely to get somewhere, or any. */
static uint32_t draw_value(void)
{
    const uint32_t kind = draw(1u);

    switch (kind & 7u) {
    case 0u:
        return draw(4u);
    case 1u:
        return draw(1u);
    case 2u:
        return TG_NIC_DATA + (draw(2u) & 0x7fffu);
    case 3u:
        return 1u << (draw(1u) & 31u);
    case 4u:
        return MEMORY_BYTES - draw(1u);
    default:
        return kind >> 3;
    }
}

/* A guest that is not there to offer more is served in a few rounds. */
static void ring(struct tg_nic_model *m, tg_ns now_ns)
{
    for (uint32_t n = 0u; n < 4u; n++) {
        if (tg_nic_model_doorbell(m, now_ns) == TG_WORK_DONE) {
            return;
        }
    }
    abort();
}

static void write_register(struct tg_nic_model *m, uint8_t *memory, uint32_t offset, uint32_t value,
                           tg_ns now_ns)
{
    const uint32_t at = tg_nic_model_read(m, TG_NIC_WRITES_DONE);
    struct tg_nic_descriptor *const slots = (void *)(memory + TG_NIC_WRITE_PORT);

    slots[at % TG_NIC_WRITE_PORT_MAX].buffer = offset;
    slots[at % TG_NIC_WRITE_PORT_MAX].size_bytes = value;
    *word(memory, TG_NIC_WRITES_OFFERED) = at + 1u;
    ring(m, now_ns);
}

/* A ring that works: what comes after it gets further. */
static void enable_queue(struct tg_nic_model *m, uint8_t *memory, uint32_t queue, tg_ns now_ns)
{
    write_register(m, memory, TG_NIC_QUEUE(queue) + TG_NIC_Q_CONTROL, 0u, now_ns);
    write_register(m, memory, TG_NIC_QUEUE(queue) + TG_NIC_Q_RING_BASE, 0x2000u + queue * 0x100u,
                   now_ns);
    write_register(m, memory, TG_NIC_QUEUE(queue) + TG_NIC_Q_RING_SIZE, 16u, now_ns);
    write_register(m, memory, TG_NIC_QUEUE(queue) + TG_NIC_Q_CONTROL, 1u, now_ns);
}

static void receive(struct tg_nic_model *m, tg_ns now_ns)
{
    /* clang-format off */
    static const uint8_t udp[] = {0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x08, 0x00,
                                  0x45, 0, 0, 28, 0, 1, 0, 0, 64, 17, 0, 0, /* IPv4 */
                                  192, 0, 2, 2, 192, 0, 2, 1,
                                  0x9c, 0x40, 0x13, 0x88, 0, 8, 0, 0}; /* UDP */
    /* clang-format on */
    _Static_assert(sizeof udp == 42u, "a UDP frame without payload");
    uint8_t bytes[64];
    const uint32_t kind = draw(1u);

    if (kind < 128u) {
        memcpy(bytes, udp, sizeof udp);
        bytes[37] = (uint8_t)(0x88u + kind % 3u); /* one of the rules' ports */
        (void)tg_nic_model_receive(m, bytes, sizeof udp, now_ns);
    } else {
        const size_t left = (size_t)(end - next);
        const uint32_t len_bytes = (uint32_t)(left < (kind & 63u) ? left : (kind & 63u));

        memcpy(bytes, next, len_bytes);
        next += len_bytes;
        (void)tg_nic_model_receive(m, bytes, len_bytes, now_ns);
    }
}

static void step(struct tg_nic_model *m, uint8_t *memory, tg_ns *now_ns)
{
    const uint32_t what = draw(1u);

    switch (what & 7u) {
    case 0u: {
        const uint32_t offset = draw(2u);

        write_register(m, memory, offset & 0xfffu, draw_value(), *now_ns);
        break;
    }
    case 1u: {
        const uint32_t offset = draw(2u);

        *word(memory, offset % MEMORY_BYTES & ~3u) = draw_value();
        break;
    }
    case 2u: /* its own words */
        *word(memory, 0x1000u + (draw(1u) % 144u) * 4u) = draw_value();
        break;
    case 3u:
        ring(m, *now_ns);
        break;
    case 4u:
        *now_ns += draw(what >> 6);
        tg_nic_model_timer(m, *now_ns);
        if (tg_nic_model_next_ns(m) <= *now_ns) {
            abort(); /* the process would never sleep */
        }
        break;
    case 5u:
        enable_queue(m, memory, (what >> 3) % QUEUES, *now_ns);
        break;
    default:
        receive(m, *now_ns);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tg_nic_rule rules[3] = {{.priority = 3u}, {.priority = 12u}, {.priority = 24u}};
    const struct tg_nic_setup setup = {
        .station = {.mac = TG_MAC_NONE, .mtu_bytes = 1500u},
        .rules = rules,
        .n_rules = 3u,
        .n_queues = QUEUES,
        .queues = {{.priority_max = 7u, .gate_budget = 2u, .gate_period_ns = 10000u},
                   {.priority_min = 8u,
                    .priority_max = 15u,
                    .absolute_ns = 5000u,
                    .packet_ns = 1000u,
                    .packets = 3u},
                   {.priority_min = 16u, .priority_max = 31u}},
        .accepts_unregistered = true};
    const struct tg_nic_backend backend = {.raise = raise_vector, .transmit = transmit};
    uint8_t *const memory = aligned_alloc(64u, MEMORY_BYTES);
    struct tg_nic_model *m;
    const char *wrong = NULL;
    uint32_t bad_rule;
    tg_ns now_ns = START_NS;

    for (uint32_t i = 0u; i < 3u; i++) {
        rules[i].match = (struct tg_match){.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                                           .protocol = 17u,
                                           .dst_port = (uint16_t)(5000u + i)};
    }
    if (memory == NULL ||
        tg_nic_model_open(&m, &setup, &backend, memory, MEMORY_BYTES, 1u, &bad_rule) != 0) {
        abort();
    }
    next = data;
    end = data + size;
    for (uint32_t i = 0u; i < STEPS_MAX && next < end && wrong == NULL; i++) {
        step(m, memory, &now_ns);
        wrong = tg_nic_model_check(m);
    }
    if (wrong != NULL) {
        fprintf(stderr, "%s\n", wrong);
        abort();
    }
    tg_nic_model_close(m);
    free(memory);
    return 0;
}
