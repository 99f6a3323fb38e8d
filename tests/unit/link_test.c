/* SPDX-License-Identifier: MIT
 *
 * link_test.c - links that go up and down, rings that stall, and what is left after a flood.
 */
#include "check_cmocka.h"
#include "rig.h"

/* Rule 12: link down masks and stops the polling; what was accepted drains; link up serves again,
 * with the frames that came before. */
static void link_down_drains(void **state)
{
    const struct rig_config c = rig_config_limited(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 3u, 9u);
    rig_interrupts(&rig);
    tg_rxq_link(rig.queues[0], false);
    assert_true(rig_is_masked(&rig, 0u));
    rig_check(&rig);
    assert_int_equal(rig_drain(&rig), 3u);
    rig_receive_udp(&rig, 0u, 2u, 9u);
    assert_int_equal(tg_rx_poll(&rig.protocol, 8u), TG_WORK_DONE);
    assert_int_equal(rig_received(&rig, 0u), 3u);

    tg_rxq_link(rig.queues[0], true);
    assert_false(rig_is_masked(&rig, 0u));
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 8u), TG_WORK_DONE);
    assert_int_equal(rig_received(&rig, 0u), 5u);
    rig_check(&rig);
    rig_free(&rig);
}

/* A gate that was spent when the link went down is open again within a period of link up. */
static void link_down_while_polled(void **state)
{
    const struct rig_config c = rig_config_ranked(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 4u, 9u);
    rig_interrupts(&rig);
    tg_rxq_link(rig.queues[0], false);
    tg_rxq_link(rig.queues[1], false);
    rig_wait(&rig, 10u * RIG_PERIOD_NS + RIG_PERIOD_NS / 2u);
    assert_int_equal(rig_received(&rig, 0u), 2u);
    rig_check(&rig);
    tg_rxq_link(rig.queues[0], true);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(rig_received(&rig, 0u), 4u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_false(rig_is_masked(&rig, 0u));
    assert_true(rig_is_masked(&rig, 1u)); /* still down */
    rig_check(&rig);
    rig_free(&rig);
}

/* The same for a sporadic gate, whose budget is back while nobody polls. */
static void link_down_while_a_sporadic_gate_is_polled(void **state)
{
    tg_ns window[2];
    const struct rig_config c = rig_config_sporadic(2u, window);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 4u, 9u);
    rig_interrupts(&rig);
    tg_rxq_link(rig.queues[0], false);
    rig_wait(&rig, 10u * RIG_PERIOD_NS);
    tg_rxq_link(rig.queues[0], true);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(rig_received(&rig, 0u), 4u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_false(rig_is_masked(&rig, 0u));
    rig_check(&rig);
    rig_free(&rig);
}

/* A NIC that is reset gives its buffers back while the link is down, and only then. */
static void a_ring_is_emptied_while_the_link_is_down(void **state)
{
    const struct rig_config c = rig_config_limited(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    struct tg_buffer *const b = rig.rings[0].slots[0].buffer;

    assert_int_equal(tg_rxq_unfill(rig.queues[0], b), TG_ERR_STATE);
    tg_rxq_link(rig.queues[0], false);
    for (uint32_t i = 0u; i < 8u; i++) {
        assert_int_equal(tg_rxq_unfill(rig.queues[0], rig.rings[0].slots[i].buffer), 0);
        rig_check(&rig);
    }
    assert_int_equal(tg_rxq_unfill(rig.queues[0], b), TG_ERR_STATE);
    soft_ring_fill(&rig.rings[0], rig.queues[0], &rig.port.now_ns);
    assert_int_equal(rig.rings[0].n_slots, 8u);
    assert_null(tg_rxq_fill(rig.queues[0]));
    tg_rxq_link(rig.queues[0], true);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig_received(&rig, 0u), 1u);
    rig_check(&rig);
    rig_free(&rig);
}

/* Rule 12. Fault: lost interrupts. A full ring without progress is a stall; it is counted, and
 * serving the queue once ends it. */
static void a_stall_is_detected(void **state)
{
    const struct rig_config c = rig_config_limited(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_false(tg_rxq_watch(rig.queues[0], false));
    rig_receive_udp(&rig, 0u, 8u, 9u);
    rig.pending = 0u; /* lost */
    assert_true(tg_rxq_watch(rig.queues[0], soft_ring_is_full(&rig.rings[0])));
    assert_int_equal(rig_snapshot(&rig)->queues[0].stalls, 1u);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 8u), TG_WORK_DONE);
    assert_false(tg_rxq_watch(rig.queues[0], true)); /* frames were received since */
    assert_int_equal(rig_received(&rig, 0u), 9u);
    rig_check(&rig);
    rig_free(&rig);
}

/* No stall: the ring is not full, the gate polls, or the link is down. */
static void what_is_no_stall(void **state)
{
    const struct rig_config c = rig_config_limited(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    assert_false(tg_rxq_watch(rig.queues[0], false));
    rig_receive_udp(&rig, 0u, 8u, 9u);
    rig_interrupts(&rig);
    rig_receive_udp(&rig, 0u, 2u, 9u);
    assert_false(tg_rxq_watch(rig.queues[0], true));
    assert_false(tg_rxq_watch(rig.queues[0], true)); /* polled: the flood is meant to wait */
    rig_wait(&rig, 100u * RIG_PERIOD_NS);
    assert_false(tg_rxq_watch(rig.queues[0], false));
    tg_rxq_link(rig.queues[0], false);
    assert_false(tg_rxq_watch(rig.queues[0], true));
    assert_int_equal(rig_snapshot(&rig)->queues[0].stalls, 0u);
    rig_free(&rig);
}

/* Rule 9: after a flood, every counter of held buffers is where it was, and latency too. */
static void recovery_after_a_flood(void **state)
{
    struct rig_config c = rig_config_limited(4u);
    struct rig rig;
    const struct frame flood = frame_other();

    (void)state;
    rig_add_flow(&c, rig_udp_flow(9u, 5u, 2u));
    rig_start(&rig, &c);
    for (uint32_t i = 0u; i < 1000u; i++) {
        (void)rig_receive(&rig, 0u, &flood);
        rig_interrupts(&rig);
        rig_wait(&rig, RIG_PERIOD_NS / 100u);
    }
    assert_true(rig.rings[0].dropped > 0u);
    rig_check(&rig);
    (void)rig_drain(&rig);
    rig_wait(&rig, 3u * RIG_PERIOD_NS); /* a ring of 8 at 4 a period */
    (void)rig_drain(&rig);
    assert_int_equal(rig_flow(&rig, 0u)->held_pkts, 0u);
    assert_int_equal(rig.port.priority, 0u);
    assert_false(rig_is_masked(&rig, 0u));
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig_deliver(&rig), 1);
    rig_check(&rig);
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(link_down_drains),
        cmocka_unit_test(link_down_while_polled),
        cmocka_unit_test(link_down_while_a_sporadic_gate_is_polled),
        cmocka_unit_test(a_ring_is_emptied_while_the_link_is_down),
        cmocka_unit_test(a_stall_is_detected),
        cmocka_unit_test(what_is_no_stall),
        cmocka_unit_test(recovery_after_a_flood),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
