/* SPDX-License-Identifier: MIT
 *
 * interrupt_test.c - which queue a frame enters, and when that queue interrupts: arming,
 * moderation, the running task's priority, gates. Time is a variable.
 */
#include "bench.h"

#include "check_cmocka.h"
#include "rng.h"

#include <string.h>

#define Q(k, at) (TG_NIC_QUEUE(k) + (at))
#define US       UINT64_C(1000)
#define MS       UINT64_C(1000000)

static const uint16_t ports[QUEUES] = {PORT_LOW, PORT_MID, PORT_HIGH};

/* ---- Which queue ----------------------------------------------------------------------------- */

static void a_frame_goes_to_the_queue_of_its_priority(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_start(&b);
    for (uint32_t k = 0u; k < QUEUES; k++) {
        const uint32_t before = bench_raised(&b);

        assert_int_equal(bench_udp(&b, ports[k]), TG_NIC_DELIVERED);
        assert_int_equal(b.raised[k], 1u);
        assert_int_equal(bench_raised(&b), before + 1u); /* and no other */
        assert_int_equal(b.raised_peer, BENCH_PEER);
        assert_int_equal(bench_take(&b, k), 1u);
    }

    /* Another vector, other priorities: a frame of no priority's queue is dropped. */
    bench_set(&b, Q(QUEUE_MID, TG_NIC_Q_CONTROL), 0u);
    bench_set(&b, Q(QUEUE_MID, TG_NIC_Q_VECTOR), 0u);
    bench_set(&b, Q(QUEUE_MID, TG_NIC_Q_PRIORITIES), 0x0b08u);
    assert_int_equal(bench_udp(&b, PORT_MID), TG_NIC_NO_QUEUE);
    bench_set(&b, Q(QUEUE_MID, TG_NIC_Q_PRIORITIES), 0x0c08u);
    bench_enable(&b, QUEUE_MID, 4u);
    bench_arm(&b, QUEUE_MID);
    assert_int_equal(bench_udp(&b, PORT_MID), TG_NIC_DELIVERED);
    assert_int_equal(b.raised[0], 2u);
    assert_int_equal(bench_count(&b, TG_NIC_RX_NO_QUEUE), 1u);
    bench_close(&b);
}

static void unregistered_frames_are_best_effort_or_dropped(void **state)
{
    const struct frame other = frame_other();
    const struct frame bad = frame_malformed();
    struct bench b;

    (void)state;
    bench_init(&b);
    b.setup.best_effort_priority = 9u;
    bench_start(&b);
    assert_int_equal(tg_nic_model_receive(b.model, other.bytes, other.len_bytes, b.now_ns),
                     TG_NIC_DELIVERED);
    assert_int_equal(b.raised[QUEUE_MID], 1u);
    bench_set(&b, TG_NIC_UNREGISTERED, 0u);
    assert_int_equal(tg_nic_model_receive(b.model, other.bytes, other.len_bytes, b.now_ns),
                     TG_NIC_REFUSED);
    assert_int_equal(tg_nic_model_receive(b.model, bad.bytes, bad.len_bytes, b.now_ns),
                     TG_NIC_MALFORMED);
    assert_int_equal(bench_udp(&b, PORT_HIGH), TG_NIC_DELIVERED);
    assert_int_equal(bench_count(&b, TG_NIC_RX_REFUSED), 1u);
    assert_int_equal(bench_count(&b, TG_NIC_RX_MALFORMED), 1u);
    assert_int_equal(bench_count(&b, TG_NIC_RX_FRAMES), 4u);
    assert_int_equal(bench_raised(&b), 2u);
    bench_close(&b);
}

/* ---- What the guest offers ------------------------------------------------------------------- */

