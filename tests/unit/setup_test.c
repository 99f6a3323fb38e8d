/* SPDX-License-Identifier: MIT
 *
 * setup_test.c - from a configuration to a receive path: every refusal, and what a good one looks
 * like.
 */
#include "check_cmocka.h"
#include "rig.h"

typedef void spoil(struct rig_config *c);

static void no_gate(struct rig_config *c)
{
    c->core.n_gates = 0u;
}

static void too_many_gates(struct rig_config *c)
{
    c->core.n_gates = TG_GATES_MAX + 1u;
}

static void no_queue(struct rig_config *c)
{
    c->core.n_queues = 0u;
}

static void too_many_queues(struct rig_config *c)
{
    c->core.n_queues = TG_QUEUES_MAX + 1u;
}

static void unknown_gate(struct rig_config *c)
{
    c->queues[0].gate = 1u;
}

static void empty_ring(struct rig_config *c)
{
    c->queues[0].ring = 0u;
}

static void forgotten_gate_budget(struct rig_config *c) /* rule 11 */
{
    c->gates[0].budget = (struct tg_server_config){.kind = 0};
}

static void tick_for_what_has_no_refills(struct rig_config *c)
{
    c->gates[0].refill = TG_REFILL_TICK;
}

static void forgotten_best_effort_budget(struct rig_config *c) /* rule 11 */
{
    c->core.best_effort_budget = (struct tg_server_config){.kind = 0};
}

static void best_effort_priority_too_high(struct rig_config *c)
{
    c->core.best_effort_priority = TG_PRIORITIES;
}

static void floor_too_high(struct rig_config *c)
{
    c->core.floor = TG_PRIORITIES;
}

static void mtu_too_small(struct rig_config *c)
{
    c->core.station.mtu_bytes = 67u;
}

static void mtu_too_large(struct rig_config *c)
{
    c->core.station.mtu_bytes = 65522u;
}

static void buckets_no_power_of_two(struct rig_config *c)
{
    c->n_buckets = 48u;
}

static void buffers_shorter_than_a_head(struct rig_config *c)
{
    c->buffer_bytes = TG_FRAME_HEAD_BYTES - 1u;
}

static void no_priority_above_31(struct rig_config *c)
{
    c->flows[1].priority = TG_PRIORITIES;
}

static void two_flows_alike(struct rig_config *c)
{
    c->flows[1].match.dst_port = 1u;
}

static void flow_without_reserve(struct rig_config *c)
{
    c->flows[1].reserve_pkts = 0u;
}

static void forgotten_flow_budget(struct rig_config *c) /* rule 11 */
{
    c->flows[1].budget = (struct tg_server_config){.kind = 0};
}

static struct rig_config good(void)
{
    struct rig_config c = rig_config();

    rig_add_flow(&c, rig_udp_flow(1u, 1u, 1u));
    rig_add_flow(&c, rig_udp_flow(2u, 2u, 1u));
    return c;
}

/* Each mistake has its error and, where a flow is to blame, its index; and the same memory can be
 * set up properly afterwards. */
static void every_mistake_is_refused(void **state)
{
    static const struct {
        spoil *spoil;
        int bad_flow;
        enum tg_error error;
    } cases[] = {
        {no_gate, -1, TG_ERR_RANGE},
        {too_many_gates, -1, TG_ERR_RANGE},
        {no_queue, -1, TG_ERR_RANGE},
        {too_many_queues, -1, TG_ERR_RANGE},
        {unknown_gate, -1, TG_ERR_RANGE},
        {empty_ring, -1, TG_ERR_RANGE},
        {forgotten_gate_budget, -1, TG_ERR_RANGE},
        {tick_for_what_has_no_refills, -1, TG_ERR_RANGE},
        {forgotten_best_effort_budget, -1, TG_ERR_RANGE},
        {best_effort_priority_too_high, -1, TG_ERR_RANGE},
        {floor_too_high, -1, TG_ERR_RANGE},
        {mtu_too_small, -1, TG_ERR_RANGE},
        {mtu_too_large, -1, TG_ERR_RANGE},
        {buckets_no_power_of_two, -1, TG_ERR_RANGE},
        {buffers_shorter_than_a_head, -1, TG_ERR_RANGE},
        {no_priority_above_31, 1, TG_ERR_RANGE},
        {two_flows_alike, 1, TG_ERR_EXISTS},
        {flow_without_reserve, 1, TG_ERR_RANGE},
        {forgotten_flow_budget, 1, TG_ERR_RANGE},
    };

    (void)state;
    for (size_t i = 0u; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig_config c = good();
        struct rig rig;

        cases[i].spoil(&c);
        assert_int_equal(rig_init(&rig, &c), cases[i].error);
        assert_int_equal(rig.bad_flow, cases[i].bad_flow);
        rig_free(&rig);

        c = good();
        rig_start(&rig, &c);
        rig_free(&rig);
    }
}

