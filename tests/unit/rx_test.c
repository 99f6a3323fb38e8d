/* SPDX-License-Identifier: MIT
 *
 * rx_test.c - the way of a packet: verdicts, reserves, inherited priority, wake, delivery, release.
 */
#include "check_cmocka.h"
#include "rig.h"

#include <string.h>

#define LOW  3u
#define HIGH 20u

/* Flow 1: port 1 at LOW; flow 2: port 2 at HIGH; four buffers each. */
static struct rig_config two_flows(void)
{
    struct rig_config c = rig_config();

    rig_add_flow(&c, rig_udp_flow(1u, LOW, 4u));
    rig_add_flow(&c, rig_udp_flow(2u, HIGH, 4u));
    return c;
}

static void pass(struct rig *rig, uint16_t port)
{
    const struct frame f = frame_udp(port);

    assert_int_equal(rig_eager(rig, 0u, &f), TG_VERDICT_PASSED);
    rig_check(rig);
}

/* Rule 2: the verdicts, one counter each, and their sum is what was received. */
static void every_verdict_and_its_counter(void **state)
{
    struct rig_config c = rig_config();
    struct rig rig;
    struct tg_flow_config flow = rig_udp_flow(1u, LOW, 1u);
    const struct frame port_1 = frame_udp(1u);
    const struct frame malformed = frame_malformed();
    const struct frame other = frame_other();

    (void)state;
    flow.budget = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 2u, .period_ns = RIG_PERIOD_NS};
    rig_add_flow(&c, flow);
    c.core.best_effort_reserve_pkts = 0u;
    rig_start(&rig, &c);
    assert_int_equal(rig_eager(&rig, 0u, &port_1), TG_VERDICT_PASSED);
    assert_int_equal(rig_eager(&rig, 0u, &port_1), TG_VERDICT_NO_BUFFER);
    assert_int_equal(rig_eager(&rig, 0u, &port_1), TG_VERDICT_BUDGET);
    assert_int_equal(rig_eager(&rig, 0u, &malformed), TG_VERDICT_MALFORMED);
    assert_int_equal(rig_eager(&rig, 0u, &other), TG_VERDICT_UNREGISTERED);

    const struct tg_snapshot *const s = rig_snapshot(&rig);

    assert_int_equal(s->flows[1].passed, 1u);
    assert_int_equal(s->flows[1].dropped_no_buffer, 1u);
    assert_int_equal(s->flows[1].dropped_budget, 1u);
    assert_int_equal(s->flows[1].held_pkts, 1u);
    assert_int_equal(s->flows[1].most_held_pkts, 1u);
    assert_int_equal(s->queues[0].malformed, 1u);
    assert_int_equal(s->queues[0].unregistered, 1u);
    assert_int_equal(s->queues[0].received, 5u);
    assert_int_equal(s->flows[0].passed, 0u);
    rig_check(&rig);
    rig_free(&rig);
}

/* Rule 2: on pass another buffer comes back for the ring, refused frames keep theirs. */
static void buffers_are_swapped_on_pass_only(void **state)
{
    const struct rig_config c = two_flows();
    struct rig rig;
    const struct frame good = frame_udp(1u);
    const struct frame bad = frame_malformed();
    struct tg_rx_frame frame;

    (void)state;
    rig_start(&rig, &c);
    struct tg_buffer *const before = rig.rings[0].slots[0].buffer;

    frame = (struct tg_rx_frame){
        .now_ns = RIG_START_NS, .buffer = before, .len_bytes = bad.len_bytes, .tci = TG_TCI_NONE};
    memcpy(before->data, bad.bytes, bad.len_bytes);
    assert_int_equal(tg_rx_eager(rig.queues[0], &frame), TG_VERDICT_MALFORMED);
    assert_ptr_equal(frame.buffer, before);
    memcpy(before->data, good.bytes, good.len_bytes);
    assert_int_equal(tg_rx_eager(rig.queues[0], &frame), TG_VERDICT_PASSED);
    assert_ptr_not_equal(frame.buffer, before);
    assert_ptr_equal(tg_rx_next(&rig.protocol), before);
    rig_free(&rig);
}