static void the_bytes_arrive_and_the_ring_has_an_end(void **state)
{
    const struct frame f = frame_udp(PORT_HIGH);
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_start(&b);
    for (uint32_t i = 0u; i < BENCH_RING; i++) {
        assert_int_equal(bench_udp(&b, PORT_HIGH), TG_NIC_DELIVERED);
    }
    assert_int_equal(bench_udp(&b, PORT_HIGH), TG_NIC_DROP_EMPTY);
    assert_int_equal(bench_raised(&b), 1u); /* told once */

    const struct tg_nic_descriptor *const slot = tg_nic_ring_slot(&b.rings[QUEUE_HIGH], 0u);

    assert_int_equal(slot->len_bytes, f.len_bytes);
    assert_int_equal(slot->flow, 1u);
    assert_memory_equal(b.memory + slot->buffer, f.bytes, f.len_bytes);
    assert_int_equal(bench_take(&b, QUEUE_HIGH), BENCH_RING);
    assert_int_equal(bench_udp(&b, PORT_HIGH), TG_NIC_DELIVERED);
    assert_int_equal(bench_count(&b, Q(QUEUE_HIGH, TG_NIC_Q_DROP_EMPTY)), 1u);
    bench_close(&b);
}

static void indices_wrap(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_start(&b);
    /* As after 2^32 - 3 frames. */
    b.model->queues[QUEUE_LOW].ring.done = UINT32_MAX - 2u;
    b.rings[QUEUE_LOW].sent = UINT32_MAX - 2u;
    b.rings[QUEUE_LOW].done = UINT32_MAX - 2u;
    bench_store(&b, TG_NIC_Q_OFFERED(QUEUE_LOW), UINT32_MAX - 2u);
    bench_store(&b, Q(QUEUE_LOW, TG_NIC_Q_RETURNED), UINT32_MAX - 2u);
    b.model->registers[Q(QUEUE_LOW, TG_NIC_Q_RETURNED) / 4u] = UINT32_MAX - 2u;
    for (uint32_t i = 0u; i < BENCH_RING; i++) {
        bench_offer(&b, QUEUE_LOW, 0x4000u, 512u);
    }
    for (uint32_t i = 0u; i < BENCH_RING; i++) {
        assert_int_equal(bench_udp(&b, PORT_LOW), TG_NIC_DELIVERED);
    }
    assert_int_equal(bench_udp(&b, PORT_LOW), TG_NIC_DROP_EMPTY);
    assert_int_equal(bench_take(&b, QUEUE_LOW), BENCH_RING);
    assert_int_equal(bench_read(&b, Q(QUEUE_LOW, TG_NIC_Q_RETURNED)), BENCH_RING - 3u);
    bench_close(&b);
}