/* Initialise again over what a refusal left. Returns: what the core says. */
static int init_again(struct rig *rig, const struct rig_config *c)
{
    struct tg_config core = c->core;

    core.gates = c->gates;
    core.queues = c->queues;
    core.flows = c->flows;
    return tg_protocol_init(&rig->protocol, &core, &rig->storage, &rig->port, 42u, c->start_ns,
                            NULL);
}

/* A refusal leaves nothing behind that a second try trips over; nobody needs to be told which
 * flow. */
static void a_second_try_in_the_same_memory(void **state)
{
    struct rig_config c = good();
    struct rig rig;

    (void)state;
    two_flows_alike(&c);
    assert_int_equal(rig_init(&rig, &c), TG_ERR_EXISTS);
    assert_int_equal(init_again(&rig, &c), TG_ERR_EXISTS);
    c = good();
    assert_int_equal(init_again(&rig, &c), 0);
    rig_up(&rig);
    const struct frame f = frame_udp(2u);

    assert_int_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_PASSED);
    assert_int_equal(rig_deliver(&rig), 2);
    rig_check(&rig);
    rig_free(&rig);
}

/* Rule 4: rings + reserves + best effort must fit into the pool; one buffer less does not. */
static void the_pool_must_suffice(void **state)
{
    struct rig_config c = good();
    struct rig rig;

    (void)state;
    c.spare_buffers = 0u;
    assert_int_equal(rig_init(&rig, &c), 0);
    rig.storage.n_buffers--;
    assert_int_equal(init_again(&rig, &c), TG_ERR_BUFFERS);
    c.core.n_flows = 0u; /* the rings alone do not fit either */
    rig.storage.n_buffers = 11u;
    assert_int_equal(init_again(&rig, &c), TG_ERR_BUFFERS);
    rig.storage.n_buffers = 12u;
    assert_int_equal(init_again(&rig, &c), 0);
    rig_free(&rig);
}

/* Every buffer has memory, and room for the head of a frame. */
static void every_buffer_has_room(void **state)
{
    const struct rig_config c = good();
    struct rig rig;

    (void)state;
    assert_int_equal(rig_init(&rig, &c), 0);
    struct tg_buffer *const last = &rig.storage.buffers[rig.storage.n_buffers - 1u];
    uint8_t *const data = last->data;

    last->size_bytes = TG_FRAME_HEAD_BYTES - 1u;
    assert_int_equal(init_again(&rig, &c), TG_ERR_RANGE);
    last->size_bytes = TG_FRAME_HEAD_BYTES;
    assert_int_equal(init_again(&rig, &c), 0);
    last->data = NULL;
    assert_int_equal(init_again(&rig, &c), TG_ERR_RANGE);
    last->data = data;
    rig.storage.buffers[0].size_bytes = 0u;
    assert_int_equal(init_again(&rig, &c), TG_ERR_RANGE);
    rig_free(&rig);
}

/* A buffer without memory, be it the last one. */
static void every_buffer_needs_memory(void **state)
{
    const struct rig_config c = good();
    struct rig rig;

    (void)state;
    assert_int_equal(rig_init(&rig, &c), 0);
    struct tg_buffer *const last = &rig.storage.buffers[rig.storage.n_buffers - 1u];
    uint8_t *const data = last->data;

    last->data = NULL;
    assert_int_equal(init_again(&rig, &c), TG_ERR_RANGE);
    last->data = data;
    assert_int_equal(init_again(&rig, &c), 0);
    rig_free(&rig);
}

