/* SPDX-License-Identifier: MIT
 *
 * gate_test.c - interrupts or polling: who serves a queue, when, and what each step costs.
 */
#include "check_cmocka.h"
#include "rig.h"

#define FOREVER_NS (100u * RIG_PERIOD_NS)

/* Receive n frames to this port; all must fit into the ring. */
static void receive(struct rig *rig, uint32_t queue, uint32_t n, uint16_t port)
{
    const struct frame f = frame_udp(port);

    for (uint32_t i = 0u; i < n; i++) {
        assert_true(rig_receive(rig, queue, &f));
    }
}

static uint64_t received(struct rig *rig, uint32_t queue)
{
    return rig_snapshot(rig)->queues[queue].received;
}

static bool is_masked(const struct rig *rig, uint32_t queue)
{
    return (rig->port.unmasked & 1u << queue) == 0u;
}

/* One queue behind a deferrable gate, with as many buffers as frames. */
static struct rig_config limited(uint32_t budget_pkts)
{
    struct rig_config c = rig_config();

    c.core.best_effort_reserve_pkts = 64u;
    rig_limit_gate(&c, budget_pkts);
    return c;
}

/* Rules 1 and 7, R1: every frame costs one unit, whatever its verdict. */
static void each_verdict_costs_one_unit(void **state)
{
    struct rig_config c = limited(5u);
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
        assert_false(is_masked(&rig, 0u));
        assert_int_equal(rig_eager(&rig, 0u, &frames[i]), verdicts[i]);
        rig_check(&rig);
    }
    assert_true(is_masked(&rig, 0u));
    assert_int_equal(rig_eager(&rig, 0u, &frames[0]), TG_VERDICT_NONE);
    assert_int_equal(received(&rig, 0u), 5u);
    rig_free(&rig);
}

/* R2: the queue is masked at the end of the step that takes the last unit; what comes then stays in
 * the ring at no cost, and the NIC drops what does not fit. Fault: ring full. */
static void the_last_unit_masks(void **state)
{
    const struct rig_config c = limited(3u);
    struct rig rig;
    const struct frame f = frame_udp(9u);

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 2u, 9u);
    rig_interrupts(&rig);
    assert_false(is_masked(&rig, 0u));
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_true(is_masked(&rig, 0u));
    assert_int_equal(rig_snapshot(&rig)->closed[0], 1u);

    receive(&rig, 0u, 8u, 9u);
    assert_int_equal(rig.pending, 0u); /* no edge comes through */
    assert_false(rig_receive(&rig, 0u, &f));
    assert_int_equal(rig.rings[0].dropped, 1u);
    assert_int_equal(received(&rig, 0u), 3u);
    rig_check(&rig);
    rig_free(&rig);
}

/* An interrupt stops in the middle of a full ring when the gate is spent. */
static void an_interrupt_stops_when_the_gate_is_spent(void **state)
{
    const struct rig_config c = limited(3u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 8u, 9u);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 8u), TG_WORK_DONE);
    assert_int_equal(received(&rig, 0u), 3u);
    assert_int_equal(rig.rings[0].filled, 5u);
    rig_check(&rig);
    rig_free(&rig);
}

/* R3, rules 7 and 9: polled at the refills, budget by budget; back to interrupts once a poll finds
 * the ring empty with budget left, and latency is back at once. */
static void polled_until_budget_is_left_over(void **state)
{
    const struct rig_config c = limited(3u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 8u, 9u);
    rig_interrupts(&rig);
    rig_wait(&rig, RIG_PERIOD_NS - 1u);
    assert_int_equal(received(&rig, 0u), 3u);
    rig_wait(&rig, 1u);
    assert_int_equal(received(&rig, 0u), 6u);
    assert_true(is_masked(&rig, 0u));
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(received(&rig, 0u), 8u);
    assert_false(is_masked(&rig, 0u)); /* one unit was left */
    rig_check(&rig);

    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(received(&rig, 0u), 9u);
    rig_free(&rig);
}

