/* SPDX-License-Identifier: MIT
 *
 * bind_test.c - flows bound and unbound at run time, under load, with packets still held.
 */
#include "check_cmocka.h"
#include "rig.h"

static void pass(struct rig *rig, uint16_t port)
{
    const struct frame f = frame_udp(port);

    assert_int_equal(rig_eager(rig, 0u, &f), TG_VERDICT_PASSED);
}

static int bind(struct rig *rig, const struct tg_flow_config *flow)
{
    const int id = tg_rx_bind(&rig->protocol, flow, rig->port.now_ns);

    rig_check(rig);
    return id;
}

static int bind_port(struct rig *rig, uint16_t port, uint16_t reserve_pkts)
{
    const struct tg_flow_config flow = rig_udp_flow(port, 5u, reserve_pkts);

    return bind(rig, &flow);
}

static void unbind(struct rig *rig, int id)
{
    assert_int_equal(tg_rx_unbind(&rig->protocol, (uint32_t)id), 0);
    rig_check(rig);
}

/* From the next frame on, a bound flow takes its frames; what was accepted before keeps its
 * flow. */
static void binding_takes_over(void **state)
{
    const struct rig_config c = rig_config();
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    pass(&rig, 7u);
    assert_int_equal(bind_port(&rig, 7u, 2u), 1);
    pass(&rig, 7u);
    assert_int_equal(rig_deliver(&rig), 1); /* higher priority */
    assert_int_equal(rig_deliver(&rig), 0);
    unbind(&rig, 1);
    pass(&rig, 7u);
    assert_int_equal(rig_deliver(&rig), 0);
    rig_free(&rig);
}

/* Every refusal says why and changes nothing: the packets stay with the less specific flow. */
static void refusals_change_nothing(void **state)
{
    struct rig_config c = rig_config();
    struct rig rig;
    const struct tg_flow_config good = rig_udp_flow(8u, 5u, 1u);
    struct tg_flow_config bad;

    (void)state;
    c.spare_buffers = 3u;
    rig_add_flow(&c, rig_udp_flow(7u, 5u, 1u));
    rig_start(&rig, &c);

    bad = good;
    bad.reserve_pkts = 0u;
    assert_int_equal(bind(&rig, &bad), TG_ERR_RANGE);
    bad = good;
    bad.priority = TG_PRIORITIES;
    assert_int_equal(bind(&rig, &bad), TG_ERR_RANGE);
    bad = good;
    bad.budget.kind = 0; /* rule 11: forgotten */
    assert_int_equal(bind(&rig, &bad), TG_ERR_RANGE);
    bad = good;
    bad.budget = (struct tg_server_config){
        .kind = TG_SERVER_POLLING, .budget_pkts = 1u, .period_ns = RIG_PERIOD_NS};
    assert_int_equal(bind(&rig, &bad), TG_ERR_RANGE);
    bad = good;
    bad.match.fields = TG_FIELD_DST_PORT;
    assert_int_equal(bind(&rig, &bad), TG_ERR_RANGE);
    bad = good;
    bad.match.dst_port = 7u;
    assert_int_equal(bind(&rig, &bad), TG_ERR_EXISTS);
    bad = good;
    bad.match = (struct tg_match){
        .fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY, .family = 6u, .protocol = 60u};
    assert_int_equal(bind(&rig, &bad), TG_ERR_UNREACHABLE);
    bad = good;
    bad.reserve_pkts = 4u;
    assert_int_equal(bind(&rig, &bad), TG_ERR_BUFFERS);

    pass(&rig, 8u);
    assert_int_equal(rig_deliver(&rig), 0);
    bad.reserve_pkts = 3u;
    assert_int_equal(bind(&rig, &bad), 2);
    rig_free(&rig);
}

/* Pieces of a match that together take all of it: the last piece shadows, and the whole is
 * unreachable. */