/* More flows than slots. */
static void the_slots_must_suffice(void **state)
{
    const struct rig_config c = good();
    struct rig rig;

    (void)state;
    assert_int_equal(rig_init(&rig, &c), 0);
    rig.storage.n_flows = 2u;
    assert_int_equal(init_again(&rig, &c), TG_ERR_FULL);
    rig.storage.n_flows = 3u;
    assert_int_equal(init_again(&rig, &c), 0);
    rig.storage.n_flows = 0u;
    assert_int_equal(init_again(&rig, &c), TG_ERR_RANGE);
    rig_free(&rig);
}

/* The largest numbers that are allowed. */
static void the_limits_are_allowed(void **state)
{
    struct rig_config c = good();
    struct rig rig;

    (void)state;
    c.core.n_gates = TG_GATES_MAX;
    c.core.n_queues = TG_QUEUES_MAX;
    c.core.floor = TG_PRIORITIES - 1u;
    c.core.best_effort_priority = TG_PRIORITIES - 1u;
    c.core.station.mtu_bytes = 65521u;
    for (uint32_t i = 0u; i < TG_QUEUES_MAX; i++) {
        c.queues[i].gate = (uint8_t)i;
        c.queues[i].rank = (uint8_t)(255u - i);
    }
    rig_start(&rig, &c);
    assert_int_equal(rig.port.unmasked, (1u << TG_QUEUES_MAX) - 1u);
    rig_free(&rig);
    c.core.station.mtu_bytes = 68u;
    rig_start(&rig, &c);
    rig_free(&rig);
}

/* Flow i of the configuration gets id i + 1, and the caller's configuration may go. */
static void ids_follow_the_configuration(void **state)
{
    struct rig_config c = good();
    struct rig rig;
    const struct frame first = frame_udp(1u);
    const struct frame second = frame_udp(2u);

    (void)state;
    rig_start(&rig, &c);
    c = (struct rig_config){.n_buckets = 0u};
    assert_int_equal(rig_eager(&rig, 0u, &first), TG_VERDICT_PASSED);
    assert_int_equal(rig_deliver(&rig), 1);
    assert_int_equal(rig_eager(&rig, 0u, &second), TG_VERDICT_PASSED);
    assert_int_equal(rig_deliver(&rig), 2);
    rig_free(&rig);
}

/* Before its link is up, a queue is masked; a ring gets as many buffers as it has descriptors. */
static void masked_until_the_link_is_up(void **state)
{
    const struct rig_config c = good();
    struct rig rig;

    (void)state;
    assert_int_equal(rig_init(&rig, &c), 0);
    assert_int_equal(rig.port.unmasked, 0u);
    struct tg_rxq *const q = tg_rxq_attach(&rig.protocol, 0u, &SOFT_RING_OPS, &rig.rings[0]);

    soft_ring_fill(&rig.rings[0], q, &rig.port.now_ns);
    assert_int_equal(rig.rings[0].n_slots, 8u);
    assert_null(tg_rxq_fill(q));
    rig_check(&rig);
    tg_rxq_link(q, true);
    assert_int_equal(rig.port.unmasked, 1u);
    rig_check(&rig);
    rig_free(&rig);
}

/* Without best effort, nobody need say what its budget would be. */
static void no_best_effort_needs_no_budget(void **state)
{
    struct rig_config c = good();
    struct rig rig;

    (void)state;
    c.core.best_effort_reserve_pkts = 0u;
    c.core.best_effort_budget = (struct tg_server_config){.kind = 0};
    rig_start(&rig, &c);
    const struct frame f = frame_other();

    assert_int_equal(rig_eager(&rig, 0u, &f), TG_VERDICT_UNREGISTERED);
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_refused),
        cmocka_unit_test(a_second_try_in_the_same_memory),
        cmocka_unit_test(the_pool_must_suffice),
        cmocka_unit_test(every_buffer_has_room),
        cmocka_unit_test(every_buffer_needs_memory),
        cmocka_unit_test(the_slots_must_suffice),
        cmocka_unit_test(the_limits_are_allowed),
        cmocka_unit_test(ids_follow_the_configuration),
        cmocka_unit_test(masked_until_the_link_is_up),
        cmocka_unit_test(no_best_effort_needs_no_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
