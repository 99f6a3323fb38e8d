/* SPDX-License-Identifier: MIT
 *
 * curve_test.c - the curves of section 3 against servers that are simply run, and their inverses
 * against a plain search.
 */
#include "analysis/gate.h"

#include "systems.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Windows may start anywhere, so the servers run on a grid finer than the tick. */
enum { FINE = 4, LARGEST_SPAN = 40 };

static const uint64_t budgets[] = {1, 2, 3, 5};
static const uint64_t lengths[] = {1, 2, 3, 5, 7, 12};

static struct tg_curve curve_of(enum tg_curve_kind kind, uint64_t budget, uint64_t period)
{
    return (struct tg_curve){.kind = kind, .budget = budget, .period = period};
}

/* Most periods that any window of this length meets: each gives its whole budget. */
static uint64_t periods_met(uint64_t span, uint64_t period)
{
    uint64_t most = 0;

    for (uint64_t start = 0; start < period * FINE; start++) {
        const uint64_t first = start / (period * FINE);
        const uint64_t last = (start + span * FINE - 1) / (period * FINE);
        most = last - first + 1 > most ? last - first + 1 : most;
    }
    return most;
}

/* Most period starts in any window of this length. */
static uint64_t starts_met(uint64_t span, uint64_t period)
{
    uint64_t most = 0;

    for (uint64_t start = 0; start < period * FINE; start++) {
        uint64_t count = 0;
        for (uint64_t t = start; t < start + span * FINE; t++) {
            count += t % (period * FINE) == 0;
        }
        most = count > most ? count : most;
    }
    return most;
}

/* Run a sliding window from full, always asked: admitted iff the budget-th last is a period old. */
static uint64_t sporadic_run(uint64_t span, uint64_t budget, uint64_t period)
{
    uint64_t admitted[LARGEST_SPAN * FINE * 8] = {0};
    uint64_t n = 0;

    for (uint64_t t = 0; t < span * FINE; t++) {
        while (n < budget || t - admitted[n - budget] >= period * FINE) {
            admitted[n++] = t;
        }
    }
    return n;
}

/* Run a token bucket from full, always asked; level in units of 1 / (period * FINE). */
static uint64_t token_run(uint64_t span, uint64_t budget, uint64_t period)
{
    const uint64_t token = period * FINE;
    uint64_t level = budget * token;
    uint64_t n = 0;

    for (uint64_t t = 0; t < span * FINE; t++) {
        for (; level >= token; level -= token) {
            n++;
        }
        level += budget;
    }
    return n;
}

static void curves_equal_servers_that_run(void **state)
{
    (void)state;
    for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; b++) {
        for (size_t p = 0; p < sizeof lengths / sizeof lengths[0]; p++) {
            const uint64_t q = budgets[b];
            const uint64_t period = lengths[p];
            const struct tg_curve deferrable = curve_of(TG_CURVE_DEFERRABLE, q, period);
            const struct tg_curve polling = curve_of(TG_CURVE_POLLING, q, period);
            const struct tg_curve sporadic = curve_of(TG_CURVE_SPORADIC, q, period);
            const struct tg_curve token = curve_of(TG_CURVE_TOKEN, q, period);
            for (uint64_t span = 1; span <= LARGEST_SPAN; span++) {
                assert_int_equal(tg_curve_units(&deferrable, span), q * periods_met(span, period));
                assert_int_equal(tg_curve_units(&polling, span), q * starts_met(span, period));
                assert_int_equal(tg_curve_units(&sporadic, span), sporadic_run(span, q, period));
                /* What comes between the last step and the end of the window is not run. */
                const uint64_t run = token_run(span, q, period);
                assert_in_range(tg_curve_units(&token, span), run, run + 1 + q / (period * FINE));
                assert_true(tg_curve_units(&sporadic, span) <= tg_curve_units(&token, span));
                assert_true(tg_curve_units(&token, span) <= tg_curve_units(&deferrable, span));
            }
        }
    }
}