/* A poll that takes the very last unit with the last frame stays with polling: no budget is
 * left. */
static void a_poll_without_budget_left_stays_polled(void **state)
{
    const struct rig_config c = limited(4u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 8u, 9u);
    rig_interrupts(&rig);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(received(&rig, 0u), 8u);
    assert_true(is_masked(&rig, 0u));
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_false(is_masked(&rig, 0u));
    rig_check(&rig);
    rig_free(&rig);
}

/* Rule 7: the timer runs only while something is polled. */
static void the_timer_runs_only_while_polled(void **state)
{
    const struct rig_config c = limited(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    assert_int_equal(rig.port.timer_at_ns, UINT64_MAX);
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig.port.timer_at_ns, UINT64_MAX);
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + RIG_PERIOD_NS);
    rig_wait(&rig, 3u * RIG_PERIOD_NS);
    assert_false(is_masked(&rig, 0u));
    assert_int_equal(rig.port.timer_at_ns, UINT64_MAX);
    rig_free(&rig);
}

/* Rule 7: refills stay on the grid start + k * period, also after idle time of no whole number of
 * periods. */
static void the_grid_survives_idle_time(void **state)
{
    const struct rig_config c = limited(1u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    rig_wait(&rig, 7u * RIG_PERIOD_NS + RIG_PERIOD_NS / 3u);
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + 8u * RIG_PERIOD_NS);
    rig_free(&rig);
}

/* Rule 1, R1: an interrupt without a frame costs one unit too; enough of them spend the gate.
 * Fault: spurious interrupts. */
static void spurious_interrupts_are_charged(void **state)
{
    const struct rig_config c = limited(3u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    for (uint32_t i = 0u; i < 3u; i++) {
        assert_false(is_masked(&rig, 0u));
        assert_int_equal(tg_rxq_interrupt(rig.queues[0], 4u), TG_WORK_DONE);
    }
    assert_true(is_masked(&rig, 0u));
    assert_int_equal(rig_snapshot(&rig)->queues[0].spurious, 3u);
    assert_int_equal(received(&rig, 0u), 0u);
    rig_check(&rig);
    rig_free(&rig);
}

/* R1: an interrupt latched before its queue was masked is charged to the budget of the poll. */
static void a_late_interrupt_is_charged(void **state)
{
    const struct rig_config c = limited(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 8u, 9u);
    rig_interrupts(&rig);
    assert_true(is_masked(&rig, 0u));
    rig.port.now_ns += RIG_PERIOD_NS;
    assert_int_equal(tg_rx_tick(&rig.protocol, rig.port.now_ns), TG_WORK_MORE);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 4u), TG_WORK_DONE); /* late */
    assert_int_equal(received(&rig, 0u), 2u);                            /* it serves nothing */
    assert_int_equal(rig_snapshot(&rig)->queues[0].spurious, 1u);
    assert_int_equal(tg_rx_poll(&rig.protocol, 8u), TG_WORK_DONE);
    assert_int_equal(received(&rig, 0u), 3u);
    rig_check(&rig);
    rig_free(&rig);
}

/* The interrupt that serves the rest of a burst is not spurious, although the first frame emptied
 * nothing. */
static void served_interrupts_are_not_spurious(void **state)
{
    const struct rig_config c = limited(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 5u, 9u);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 8u), TG_WORK_DONE);
    assert_int_equal(received(&rig, 0u), 5u);
    assert_int_equal(rig_snapshot(&rig)->queues[0].spurious, 0u);
    rig_free(&rig);
}

/* Rule 6: a bounded drain that leaves frames says MORE, and only then. */
static void a_bounded_interrupt_says_more(void **state)
{
    const struct rig_config c = limited(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 3u, 9u);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 2u), TG_WORK_MORE);
    assert_int_equal(received(&rig, 0u), 2u);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 1u), TG_WORK_DONE);
    assert_int_equal(received(&rig, 0u), 3u);
    rig_free(&rig);
}