static void shadows_and_unreachable(void **state)
{
    const struct rig_config c = rig_config();
    struct rig rig;
    struct tg_flow_config whole = rig_udp_flow(7u, 5u, 1u);
    struct tg_flow_config broadcast = whole;
    struct tg_flow_config rest = whole;

    (void)state;
    broadcast.match.fields |= TG_FIELD_BROADCAST;
    broadcast.match.broadcast = true;
    rest.match.fields |= TG_FIELD_BROADCAST;
    rig_start(&rig, &c);
    assert_int_equal(bind(&rig, &whole), 1);
    assert_int_equal(bind(&rig, &broadcast), 2);
    assert_int_equal(bind(&rig, &rest), TG_ERR_SHADOWS);
    unbind(&rig, 1);
    assert_int_equal(bind(&rig, &rest), 1);
    assert_int_equal(bind(&rig, &whole), TG_ERR_UNREACHABLE);
    rig_free(&rig);
}

/* No slot is free; then one is, and it is used again. */
static void slots_run_out_and_come_back(void **state)
{
    struct rig_config c = rig_config();
    struct rig rig;

    (void)state;
    c.spare_flows = 3u;
    rig_start(&rig, &c);
    assert_int_equal(bind_port(&rig, 1u, 1u), 1);
    assert_int_equal(bind_port(&rig, 2u, 1u), 2);
    assert_int_equal(bind_port(&rig, 3u, 1u), 3);
    assert_int_equal(bind_port(&rig, 4u, 1u), TG_ERR_FULL);
    unbind(&rig, 2);
    assert_int_equal(bind_port(&rig, 4u, 1u), 2);
    pass(&rig, 4u);
    assert_int_equal(rig_deliver(&rig), 2);
    pass(&rig, 2u);
    assert_int_equal(rig_deliver(&rig), 0);
    rig_free(&rig);
}

static void misuse_of_unbind(void **state)
{
    const struct rig_config c = rig_config();
    struct rig rig;

    (void)state;
    rig_start(&rig, &c);
    assert_int_equal(tg_rx_unbind(&rig.protocol, 0u), TG_ERR_STATE);
    assert_int_equal(tg_rx_unbind(&rig.protocol, 1u), TG_ERR_STATE);
    assert_int_equal(tg_rx_unbind(&rig.protocol, 9u), TG_ERR_STATE);
    assert_int_equal(tg_rx_unbind(&rig.protocol, UINT32_MAX), TG_ERR_STATE);
    assert_int_equal(bind_port(&rig, 1u, 1u), 1);
    pass(&rig, 1u);
    unbind(&rig, 1);
    assert_int_equal(tg_rx_unbind(&rig.protocol, 1u), TG_ERR_STATE); /* closing */
    assert_int_equal(rig_deliver(&rig), 1);
    assert_int_equal(tg_rx_unbind(&rig.protocol, 1u), TG_ERR_STATE);
    rig_check(&rig);
    rig_free(&rig);
}

/* Packets of an unbound flow are still delivered; its slot comes back with the last of them. */
static void a_closing_flow_delivers_what_it_holds(void **state)
{
    struct rig_config c = rig_config();
    struct rig rig;

    (void)state;
    c.spare_flows = 1u;
    rig_start(&rig, &c);
    assert_int_equal(bind_port(&rig, 1u, 4u), 1);
    pass(&rig, 1u);
    pass(&rig, 1u);
    struct tg_buffer *const kept = rig_process(&rig);

    unbind(&rig, 1);
    pass(&rig, 1u); /* best effort by now */
    assert_int_equal(bind_port(&rig, 2u, 1u), TG_ERR_FULL);
    assert_int_equal(rig_deliver(&rig), 1);
    assert_int_equal(rig_deliver(&rig), 0);
    assert_int_equal(bind_port(&rig, 2u, 1u), TG_ERR_FULL);
    assert_int_equal(kept->flow, 1u);
    assert_int_equal(tg_rx_release(&rig.protocol, kept), 0);
    rig_check(&rig);
    assert_int_equal(bind_port(&rig, 2u, 1u), 1);
    rig_free(&rig);
}

