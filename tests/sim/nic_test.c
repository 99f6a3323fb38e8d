/* SPDX-License-Identifier: MIT
 *
 * nic_test.c - when the NIC asserts its interrupt, and what its rings drop. An interrupt costs 1 us
 * to enter and 1 us for each frame, protocol work 1 us.
 */
#include "world.h"

#include <stdio.h>

#define SYSTEM(queue)                                                                              \
    "name: t\ncpu: {irq: 1 us, switch: 0 us}\ntasks: []\n"                                         \
    "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 1 us, deferred: 1 us, "            \
    "section: 0 us, floor: 1, buffers: 64, mtu: 1500, lock: 0 us}\n"                               \
    "queues: [{name: q, " queue "}]\n"                                                             \
    "flows: []\n"                                                                                  \
    "best_effort: {priority: 0, budget: unlimited, reserve: 16}\n"

#define GATE ", gate: {packets: 100, period: 1 ms}"
#define MS   UINT64_C(1000000)
#define US   UINT64_C(1000)

/* Frames at these times, in us; the schedule of interrupts must be this one. */
static void expect(const char *queue, const uint64_t *at_us, uint32_t n, const char *log)
{
    struct world *const w = world_open(queue, MS);

    for (uint32_t i = 0u; i < n; i++) {
        world_arrive(w, at_us[i] * US, 0);
    }
    world_log(w, TG_SIM_EVENT_VERDICT);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, log);
    world_close(w);
}

#define EXPECT(queue, log, ...)                                                                    \
    expect(SYSTEM(queue), (const uint64_t[]){__VA_ARGS__},                                         \
           sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), log)

static void the_absolute_timer_counts_from_the_first_frame(void **state)
{
    (void)state;
    EXPECT("ring: 8, absolute_timer: 50 us" GATE,
           "52000 best passed\n"
           "53000 best passed\n"
           "54000 best passed\n" /* of 50, in the last instant of moderation */
           "152000 best passed\n",
           0u, 40u, 50u, 100u);
}

static void the_packet_timer_counts_from_the_last_frame(void **state)
{
    (void)state;
    EXPECT("ring: 8, packet_timer: 10 us" GATE,
           "25000 best passed\n" /* 8 + 5 + 10, and 2 */
           "26000 best passed\n"
           "27000 best passed\n"
           "112000 best passed\n",
           0u, 8u, 13u, 100u);
}

static void the_counter_counts_frames(void **state)
{
    (void)state;
    EXPECT("ring: 8, absolute_timer: 500 us, packets: 3" GATE,
           "9000 best passed\n" /* the third comes at 7 */
           "10000 best passed\n"
           "11000 best passed\n"
           "522000 best passed\n", /* of 20: the ring was empty, so moderation began anew */
           0u, 3u, 7u, 20u);
}

/* Without a timer the counter may hold frames for ever. */
static void a_counter_alone_can_wait_for_ever(void **state)
{
    (void)state;
    EXPECT("ring: 8, packets: 3" GATE, "", 0u, 100u);
}

/* A frame that comes while the ring is being emptied is taken with the others. */
static void frames_do_not_wait_behind_a_running_interrupt(void **state)
{
    (void)state;
    EXPECT("ring: 8, absolute_timer: 50 us" GATE,
           "52000 best passed\n"
           "53000 best passed\n"
           "54000 best passed\n"   /* of 53, the last instant in which the ring was not empty */
           "107000 best passed\n", /* of 55 */
           0u, 51u, 53u, 55u);
}

/* While the queue is masked moderation goes on; the poll empties the ring without it. */
static void polls_do_not_wait_for_moderation(void **state)
{
    (void)state;
    EXPECT("ring: 8, absolute_timer: 50 us, gate: {packets: 1, period: 100 us}",
           "52000 best passed\n"
           "102000 best passed\n" /* tick at 100; it takes the only unit, so 200 opens the gate */
           "352000 best passed\n",
           0u, 60u, 300u);
}

/* A full ring drops; a descriptor is free again when the step that empties it ends. */
static void a_full_ring_drops(void **state)
{
    struct world *const w = world_open(SYSTEM("ring: 2" GATE), MS);
    static const uint64_t at_ns[] = {0u, 0u, 0u, 1999u, 2000u, 2001u};

    (void)state;
    for (uint32_t i = 0u; i < 6u; i++) {
        world_arrive(w, at_ns[i], 0);
    }
    world_log(w, TG_SIM_EVENT_ARRIVAL);
    world_log(w, TG_SIM_EVENT_LOST);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(
        w, "0 best arrives\n"
           "0 best arrives\n"
           "0 best lost\n"
           "1999 best lost\n"
           "2000 best lost\n" /* what comes in a step's last instant comes before its end */
           "2001 best arrives\n");
    assert_int_equal(w->results.flows[0].lost, 3u);
    assert_int_equal(w->results.queues[0].lost, 3u);
    assert_int_equal(w->results.queues[0].received, 3u);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_absolute_timer_counts_from_the_first_frame),
        cmocka_unit_test(the_packet_timer_counts_from_the_last_frame),
        cmocka_unit_test(the_counter_counts_frames),
        cmocka_unit_test(a_counter_alone_can_wait_for_ever),
        cmocka_unit_test(frames_do_not_wait_behind_a_running_interrupt),
        cmocka_unit_test(polls_do_not_wait_for_moderation),
        cmocka_unit_test(a_full_ring_drops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
