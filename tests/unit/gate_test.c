/* SPDX-License-Identifier: MIT
 *
 * gate_test.c - interrupts or polling: who serves a queue, when, and what each step costs.
 */
#include "check_cmocka.h"
#include "rig.h"

/* Rules 1 and 7, R1: every frame costs one unit, whatever its verdict. */
static void each_verdict_costs_one_unit(void **state)
{
    struct rig_config c = rig_config_limited(5u);
    struct rig rig;
    struct tg_flow_config poor = rig_udp_flow(1u, 1u, 1u);
    const struct frame frames[5] = {frame_malformed(), frame_udp(1u), frame_udp(1u), frame_udp(1u),
                                    frame_other()};
    const enum tg_verdict verdicts[5] = {TG_VERDICT_MALFORMED, TG_VERDICT_PASSED,
                                         TG_VERDICT_NO_BUFFER, TG_VERDICT_BUDGET,
                                         TG_VERDICT_PASSED};

    (void)state;
    poor.budget = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 2u, .period_ns = RIG_PERIOD_NS};
    rig_add_flow(&c, poor);
    rig_start(&rig, &c);
    for (uint32_t i = 0u; i < 5u; i++) {
        assert_false(rig_is_masked(&rig, 0u));
        assert_int_equal(rig_eager(&rig, 0u, &frames[i]), verdicts[i]);
        rig_check(&rig);
    }
    assert_true(rig_is_masked(&rig, 0u));
    /* Spent: no frame gets a verdict, the malformed one neither. */
    for (uint32_t i = 0u; i < 5u; i++) {
        assert_int_equal(rig_eager(&rig, 0u, &frames[i]), TG_VERDICT_NONE);
    }
    assert_int_equal(rig_received(&rig, 0u), 5u);
    assert_int_equal(rig_snapshot(&rig)->queues[0].malformed, 1u);
    rig_free(&rig);
}

/* R2: the queue is masked at the end of the step that takes the last unit; what comes then stays in
 * the ring at no cost, and the NIC drops what does not fit. Fault: ring full. */
static void the_last_unit_masks(void **state)
{
    const struct rig_config c = rig_config_limited(3u);
    struct rig rig;
    const struct frame f = frame_udp(9u);

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 2u, 9u);
    rig_interrupts(&rig);
    assert_false(rig_is_masked(&rig, 0u));
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_true(rig_is_masked(&rig, 0u));
    assert_int_equal(rig_snapshot(&rig)->closed[0], 1u);

    rig_receive_udp(&rig, 0u, 8u, 9u);
    assert_int_equal(rig.pending, 0u); /* no edge comes through */
    assert_false(rig_receive(&rig, 0u, &f));
    assert_int_equal(rig.rings[0].dropped, 1u);
    assert_int_equal(rig_received(&rig, 0u), 3u);
    rig_check(&rig);
    rig_free(&rig);
}

/* An interrupt stops in the middle of a full ring when the gate is spent; nothing is to be pended
 * again then, also where its bound is reached with the same frame. */
static void an_interrupt_stops_when_the_gate_is_spent(void **state)
{
    const struct rig_config c = rig_config_limited(3u);
    struct rig rig;

    (void)state;
    for (uint32_t max_frames = 3u; max_frames <= 8u; max_frames++) {
        rig_start(&rig, &c);
        rig_receive_udp(&rig, 0u, 8u, 9u);
        assert_int_equal(tg_rxq_interrupt(rig.queues[0], max_frames), TG_WORK_DONE);
        assert_int_equal(rig_received(&rig, 0u), 3u);
        assert_int_equal(rig.rings[0].filled, 5u);
        rig_check(&rig);
        rig_free(&rig);
    }
}

/* R3, rules 7 and 9: polled at the refills, budget by budget; back to interrupts once a poll finds
 * the ring empty with budget left, and latency is back at once. */
static void polled_until_budget_is_left_over(void **state)
{
    const struct rig_config c = rig_config_limited(3u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 8u, 9u);
    rig_interrupts(&rig);
    rig_wait(&rig, RIG_PERIOD_NS - 1u);
    assert_int_equal(rig_received(&rig, 0u), 3u);
    rig_wait(&rig, 1u);
    assert_int_equal(rig_received(&rig, 0u), 6u);
    assert_true(rig_is_masked(&rig, 0u));
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(rig_received(&rig, 0u), 8u);
    assert_false(rig_is_masked(&rig, 0u)); /* one unit was left */
    rig_check(&rig);

    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig_received(&rig, 0u), 9u);
    rig_free(&rig);
}

/* A poll that takes the very last unit with the last frame stays with polling: no budget is
 * left. */