static void nonsense_is_refused_and_counted(void **state)
{
    static const struct {
        uint32_t buffer;
        uint32_t size_bytes;
    } bad[] = {{0u, 2048u},
               {TG_NIC_DATA - 1u, 64u},
               {TG_NIC_DATA - 64u, 2048u}, /* reaches into rings and buffers, starts before them */
               {BENCH_MEMORY_BYTES - 41u, 42u},
               {BENCH_MEMORY_BYTES, 1u},
               {0xffffffffu, 1u},
               {0xffffff00u, 0xffffff00u},
               {0x4000u, 0xffffffffu},
               {0x80000000u, 64u}};
    const uint32_t n = sizeof bad / sizeof bad[0];
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_start(&b);
    bench_set(&b, Q(QUEUE_LOW, TG_NIC_Q_CONTROL), 0u);
    bench_enable(&b, QUEUE_LOW, 0u);
    for (uint32_t i = 0u; i < n; i++) {
        bench_offer(&b, QUEUE_LOW, bad[i].buffer, bad[i].size_bytes);
        assert_int_equal(bench_udp(&b, PORT_LOW), TG_NIC_DROP_DESCRIPTOR);
        assert_true(tg_nic_ring_has_returned(&b.rings[QUEUE_LOW]));
        assert_int_equal(tg_nic_ring_slot(&b.rings[QUEUE_LOW], i)->len_bytes, 0u);
        tg_nic_ring_take(&b.rings[QUEUE_LOW]);
    }
    assert_int_equal(bench_read(&b, TG_NIC_ERRORS), TG_NIC_ERROR_DESCRIPTOR);
    bench_offer(&b, QUEUE_LOW, BENCH_MEMORY_BYTES - 42u, 42u); /* a UDP frame has 42 */
    assert_int_equal(bench_udp(&b, PORT_LOW), TG_NIC_DELIVERED);
    tg_nic_ring_take(&b.rings[QUEUE_LOW]);

    /* A buffer that is too short stays offered, for a shorter frame. */
    bench_offer(&b, QUEUE_LOW, 0x4000u, 41u);
    assert_int_equal(bench_udp(&b, PORT_LOW), TG_NIC_DROP_LONG);
    assert_int_equal(bench_udp(&b, PORT_LOW), TG_NIC_DROP_LONG);
    assert_false(tg_nic_ring_has_returned(&b.rings[QUEUE_LOW]));

    const uint32_t offered = b.rings[QUEUE_LOW].sent;

    bench_store(&b, TG_NIC_Q_OFFERED(QUEUE_LOW), offered + BENCH_RING);
    assert_int_equal(bench_udp(&b, PORT_LOW), TG_NIC_DROP_INDEX);
    bench_store(&b, TG_NIC_Q_OFFERED(QUEUE_LOW), offered - 2u); /* stepped back */
    assert_int_equal(bench_udp(&b, PORT_LOW), TG_NIC_DROP_INDEX);
    bench_store(&b, TG_NIC_Q_OFFERED(QUEUE_LOW), offered);
    assert_int_equal(bench_udp(&b, PORT_LOW), TG_NIC_DROP_LONG);
    assert_int_equal(bench_read(&b, TG_NIC_ERRORS), TG_NIC_ERROR_DESCRIPTOR | TG_NIC_ERROR_INDEX);
    assert_int_equal(bench_count(&b, Q(QUEUE_LOW, TG_NIC_Q_DROP_DESCRIPTOR)), n);
    assert_int_equal(bench_count(&b, Q(QUEUE_LOW, TG_NIC_Q_DROP_INDEX)), 2u);
    assert_int_equal(bench_count(&b, Q(QUEUE_LOW, TG_NIC_Q_DROP_LONG)), 3u);
    bench_close(&b);
}

static void frames_of_the_guest_are_sent(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_start(&b);
    memset(b.memory + 0x20000u, 0x5a, 60u);
    tg_nic_ring_offer(&b.transmit, 0x20000u, 60u);
    assert_int_equal(b.sent, 0u);
    bench_doorbell(&b);
    assert_int_equal(b.sent, 1u);
    assert_int_equal(b.last_sent_bytes, 60u);
    assert_int_equal(b.last_sent[59], 0x5a);
    assert_true(tg_nic_ring_has_returned(&b.transmit));
    assert_int_equal(tg_nic_ring_slot(&b.transmit, 0u)->len_bytes, 1u);

    static const uint32_t bad[][2] = {{0x20000u, 13u},
                                      {0x20000u, 65536u},
                                      {0x20000u, 0xffffffffu},
                                      {0x1000u, 60u},
                                      {BENCH_MEMORY_BYTES - 59u, 60u},
                                      {0xffffffffu, 60u}};
    for (uint32_t i = 0u; i < 6u; i++) {
        tg_nic_ring_offer(&b.transmit, bad[i][0], bad[i][1]);
        bench_doorbell(&b);
        assert_int_equal(tg_nic_ring_slot(&b.transmit, i + 1u)->len_bytes, 0u);
    }
    assert_int_equal(b.sent, 1u);
    assert_int_equal(bench_count(&b, TG_NIC_TX_SENT), 1u);
    assert_int_equal(bench_count(&b, TG_NIC_TX_DROPPED), 6u);
    assert_int_equal(bench_read(&b, TG_NIC_ERRORS), TG_NIC_ERROR_DESCRIPTOR);
    bench_close(&b);
}

/* ---- Arming ---------------------------------------------------------------------------------- */

