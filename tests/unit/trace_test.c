/* SPDX-License-Identifier: MIT
 *
 * trace_test.c - the ring of events: order, and every loss counted.
 */
#include "check_cmocka.h"
#include "rng.h"
#include "tidegate/trace.h"

enum { SIZE = 8, OPERATIONS = 100000 };

static void bad_sizes(void **state)
{
    static const uint32_t bad[] = {0u, 3u, 6u, 0x80000001u, UINT32_MAX};
    struct tg_event events[1];
    struct tg_trace t = {.added = 5u};

    (void)state;
    for (size_t i = 0u; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(tg_trace_init(&t, events, bad[i]), TG_ERR_RANGE);
        assert_int_equal(t.added, 5u);
    }
    assert_int_equal(tg_trace_init(&t, events, 1u), 0);
    assert_int_equal(t.added, 0u);
}

static void every_field_comes_back(void **state)
{
    struct tg_event events[2];
    struct tg_event e;
    struct tg_trace t;

    (void)state;
    assert_int_equal(tg_trace_init(&t, events, 2u), 0);
    assert_false(tg_trace_take(&t, &e));
    tg_trace_add(&t, UINT64_C(0x123456789abcdef), TG_EVENT_ENQUEUE, 4096u, 31u);
    assert_true(tg_trace_take(&t, &e));
    assert_int_equal(e.at_ns, UINT64_C(0x123456789abcdef));
    assert_int_equal(e.kind, TG_EVENT_ENQUEUE);
    assert_int_equal(e.subject, 4096u);
    assert_int_equal(e.value, 31u);
    assert_int_equal(e.lost, 0u);
    assert_false(tg_trace_take(&t, &e));
}

/* A full ring keeps the start of the story, and the next event that fits says how many are
 * missing. */
static void loss_is_counted(void **state)
{
    struct tg_event events[4];
    struct tg_event e;
    struct tg_trace t;

    (void)state;
    assert_int_equal(tg_trace_init(&t, events, 4u), 0);
    for (uint32_t i = 0u; i < 7u; i++) {
        tg_trace_add(&t, i, TG_EVENT_VERDICT, i, 0u);
    }
    assert_true(tg_trace_take(&t, &e));
    assert_int_equal(e.at_ns, 0u);
    tg_trace_add(&t, 7u, TG_EVENT_VERDICT, 7u, 0u);
    for (uint32_t i = 1u; i < 4u; i++) {
        assert_true(tg_trace_take(&t, &e));
        assert_int_equal(e.at_ns, i);
        assert_int_equal(e.lost, 0u);
    }
    assert_true(tg_trace_take(&t, &e));
    assert_int_equal(e.at_ns, 7u);
    assert_int_equal(e.lost, 3u);
    tg_trace_add(&t, 8u, TG_EVENT_VERDICT, 8u, 0u);
    assert_true(tg_trace_take(&t, &e));
    assert_int_equal(e.lost, 0u); /* said once */
}

/* Whatever is added is taken or counted as lost, in order; also where the free indices wrap. */
static void nothing_is_unaccounted_for(void **state)
{
    struct tg_event events[SIZE];
    struct tg_event e;
    struct tg_trace t;
    struct rng r;
    uint64_t added = 0u;
    uint64_t accounted = 0u;

    (void)state;
    rng_init(&r, "nothing_is_unaccounted_for");
    assert_int_equal(tg_trace_init(&t, events, SIZE), 0);
    t.added = t.taken = UINT32_MAX - 1000u;
    for (uint32_t i = 0u; i < OPERATIONS; i++) {
        if (rng_percent(&r, 60u)) {
            tg_trace_add(&t, added++, TG_EVENT_VERDICT, 0u, 0u);
        } else if (tg_trace_take(&t, &e)) {
            accounted += e.lost;
            assert_int_equal(e.at_ns, accounted);
            accounted++;
        }
        assert_true(t.added - t.taken <= SIZE); /* I1 */
    }
    while (tg_trace_take(&t, &e)) {
        accounted += e.lost + 1u;
    }
    assert_int_equal(accounted + t.lost, added);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_sizes),
        cmocka_unit_test(every_field_comes_back),
        cmocka_unit_test(loss_is_counted),
        cmocka_unit_test(nothing_is_unaccounted_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
