/* SPDX-License-Identifier: MIT
 *
 * server_test.c - budgets of every kind: configuration, refills, idle time, clocks that step.
 */
#include "check_cmocka.h"
#include "tidegate/check.h"

#include <string.h>

#define START_NS  UINT64_C(5000000000000)
#define PERIOD_NS UINT64_C(1000000)
#define HOUR_NS   UINT64_C(3600000000000)

static struct tg_server_config config(enum tg_server_kind kind, uint32_t budget_pkts)
{
    return (struct tg_server_config){
        .kind = kind, .budget_pkts = budget_pkts, .period_ns = PERIOD_NS};
}

static struct tg_server deferrable(uint32_t budget_pkts)
{
    const struct tg_server_config cfg = config(TG_SERVER_DEFERRABLE, budget_pkts);
    struct tg_server s;

    assert_int_equal(tg_server_init(&s, &cfg, START_NS), 0);
    return s;
}

static struct tg_server gate(enum tg_server_kind kind, uint32_t budget_pkts, enum tg_refill refill)
{
    const struct tg_server_config cfg = config(kind, budget_pkts);
    struct tg_server s;

    assert_int_equal(tg_server_init_gate(&s, &cfg, refill, START_NS), 0);
    return s;
}

static struct tg_server sporadic(uint32_t budget_pkts, tg_ns *window, tg_ns now_ns)
{
    struct tg_server_config cfg = config(TG_SERVER_SPORADIC, budget_pkts);
    struct tg_server s;

    cfg.window = window;
    assert_int_equal(tg_server_init(&s, &cfg, now_ns), 0);
    return s;
}

/* Take until refused, at most 1000 times. */
static uint32_t take_all(struct tg_server *s, tg_ns now_ns)
{
    uint32_t n = 0u;

    while (n < 1000u && tg_server_take(s, now_ns)) {
        n++;
        assert_null(tg_server_check(s));
    }
    return n;
}

/* Rule 11: forgotten is not unlimited, and every field has a range. A refusal changes nothing. */
static void bad_configurations(void **state)
{
    static tg_ns window[2];
    const struct tg_server_config bad[] = {
        {0},                                         /* nothing said */
        {.budget_pkts = 1u, .period_ns = PERIOD_NS}, /* no kind */
        {.kind = TG_SERVER_DEFERRABLE},
        {.kind = TG_SERVER_DEFERRABLE, .period_ns = PERIOD_NS},
        {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 1u},
        {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 1000001u, .period_ns = PERIOD_NS},
        {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 1u, .period_ns = 999u},
        {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 1u, .period_ns = HOUR_NS + 1u},
        {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 2u, .period_ns = 1000u, .window = window},
        {.kind = TG_SERVER_SPORADIC, .budget_pkts = 2u, .period_ns = PERIOD_NS}, /* no storage */
        {.kind = TG_SERVER_SPORADIC, .budget_pkts = 65u, .period_ns = PERIOD_NS, .window = window},
        {.kind = TG_SERVER_SPORADIC, .period_ns = PERIOD_NS, .window = window},
        {.kind = TG_SERVER_SPORADIC, .budget_pkts = 2u, .window = window},
        {.kind = TG_SERVER_POLLING, .period_ns = PERIOD_NS},
        {.kind = TG_SERVER_POLLING, .budget_pkts = 1u},
        {.kind = TG_SERVER_POLLING, .budget_pkts = 2u, .period_ns = 1000u, .window = window},
        {.kind = TG_SERVER_UNLIMITED, .budget_pkts = 1u},
        {.kind = TG_SERVER_UNLIMITED, .period_ns = PERIOD_NS},
        {.kind = TG_SERVER_UNLIMITED, .window = window},
        {.kind = TG_SERVER_UNLIMITED + 1, .budget_pkts = 1u, .period_ns = PERIOD_NS},
    };

    (void)state;
    for (size_t i = 0u; i < sizeof bad / sizeof bad[0]; i++) {
        struct tg_server s;
        struct tg_server before;

        memset(&s, 0x5a, sizeof s);
        memset(window, 0x5a, sizeof window);
        before = s;
        assert_int_equal(tg_server_init(&s, &bad[i], START_NS), TG_ERR_RANGE);
        assert_int_equal(tg_server_init_gate(&s, &bad[i], TG_REFILL_TIMESTAMP, START_NS),
                         TG_ERR_RANGE);
        assert_memory_equal(&s, &before, sizeof s);
        assert_int_equal(window[0], UINT64_C(0x5a5a5a5a5a5a5a5a));
    }
}