/* The packet carries what the receiver needs: bytes, length, stripped tag, flow, priority. */
static void what_a_packet_carries(void **state)
{
    const struct rig_config c = two_flows();
    struct rig rig;
    const struct frame f = frame_build(&(struct frame_spec){
        .dst_port = 2u, .payload_bytes = 300u, .is_stripped = true, .stripped_tci = 0x6007u});

    (void)state;
    rig_start(&rig, &c);
    assert_int_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_PASSED);
    const struct tg_buffer *const b = tg_rx_next(&rig.protocol);

    assert_int_equal(b->len_bytes, f.len_bytes);
    assert_memory_equal(b->data, f.bytes, f.len_bytes);
    assert_int_equal(b->tci, 0x6007u);
    assert_int_equal(b->flow, 2u);
    assert_int_equal(b->priority, HIGH);
    rig_free(&rig);
}

/* R6: a refused packet costs nothing beyond its step: no buffer, no wake, no priority. */
static void a_refused_frame_leaves_no_trace(void **state)
{
    struct rig_config c = two_flows();
    struct rig rig;
    const struct frame frames[3] = {frame_malformed(), frame_udp(2u), frame_other()};

    (void)state;
    c.flows[1].budget = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 1u, .period_ns = RIG_PERIOD_NS};
    c.core.best_effort_reserve_pkts = 0u;
    rig_start(&rig, &c);
    pass(&rig, 2u);
    assert_int_equal(rig_drain(&rig), 1u);
    const uint32_t wakes = rig.port.wakes;
    const uint32_t changes = rig.port.changes;
    const struct tg_buffer *const free_before = rig.protocol.free;

    for (uint32_t i = 0u; i < 3u; i++) {
        assert_int_not_equal(rig_eager(&rig, 0u, &frames[i]), TG_VERDICT_PASSED);
    }
    assert_int_equal(rig.port.wakes, wakes);
    assert_int_equal(rig.port.changes, changes);
    assert_ptr_equal(rig.protocol.free, free_before);
    assert_int_equal(rig_deliver(&rig), RIG_NO_FLOW);
    rig_free(&rig);
}

/* Rule 2: the first refusal is the verdict. A malformed frame charges no flow; an over-budget one
 * looks for no buffer; without a buffer the budget is spent all the same. */
static void the_first_refusal_counts(void **state)
{
    struct rig_config c = two_flows();
    struct rig rig;
    const struct frame good = frame_udp(1u);
    struct frame malformed = good;

    (void)state;
    c.flows[0].reserve_pkts = 2u;
    c.flows[0].budget = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 3u, .period_ns = RIG_PERIOD_NS};
    malformed.bytes[malformed.l4 + 5u] = 7u; /* UDP length */
    rig_start(&rig, &c);
    for (uint32_t i = 0u; i < 5u; i++) {
        assert_int_equal(rig_eager(&rig, 0u, &malformed), TG_VERDICT_MALFORMED);
    }
    pass(&rig, 1u);
    pass(&rig, 1u);
    assert_int_equal(rig_eager(&rig, 0u, &good), TG_VERDICT_NO_BUFFER);
    assert_int_equal(rig_eager(&rig, 0u, &good), TG_VERDICT_BUDGET);
    assert_int_equal(rig_drain(&rig), 2u);
    assert_int_equal(rig_eager(&rig, 0u, &good), TG_VERDICT_BUDGET);
    rig_free(&rig);
}

/* Rule 3: over-budget packets are dropped at insertion; nothing that is queued waits for a
 * budget. */