static void an_interrupt_is_raised_once_until_the_queue_is_armed_again(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_start(&b);
    (void)bench_udp(&b, PORT_HIGH);
    (void)bench_udp(&b, PORT_HIGH);
    assert_int_equal(b.raised[QUEUE_HIGH], 1u);
    (void)bench_take(&b, QUEUE_HIGH);
    (void)bench_udp(&b, PORT_HIGH);
    assert_int_equal(b.raised[QUEUE_HIGH], 1u); /* taken, but not armed */
    bench_arm(&b, QUEUE_HIGH);
    assert_int_equal(b.raised[QUEUE_HIGH], 1u); /* the guest looks itself */
    (void)bench_udp(&b, PORT_HIGH);
    assert_int_equal(b.raised[QUEUE_HIGH], 2u);
    bench_close(&b);
}

static void a_masked_queue_is_silent(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    b.setup.queues[QUEUE_HIGH].absolute_ns = 50000u;
    bench_start(&b);
    bench_store(&b, TG_NIC_Q_ARM(QUEUE_HIGH), 0u);
    (void)bench_udp(&b, PORT_HIGH);
    bench_wait(&b, MS);
    assert_int_equal(bench_raised(&b), 0u);
    bench_arm(&b, QUEUE_HIGH);
    (void)bench_udp(&b, PORT_HIGH);
    bench_store(&b, TG_NIC_Q_ARM(QUEUE_HIGH), 0u); /* masked while moderation waits */
    bench_wait(&b, MS);
    assert_int_equal(bench_raised(&b), 0u);
    assert_int_equal(bench_count(&b, Q(QUEUE_HIGH, TG_NIC_Q_DELIVERED)), 2u);
    bench_close(&b);
}

static void a_guest_that_is_gone_loses_interrupts_and_they_are_counted(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_start(&b);
    b.is_peer_gone = true;
    (void)bench_udp(&b, PORT_HIGH);
    assert_int_equal(bench_count(&b, Q(QUEUE_HIGH, TG_NIC_Q_RAISED_LOST)), 1u);
    bench_close(&b);
}

/* ---- Moderation ------------------------------------------------------------------------------ */

static struct bench moderated(uint32_t packets, uint32_t absolute_ns, uint32_t packet_ns)
{
    struct bench b;

    bench_init(&b);
    b.setup.queues[QUEUE_MID].packets = packets;
    b.setup.queues[QUEUE_MID].absolute_ns = absolute_ns;
    b.setup.queues[QUEUE_MID].packet_ns = packet_ns;
    return b;
}

static void the_absolute_timer_counts_from_the_first_frame(void **state)
{
    struct bench b = moderated(0u, 50000u, 0u);

    (void)state;
    bench_start(&b);
    (void)bench_udp(&b, PORT_MID);
    bench_wait(&b, 40u * US);
    (void)bench_udp(&b, PORT_MID);
    bench_wait(&b, 10u * US - 1u);
    assert_int_equal(b.raised[QUEUE_MID], 0u);
    bench_wait(&b, 1u);
    assert_int_equal(b.raised[QUEUE_MID], 1u);
    assert_int_equal(bench_count(&b, Q(QUEUE_MID, TG_NIC_Q_RAISED_ABSOLUTE)), 1u);
    assert_int_equal(bench_count(&b, Q(QUEUE_MID, TG_NIC_Q_LONGEST_WAIT)), 50u * US);
    bench_close(&b);
}

static void the_packet_timer_counts_from_the_last_frame(void **state)
{
    struct bench b = moderated(0u, 0u, 10000u);

    (void)state;
    bench_start(&b);
    for (uint32_t i = 0u; i < 5u; i++) {
        (void)bench_udp(&b, PORT_MID);
        bench_wait(&b, 9u * US);
        assert_int_equal(b.raised[QUEUE_MID], 0u);
    }
    bench_wait(&b, 1u * US);
    assert_int_equal(b.raised[QUEUE_MID], 1u);
    assert_int_equal(bench_count(&b, Q(QUEUE_MID, TG_NIC_Q_RAISED_PACKET)), 1u);
    assert_int_equal(bench_count(&b, Q(QUEUE_MID, TG_NIC_Q_LONGEST_WAIT)), 46u * US);
    bench_close(&b);
}