/* Rule 6: so does a bounded poll; it never ends in silence while budget and frames are left. */
static void a_bounded_poll_says_more(void **state)
{
    const struct rig_config c = limited(4u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 7u, 9u);
    rig_interrupts(&rig);
    rig.port.now_ns += RIG_PERIOD_NS;
    assert_int_equal(tg_rx_tick(&rig.protocol, rig.port.now_ns), TG_WORK_MORE);
    assert_int_equal(tg_rx_poll(&rig.protocol, 2u), TG_WORK_MORE);
    assert_int_equal(received(&rig, 0u), 6u);
    assert_int_equal(tg_rx_poll(&rig.protocol, 2u), TG_WORK_DONE);
    assert_int_equal(received(&rig, 0u), 7u);
    assert_false(is_masked(&rig, 0u));
    rig_check(&rig);
    rig_free(&rig);
}

/* A tick with nothing to poll says so. */
static void a_tick_without_polling_says_done(void **state)
{
    const struct rig_config c = limited(4u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    assert_int_equal(tg_rx_tick(&rig.protocol, rig.port.now_ns + RIG_PERIOD_NS), TG_WORK_DONE);
    assert_int_equal(tg_rx_poll(&rig.protocol, 8u), TG_WORK_DONE);
    rig_check(&rig);
    rig_free(&rig);
}

/* Two queues of different rank behind one gate. Number 0 has the lower rank. */
static struct rig_config ranked(uint32_t budget_pkts)
{
    struct rig_config c = limited(budget_pkts);

    c.core.n_queues = 2u;
    c.queues[1].rank = 7u;
    return c;
}

/* R3, R4: a poll takes the highest rank first, and looks at all rings again before each frame. */
static void a_poll_goes_by_rank(void **state)
{
    const struct rig_config c = ranked(4u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 4u, 9u);
    rig_interrupts(&rig);
    receive(&rig, 0u, 4u, 9u);
    receive(&rig, 1u, 2u, 9u);
    rig.port.now_ns += RIG_PERIOD_NS;
    assert_int_equal(tg_rx_tick(&rig.protocol, rig.port.now_ns), TG_WORK_MORE);

    assert_int_equal(tg_rx_poll(&rig.protocol, 2u), TG_WORK_MORE);
    assert_int_equal(received(&rig, 1u), 2u);
    assert_int_equal(received(&rig, 0u), 4u);
    assert_int_equal(tg_rx_poll(&rig.protocol, 1u), TG_WORK_MORE);
    assert_int_equal(received(&rig, 0u), 5u);
    receive(&rig, 1u, 1u, 9u); /* arrives between two frames of the poll */
    assert_int_equal(tg_rx_poll(&rig.protocol, 1u), TG_WORK_MORE);
    assert_int_equal(received(&rig, 1u), 3u);
    assert_int_equal(tg_rx_poll(&rig.protocol, 8u), TG_WORK_DONE);
    assert_int_equal(received(&rig, 0u), 5u); /* spent */
    rig_check(&rig);
    rig_free(&rig);
}

/* Queues of equal rank are served in the order of their numbers. */
static void equal_ranks_go_by_number(void **state)
{
    struct rig_config c = ranked(1u);
    struct rig rig;

    (void)state;
    c.core.n_queues = 3u;
    c.queues[2].rank = 7u;
    rig_start(&rig, &c);
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    for (uint32_t i = 0u; i < 3u; i++) {
        receive(&rig, i, 1u, 9u);
    }
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(received(&rig, 1u), 1u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(received(&rig, 2u), 1u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(received(&rig, 0u), 2u);
    rig_free(&rig);
}

/* A gate that several queues share masks and unmasks all of them, and no other queue. */
static void a_shared_gate_masks_all_its_queues(void **state)
{
    struct rig_config c = ranked(2u);
    struct rig rig;

    (void)state;
    c.core.n_queues = 3u;
    c.core.n_gates = 2u;
    c.queues[2].gate = 1u;
    rig_start(&rig, &c);
    receive(&rig, 0u, 1u, 9u);
    receive(&rig, 1u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig.port.unmasked, 1u << 2);
    receive(&rig, 2u, 1u, 9u); /* the other gate knows nothing of it */
    rig_interrupts(&rig);
    assert_int_equal(received(&rig, 2u), 1u);
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
    const struct rig_config c = ranked(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 3u, 9u);
    rig.pending = 0u;
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 1u), TG_WORK_MORE);
    rig.pending = 1u; /* what MORE asks for */
    receive(&rig, 1u, 1u, 8u);
    rig_interrupts(&rig);
    assert_order(&rig, HIGHER_RANK_SECOND, 4u);
    rig_free(&rig);
}

static void interrupt_queue_1(void *context)
{
    struct rig *const rig = context;

    receive(rig, 1u, 1u, 8u);
    assert_int_equal(tg_rxq_interrupt(rig->queues[1], 8u), TG_WORK_DONE);
}

/* R5: with nesting, a vector of higher rank gets in at the next packet boundary, however many
 * frames the interrupt below it may still serve. */
static void a_nested_interrupt_comes_at_a_packet_boundary(void **state)
{
    const struct rig_config c = ranked(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 3u, 9u);
    rig.port.waiter = interrupt_queue_1;
    rig.port.context = &rig;
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 8u), TG_WORK_DONE);
    assert_order(&rig, HIGHER_RANK_SECOND, 4u);
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
    const struct rig_config c = limited(2u);
    struct rig rig;
    struct late_ring late = {.ring = &rig.rings[0], .port = &rig.port};

    (void)state;
    rig_start(&rig, &c);
    tg_rxq_link(rig.queues[0], false);
    (void)tg_rxq_attach(&rig.protocol, 0u, &late_ops, &late);
    tg_rxq_link(rig.queues[0], true);
    receive(&rig, 0u, 2u, 9u);
    rig_interrupts(&rig);
    assert_true(is_masked(&rig, 0u));
    late.is_armed = true;
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_false(late.is_armed);
    assert_int_equal(received(&rig, 0u), 3u);
    assert_int_equal(rig.rings[0].filled, 0u);
    assert_false(is_masked(&rig, 0u));
    rig_check(&rig);
    rig_free(&rig);
}