static void a_spent_flow_blocks_no_other(void **state)
{
    struct rig_config c = two_flows();
    struct rig rig;
    const struct frame flood = frame_udp(2u);

    (void)state;
    c.flows[1].budget = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 2u, .period_ns = RIG_PERIOD_NS};
    rig_start(&rig, &c);
    for (uint32_t i = 0u; i < 50u; i++) {
        (void)rig_eager(&rig, 0u, &flood);
    }
    pass(&rig, 1u);
    assert_int_equal(rig_deliver(&rig), 2);
    assert_int_equal(rig_deliver(&rig), 2);
    assert_int_equal(rig_deliver(&rig), 1);
    assert_int_equal(rig_deliver(&rig), RIG_NO_FLOW);
    assert_int_equal(rig_flow(&rig, 2u)->dropped_budget, 48u);
    rig_free(&rig);
}

/* Rule 4. Fault: pool empty. Whatever others hold, a flow below its reserve gets a buffer; it holds
 * one until the socket frees it. */
static void a_reserve_is_always_there(void **state)
{
    struct rig_config c = two_flows();
    struct rig rig;
    struct tg_buffer *held[16];
    uint32_t n_held = 0u;
    const struct frame flood = frame_other();
    const struct frame low = frame_udp(1u);

    (void)state;
    c.spare_buffers = 0u; /* the pool is exactly rings and reserves */
    rig_start(&rig, &c);
    for (uint32_t i = 0u; i < 10u; i++) {
        assert_int_equal(rig_eager(&rig, 0u, &flood),
                         i < 4u ? TG_VERDICT_PASSED : TG_VERDICT_NO_BUFFER);
        assert_int_equal(rig_eager(&rig, 0u, &low),
                         i < 4u ? TG_VERDICT_PASSED : TG_VERDICT_NO_BUFFER);
    }
    for (uint32_t i = 0u; i < 4u; i++) {
        pass(&rig, 2u);
    }
    assert_null(rig.protocol.free); /* every buffer is in the ring or held */
    for (uint32_t i = 0u; i < 12u; i++) {
        held[n_held++] = rig_process(&rig); /* done, yet the sockets keep them */
    }
    assert_int_equal(rig_eager(&rig, 0u, &low), TG_VERDICT_NO_BUFFER);
    assert_int_equal(rig_eager(&rig, 0u, &flood), TG_VERDICT_NO_BUFFER);
    for (uint32_t i = 0u; i < n_held; i++) {
        assert_int_equal(tg_rx_release(&rig.protocol, held[i]), 0);
        rig_check(&rig);
    }
    pass(&rig, 1u);
    pass(&rig, 2u);
    rig_free(&rig);
}

/* Rule 5, R7: raise iff the new packet outranks; lower when done, before the next is dequeued. */
static void inherited_priority_step_by_step(void **state)
{
    const struct rig_config c = two_flows();
    struct rig rig;
    struct tg_protocol *const p = &rig.protocol;

    (void)state;
    rig_start(&rig, &c);
    assert_int_equal(rig.port.priority, 0u);
    pass(&rig, 1u);
    assert_int_equal(rig.port.priority, LOW);
    pass(&rig, 2u);
    assert_int_equal(rig.port.priority, HIGH);
    pass(&rig, 1u);
    assert_int_equal(rig.port.priority, HIGH);
    assert_int_equal(rig.port.changes, 2u); /* told only when it changes */

    assert_int_equal(tg_rx_next(p)->flow, 2u);
    assert_int_equal(rig.port.priority, HIGH); /* in processing */
    tg_rx_done(p);
    assert_int_equal(rig.port.priority, LOW); /* before the next is dequeued */
    assert_int_equal(tg_rx_next(p)->flow, 1u);
    tg_rx_done(p);
    assert_int_equal(rig.port.priority, LOW); /* one more waits */
    assert_int_equal(tg_rx_next(p)->flow, 1u);
    assert_int_equal(rig.port.priority, LOW);
    tg_rx_done(p);
    assert_int_equal(rig.port.priority, 0u);
    assert_null(tg_rx_next(p));
    rig_check(&rig);
    rig_free(&rig);
}