/* What a closing flow does not hold can be promised at once, the rest buffer by buffer. */
static void buffers_come_back_one_by_one(void **state)
{
    struct rig_config c = rig_config();
    struct rig rig;
    struct tg_buffer *held[3];

    (void)state;
    c.spare_buffers = 5u;
    rig_start(&rig, &c);
    assert_int_equal(bind_port(&rig, 1u, 5u), 1);
    for (uint32_t i = 0u; i < 3u; i++) {
        pass(&rig, 1u);
        held[i] = rig_process(&rig);
    }
    assert_int_equal(bind_port(&rig, 2u, 1u), TG_ERR_BUFFERS);
    unbind(&rig, 1);
    assert_int_equal(bind_port(&rig, 2u, 3u), TG_ERR_BUFFERS);
    assert_int_equal(bind_port(&rig, 2u, 2u), 2);
    for (uint32_t i = 0u; i < 3u; i++) {
        assert_int_equal(tg_rx_release(&rig.protocol, held[i]), 0);
        rig_check(&rig);
        assert_int_equal(bind_port(&rig, 4u, (uint16_t)(i + 2u)), TG_ERR_BUFFERS);
        const int id = bind_port(&rig, 3u, (uint16_t)(i + 1u));

        assert_true(id > 0);
        unbind(&rig, id);
    }
    rig_free(&rig);
}

/* A slot that is used again starts from zero; what was counted before stays in the sum of the
 * retired. */
static void counters_of_retired_flows(void **state)
{
    struct rig_config c = rig_config();
    struct rig rig;
    const struct frame f = frame_udp(1u);

    (void)state;
    c.spare_flows = 1u;
    rig_start(&rig, &c);
    assert_int_equal(bind_port(&rig, 1u, 1u), 1);
    pass(&rig, 1u);
    assert_int_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_NO_BUFFER);
    assert_int_equal(rig_drain(&rig), 1u);
    unbind(&rig, 1);
    assert_int_equal(rig_flow(&rig, 1u)->passed, 1u); /* as long as nobody else is there */
    assert_int_equal(bind_port(&rig, 2u, 1u), 1);

    const struct tg_snapshot *const s = rig_snapshot(&rig);

    assert_int_equal(s->flows[1].passed, 0u);
    assert_int_equal(s->flows[1].most_held_pkts, 0u);
    assert_int_equal(s->retired.passed, 1u);
    assert_int_equal(s->retired.dropped_no_buffer, 1u);
    assert_int_equal(s->queues[0].received, 2u);
    rig_free(&rig);
}

/* A flow bound late has a full budget then, and its period starts then. */
static void a_late_flow_starts_full(void **state)
{
    const struct rig_config c = rig_config();
    struct rig rig;
    struct tg_flow_config flow = rig_udp_flow(1u, 5u, 8u);
    const struct frame f = frame_udp(1u);

    (void)state;
    flow.budget = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 2u, .period_ns = RIG_PERIOD_NS};
    rig_start(&rig, &c);
    rig_wait(&rig, 12345u);
    assert_int_equal(bind(&rig, &flow), 1);
    pass(&rig, 1u);
    pass(&rig, 1u);
    rig_wait(&rig, RIG_PERIOD_NS - 1u);
    assert_int_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_BUDGET);
    rig_wait(&rig, 1u);
    pass(&rig, 1u);
    rig_free(&rig);
}

/* A connection as a server sees it: listener, accepted connection, close; its packets never get
 * lost to a flow that is gone. */