static void the_counter_counts_frames(void **state)
{
    struct bench b = moderated(3u, 500000u, 0u);

    (void)state;
    bench_start(&b);
    for (uint32_t i = 0u; i < 3u; i++) {
        assert_int_equal(b.raised[QUEUE_MID], 0u);
        (void)bench_udp(&b, PORT_MID);
    }
    assert_int_equal(b.raised[QUEUE_MID], 1u);
    assert_int_equal(bench_count(&b, Q(QUEUE_MID, TG_NIC_Q_RAISED_COUNTER)), 1u);

    /* It begins anew when the guest arms. */
    (void)bench_take(&b, QUEUE_MID);
    bench_arm(&b, QUEUE_MID);
    (void)bench_udp(&b, PORT_MID);
    (void)bench_udp(&b, PORT_MID);
    assert_int_equal(b.raised[QUEUE_MID], 1u);
    bench_wait(&b, 500u * US);
    assert_int_equal(b.raised[QUEUE_MID], 2u);
    assert_int_equal(bench_count(&b, Q(QUEUE_MID, TG_NIC_Q_RAISED_ABSOLUTE)), 1u);
    assert_int_equal(bench_count(&b, Q(QUEUE_MID, TG_NIC_Q_LONGEST_WAIT)), 500u * US);
    bench_close(&b);
}

/* A guest that polled takes what moderation was waiting for: no interrupt tells of it again. */
static void arming_forgets_what_waited(void **state)
{
    struct bench b = moderated(0u, 50000u, 0u);

    (void)state;
    bench_start(&b);
    (void)bench_udp(&b, PORT_MID);
    bench_wait(&b, 20u * US);
    (void)bench_take(&b, QUEUE_MID);
    bench_arm(&b, QUEUE_MID);
    bench_wait(&b, MS);
    assert_int_equal(b.raised[QUEUE_MID], 0u);
    (void)bench_udp(&b, PORT_MID);
    bench_wait(&b, 50u * US);
    assert_int_equal(b.raised[QUEUE_MID], 1u);
    assert_int_equal(bench_count(&b, Q(QUEUE_MID, TG_NIC_Q_LONGEST_WAIT)), 50u * US);
    bench_close(&b);
}

/* ---- RUNNING --------------------------------------------------------------------------------- */

static void run_task(struct bench *b, uint32_t priority)
{
    bench_store(b, TG_NIC_RUNNING, priority + 1u);
}

static void queues_not_above_the_running_task_are_held_back(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_start(&b);
    run_task(&b, 15u); /* as urgent as the most urgent of QUEUE_MID */
    for (uint32_t k = 0u; k < QUEUES; k++) {
        (void)bench_udp(&b, ports[k]);
    }
    assert_int_equal(b.raised[QUEUE_HIGH], 1u);
    assert_int_equal(bench_raised(&b), 1u);
    assert_int_equal(bench_read(&b, TG_NIC_HELD), 1u << QUEUE_LOW | 1u << QUEUE_MID);

    /* Less urgent, but not enough for the lowest queue. */
    bench_wait(&b, 70u * US);
    run_task(&b, 14u);
    bench_doorbell(&b);
    assert_int_equal(b.raised[QUEUE_MID], 1u);
    assert_int_equal(b.raised[QUEUE_LOW], 0u);
    assert_int_equal(bench_read(&b, TG_NIC_HELD), 1u << QUEUE_LOW);
    assert_int_equal(bench_count(&b, Q(QUEUE_MID, TG_NIC_Q_HELD_RUNNING)), 1u);
    assert_int_equal(bench_count(&b, Q(QUEUE_MID, TG_NIC_Q_LONGEST_WAIT)), 70u * US);

    bench_store(&b, TG_NIC_RUNNING, 0u);
    bench_doorbell(&b);
    assert_int_equal(b.raised[QUEUE_LOW], 1u);
    assert_int_equal(bench_read(&b, TG_NIC_HELD), 0u);
    bench_close(&b);
}