static struct rig_config with_kind(struct tg_server_config budget, enum tg_refill refill)
{
    struct rig_config c = limited(1u);

    c.gates[0] = (struct tg_gate_config){.budget = budget, .refill = refill};
    return c;
}

/* Polling: never an interrupt; served at refills; what a poll leaves is lost until the next
 * refill. */
static void a_polling_gate(void **state)
{
    const struct rig_config c = with_kind((struct tg_server_config){.kind = TG_SERVER_POLLING,
                                                                    .budget_pkts = 2u,
                                                                    .period_ns = RIG_PERIOD_NS},
                                          TG_REFILL_TIMESTAMP);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    assert_true(is_masked(&rig, 0u));
    receive(&rig, 0u, 5u, 9u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(received(&rig, 0u), 2u);
    rig_wait(&rig, 2u * RIG_PERIOD_NS);
    assert_int_equal(received(&rig, 0u), 5u);
    receive(&rig, 0u, 1u, 9u);
    assert_int_equal(tg_rx_poll(&rig.protocol, 8u), TG_WORK_DONE); /* what was left is lost */
    assert_int_equal(received(&rig, 0u), 5u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(received(&rig, 0u), 6u);
    assert_int_equal(rig_snapshot(&rig)->closed[0], 0u);
    rig_wait(&rig, FOREVER_NS);
    assert_true(is_masked(&rig, 0u));
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
    assert_false(is_masked(&rig, 0u));
    assert_int_equal(rig.port.timer_at_ns, UINT64_MAX);
    rig_free(&rig);
}

/* Sporadic: unmasked as soon as the oldest admission is a period old. The timer is not started for
 * now while budget waits to be polled: a polling task would never get to run. */
static void a_sporadic_gate(void **state)
{
    tg_ns window[2];
    const struct rig_config c = with_kind((struct tg_server_config){.kind = TG_SERVER_SPORADIC,
                                                                    .budget_pkts = 2u,
                                                                    .period_ns = RIG_PERIOD_NS,
                                                                    .window = window},
                                          TG_REFILL_TIMESTAMP);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    rig_wait(&rig, 300u);
    receive(&rig, 0u, 4u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(received(&rig, 0u), 2u);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + RIG_PERIOD_NS);

    rig.port.now_ns = RIG_START_NS + RIG_PERIOD_NS;
    rig.port.timer_at_ns = UINT64_MAX;
    assert_int_equal(tg_rx_tick(&rig.protocol, rig.port.now_ns), TG_WORK_MORE);
    assert_true(rig.port.timer_at_ns > rig.port.now_ns);
    assert_int_equal(tg_rx_poll(&rig.protocol, 8u), TG_WORK_DONE);
    assert_int_equal(received(&rig, 0u), 3u);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + RIG_PERIOD_NS + 300u);
    rig_wait(&rig, 300u);
    assert_int_equal(received(&rig, 0u), 4u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(received(&rig, 0u), 5u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_false(is_masked(&rig, 0u));
    assert_int_equal(rig.port.timer_at_ns, UINT64_MAX);
    rig_check(&rig);
    rig_free(&rig);
}

static struct rig_config by_tick(uint32_t budget_pkts)
{
    return with_kind((struct tg_server_config){.kind = TG_SERVER_DEFERRABLE,
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
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    rig.port.now_ns += 3u * RIG_PERIOD_NS; /* the tick is late */
    receive(&rig, 0u, 3u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(received(&rig, 0u), 2u);
    assert_true(is_masked(&rig, 0u));
    rig_wait(&rig, 1u);
    assert_int_equal(received(&rig, 0u), 4u);
    assert_int_equal(rig.port.timer_at_ns, RIG_START_NS + 4u * RIG_PERIOD_NS); /* still the grid */
    rig_check(&rig);
    rig_free(&rig);
}

/* R9 with refills by timestamp: the step itself sees that a refill is due, however late the tick
 *    is. */
static void a_gate_refilled_by_timestamp(void **state)
{
    const struct rig_config c = limited(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    rig.port.now_ns += RIG_PERIOD_NS;
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_false(is_masked(&rig, 0u));
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_true(is_masked(&rig, 0u));
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
    receive(&rig, 0u, 4u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(received(&rig, 0u), 2u);
    rig_wait(&rig, 0u);
    assert_int_equal(received(&rig, 0u), 4u);
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
    receive(&rig, 0u, 5u, 9u);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 2u), TG_WORK_MORE);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 2u), TG_WORK_MORE);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 2u), TG_WORK_DONE);
    assert_int_equal(received(&rig, 0u), 5u); /* 2 + 3 of the new budget */
    assert_true(is_masked(&rig, 0u));
    rig_check(&rig);
    rig_free(&rig);
}

/* Rule 8. Fault: the clock steps back by an hour. A spent gate serves again within one period. */
static void a_clock_that_steps_back_does_not_freeze_a_gate(void **state)
{
    tg_ns window[2];
    const struct rig_config configs[4] = {
        limited(2u), by_tick(2u),
        with_kind((struct tg_server_config){.kind = TG_SERVER_SPORADIC,
                                            .budget_pkts = 2u,
                                            .period_ns = RIG_PERIOD_NS,
                                            .window = window},
                  TG_REFILL_TIMESTAMP),
        with_kind((struct tg_server_config){.kind = TG_SERVER_POLLING,
                                            .budget_pkts = 2u,
                                            .period_ns = RIG_PERIOD_NS},
                  TG_REFILL_TICK)};

    (void)state;
    for (uint32_t i = 0u; i < 4u; i++) {
        struct rig_config c = configs[i];
        struct rig rig;

        c.start_ns = UINT64_C(5000000000000);
        rig_start(&rig, &c);
        receive(&rig, 0u, 4u, 9u);
        rig_interrupts(&rig);
        rig_wait(&rig, i == 3u ? RIG_PERIOD_NS : 0u);
        assert_int_equal(received(&rig, 0u), 2u);

        /* The timer is relative: it runs on, whatever happens to the clock. */
        const tg_ns left_ns = rig.port.timer_at_ns - rig.port.now_ns;

        rig.port.now_ns -= UINT64_C(3600000000000);
        rig.port.timer_at_ns = rig.port.now_ns + left_ns;
        rig_wait(&rig, left_ns);
        assert_true(received(&rig, 0u) <= 4u);
        rig_wait(&rig, RIG_PERIOD_NS);
        assert_int_equal(received(&rig, 0u), 4u);
        rig_check(&rig);
        rig_free(&rig);
    }
}

/* The clock jumps ahead by an hour: one budget, not thousands. */
static void a_clock_that_jumps_ahead_gives_one_budget(void **state)
{
    const struct rig_config c = limited(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 6u, 9u);
    rig_interrupts(&rig);
    rig.port.now_ns += UINT64_C(3600000000000) + 17u;
    rig_wait(&rig, 0u);
    assert_int_equal(received(&rig, 0u), 4u);
    assert_int_equal(rig.port.timer_at_ns, rig.port.now_ns - 17u + RIG_PERIOD_NS);
    rig_check(&rig);
    rig_free(&rig);
}

/* Rule 12: link down masks and stops the polling; what was accepted drains; link up serves again,
 * with the frames that came before. */
static void link_down_drains(void **state)
{
    const struct rig_config c = limited(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 3u, 9u);
    rig_interrupts(&rig);
    tg_rxq_link(rig.queues[0], false);
    assert_true(is_masked(&rig, 0u));
    rig_check(&rig);
    assert_int_equal(rig_drain(&rig), 3u);
    receive(&rig, 0u, 2u, 9u);
    assert_int_equal(tg_rx_poll(&rig.protocol, 8u), TG_WORK_DONE);
    assert_int_equal(received(&rig, 0u), 3u);

    tg_rxq_link(rig.queues[0], true);
    assert_false(is_masked(&rig, 0u));
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 8u), TG_WORK_DONE);
    assert_int_equal(received(&rig, 0u), 5u);
    rig_check(&rig);
    rig_free(&rig);
}