/* Polling is for gates; a tick refills only what has refills. */
static void kinds_in_the_wrong_place(void **state)
{
    tg_ns window[1];
    struct tg_server s;
    const struct tg_server_config polling = config(TG_SERVER_POLLING, 1u);
    const struct tg_server_config unlimited = {.kind = TG_SERVER_UNLIMITED};
    struct tg_server_config window_of_1 = config(TG_SERVER_SPORADIC, 1u);

    (void)state;
    window_of_1.window = window;
    assert_int_equal(tg_server_init(&s, &polling, START_NS), TG_ERR_RANGE);
    assert_int_equal(tg_server_init_gate(&s, &unlimited, TG_REFILL_TICK, START_NS), TG_ERR_RANGE);
    assert_int_equal(tg_server_init_gate(&s, &window_of_1, TG_REFILL_TICK, START_NS), TG_ERR_RANGE);
}

/* The ends of all ranges are inside. */
static void limits_of_the_configuration(void **state)
{
    static tg_ns window[TG_SERVER_SPORADIC_MAX];
    struct tg_server_config most = config(TG_SERVER_DEFERRABLE, TG_SERVER_BUDGET_MAX);
    struct tg_server_config widest = config(TG_SERVER_SPORADIC, TG_SERVER_SPORADIC_MAX);
    struct tg_server s;

    (void)state;
    most.period_ns = TG_PERIOD_MAX_NS;
    assert_int_equal(tg_server_init(&s, &most, START_NS), 0);
    most.period_ns = TG_PERIOD_MIN_NS;
    assert_int_equal(tg_server_init(&s, &most, START_NS), 0);
    widest.window = window;
    assert_int_equal(tg_server_init(&s, &widest, START_NS), 0);
    assert_int_equal(take_all(&s, START_NS), TG_SERVER_SPORADIC_MAX);
}

static void an_unlimited_server(void **state)
{
    const struct tg_server_config cfg = {.kind = TG_SERVER_UNLIMITED};
    struct tg_server s;

    (void)state;
    assert_int_equal(tg_server_init(&s, &cfg, START_NS), 0);
    assert_int_equal(take_all(&s, START_NS), 1000u);
    assert_int_equal(take_all(&s, 0u), 1000u);
    assert_true(tg_server_left(&s, UINT64_MAX));
}

/* Deferrable: full at the start, unused budget keeps, the refill comes at its very instant. */
static void a_deferrable_server(void **state)
{
    struct tg_server s = deferrable(3u);

    (void)state;
    assert_true(tg_server_take(&s, START_NS));
    assert_int_equal(take_all(&s, START_NS + PERIOD_NS - 1u), 2u);
    assert_false(tg_server_left(&s, START_NS + PERIOD_NS - 1u));
    assert_int_equal(tg_server_next_ns(&s), START_NS + PERIOD_NS);
    assert_int_equal(take_all(&s, START_NS + PERIOD_NS), 3u);
    assert_int_equal(tg_server_next_ns(&s), START_NS + 2u * PERIOD_NS);
    assert_int_equal(take_all(&s, START_NS + 3u * PERIOD_NS - 1u), 3u);
}

/* Rule 7: the period of a flow's server starts anew after idle time, that of a gate stays on its
 * grid. */
static void after_idle_time(void **state)
{
    struct tg_server flow = deferrable(2u);
    struct tg_server grid = gate(TG_SERVER_DEFERRABLE, 2u, TG_REFILL_TIMESTAMP);
    const tg_ns later_ns = START_NS + 17u * PERIOD_NS + 12345u;

    (void)state;
    assert_int_equal(take_all(&flow, later_ns), 2u);
    assert_int_equal(tg_server_next_ns(&flow), later_ns + PERIOD_NS);
    assert_int_equal(take_all(&grid, later_ns), 2u);
    assert_int_equal(tg_server_next_ns(&grid), START_NS + 18u * PERIOD_NS);
}