static void empty_windows_admit_nothing(void **state)
{
    (void)state;
    for (int kind = TG_CURVE_DEFERRABLE; kind <= TG_CURVE_UNLIMITED; kind++) {
        const struct tg_curve c = curve_of((enum tg_curve_kind)kind, 3, 7);
        assert_int_equal(tg_curve_units(&c, 0), 0);
    }
}

/* The shortest window is a window that is long enough, and one shorter is not. */
static void curve_inverse_is_exact(void **state)
{
    uint64_t r = test_seed("curve_inverse_is_exact");

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct tg_curve c =
            curve_of((enum tg_curve_kind)random_between(&r, TG_CURVE_DEFERRABLE, TG_CURVE_PERIODIC),
                     random_between(&r, 1, 9), random_between(&r, 1, 50));
        c.lateness = random_between(&r, 0, 60);
        const uint64_t n = random_between(&r, 1, 60);
        const uint64_t span = tg_curve_first(&c, n);
        assert_true(span >= 1);
        assert_true(tg_curve_units(&c, span) >= n);
        assert_true(span == 1 || tg_curve_units(&c, span - 1) < n);
    }
}

static void source_inverse_is_exact(void **state)
{
    uint64_t r = test_seed("source_inverse_is_exact");

    (void)state;
    for (int round = 0; round < 20000; round++) {
        const uint64_t burst = random_between(&r, 1, 4);
        const uint64_t every = random_between(&r, 1, 50);
        const uint64_t jitter = random_between(&r, 0, 120);
        const uint64_t n = random_between(&r, 1, 40);
        const uint64_t span = tg_arrivals_first(burst, every, jitter, n);
        assert_true(tg_arrivals(burst, every, jitter, span) >= n);
        assert_true(span == 1 || tg_arrivals(burst, every, jitter, span - 1) < n);
    }
}

static void gate_inverse_is_exact(void **state)
{
    uint64_t r = test_seed("gate_inverse_is_exact");

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct system s;
        struct tg_gate gate;
        random_system(&s, &r, true, false);
        if (s.n_gates == 0) {
            continue;
        }
        const struct tg_analysis_input in = system_input(&s);
        const int32_t priority = (int32_t)random_between(&r, 0, 9);
        const uint64_t n = random_between(&r, 1, 60);
        tg_gate_init(&gate, &in, 0, s.irq_off);
        const uint64_t span = tg_gate_first(&gate, priority, n);
        if (span == TG_NO_BOUND) {
            assert_true(tg_gate_accepted(&gate, priority, TG_ANALYSIS_TIME_MAX) < n);
            continue;
        }
        assert_true(tg_gate_accepted(&gate, priority, span) >= n);
        assert_true(span == 1 || tg_gate_accepted(&gate, priority, span - 1) < n);
    }
}

/* Liu, eq. 7.1: a deferrable time server above a task is a periodic task with release jitter. */
static void time_servers(void **state)
{
    struct tg_analysis_server s = {.kind = TG_CURVE_DEFERRABLE, .capacity = 2, .period = 6};

    (void)state;
    assert_int_equal(tg_time_server_demand(&s, 1), 2);
    assert_int_equal(tg_time_server_demand(&s, 2), 2);
    assert_int_equal(tg_time_server_demand(&s, 3), 4); /* back to back */
    assert_int_equal(tg_time_server_demand(&s, 8), 4);
    assert_int_equal(tg_time_server_demand(&s, 9), 6);
    s.kind = TG_CURVE_POLLING;
    assert_int_equal(tg_time_server_demand(&s, 6), 2);
    assert_int_equal(tg_time_server_demand(&s, 7), 4);
    s.kind = TG_CURVE_TOKEN;
    assert_int_equal(tg_time_server_demand(&s, 1), 3); /* 2 + ceil(2 / 6) */
    assert_int_equal(tg_time_server_demand(&s, 6), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_equal_servers_that_run),
        cmocka_unit_test(empty_windows_admit_nothing),
        cmocka_unit_test(curve_inverse_is_exact),
        cmocka_unit_test(source_inverse_is_exact),
        cmocka_unit_test(gate_inverse_is_exact),
        cmocka_unit_test(time_servers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