static void a_new_value_counts_from_the_next_frame_on_without_a_doorbell(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_start(&b);
    run_task(&b, 31u);
    (void)bench_udp(&b, PORT_HIGH);
    assert_int_equal(bench_raised(&b), 0u);
    bench_store(&b, TG_NIC_RUNNING, 0u);
    (void)bench_udp(&b, PORT_MID);
    assert_int_equal(b.raised[QUEUE_MID], 1u);
    bench_store(&b, TG_NIC_RUNNING, 0xffffffffu); /* nonsense holds everything: its own loss */
    (void)bench_udp(&b, PORT_LOW);
    assert_int_equal(bench_raised(&b), 1u);
    bench_close(&b);
}

/* The guest polled a queue whose interrupt was held back: it is not told again. */
static void arming_takes_back_what_was_held(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    bench_start(&b);
    run_task(&b, 31u);
    (void)bench_udp(&b, PORT_LOW);
    (void)bench_take(&b, QUEUE_LOW);
    bench_arm(&b, QUEUE_LOW);
    bench_store(&b, TG_NIC_RUNNING, 0u);
    bench_doorbell(&b);
    assert_int_equal(bench_raised(&b), 0u);
    assert_int_equal(bench_read(&b, TG_NIC_HELD), 0u);
    bench_close(&b);
}

/* ---- Gates ----------------------------------------------------------------------------------- */

static void a_gate_bounds_the_interrupts_of_its_queue_alone(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    b.setup.queues[QUEUE_LOW].gate_budget = 2u;
    b.setup.queues[QUEUE_LOW].gate_period_ns = 1000000u;
    bench_start(&b);
    for (uint32_t i = 0u; i < 10u; i++) {
        for (uint32_t k = 0u; k < QUEUES; k++) {
            (void)bench_udp(&b, ports[k]);
            (void)bench_take(&b, k);
            if (k != QUEUE_LOW || (bench_read(&b, TG_NIC_GATED) & 1u) == 0u) {
                bench_arm(&b, k);
            }
        }
    }
    assert_int_equal(b.raised[QUEUE_HIGH], 10u);
    assert_int_equal(b.raised[QUEUE_MID], 10u);
    assert_int_equal(b.raised[QUEUE_LOW], 2u);
    assert_int_equal(bench_read(&b, TG_NIC_GATED), 1u << QUEUE_LOW);
    assert_int_equal(bench_count(&b, Q(QUEUE_LOW, TG_NIC_Q_HELD_GATE)), 1u);

    bench_wait(&b, MS); /* the refill raises what was held back */
    assert_int_equal(b.raised[QUEUE_LOW], 3u);
    assert_int_equal(bench_read(&b, TG_NIC_GATED), 0u);
    bench_close(&b);
}

static void both_can_hold_an_interrupt_back(void **state)
{
    struct bench b;

    (void)state;
    bench_init(&b);
    b.setup.queues[QUEUE_LOW].gate_budget = 1u;
    b.setup.queues[QUEUE_LOW].gate_period_ns = 1000000u;
    bench_start(&b);
    (void)bench_udp(&b, PORT_LOW);
    bench_arm(&b, QUEUE_LOW);
    (void)bench_udp(&b, PORT_LOW);
    assert_int_equal(bench_read(&b, TG_NIC_GATED), 1u);
    run_task(&b, 20u);
    bench_wait(&b,
               2u * MS); /* at the refill RUNNING holds it; bench_wait sees that no timer spins */
    assert_int_equal(bench_read(&b, TG_NIC_GATED), 0u);
    assert_int_equal(bench_read(&b, TG_NIC_HELD), 1u);
    assert_int_equal(b.raised[QUEUE_LOW], 1u);
    bench_store(&b, TG_NIC_RUNNING, 0u);
    bench_doorbell(&b);
    assert_int_equal(b.raised[QUEUE_LOW], 2u);
    bench_close(&b);
}

/* ---- Random guests --------------------------------------------------------------------------- */