/* A gate that was spent when the link went down is open again within a period of link up. */
static void link_down_while_polled(void **state)
{
    const struct rig_config c = ranked(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 4u, 9u);
    rig_interrupts(&rig);
    tg_rxq_link(rig.queues[0], false);
    tg_rxq_link(rig.queues[1], false);
    rig_wait(&rig, 10u * RIG_PERIOD_NS + RIG_PERIOD_NS / 2u);
    assert_int_equal(received(&rig, 0u), 2u);
    rig_check(&rig);
    tg_rxq_link(rig.queues[0], true);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(received(&rig, 0u), 4u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_false(is_masked(&rig, 0u));
    assert_true(is_masked(&rig, 1u)); /* still down */
    rig_check(&rig);
    rig_free(&rig);
}

/* The same for a sporadic gate, whose budget is back while nobody polls. */
static void link_down_while_a_sporadic_gate_is_polled(void **state)
{
    tg_ns window[2];
    const struct rig_config c = with_kind((struct tg_server_config){.kind = TG_SERVER_SPORADIC,
                                                                    .budget_pkts = 2u,
                                                                    .period_ns = RIG_PERIOD_NS,
                                                                    .window = window},
                                          TG_REFILL_TIMESTAMP);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 4u, 9u);
    rig_interrupts(&rig);
    tg_rxq_link(rig.queues[0], false);
    rig_wait(&rig, 10u * RIG_PERIOD_NS);
    tg_rxq_link(rig.queues[0], true);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_int_equal(received(&rig, 0u), 4u);
    rig_wait(&rig, RIG_PERIOD_NS);
    assert_false(is_masked(&rig, 0u));
    rig_check(&rig);
    rig_free(&rig);
}

