/* SPDX-License-Identifier: MIT
 *
 * rank_test.c - several queues: in which order they are served, and what they share.
 */
#include "check_cmocka.h"
#include "rig.h"

/* R3, R4: a poll takes the highest rank first, and looks at all rings again before each frame. */
static void a_poll_goes_by_rank(void **state)
{
    const struct rig_config c = rig_config_ranked(4u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 4u, 9u);
    rig_interrupts(&rig);
    rig_receive_udp(&rig, 0u, 4u, 9u);
    rig_receive_udp(&rig, 1u, 2u, 9u);
    rig.port.now_ns += RIG_PERIOD_NS;
    assert_int_equal(tg_rx_tick(&rig.protocol, rig.port.now_ns), TG_WORK_MORE);

    assert_int_equal(tg_rx_poll(&rig.protocol, 2u), TG_WORK_MORE);
    assert_int_equal(rig_received(&rig, 1u), 2u);
    assert_int_equal(rig_received(&rig, 0u), 4u);
    assert_int_equal(tg_rx_poll(&rig.protocol, 1u), TG_WORK_MORE);
    assert_int_equal(rig_received(&rig, 0u), 5u);
    rig_receive_udp(&rig, 1u, 1u, 9u); /* arrives between two frames of the poll */
    assert_int_equal(tg_rx_poll(&rig.protocol, 1u), TG_WORK_MORE);
    assert_int_equal(rig_received(&rig, 1u), 3u);
    assert_int_equal(tg_rx_poll(&rig.protocol, 8u), TG_WORK_DONE);
    assert_int_equal(rig_received(&rig, 0u), 5u); /* spent */
    rig_check(&rig);
    rig_free(&rig);
}

/* Queues of equal rank are served in the order of their numbers. */
static void equal_ranks_go_by_number(void **state)
{
    struct rig_config c = rig_config_ranked(1u);
    struct rig rig;

    (void)state;
    c.core.n_queues = 3u;
    c.queues[2].rank = 7u;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    for (uint32_t i = 0u; i < 3u; i++) {
        rig_receive_udp(&rig, i, 1u, 9u);
    }
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(rig_received(&rig, 1u), 1u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(rig_received(&rig, 2u), 1u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(rig_received(&rig, 0u), 2u);
    rig_free(&rig);
}

/* A gate that several queues share masks and unmasks all of them, and no other queue. */
static void a_shared_gate_masks_all_its_queues(void **state)
{
    struct rig_config c = rig_config_ranked(2u);
    struct rig rig;

    (void)state;
    c.core.n_queues = 3u;
    c.core.n_gates = 2u;
    c.queues[2].gate = 1u;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_receive_udp(&rig, 1u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig.port.unmasked, 1u << 2);
    rig_receive_udp(&rig, 2u, 1u, 9u); /* the other gate knows nothing of it */
    rig_interrupts(&rig);
    assert_int_equal(rig_received(&rig, 2u), 1u);
    assert_int_equal(rig_snapshot(&rig)->closed[0], 1u);
    assert_int_equal(rig_snapshot(&rig)->closed[1], 0u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(rig.port.unmasked, 7u);
    rig_check(&rig);
    rig_free(&rig);
}

/* Destination ports of all packets that wait, in the order in which they were accepted. */
static void assert_order(struct rig *rig, const uint16_t *ports, uint32_t n)
{
    for (uint32_t i = 0u; i < n; i++) {
        const struct tg_buffer *const b = rig_process(rig);

        assert_non_null(b);
        assert_int_equal(b->data[14 + 20 + 3], ports[i]);
    }
    assert_null(rig_process(rig));
}

static const uint16_t HIGHER_RANK_SECOND[4] = {9u, 8u, 9u, 9u};

/* R4: without nesting, one frame an interrupt lets the vector of higher rank in before the next
 * one. */
static void a_higher_rank_gets_in_after_each_frame(void **state)
{
    const struct rig_config c = rig_config_ranked(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 3u, 9u);
    rig.pending = 0u;
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 1u), TG_WORK_MORE);
    rig.pending = 1u; /* what MORE asks for */
    rig_receive_udp(&rig, 1u, 1u, 8u);
    rig_interrupts(&rig);
    assert_order(&rig, HIGHER_RANK_SECOND, 4u);
    rig_free(&rig);
}

static void interrupt_queue_1(void *context)
{
    struct rig *const rig = context;

    rig_receive_udp(rig, 1u, 1u, 8u);
    assert_int_equal(tg_rxq_interrupt(rig->queues[1], 8u), TG_WORK_DONE);
}

/* R5: with nesting, a vector of higher rank gets in at the next packet boundary, however many
 * frames the interrupt below it may still serve. */
static void a_nested_interrupt_comes_at_a_packet_boundary(void **state)
{
    const struct rig_config c = rig_config_ranked(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 3u, 9u);
    rig.port.waiter = interrupt_queue_1;
    rig.port.context = &rig;
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 8u), TG_WORK_DONE);
    assert_order(&rig, HIGHER_RANK_SECOND, 4u);
    rig_check(&rig);
    rig_free(&rig);
}

/* Two queues, each behind a gate of one frame: per period, and per ten periods. */
static struct rig_config two_gates(void)
{
    struct rig_config c = rig_config_ranked(1u);

    c.core.n_gates = 2u;
    c.gates[1] = c.gates[0];
    c.gates[1].budget.period_ns = 10u * RIG_PERIOD_NS;
    c.queues[1].gate = 1u;
    return c;
}

/* The timer is started for the gate that is refilled first, and a gate that opens unmasks no
 * queue of another that is still polled. */
static void gates_open_on_their_own(void **state)
{
    const struct rig_config c = two_gates();
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_receive_udp(&rig, 1u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig.port.unmasked, 0u);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + RIG_PERIOD_NS);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(rig.port.unmasked, 1u);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + 10u * RIG_PERIOD_NS);
    rig_check(&rig);
    rig_wait(&rig, 9u * RIG_PERIOD_NS);
    assert_int_equal(rig.port.unmasked, 3u);
    rig_check(&rig);
    rig_free(&rig);
}

/* Fault: a gate closes when the refill of another one is due, yet before its handler. The timer for
 * the later refill does not put that off. */
static void a_late_tick_is_not_put_off(void **state)
{
    const struct rig_config c = two_gates();
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_receive_udp(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    rig.port.now_ns += RIG_PERIOD_NS;
    rig_receive_udp(&rig, 1u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig.port.unmasked, 0u);
    assert_int_equal(rig.port.timer_at_ns, rig.port.now_ns);
    rig_wait(&rig, 0u);
    assert_int_equal(rig.port.unmasked, 1u);
    rig_check(&rig);
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_poll_goes_by_rank),
        cmocka_unit_test(equal_ranks_go_by_number),
        cmocka_unit_test(a_shared_gate_masks_all_its_queues),
        cmocka_unit_test(a_higher_rank_gets_in_after_each_frame),
        cmocka_unit_test(a_nested_interrupt_comes_at_a_packet_boundary),
        cmocka_unit_test(gates_open_on_their_own),
        cmocka_unit_test(a_late_tick_is_not_put_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