static void a_poll_without_budget_left_stays_polled(void **state)
{
    const struct rig_config c = rig_config_limited(4u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 8u, 9u);
    rig_interrupts(&rig);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(rig_received(&rig, 0u), 8u);
    assert_true(rig_is_masked(&rig, 0u));
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_false(rig_is_masked(&rig, 0u));
    rig_check(&rig);
    rig_free(&rig);
}

/* Rule 7: the timer runs only while something is polled. */
static void the_timer_runs_only_while_polled(void **state)
{
    const struct rig_config c = rig_config_limited(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    assert_int_equal(rig.port.timer_at_ns, UINT64_MAX);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig.port.timer_at_ns, UINT64_MAX);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + RIG_PERIOD_NS);
    rig_wait(&rig, 3u * RIG_PERIOD_NS);
    assert_false(rig_is_masked(&rig, 0u));
    assert_int_equal(rig.port.timer_at_ns, UINT64_MAX);
    rig_free(&rig);
}

/* Rule 7: refills stay on the grid start + k * period, also after idle time of no whole number of
 * periods. */
static void the_grid_survives_idle_time(void **state)
{
    const struct rig_config c = rig_config_limited(1u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_wait(&rig, 7u * RIG_PERIOD_NS + RIG_PERIOD_NS / 3u);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + 8u * RIG_PERIOD_NS);
    rig_free(&rig);
}

/* Rule 1, R1: an interrupt without a frame costs one unit too; enough of them spend the gate.
 * Fault: spurious interrupts. */
static void spurious_interrupts_are_charged(void **state)
{
    const struct rig_config c = rig_config_limited(3u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    for (uint32_t i = 0u; i < 3u; i++) {
        assert_false(rig_is_masked(&rig, 0u));
        assert_int_equal(tg_rxq_interrupt(rig.queues[0], 4u), TG_WORK_DONE);
    }
    assert_true(rig_is_masked(&rig, 0u));
    assert_int_equal(rig_snapshot(&rig)->queues[0].spurious, 3u);
    assert_int_equal(rig_received(&rig, 0u), 0u);
    rig_check(&rig);
    rig_free(&rig);
}

/* R1: an interrupt latched before its queue was masked is charged to the budget of the poll. */
static void a_late_interrupt_is_charged(void **state)
{
    const struct rig_config c = rig_config_limited(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 8u, 9u);
    rig_interrupts(&rig);
    assert_true(rig_is_masked(&rig, 0u));
    rig.port.now_ns += RIG_PERIOD_NS;
    assert_int_equal(tg_rx_tick(&rig.protocol, rig.port.now_ns), TG_WORK_MORE);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 4u), TG_WORK_DONE); /* late */
    assert_int_equal(rig_received(&rig, 0u), 2u);                        /* it serves nothing */
    assert_int_equal(rig_snapshot(&rig)->queues[0].spurious, 1u);
    assert_int_equal(tg_rx_poll(&rig.protocol, 8u), TG_WORK_DONE);
    assert_int_equal(rig_received(&rig, 0u), 3u);
    rig_check(&rig);
    rig_free(&rig);
}

/* The interrupt that serves the rest of a burst is not spurious, although the first frame emptied
 * nothing. */
static void served_interrupts_are_not_spurious(void **state)
{
    const struct rig_config c = rig_config_limited(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 5u, 9u);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 8u), TG_WORK_DONE);
    assert_int_equal(rig_received(&rig, 0u), 5u);
    assert_int_equal(rig_snapshot(&rig)->queues[0].spurious, 0u);
    rig_free(&rig);
}

/* Rule 6: a bounded drain that leaves frames says MORE, and only then. */
static void a_bounded_interrupt_says_more(void **state)
{
    const struct rig_config c = rig_config_limited(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 3u, 9u);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 2u), TG_WORK_MORE);
    assert_int_equal(rig_received(&rig, 0u), 2u);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 1u), TG_WORK_DONE);
    assert_int_equal(rig_received(&rig, 0u), 3u);
    rig_free(&rig);
}

/* Rule 6: so does a bounded poll; it never ends in silence while budget and frames are left. */
static void a_bounded_poll_says_more(void **state)
{
    const struct rig_config c = rig_config_limited(4u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 7u, 9u);
    rig_interrupts(&rig);
    rig.port.now_ns += RIG_PERIOD_NS;
    assert_int_equal(tg_rx_tick(&rig.protocol, rig.port.now_ns), TG_WORK_MORE);
    assert_int_equal(tg_rx_poll(&rig.protocol, 2u), TG_WORK_MORE);
    assert_int_equal(rig_received(&rig, 0u), 6u);
    assert_int_equal(tg_rx_poll(&rig.protocol, 2u), TG_WORK_DONE);
    assert_int_equal(rig_received(&rig, 0u), 7u);
    assert_false(rig_is_masked(&rig, 0u));
    rig_check(&rig);
    rig_free(&rig);
}