/* Rule 5, R7: a packet once started is finished first, at the priority of what waits for it. */
static void a_started_packet_is_finished_first(void **state)
{
    const struct rig_config c = two_flows();
    struct rig rig;
    struct tg_protocol *const p = &rig.protocol;

    (void)state;
    rig_start(&rig, &c);
    pass(&rig, 1u);
    assert_int_equal(tg_rx_next(p)->flow, 1u);
    pass(&rig, 2u);
    assert_int_equal(rig.port.priority, HIGH); /* the low packet runs at it, to make room */
    tg_rx_done(p);
    assert_int_equal(rig.port.priority, HIGH);
    assert_int_equal(tg_rx_next(p)->flow, 2u);
    tg_rx_done(p);
    assert_int_equal(rig.port.priority, 0u);
    rig_free(&rig);
}

/* The floor: stack timers run there, and packets of lower flows cannot pull the task below it. */
static void never_below_the_floor(void **state)
{
    struct rig_config c = two_flows();
    struct rig rig;

    (void)state;
    c.core.floor = 10u;
    rig_start(&rig, &c);
    pass(&rig, 1u);
    assert_int_equal(rig.port.priority, 10u);
    assert_int_equal(rig.port.changes, 0u);
    pass(&rig, 2u);
    assert_int_equal(rig.port.priority, HIGH);
    assert_int_equal(rig_drain(&rig), 2u);
    assert_int_equal(rig.port.priority, 10u);
    rig_check(&rig);
    rig_free(&rig);
}

/* The highest and the lowest priority there are. */
static void the_ends_of_the_priorities(void **state)
{
    struct rig_config c = two_flows();
    struct rig rig;

    (void)state;
    c.flows[0].priority = 0u;
    c.flows[1].priority = TG_PRIORITIES - 1u;
    rig_start(&rig, &c);
    pass(&rig, 1u);
    pass(&rig, 2u);
    assert_int_equal(rig.port.priority, TG_PRIORITIES - 1u);
    assert_int_equal(rig_deliver(&rig), 2);
    assert_int_equal(rig.port.priority, 0u);
    assert_int_equal(rig_deliver(&rig), 1);
    rig_free(&rig);
}

/* R7, R8: highest priority first, and first in first out within a flow. */
static void order_of_delivery(void **state)
{
    const struct rig_config c = two_flows();
    struct rig rig;
    const uint16_t payloads[4] = {10u, 11u, 12u, 13u};

    (void)state;
    rig_start(&rig, &c);
    for (uint32_t i = 0u; i < 4u; i++) {
        const struct frame f = frame_build(&(struct frame_spec){.dst_port = (uint16_t)(1u + i % 2u),
                                                                .payload_bytes = payloads[i]});

        assert_int_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_PASSED);
    }
    assert_int_equal(rig_process(&rig)->len_bytes, 14u + 28u + 11u);
    assert_int_equal(rig_process(&rig)->len_bytes, 14u + 28u + 13u);
    assert_int_equal(rig_process(&rig)->len_bytes, 14u + 28u + 10u);
    assert_int_equal(rig_process(&rig)->len_bytes, 14u + 28u + 12u);
    rig_free(&rig);
}

/* Rule 6: one wake until the task has found nothing, never one per packet; and none is missing
 * after. */
static void wakes_are_idempotent(void **state)
{
    const struct rig_config c = two_flows();
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    for (uint32_t i = 0u; i < 4u; i++) {
        pass(&rig, 1u);
        assert_int_equal(rig.port.wakes, 1u);
    }
    assert_int_equal(rig_deliver(&rig), 1);
    pass(&rig, 2u); /* the task is awake and will see it */
    assert_int_equal(rig.port.wakes, 1u);
    assert_int_equal(rig_drain(&rig), 4u); /* ends with finding nothing */
    pass(&rig, 1u);
    assert_int_equal(rig.port.wakes, 2u);
    rig_free(&rig);
}

