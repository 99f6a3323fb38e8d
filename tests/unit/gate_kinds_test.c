/* SPDX-License-Identifier: MIT
 *
 * gate_kinds_test.c - gates of every kind, refilled by clock or by tick, under clocks that jump.
 */
#include "check_cmocka.h"
#include "rig.h"

/* Polling: never an interrupt; served at refills; what a poll leaves is lost until the next
 * refill. */
static void a_polling_gate(void **state)
{
    const struct rig_config c = rig_config_gate(
        (struct tg_server_config){
            .kind = TG_SERVER_POLLING, .budget_pkts = 2u, .period_ns = RIG_PERIOD_NS},
        TG_REFILL_TIMESTAMP);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    assert_true(rig_is_masked(&rig, 0u));
    rig_receive_udp(&rig, 0u, 5u, 9u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(rig_received(&rig, 0u), 2u);
    rig_wait(&rig, 2u * RIG_PERIOD_NS);
    assert_int_equal(rig_received(&rig, 0u), 5u);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    assert_int_equal(tg_rx_poll(&rig.protocol, 8u), TG_WORK_DONE); /* what was left is lost */
    assert_int_equal(rig_received(&rig, 0u), 5u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(rig_received(&rig, 0u), 6u);
    assert_int_equal(rig_snapshot(&rig)->closed[0], 0u);
    rig_wait(&rig, 100u * RIG_PERIOD_NS);
    assert_true(rig_is_masked(&rig, 0u));
    rig_check(&rig);
    rig_free(&rig);
}

/* Lets the lock be given back twice; the third time a whole period has passed and the tick is
 * due. */
struct late_tick {
    struct rig *rig;
    uint32_t calls;
};

static void tick_at_the_third_call(void *context)
{
    struct late_tick *const late = context;
    struct rig *const rig = late->rig;

    late->calls++;
    if (late->calls < 3u) {
        rig->port.waiter = tick_at_the_third_call;
        return;
    }
    rig->port.now_ns += RIG_PERIOD_NS;
    assert_int_equal(tg_rx_tick(&rig->protocol, rig->port.now_ns), TG_WORK_MORE);
}

/* A tick that comes just after a poll found its budget spent brings a new one: it serves the
 * frames that are left, and is not taken for what an emptied ring left over. */
static void a_refill_while_a_poll_ends(void **state)
{
    const struct rig_config c = rig_config_gate(
        (struct tg_server_config){
            .kind = TG_SERVER_POLLING, .budget_pkts = 2u, .period_ns = RIG_PERIOD_NS},
        TG_REFILL_TICK);
    struct rig rig;
    struct late_tick late = {.rig = &rig};

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 5u, 9u);
    rig.port.now_ns += RIG_PERIOD_NS;
    assert_int_equal(tg_rx_tick(&rig.protocol, rig.port.now_ns), TG_WORK_MORE);
    rig.port.context = &late;
    rig.port.waiter = tick_at_the_third_call; /* two frames, and the look that finds no budget */
    assert_int_equal(tg_rx_poll(&rig.protocol, RIG_MAX_FRAMES), TG_WORK_DONE);
    assert_int_equal(late.calls, 3u);
    assert_int_equal(rig_received(&rig, 0u), 4u);
    rig_check(&rig);
    rig_free(&rig);
}

/* Unlimited: written out, and never polled. */
static void an_unlimited_gate(void **state)
{
    struct rig_config c = rig_config();
    struct rig rig;
    const struct frame f = frame_other();

    (void)state;
    rig_start(&rig, &c);
    for (uint32_t i = 0u; i < 1000u; i++) {
        assert_int_not_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_NONE);
    }
    assert_false(rig_is_masked(&rig, 0u));
    assert_int_equal(rig.port.timer_at_ns, UINT64_MAX);
    rig_free(&rig);
}

/* Sporadic: unmasked as soon as the oldest admission is a period old. The timer is not started for
 * now while budget waits to be polled: a polling task would never get to run. */
static void a_sporadic_gate(void **state)
{
    tg_ns window[2];
    const struct rig_config c = rig_config_sporadic(2u, window);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    rig_wait(&rig, 300u);
    rig_receive_udp(&rig, 0u, 4u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig_received(&rig, 0u), 2u);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + RIG_PERIOD_NS);

    rig.port.now_ns = RIG_START_NS + RIG_PERIOD_NS;
    rig.port.timer_at_ns = UINT64_MAX;
    assert_int_equal(tg_rx_tick(&rig.protocol, rig.port.now_ns), TG_WORK_MORE);
    assert_true(rig.port.timer_at_ns > rig.port.now_ns);
    assert_int_equal(tg_rx_poll(&rig.protocol, 8u), TG_WORK_DONE);
    assert_int_equal(rig_received(&rig, 0u), 3u);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + RIG_PERIOD_NS + 300u);
    rig_wait(&rig, 300u);
    assert_int_equal(rig_received(&rig, 0u), 4u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(rig_received(&rig, 0u), 5u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_false(rig_is_masked(&rig, 0u));
    assert_int_equal(rig.port.timer_at_ns, UINT64_MAX);
    rig_check(&rig);
    rig_free(&rig);
}

static struct rig_config by_tick(uint32_t budget_pkts)
{
    return rig_config_gate((struct tg_server_config){.kind = TG_SERVER_DEFERRABLE,
                                                     .budget_pkts = budget_pkts,
                                                     .period_ns = RIG_PERIOD_NS},
                           TG_REFILL_TICK);
}

/* R9: with refills by tick, no clock of a step refills, only the handler; it runs in every
 * period. */
static void a_gate_refilled_by_tick(void **state)
{
    const struct rig_config c = by_tick(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + RIG_PERIOD_NS);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    rig.port.now_ns += 3u * RIG_PERIOD_NS; /* the tick is late */
    rig_receive_udp(&rig, 0u, 3u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig_received(&rig, 0u), 2u);
    assert_true(rig_is_masked(&rig, 0u));
    rig_wait(&rig, 1u);
    assert_int_equal(rig_received(&rig, 0u), 4u);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + 4u * RIG_PERIOD_NS); /* still the grid */
    rig_check(&rig);
    rig_free(&rig);
}