/* A guest that keeps to the protocol, and a network that does not care. */
static void random_step(struct bench *b, struct rng *r)
{
    const uint32_t k = rng_below(r, QUEUES);

    switch (rng_below(r, 8u)) {
    case 0u:
        (void)bench_take(b, k);
        bench_arm(b, k);
        (void)bench_take(b, k); /* the second look */
        break;
    case 1u:
        bench_wait(b, rng_below(r, 100000u));
        break;
    case 2u:
        bench_store(b, TG_NIC_RUNNING, rng_below(r, 33u));
        if (bench_read(b, TG_NIC_HELD) != 0u) {
            bench_doorbell(b);
        }
        break;
    case 3u: {
        const struct frame f = rng_percent(r, 50u) ? frame_other() : frame_malformed();

        (void)tg_nic_model_receive(b->model, f.bytes, f.len_bytes, b->now_ns);
        break;
    }
    default:
        (void)bench_udp(b, ports[k]);
        break;
    }
}

/* Nobody who keeps to the protocol misses a wake-up: a ring that has something was told of, or its
 * interrupt is on the way; and none is lost in the end. */
static void every_frame_is_told_of_and_counted(void **state)
{
    struct rng r;

    (void)state;
    rng_init(&r, "nic interrupt_test");
    for (uint32_t run = 0u; run < 200u; run++) {
        struct bench b;

        bench_init(&b);
        for (uint32_t k = 0u; k < QUEUES; k++) {
            struct tg_nic_queue_setup *const q = &b.setup.queues[k];

            q->absolute_ns = rng_percent(&r, 60u) ? rng_between(&r, 1u, 200000u) : 0u;
            q->packet_ns = rng_percent(&r, 30u) ? rng_between(&r, 1u, 50000u) : 0u;
            q->packets = rng_percent(&r, 30u) && q->absolute_ns ? rng_between(&r, 1u, 8u) : 0u;
            q->gate_budget = rng_percent(&r, 50u) ? rng_between(&r, 1u, 4u) : 0u;
            q->gate_period_ns = 500000u;
        }
        bench_start(&b);
        for (uint32_t i = 0u; i < 300u; i++) {
            random_step(&b, &r);
            bench_check(&b);
            for (uint32_t k = 0u; k < QUEUES; k++) {
                assert_true(!tg_nic_ring_has_returned(&b.rings[k]) ||
                            b.model->queues[k].interrupt != TG_NIC_IDLE);
            }
        }
        bench_store(&b, TG_NIC_RUNNING, 0u);
        bench_doorbell(&b);
        for (uint32_t k = 0u; k < QUEUES; k++) {
            (void)bench_take(&b, k);
            bench_arm(&b, k);
        }
        memset(b.raised, 0, sizeof b.raised);
        for (uint32_t k = 0u; k < QUEUES; k++) {
            assert_int_equal(bench_udp(&b, ports[k]), TG_NIC_DELIVERED);
        }
        bench_wait(&b, 2u * MS);
        for (uint32_t k = 0u; k < QUEUES; k++) {
            assert_int_equal(b.raised[k], 1u);
        }
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_goes_to_the_queue_of_its_priority),
        cmocka_unit_test(unregistered_frames_are_best_effort_or_dropped),
        cmocka_unit_test(the_bytes_arrive_and_the_ring_has_an_end),
        cmocka_unit_test(indices_wrap),
        cmocka_unit_test(nonsense_is_refused_and_counted),
        cmocka_unit_test(frames_of_the_guest_are_sent),
        cmocka_unit_test(an_interrupt_is_raised_once_until_the_queue_is_armed_again),
        cmocka_unit_test(a_masked_queue_is_silent),
        cmocka_unit_test(a_guest_that_is_gone_loses_interrupts_and_they_are_counted),
        cmocka_unit_test(the_absolute_timer_counts_from_the_first_frame),
        cmocka_unit_test(the_packet_timer_counts_from_the_last_frame),
        cmocka_unit_test(the_counter_counts_frames),
        cmocka_unit_test(arming_forgets_what_waited),
        cmocka_unit_test(queues_not_above_the_running_task_are_held_back),
        cmocka_unit_test(a_new_value_counts_from_the_next_frame_on_without_a_doorbell),
        cmocka_unit_test(arming_takes_back_what_was_held),
        cmocka_unit_test(a_gate_bounds_the_interrupts_of_its_queue_alone),
        cmocka_unit_test(both_can_hold_an_interrupt_back),
        cmocka_unit_test(every_frame_is_told_of_and_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
