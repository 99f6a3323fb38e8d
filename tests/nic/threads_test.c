/* SPDX-License-Identifier: MIT
 *
 * threads_test.c - device and guest in two threads on one memory: the real model, the real driver
 * and the real core, for TSan. Every frame carries a number; each must arrive once, whole, in order
 * within its queue. What the device drops gets no number.
 */
#include "guest.h"
#include "nic/model/model.h"
#include "rng.h"
#include "test_frame.h"

#include "check_cmocka.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define FRAMES   20000u /* in all, to be delivered */
#define QUIET_MS 5000u
#define PAYLOAD  42u /* offset in a UDP frame without options */

struct device {
    struct guest *guest;
    struct tg_nic_model *model;
    int doorbell;
    uint32_t numbers[GUEST_QUEUES]; /* of the next frame, by queue */
    uint64_t delivered;
    atomic_bool is_stopped;
};

static bool raise_vector(void *context, uint32_t peer, uint32_t vector)
{
    const struct device *const d = context;
    const uint64_t one = 1u;

    (void)peer;
    return write(d->guest->vectors[vector], &one, sizeof one) == (ssize_t)sizeof one;
}

static bool transmit(void *context, const uint8_t *bytes, uint32_t len_bytes)
{
    (void)context;
    (void)bytes;
    (void)len_bytes;
    return false;
}

/* A frame for queue k with its number, twice. */
static void send_numbered(struct device *d, uint32_t k)
{
    static const uint16_t ports[GUEST_QUEUES] = {5002u, 5001u, 5000u};
    const struct frame_spec spec = {.dst_port = ports[k], .payload_bytes = 8u};
    struct frame f = frame_build(&spec);

    memcpy(f.bytes + PAYLOAD, &d->numbers[k], 4u);
    memcpy(f.bytes + PAYLOAD + 4, &d->numbers[k], 4u);
    if (tg_nic_model_receive(d->model, f.bytes, f.len_bytes, guest_now_ns()) == TG_NIC_DELIVERED) {
        d->numbers[k]++;
        d->delivered++;
    }
}

static void *run_device(void *arg)
{
    struct device *const d = arg;
    struct rng r;
    uint64_t count;

    rng_init_seed(&r, 1u);
    while (!atomic_load(&d->is_stopped)) {
        struct pollfd doorbell = {.fd = d->doorbell, .events = POLLIN};
        const bool has_more =
            tg_nic_model_is_enabled(d->model) && d->delivered < FRAMES; /* else only serve */

        if (poll(&doorbell, 1u, has_more ? 0 : 1) == 1) {
            (void)!read(d->doorbell, &count, sizeof count);
        }
        while (tg_nic_model_doorbell(d->model, guest_now_ns()) == TG_WORK_MORE) {
        }
        for (uint32_t n = has_more ? rng_below(&r, 8u) : 0u; n > 0u; n--) {
            send_numbered(d, rng_below(&r, GUEST_QUEUES));
        }
        tg_nic_model_timer(d->model, guest_now_ns());
        (void)sched_yield();
    }
    return NULL;
}

static void open_device(struct device *d, struct guest *g, struct tg_nic_rule rules[3])
{
    const struct tg_nic_setup setup = {
        .station = {.mac = tg_mac(STATION_MAC), .mtu_bytes = 1500u},
        .rules = rules,
        .n_rules = 3u,
        .n_queues = GUEST_QUEUES,
        .queues = {{.priority_max = 7u, .absolute_ns = 100000u, .packets = 8u},
                   {.priority_min = 8u, .priority_max = 15u},
                   {.priority_min = 16u, .priority_max = 31u}},
        .accepts_unregistered = true};
    const struct tg_nic_backend backend = {
        .raise = raise_vector, .transmit = transmit, .context = d};
    uint32_t bad_rule;

    for (uint32_t i = 0u; i < 3u; i++) {
        rules[i].match = (struct tg_match){.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                                           .protocol = PROTO_UDP,
                                           .dst_port = (uint16_t)(5000u + i)};
        rules[i].priority = (uint8_t)(24u - 10u * i);
    }
    g->memory = aligned_alloc(4096u, TG_NIC_MEMORY_BYTES);
    g->memory_bytes = TG_NIC_MEMORY_BYTES;
    g->id = 1u;
    g->socket = -1;
    g->doorbell = eventfd(0u, EFD_NONBLOCK);
    g->n_vectors = GUEST_QUEUES;
    for (uint32_t v = 0u; v < GUEST_QUEUES; v++) {
        g->vectors[v] = eventfd(0u, EFD_NONBLOCK);
    }
    d->guest = g;
    d->doorbell = g->doorbell;
    assert_int_equal(tg_nic_model_open(&d->model, &setup, &backend, g->memory, TG_NIC_MEMORY_BYTES,
                                       1u, &bad_rule),
                     0);
}

static void close_device(struct device *d, struct guest *g)
{
    tg_nic_model_close(d->model);
    free(g->memory);
    (void)close(g->doorbell);
    for (uint32_t v = 0u; v < GUEST_QUEUES; v++) {
        (void)close(g->vectors[v]);
    }
}

/* Numbers that the guest found, by flow. */
static uint32_t expected[GUEST_FLOWS_MAX];

static void look_at_number(const struct tg_buffer *packet)
{
    uint32_t number;
    uint32_t again;

    memcpy(&number, packet->data + PAYLOAD, 4u);
    memcpy(&again, packet->data + PAYLOAD + 4, 4u);
    assert_int_equal(number, again);
    assert_int_equal(number, expected[packet->flow]++);
}

/* Nothing lost, nothing twice, nothing torn; nobody sleeps on a frame. */
static void every_number_arrives_once_and_in_order(void **state)
{
    static struct guest g;
    static struct device d;
    struct tg_nic_rule rules[3];
    pthread_t thread;

    (void)state;
    open_device(&d, &g, rules);
    g.on_packet = look_at_number;
    assert_int_equal(pthread_create(&thread, NULL, run_device, &d), 0);
    assert_int_equal(guest_start(&g), 0);
    guest_run(&g, FRAMES, QUIET_MS);
    guest_run(&g, UINT64_MAX, 300u); /* the last round of the device may have had a few more */
    atomic_store(&d.is_stopped, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(d.delivered >= FRAMES);
    for (uint32_t k = 0u; k < GUEST_QUEUES; k++) {
        assert_int_equal(tg_nic_model_count(d.model, TG_NIC_QUEUE(k) + TG_NIC_Q_DELIVERED),
                         d.numbers[k]);
        assert_int_equal(expected[GUEST_QUEUES - k], d.numbers[k]);
    }
    assert_int_equal(guest_received(&g), d.delivered);
    assert_null(tg_nic_model_check(d.model));
    guest_stop(&g);
    close_device(&d, &g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_arrives_once_and_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