/* R9 with refills by timestamp: the step itself sees that a refill is due, however late the tick
 *    is. */
static void a_gate_refilled_by_timestamp(void **state)
{
    const struct rig_config c = rig_config_limited(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    rig.port.now_ns += RIG_PERIOD_NS;
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_false(rig_is_masked(&rig, 0u));
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_true(rig_is_masked(&rig, 0u));
    rig_free(&rig);
}

/* Fault: the step that spends the gate runs when a refill by tick is due, yet before its handler.
 * The refill serves the masked frames then, not a period later. */
static void spent_when_a_tick_is_due(void **state)
{
    const struct rig_config c = by_tick(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig.port.now_ns += RIG_PERIOD_NS; /* the tick is due and pending */
    rig_receive_udp(&rig, 0u, 4u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig_received(&rig, 0u), 2u);
    rig_wait(&rig, 0u);
    assert_int_equal(rig_received(&rig, 0u), 4u);
    rig_check(&rig);
    rig_free(&rig);
}

/* R10: a tick between two frames of one interrupt loses and doubles nothing. */
static void a_tick_at_a_packet_boundary(void **state)
{
    const struct rig_config c = by_tick(3u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 5u, 9u);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 2u), TG_WORK_MORE);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 2u), TG_WORK_MORE);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 2u), TG_WORK_DONE);
    assert_int_equal(rig_received(&rig, 0u), 5u); /* 2 + 3 of the new budget */
    assert_true(rig_is_masked(&rig, 0u));
    rig_check(&rig);
    rig_free(&rig);
}

/* Rule 8. Fault: the clock steps back by an hour. A spent gate serves again within one period. */
static void a_clock_that_steps_back_does_not_freeze_a_gate(void **state)
{
    tg_ns window[2];
    const struct rig_config configs[4] = {
        rig_config_limited(2u), by_tick(2u), rig_config_sporadic(2u, window),
        rig_config_gate((struct tg_server_config){.kind = TG_SERVER_POLLING,
                                                  .budget_pkts = 2u,
                                                  .period_ns = RIG_PERIOD_NS},
                        TG_REFILL_TICK)};

    (void)state;
    for (uint32_t i = 0u; i < 4u; i++) {
        struct rig_config c = configs[i];
        struct rig rig;

        c.start_ns = UINT64_C(5000000000000);
        rig_start(&rig, &c);
        rig_receive_udp(&rig, 0u, 4u, 9u);
        rig_interrupts(&rig);
        rig_wait(&rig, i == 3u ? RIG_PERIOD_NS : 0u);
        assert_int_equal(rig_received(&rig, 0u), 2u);

        /* The timer is relative: it runs on, whatever happens to the clock. */
        const tg_ns left_ns = rig.port.timer_at_ns - rig.port.now_ns;

        rig.port.now_ns -= UINT64_C(3600000000000);
        rig.port.timer_at_ns = rig.port.now_ns + left_ns;
        rig_wait(&rig, left_ns);
        assert_true(rig_received(&rig, 0u) <= 4u);
        rig_wait(&rig, RIG_PERIOD_NS);
        assert_int_equal(rig_received(&rig, 0u), 4u);
        rig_check(&rig);
        rig_free(&rig);
    }
}

/* The clock jumps ahead by an hour: one budget, not thousands. */
static void a_clock_that_jumps_ahead_gives_one_budget(void **state)
{
    const struct rig_config c = rig_config_limited(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 6u, 9u);
    rig_interrupts(&rig);
    rig.port.now_ns += UINT64_C(3600000000000) + 17u;
    rig_wait(&rig, 0u);
    assert_int_equal(rig_received(&rig, 0u), 4u);
    assert_int_equal(rig.port.timer_at_ns, rig.port.now_ns - 17u + RIG_PERIOD_NS);
    rig_check(&rig);
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_polling_gate),
        cmocka_unit_test(a_refill_while_a_poll_ends),
        cmocka_unit_test(an_unlimited_gate),
        cmocka_unit_test(a_sporadic_gate),
        cmocka_unit_test(a_gate_refilled_by_tick),
        cmocka_unit_test(a_gate_refilled_by_timestamp),
        cmocka_unit_test(spent_when_a_tick_is_due),
        cmocka_unit_test(a_tick_at_a_packet_boundary),
        cmocka_unit_test(a_clock_that_steps_back_does_not_freeze_a_gate),
        cmocka_unit_test(a_clock_that_jumps_ahead_gives_one_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