/* A tick with nothing to poll says so. */
static void a_tick_without_polling_says_done(void **state)
{
    const struct rig_config c = rig_config_limited(4u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    assert_int_equal(tg_rx_tick(&rig.protocol, rig.port.now_ns + RIG_PERIOD_NS), TG_WORK_DONE);
    assert_int_equal(tg_rx_poll(&rig.protocol, 8u), TG_WORK_DONE);
    rig_check(&rig);
    rig_free(&rig);
}

/* A ring whose NIC delivers a frame at the very moment that the queue is unmasked. */
struct late_ring {
    struct soft_ring *ring;
    const struct tg_sim_port *port;
    bool is_armed; /* the frame comes once the ring was found empty */
};

static bool late_peek(void *opaque, struct tg_rx_frame *frame)
{
    struct late_ring *const late = opaque;
    const struct frame f = frame_udp(9u);

    if (late->is_armed && (late->port->unmasked & 1u) != 0u) {
        late->is_armed = false;
        assert_true(soft_ring_receive(late->ring, &f)); /* its edge is lost */
    }
    return SOFT_RING_OPS.peek(late->ring, frame);
}

static void late_advance(void *opaque, struct tg_buffer *buffer)
{
    SOFT_RING_OPS.advance(((struct late_ring *)opaque)->ring, buffer);
}

/* R3, rule 6: after unmasking the ring is looked at once more, so a frame whose edge was lost
 * between the last look and the unmasking is not stranded. */
static void a_second_look_after_unmasking(void **state)
{
    static const struct tg_ring_ops late_ops = {.peek = late_peek, .advance = late_advance};
    const struct rig_config c = rig_config_limited(2u);
    struct rig rig;
    struct late_ring late = {.ring = &rig.rings[0], .port = &rig.port};

    (void)state;
    rig_start(&rig, &c);
    tg_rxq_link(rig.queues[0], false);
    (void)tg_rxq_attach(&rig.protocol, 0u, &late_ops, &late);
    tg_rxq_link(rig.queues[0], true);
    rig_receive_udp(&rig, 0u, 2u, 9u);
    rig_interrupts(&rig);
    assert_true(rig_is_masked(&rig, 0u));
    late.is_armed = true;
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_false(late.is_armed);
    assert_int_equal(rig_received(&rig, 0u), 3u);
    assert_int_equal(rig.rings[0].filled, 0u);
    assert_false(rig_is_masked(&rig, 0u));
    rig_check(&rig);
    rig_free(&rig);
}

/* The events of a gate that closes and opens, and of its link. */
static void events_of_a_gate(void **state)
{
    static const struct tg_event expected[] = {
        {.kind = TG_EVENT_LINK, .subject = 0u, .value = 1u},
        {.kind = TG_EVENT_POLLED, .subject = 0u, .value = 1u},
        {.kind = TG_EVENT_POLLED, .subject = 0u, .value = 0u},
        {.kind = TG_EVENT_LINK, .subject = 0u, .value = 0u},
    };
    const struct rig_config c = rig_config_limited(1u);
    struct rig rig;
    struct tg_event e;
    uint32_t n = 0u;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    rig_wait(&rig, RIG_PERIOD_NS);
    tg_rxq_link(rig.queues[0], false);
    while (tg_trace_take(&rig.trace, &e)) {
        if (e.kind == TG_EVENT_LINK || e.kind == TG_EVENT_POLLED) {
            assert_true(n < 4u);
            assert_int_equal(e.kind, expected[n].kind);
            assert_int_equal(e.subject, expected[n].subject);
            assert_int_equal(e.value, expected[n].value);
            n++;
        }
    }
    assert_int_equal(n, 4u);
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_verdict_costs_one_unit),
        cmocka_unit_test(the_last_unit_masks),
        cmocka_unit_test(an_interrupt_stops_when_the_gate_is_spent),
        cmocka_unit_test(polled_until_budget_is_left_over),
        cmocka_unit_test(a_poll_without_budget_left_stays_polled),
        cmocka_unit_test(the_timer_runs_only_while_polled),
        cmocka_unit_test(the_grid_survives_idle_time),
        cmocka_unit_test(spurious_interrupts_are_charged),
        cmocka_unit_test(a_late_interrupt_is_charged),
        cmocka_unit_test(served_interrupts_are_not_spurious),
        cmocka_unit_test(a_bounded_interrupt_says_more),
        cmocka_unit_test(a_bounded_poll_says_more),
        cmocka_unit_test(a_tick_without_polling_says_done),
        cmocka_unit_test(a_second_look_after_unmasking),
        cmocka_unit_test(events_of_a_gate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
