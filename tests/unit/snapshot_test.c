/* SPDX-License-Identifier: MIT
 *
 * snapshot_test.c - counters as they stood at one instant, whatever happens while they are read
 * (rule 12).
 */
#include "check_cmocka.h"
#include "rig.h"
#include "rng.h"

#define FLOWS 4u

/* A machine on which a frame arrives whenever the core gives its lock back. */
struct busy {
    struct rig rig;
    struct rng rng;
    uint32_t n; /* frames that are still to come */
};

static void arrive(void *context)
{
    struct busy *const b = context;
    const struct frame frames[3] = {frame_malformed(), frame_other(),
                                    frame_udp((uint16_t)rng_between(&b->rng, 1u, FLOWS))};

    if (b->n == 0u) {
        return;
    }
    b->n--;
    (void)rig_eager(&b->rig, 0u, &frames[rng_below(&b->rng, 3u)]);
    if (rng_percent(&b->rng, 30u)) {
        (void)rig_deliver(&b->rig);
    }
    b->rig.port.waiter = arrive;
}

static uint64_t verdicts(const struct tg_flow_counters *c)
{
    return c->passed + c->dropped_budget + c->dropped_no_buffer;
}

static bool is_same(const struct tg_flow_counters *a, const struct tg_flow_counters *b)
{
    return a->passed == b->passed && a->dropped_budget == b->dropped_budget &&
           a->dropped_no_buffer == b->dropped_no_buffer && a->held_pkts == b->held_pkts &&
           a->most_held_pkts == b->most_held_pkts;
}

/* Received = sum of the verdicts, and everything is as it was when the snapshot began. */
static void snapshots_while_frames_arrive(const struct rig_config *c)
{
    static struct busy b;

    rng_init(&b.rng, "snapshots_while_frames_arrive");
    rig_start(&b.rig, c);
    b.rig.port.context = &b;
    for (uint32_t round = 0u; round < 20000u; round++) {
        const uint64_t before = b.rig.protocol.queues[0].counters.received;
        struct tg_flow_counters flows[1u + FLOWS];
        uint64_t sum;

        for (uint32_t i = 0u; i <= FLOWS; i++) {
            flows[i] = b.rig.storage.flows[i].counters;
        }

        b.n = rng_below(&b.rng, 12u);
        b.rig.port.waiter = arrive;
        const struct tg_snapshot *const s = rig_snapshot(&b.rig);

        b.rig.port.waiter = NULL;
        sum = s->queues[0].malformed + s->queues[0].unregistered + verdicts(&s->retired);
        for (uint32_t i = 0u; i <= FLOWS; i++) {
            sum += verdicts(&s->flows[i]);
            assert_true(is_same(&s->flows[i], &flows[i]));
        }
        assert_int_equal(s->queues[0].received, before);
        assert_int_equal(sum, before);
        rig_check(&b.rig);
    }
    assert_true(b.rig.protocol.queues[0].counters.received > 50000u);
    rig_free(&b.rig);
}

static struct rig_config small_flows(void)
{
    struct rig_config c = rig_config();

    for (uint16_t i = 1u; i <= FLOWS; i++) {
        rig_add_flow(&c, rig_udp_flow(i, (uint8_t)i, 2u));
    }
    return c;
}

static void a_snapshot_while_frames_arrive(void **state)
{
    const struct rig_config c = small_flows();

    (void)state;
    snapshots_while_frames_arrive(&c);
}

static void a_snapshot_while_frames_take_the_shortcut(void **state)
{
    struct rig_config c = small_flows();

    (void)state;
    rig_allow_shortcut(&c);
    snapshots_while_frames_arrive(&c);
}

/* Two snapshots without anything between them are the same. */
static void a_snapshot_changes_nothing(void **state)
{
    const struct rig_config c = rig_config();
    struct rig rig;
    const struct frame f = frame_other();

    (void)state;
    rig_start(&rig, &c);
    for (uint32_t i = 0u; i < 6u; i++) {
        (void)rig_eager(&rig, 0u, &f);
        for (uint32_t twice = 0u; twice < 2u; twice++) {
            const struct tg_flow_counters *const best_effort = rig_flow(&rig, 0u);

            assert_int_equal(best_effort->passed, i < 4u ? i + 1u : 4u);
            assert_int_equal(best_effort->dropped_no_buffer, i < 4u ? 0u : i - 3u);
            assert_int_equal(best_effort->held_pkts, i < 4u ? i + 1u : 4u);
        }
    }
    rig_free(&rig);
}

/* The queues of one protocol are counted apart, and a gate's closing with its gate. */
static void queues_are_counted_apart(void **state)
{
    struct rig_config c = rig_config_limited(2u);
    struct rig rig;
    const struct frame f = frame_other();

    (void)state;
    c.core.n_queues = 3u;
    rig_start(&rig, &c);
    assert_int_equal(rig_eager(&rig, 1u, &f), TG_VERDICT_PASSED);
    assert_int_equal(rig_eager(&rig, 2u, &f), TG_VERDICT_PASSED);
    const struct tg_snapshot *const s = rig_snapshot(&rig);

    assert_int_equal(s->queues[0].received, 0u);
    assert_int_equal(s->queues[1].received, 1u);
    assert_int_equal(s->queues[2].received, 1u);
    assert_int_equal(s->closed[0], 1u);
    rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_snapshot_while_frames_arrive),
        cmocka_unit_test(a_snapshot_while_frames_take_the_shortcut),
        cmocka_unit_test(a_snapshot_changes_nothing),
        cmocka_unit_test(queues_are_counted_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