/* Releasing is only for what is with a receiver, once. */
static void misuse_of_release(void **state)
{
    const struct rig_config c = two_flows();
    struct rig rig;
    struct tg_protocol *const p = &rig.protocol;

    (void)state;
    rig_start(&rig, &c);
    struct tg_buffer *const in_ring = rig.rings[0].slots[0].buffer;
    struct tg_buffer *const unused = p->free;

    assert_int_equal(tg_rx_release(p, in_ring), TG_ERR_STATE);
    assert_int_equal(tg_rx_release(p, unused), TG_ERR_STATE);
    pass(&rig, 1u);
    assert_int_equal(tg_rx_release(p, in_ring), TG_ERR_STATE); /* accepted, not delivered */
    assert_ptr_equal(rig_process(&rig), in_ring);
    assert_int_equal(tg_rx_release(p, in_ring), 0);
    assert_int_equal(tg_rx_release(p, in_ring), TG_ERR_STATE);
    rig_check(&rig);
    assert_int_equal(rig_flow(&rig, 1u)->held_pkts, 0u);
    rig_free(&rig);
}

/* A socket may free a packet while it is still in processing. */
static void release_before_done(void **state)
{
    const struct rig_config c = two_flows();
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    pass(&rig, 2u);
    struct tg_buffer *const b = tg_rx_next(&rig.protocol);

    assert_int_equal(tg_rx_release(&rig.protocol, b), 0);
    rig_check(&rig);
    assert_int_equal(rig.port.priority, HIGH);
    tg_rx_done(&rig.protocol);
    rig_check(&rig);
    assert_int_equal(rig.port.priority, 0u);
    rig_free(&rig);
}

/* The high-water mark of a flow stays when its packets go. */
static void the_most_that_was_held(void **state)
{
    const struct rig_config c = two_flows();
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    pass(&rig, 1u);
    pass(&rig, 1u);
    pass(&rig, 1u);
    assert_int_equal(rig_drain(&rig), 3u);
    pass(&rig, 1u);
    assert_int_equal(rig_flow(&rig, 1u)->most_held_pkts, 3u);
    assert_int_equal(rig_flow(&rig, 1u)->held_pkts, 1u);
    rig_free(&rig);
}

/* Rule 10: fragments, options and extension headers are best effort, and a later fragment is never
 * read as a transport header. */
static void fragments_go_to_best_effort(void **state)
{
    const struct rig_config c = two_flows();
    struct rig rig;
    struct frame f = frame_udp(2u);

    (void)state;
    rig_start(&rig, &c);
    f.bytes[f.l3 + 6u] = 0x20u; /* more fragments */
    assert_int_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_PASSED);
    f.bytes[f.l3 + 6u] = 0x00u;
    f.bytes[f.l3 + 7u] = 0x01u; /* a later one that looks like a datagram to flow 2 */
    assert_int_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_PASSED);
    f = frame_build(&(struct frame_spec){.dst_port = 2u, .options_bytes = 4u});
    assert_int_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_PASSED);
    assert_int_equal(rig_flow(&rig, 0u)->passed, 3u);
    assert_int_equal(rig_flow(&rig, 2u)->passed, 0u);
    rig_free(&rig);
}