/* Idle for exactly so many periods: the refill that is due counts, and the next is a period
 * later. */
static void idle_for_whole_periods(void **state)
{
    (void)state;
    for (uint32_t n = 1u; n < 10u; n++) {
        struct tg_server servers[2] = {deferrable(2u),
                                       gate(TG_SERVER_DEFERRABLE, 2u, TG_REFILL_TIMESTAMP)};

        for (size_t i = 0u; i < 2u; i++) {
            assert_int_equal(take_all(&servers[i], START_NS + n * PERIOD_NS), 2u);
            assert_int_equal(tg_server_next_ns(&servers[i]), START_NS + (n + 1u) * PERIOD_NS);
        }
    }
}

/* The grid's index needs no division, but is the one that a division gives: over odd periods,
 * and idle times from none to years. */
static void the_grid_is_exact(void **state)
{
    static const tg_ns periods_ns[] = {1000u, 1001u, 65537u, 999999u, PERIOD_NS, HOUR_NS};
    static const tg_ns years_ns = UINT64_C(100) * 365u * 24u * HOUR_NS;

    (void)state;
    for (size_t i = 0u; i < sizeof periods_ns / sizeof periods_ns[0]; i++) {
        const tg_ns period_ns = periods_ns[i];

        for (tg_ns idle_ns = 1u; idle_ns < years_ns; idle_ns = idle_ns * 3u + i) {
            const struct tg_server_config cfg = {
                .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 1u, .period_ns = period_ns};
            struct tg_server s;

            assert_int_equal(tg_server_init_gate(&s, &cfg, TG_REFILL_TIMESTAMP, START_NS), 0);
            assert_true(tg_server_take(&s, START_NS + idle_ns));
            assert_int_equal(tg_server_next_ns(&s),
                             START_NS + (idle_ns / period_ns + 1u) * period_ns);
        }
    }
}

/* R9: a server refilled by tick looks at no clock but the handler's; a late handler keeps the
 * grid. */
static void refills_by_tick(void **state)
{
    struct tg_server s = gate(TG_SERVER_DEFERRABLE, 2u, TG_REFILL_TICK);

    (void)state;
    assert_int_equal(take_all(&s, START_NS), 2u);
    assert_int_equal(take_all(&s, START_NS + 9u * PERIOD_NS), 0u);
    tg_server_tick(&s, START_NS + PERIOD_NS - 1u); /* early: nothing is due */
    assert_int_equal(take_all(&s, START_NS + PERIOD_NS - 1u), 0u);
    tg_server_tick(&s, START_NS + PERIOD_NS + 77u);
    assert_int_equal(take_all(&s, START_NS + PERIOD_NS + 77u), 2u);
    assert_int_equal(tg_server_next_ns(&s), START_NS + 2u * PERIOD_NS);
    tg_server_tick(&s, START_NS + PERIOD_NS + 78u); /* twice in a period gives once */
    assert_int_equal(take_all(&s, START_NS + PERIOD_NS + 78u), 0u);
}

/* R9: a server refilled by timestamp needs no tick, and a tick gives it nothing. */
static void refills_by_timestamp(void **state)
{
    struct tg_server s = gate(TG_SERVER_DEFERRABLE, 2u, TG_REFILL_TIMESTAMP);

    (void)state;
    assert_int_equal(take_all(&s, START_NS), 2u);
    tg_server_tick(&s, START_NS + PERIOD_NS - 1u);
    assert_int_equal(take_all(&s, START_NS + PERIOD_NS - 1u), 0u);
    assert_int_equal(take_all(&s, START_NS + PERIOD_NS), 2u);
}

/* Polling is refilled by the tick alone, whatever was asked for; what is forfeited is gone until
 * then. */
static void a_polling_server(void **state)
{
    struct tg_server s = gate(TG_SERVER_POLLING, 3u, TG_REFILL_TIMESTAMP);

    (void)state;
    tg_server_tick(&s, START_NS + PERIOD_NS);
    assert_true(tg_server_take(&s, START_NS + PERIOD_NS));
    tg_server_forfeit(&s);
    assert_int_equal(take_all(&s, START_NS + 5u * PERIOD_NS), 0u);
    tg_server_tick(&s, START_NS + 2u * PERIOD_NS);
    assert_int_equal(take_all(&s, START_NS + 2u * PERIOD_NS), 3u);
}