/* A NIC that is reset gives its buffers back while the link is down, and only then. */
static void a_ring_is_emptied_while_the_link_is_down(void **state)
{
    const struct rig_config c = limited(100u);
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
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(received(&rig, 0u), 1u);
    rig_check(&rig);
    rig_free(&rig);
}

/* Rule 12. Fault: lost interrupts. A full ring without progress is a stall; it is counted, and
 * serving the queue once ends it. */
static void a_stall_is_detected(void **state)
{
    const struct rig_config c = limited(100u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_false(tg_rxq_watch(rig.queues[0], false));
    receive(&rig, 0u, 8u, 9u);
    rig.pending = 0u; /* lost */
    assert_true(tg_rxq_watch(rig.queues[0], soft_ring_is_full(&rig.rings[0])));
    assert_int_equal(rig_snapshot(&rig)->queues[0].stalls, 1u);
    assert_int_equal(tg_rxq_interrupt(rig.queues[0], 8u), TG_WORK_DONE);
    assert_false(tg_rxq_watch(rig.queues[0], true)); /* frames were received since */
    assert_int_equal(received(&rig, 0u), 9u);
    rig_check(&rig);
    rig_free(&rig);
}

/* No stall: the ring is not full, the gate polls, or the link is down. */
static void what_is_no_stall(void **state)
{
    const struct rig_config c = limited(2u);
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    assert_false(tg_rxq_watch(rig.queues[0], false));
    receive(&rig, 0u, 8u, 9u);
    rig_interrupts(&rig);
    receive(&rig, 0u, 2u, 9u);
    assert_false(tg_rxq_watch(rig.queues[0], true));
    assert_false(tg_rxq_watch(rig.queues[0], true)); /* polled: the flood is meant to wait */
    rig_wait(&rig, FOREVER_NS);
    assert_false(tg_rxq_watch(rig.queues[0], false));
    tg_rxq_link(rig.queues[0], false);
    assert_false(tg_rxq_watch(rig.queues[0], true));
    assert_int_equal(rig_snapshot(&rig)->queues[0].stalls, 0u);
    rig_free(&rig);
}

/* Rule 9: after a flood, every counter of held buffers is where it was, and latency too. */
static void recovery_after_a_flood(void **state)
{
    struct rig_config c = limited(4u);
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
    assert_false(is_masked(&rig, 0u));
    receive(&rig, 0u, 1u, 9u);
    rig_interrupts(&rig);
    assert_int_equal(rig_deliver(&rig), 1);
    rig_check(&rig);
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
        cmocka_unit_test(a_poll_goes_by_rank),
        cmocka_unit_test(equal_ranks_go_by_number),
        cmocka_unit_test(a_shared_gate_masks_all_its_queues),
        cmocka_unit_test(a_higher_rank_gets_in_after_each_frame),
        cmocka_unit_test(a_nested_interrupt_comes_at_a_packet_boundary),
        cmocka_unit_test(a_second_look_after_unmasking),
        cmocka_unit_test(a_polling_gate),
        cmocka_unit_test(an_unlimited_gate),
        cmocka_unit_test(a_sporadic_gate),
        cmocka_unit_test(a_gate_refilled_by_tick),
        cmocka_unit_test(a_gate_refilled_by_timestamp),
        cmocka_unit_test(spent_when_a_tick_is_due),
        cmocka_unit_test(a_tick_at_a_packet_boundary),
        cmocka_unit_test(a_clock_that_steps_back_does_not_freeze_a_gate),
        cmocka_unit_test(a_clock_that_jumps_ahead_gives_one_budget),
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