/* The events of one packet and of refused ones, in order. */
static void events_of_a_packet(void **state)
{
    static const struct tg_event expected[] = {
        {.kind = TG_EVENT_VERDICT, .subject = 2u, .value = TG_VERDICT_PASSED},
        {.kind = TG_EVENT_ENQUEUE, .subject = 2u, .value = HIGH},
        {.kind = TG_EVENT_RAISE, .value = HIGH},
        {.kind = TG_EVENT_VERDICT, .subject = 0u, .value = TG_VERDICT_MALFORMED},
        {.kind = TG_EVENT_VERDICT, .subject = 2u, .value = TG_VERDICT_BUDGET},
        {.kind = TG_EVENT_VERDICT, .subject = 0u, .value = TG_VERDICT_UNREGISTERED},
        {.kind = TG_EVENT_DELIVER, .subject = 2u, .value = HIGH},
        {.kind = TG_EVENT_LOWER, .value = 0u},
    };
    const struct frame refused[3] = {frame_malformed(), frame_udp(2u), frame_other()};
    struct rig_config c = two_flows();
    struct rig rig;
    struct tg_event e;

    (void)state;
    c.flows[1].budget = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 1u, .period_ns = RIG_PERIOD_NS};
    c.core.best_effort_reserve_pkts = 0u;
    rig_start(&rig, &c);
    assert_true(tg_trace_take(&rig.trace, &e));
    assert_int_equal(e.kind, TG_EVENT_LINK);
    assert_int_equal(e.value, 1u);
    pass(&rig, 2u);
    for (size_t i = 0u; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_not_equal(rig_eager(&rig, 0u, &refused[i]), TG_VERDICT_PASSED);
    }
    assert_int_equal(rig_deliver(&rig), 2);
    for (size_t i = 0u; i < sizeof expected / sizeof expected[0]; i++) {
        assert_true(tg_trace_take(&rig.trace, &e));
        assert_int_equal(e.kind, expected[i].kind);
        assert_int_equal(e.subject, expected[i].subject);
        assert_int_equal(e.value, expected[i].value);
    }
    assert_false(tg_trace_take(&rig.trace, &e));
    rig_free(&rig);
}

/* Who does not ask for events gets none, and all else is the same. */
static void no_events_without_trace(void **state)
{
    struct rig_config c = two_flows();
    const struct frame malformed = frame_malformed();
    struct tg_event e;
    struct rig rig;

    (void)state;
    c.core.trace = false;
    rig_start(&rig, &c);
    pass(&rig, 1u);
    pass(&rig, 2u);
    assert_int_equal(rig_eager(&rig, 0u, &malformed), TG_VERDICT_MALFORMED);
    assert_int_equal(rig.port.priority, HIGH);
    assert_int_equal(rig.port.wakes, 1u);
    assert_int_equal(rig_drain(&rig), 2u);
    assert_false(tg_trace_take(&rig.trace, &e));
    rig_check(&rig);
    rig_free(&rig);
}

/* Two receive paths in one program know nothing of each other. */
static void two_instances(void **state)
{
    const struct rig_config c = two_flows();
    static struct rig a;
    static struct rig b;

    (void)state;
    rig_start(&a, &c);
    rig_start(&b, &c);
    pass(&a, 2u);
    assert_int_equal(a.port.priority, HIGH);
    assert_int_equal(b.port.priority, 0u);
    assert_int_equal(rig_deliver(&b), RIG_NO_FLOW);
    assert_int_equal(rig_deliver(&a), 2);
    rig_check(&b);
    rig_free(&a);
    rig_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verdict_and_its_counter),
        cmocka_unit_test(buffers_are_swapped_on_pass_only),
        cmocka_unit_test(what_a_packet_carries),
        cmocka_unit_test(a_refused_frame_leaves_no_trace),
        cmocka_unit_test(the_first_refusal_counts),
        cmocka_unit_test(a_spent_flow_blocks_no_other),
        cmocka_unit_test(a_reserve_is_always_there),
        cmocka_unit_test(inherited_priority_step_by_step),
        cmocka_unit_test(a_started_packet_is_finished_first),
        cmocka_unit_test(never_below_the_floor),
        cmocka_unit_test(the_ends_of_the_priorities),
        cmocka_unit_test(order_of_delivery),
        cmocka_unit_test(wakes_are_idempotent),
        cmocka_unit_test(misuse_of_release),
        cmocka_unit_test(release_before_done),
        cmocka_unit_test(the_most_that_was_held),
        cmocka_unit_test(fragments_go_to_best_effort),
        cmocka_unit_test(events_of_a_packet),
        cmocka_unit_test(no_events_without_trace),
        cmocka_unit_test(two_instances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