/* Sporadic: each admission comes back one period after itself. */
static void a_sporadic_server(void **state)
{
    tg_ns window[3];
    struct tg_server s = sporadic(3u, window, START_NS);

    (void)state;
    assert_true(tg_server_take(&s, START_NS));
    assert_true(tg_server_take(&s, START_NS + 100u));
    assert_true(tg_server_take(&s, START_NS + 200u));
    assert_false(tg_server_take(&s, START_NS + PERIOD_NS - 1u));
    assert_int_equal(tg_server_next_ns(&s), START_NS + PERIOD_NS);
    assert_int_equal(take_all(&s, START_NS + PERIOD_NS), 1u);
    assert_int_equal(take_all(&s, START_NS + PERIOD_NS + 99u), 0u);
    assert_int_equal(take_all(&s, START_NS + PERIOD_NS + 200u), 2u);
    assert_int_equal(tg_server_next_ns(&s), START_NS + 2u * PERIOD_NS);
}

/* A clock that begins at zero: admissions "before the start" are no obstacle and no gift. */
static void near_time_zero(void **state)
{
    tg_ns window[2];
    struct tg_server s = sporadic(2u, window, 0u);
    const struct tg_server_config cfg = config(TG_SERVER_DEFERRABLE, 2u);
    struct tg_server d;

    (void)state;
    assert_int_equal(take_all(&s, 0u), 2u);
    assert_int_equal(take_all(&s, PERIOD_NS - 1u), 0u);
    assert_int_equal(take_all(&s, PERIOD_NS), 2u);
    assert_int_equal(tg_server_init(&d, &cfg, 0u), 0);
    assert_int_equal(take_all(&d, 0u), 2u);
    assert_int_equal(take_all(&d, PERIOD_NS - 1u), 0u);
    assert_int_equal(take_all(&d, PERIOD_NS), 2u);
}

/* Rule 8, by less than a period: the refill stays where it is on the clock. */
static void a_small_step_back(void **state)
{
    tg_ns window[2];
    struct tg_server d = deferrable(2u);
    struct tg_server s = sporadic(2u, window, START_NS);

    (void)state;
    assert_int_equal(take_all(&d, START_NS + 500u), 2u);
    assert_int_equal(take_all(&d, START_NS), 0u);
    assert_int_equal(tg_server_next_ns(&d), START_NS + PERIOD_NS);
    assert_int_equal(take_all(&s, START_NS + 500u), 2u);
    assert_int_equal(take_all(&s, START_NS), 0u);
    assert_int_equal(take_all(&s, START_NS + PERIOD_NS - 1u), 0u);
    assert_int_equal(take_all(&s, START_NS + PERIOD_NS), 2u); /* redated to the step */
}

/* Rule 8: the smallest step that puts the next refill more than a period away. */
static void the_smallest_step_back(void **state)
{
    struct tg_server servers[2] = {deferrable(1u),
                                   gate(TG_SERVER_DEFERRABLE, 1u, TG_REFILL_TIMESTAMP)};

    (void)state;
    for (size_t i = 0u; i < 2u; i++) {
        struct tg_server *const s = &servers[i];

        assert_int_equal(take_all(s, START_NS), 1u);
        assert_int_equal(take_all(s, START_NS - 1u), 0u);
        assert_int_equal(tg_server_next_ns(s), START_NS - 1u + PERIOD_NS);
        assert_int_equal(take_all(s, START_NS - 2u + PERIOD_NS), 0u);
        assert_int_equal(take_all(s, START_NS - 1u + PERIOD_NS), 1u);
    }
}

/* Rule 8, by an hour, for each kind: nothing is given, and the server is full again one period
 * after the step at the latest. A sporadic server cannot tell how old an admission is that now
 * lies in the future, and may refuse what was left until then. */