static void a_connection_comes_and_goes(void **state)
{
    const struct rig_config c = rig_config();
    struct rig rig;
    const struct frame_spec syn = {.protocol = PROTO_TCP,
                                   .src_port = 999u,
                                   .dst_port = 80u,
                                   .tcp_flags = TCP_SYN,
                                   .src_host = {10, 0, 0, 9}};
    struct frame_spec data = syn;
    struct tg_flow_config listener = rig_udp_flow(80u, 2u, 2u);
    struct tg_flow_config requests = listener;
    struct tg_flow_config connection = listener;

    (void)state;
    data.tcp_flags = TCP_ACK;
    listener.match.protocol = requests.match.protocol = connection.match.protocol = PROTO_TCP;
    requests.match.fields |= TG_FIELD_SYN;
    connection.match.fields |= TG_FIELD_SRC_PORT | TG_FIELD_SRC_HOST;
    connection.match.src_port = 999u;
    connection.match.family = 4u;
    connection.match.src_host[0] = 10u;
    connection.match.src_host[3] = 9u;
    rig_start(&rig, &c);
    assert_int_equal(bind(&rig, &listener), 1);
    assert_int_equal(bind(&rig, &requests), 2);

    const struct frame request = frame_build(&syn);
    const struct frame segment = frame_build(&data);

    assert_int_equal(rig_eager(&rig, 0u, &request), TG_VERDICT_PASSED);
    assert_int_equal(rig_deliver(&rig), 2);
    assert_int_equal(rig_eager(&rig, 0u, &segment), TG_VERDICT_PASSED);
    assert_int_equal(rig_deliver(&rig), 1);
    assert_int_equal(bind(&rig, &connection), 3);
    assert_int_equal(rig_eager(&rig, 0u, &segment), TG_VERDICT_PASSED);
    assert_int_equal(rig_deliver(&rig), 3);
    unbind(&rig, 3);
    assert_int_equal(rig_eager(&rig, 0u, &segment), TG_VERDICT_PASSED);
    assert_int_equal(rig_deliver(&rig), 1);
    rig_free(&rig);
}

/* A machine on which a frame arrives whenever the core gives its lock back. */
static void arrive(void *context)
{
    struct rig *const rig = context;
    const struct frame f = frame_udp(1u);

    (void)rig_eager(rig, 0u, &f);
    rig->port.waiter = arrive;
}

/* Fault: bind and unbind under load. Each frame goes to the flow or to best effort, and none is
 * lost. */
static void bind_and_unbind_under_load(void **state)
{
    struct rig_config c = rig_config();
    struct rig rig;

    (void)state;
    c.core.best_effort_reserve_pkts = 2u;
    rig_start(&rig, &c);
    rig.port.context = &rig;
    for (uint32_t i = 0u; i < 200u; i++) {
        const struct tg_flow_config flow = rig_udp_flow(1u, (uint8_t)(i % 8u), 2u);

        rig.port.waiter = arrive;
        const int id = tg_rx_bind(&rig.protocol, &flow, rig.port.now_ns);

        rig.port.waiter = NULL;
        rig_check(&rig);
        assert_true(id > 0);
        rig.port.waiter = arrive;
        assert_int_equal(tg_rx_unbind(&rig.protocol, (uint32_t)id), 0);
        rig.port.waiter = NULL;
        rig_check(&rig);
        (void)rig_drain(&rig);
    }
    rig_check(&rig);
    assert_true(rig_snapshot(&rig)->retired.passed > 100u);
    assert_int_equal(rig_flow(&rig, 0u)->held_pkts, 0u);
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binding_takes_over),
        cmocka_unit_test(refusals_change_nothing),
        cmocka_unit_test(shadows_and_unreachable),
        cmocka_unit_test(slots_run_out_and_come_back),
        cmocka_unit_test(misuse_of_unbind),
        cmocka_unit_test(a_closing_flow_delivers_what_it_holds),
        cmocka_unit_test(buffers_come_back_one_by_one),
        cmocka_unit_test(counters_of_retired_flows),
        cmocka_unit_test(a_late_flow_starts_full),
        cmocka_unit_test(a_connection_comes_and_goes),
        cmocka_unit_test(bind_and_unbind_under_load),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