static void a_large_step_back(void **state)
{
    tg_ns window[3];
    struct tg_server servers[4] = {deferrable(3u), sporadic(3u, window, START_NS),
                                   gate(TG_SERVER_DEFERRABLE, 3u, TG_REFILL_TIMESTAMP),
                                   gate(TG_SERVER_DEFERRABLE, 3u, TG_REFILL_TICK)};
    const tg_ns now_ns = START_NS - HOUR_NS;

    (void)state;
    for (size_t i = 0u; i < 4u; i++) {
        struct tg_server *const s = &servers[i];

        assert_true(tg_server_take(s, START_NS));
        tg_server_tick(s, now_ns);
        assert_int_equal(take_all(s, now_ns), s->kind == TG_SERVER_SPORADIC ? 0u : 2u);
        assert_true(tg_server_next_ns(s) <= now_ns + PERIOD_NS);
        tg_server_tick(s, now_ns + PERIOD_NS);
        assert_int_equal(take_all(s, now_ns + PERIOD_NS), 3u);
        assert_null(tg_server_check(s));
    }
}

/* Rule 8: stepping back again and again is no source of budget. */
static void no_budget_from_stepping_back(void **state)
{
    tg_ns window[3];
    struct tg_server servers[4] = {deferrable(3u), sporadic(3u, window, START_NS),
                                   gate(TG_SERVER_DEFERRABLE, 3u, TG_REFILL_TIMESTAMP),
                                   gate(TG_SERVER_POLLING, 3u, TG_REFILL_TICK)};

    (void)state;
    for (size_t i = 0u; i < 4u; i++) {
        tg_ns now_ns = START_NS;

        assert_int_equal(take_all(&servers[i], now_ns), 3u);
        for (uint32_t step = 0u; step < 100u; step++) {
            now_ns -= step % 2u == 0u ? 3u * PERIOD_NS : PERIOD_NS / 2u;
            tg_server_tick(&servers[i], now_ns);
            assert_int_equal(take_all(&servers[i], now_ns), 0u);
        }
    }
}

/* A jump ahead gives one budget, whatever its length. */
static void a_jump_ahead_gives_one_budget(void **state)
{
    tg_ns window[3];
    struct tg_server servers[3] = {deferrable(3u), sporadic(3u, window, START_NS),
                                   gate(TG_SERVER_DEFERRABLE, 3u, TG_REFILL_TIMESTAMP)};

    (void)state;
    for (size_t i = 0u; i < 3u; i++) {
        assert_int_equal(take_all(&servers[i], START_NS), 3u);
        assert_int_equal(take_all(&servers[i], START_NS + HOUR_NS), 3u);
    }
}

/* tg_server_left says what a take would do, and takes nothing. */
static void left_takes_nothing(void **state)
{
    tg_ns window[1];
    struct tg_server servers[3] = {deferrable(1u), sporadic(1u, window, START_NS),
                                   gate(TG_SERVER_DEFERRABLE, 1u, TG_REFILL_TIMESTAMP)};

    (void)state;
    for (size_t i = 0u; i < 3u; i++) {
        struct tg_server *const s = &servers[i];

        assert_true(tg_server_left(s, START_NS));
        assert_true(tg_server_left(s, START_NS));
        assert_true(tg_server_take(s, START_NS));
        assert_false(tg_server_left(s, START_NS + PERIOD_NS - 1u));
        assert_true(tg_server_left(s, START_NS + PERIOD_NS));
        assert_int_equal(take_all(s, START_NS + PERIOD_NS), 1u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_configurations),
        cmocka_unit_test(kinds_in_the_wrong_place),
        cmocka_unit_test(limits_of_the_configuration),
        cmocka_unit_test(an_unlimited_server),
        cmocka_unit_test(a_deferrable_server),
        cmocka_unit_test(after_idle_time),
        cmocka_unit_test(idle_for_whole_periods),
        cmocka_unit_test(the_grid_is_exact),
        cmocka_unit_test(refills_by_tick),
        cmocka_unit_test(refills_by_timestamp),
        cmocka_unit_test(a_polling_server),
        cmocka_unit_test(a_sporadic_server),
        cmocka_unit_test(near_time_zero),
        cmocka_unit_test(a_small_step_back),
        cmocka_unit_test(the_smallest_step_back),
        cmocka_unit_test(a_large_step_back),
        cmocka_unit_test(no_budget_from_stepping_back),
        cmocka_unit_test(a_jump_ahead_gives_one_budget),
        cmocka_unit_test(left_takes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
