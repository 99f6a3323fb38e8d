/* SPDX-License-Identifier: MIT
 *
 * hist_test.c - the histogram: relative error <= 1/64 over all values, quantiles against sorting.
 */
#include "check_cmocka.h"
#include "rng.h"
#include "tidegate/hist.h"

#include <stdlib.h>

enum { SAMPLES_MAX = 2000, ROUNDS = 300, VALUES = 100000 };

static uint32_t all_buckets[TG_HIST_BUCKETS(64u)];

static struct tg_hist full_range(void)
{
    struct tg_hist h;

    assert_int_equal(tg_hist_init(&h, all_buckets, TG_HIST_BUCKETS(64u)), 0);
    return h;
}

/* Within 1/64 of the truth, and exact below 64. */
static bool is_close(uint64_t found, uint64_t truth)
{
    const uint64_t distance = found > truth ? found - truth : truth - found;

    return truth < 64u ? distance == 0u : distance <= truth / 64u;
}

/* Any width and any magnitude, small values often. */
static uint64_t random_value(struct rng *r)
{
    const uint64_t x = rng_next(r);

    return x >> rng_below(r, 64u);
}

static void bad_numbers_of_buckets(void **state)
{
    static const uint32_t bad[] = {
        0u, 1u, 32u, 63u, 65u, 95u, TG_HIST_BUCKETS(64u) - 1u, TG_HIST_BUCKETS(64u) + 32u};
    struct tg_hist h = {.count = 77u};

    (void)state;
    for (size_t i = 0u; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(tg_hist_init(&h, all_buckets, bad[i]), TG_ERR_RANGE);
        assert_int_equal(h.count, 77u);
    }
    for (uint32_t bits = 6u; bits <= 64u; bits++) {
        assert_int_equal(tg_hist_init(&h, all_buckets, TG_HIST_BUCKETS(bits)), 0);
    }
}

static void an_empty_histogram(void **state)
{
    const struct tg_hist h = full_range();

    (void)state;
    assert_int_equal(tg_hist_quantile(&h, 1u, 2u), 0u);
    assert_int_equal(h.min, UINT64_MAX);
    assert_int_equal(h.max, 0u);
}

/* A histogram that holds one value between two extremes reports it within 1/64. */
static void error_of_every_value(void **state)
{
    struct tg_hist h = full_range();
    struct rng r;

    (void)state;
    rng_init(&r, "error_of_every_value");
    for (uint32_t i = 0u; i < VALUES; i++) {
        const uint64_t value = i < 4096u ? i : random_value(&r);

        tg_hist_add(&h, 0u);
        tg_hist_add(&h, value);
        tg_hist_add(&h, UINT64_MAX);

        const uint64_t found = tg_hist_quantile(&h, 2u, 3u);

        assert_true(is_close(found, value));
        h = full_range();
    }
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Every quantile of random samples against the sorted samples. */
static void quantiles_against_sorting(void **state)
{
    static uint64_t samples[SAMPLES_MAX];
    struct rng r;

    (void)state;
    rng_init(&r, "quantiles_against_sorting");
    for (uint32_t round = 0u; round < ROUNDS; round++) {
        struct tg_hist h = full_range();
        const uint32_t n = rng_between(&r, 1u, SAMPLES_MAX);
        const uint32_t shift = rng_below(&r, 64u);

        for (uint32_t i = 0u; i < n; i++) {
            samples[i] = rng_percent(&r, 50u) ? random_value(&r) : rng_next(&r) >> shift;
            tg_hist_add(&h, samples[i]);
        }
        qsort(samples, n, sizeof samples[0], compare);
        assert_int_equal(h.count, n);
        assert_int_equal(h.min, samples[0]);
        assert_int_equal(h.max, samples[n - 1u]);
        assert_int_equal(tg_hist_quantile(&h, 0u, 1u), samples[0]);
        assert_int_equal(tg_hist_quantile(&h, 1u, 1u), samples[n - 1u]);
        for (uint32_t i = 0u; i < 50u; i++) {
            const uint32_t denominator = rng_between(&r, 1u, 1000000u);
            const uint32_t numerator = rng_between(&r, 1u, denominator);
            const uint64_t rank = ((uint64_t)n * numerator + denominator - 1u) / denominator;

            const uint64_t found = tg_hist_quantile(&h, numerator, denominator);

            assert_true(is_close(found, samples[rank - 1u]));
            assert_true(found >= samples[0] && found <= samples[n - 1u]);
        }
    }
}

/* The middle of a bucket may lie outside of what was counted: then the nearest value is told. */
static void one_value_many_times(void **state)
{
    static const uint64_t ends[] = {4032u, 4095u}; /* of one bucket */

    (void)state;
    for (uint32_t i = 0u; i < 2u; i++) {
        uint32_t buckets[TG_HIST_BUCKETS(12u)];
        struct tg_hist h;

        assert_int_equal(tg_hist_init(&h, buckets, TG_HIST_BUCKETS(12u)), 0);
        for (uint32_t n = 0u; n < 3u; n++) {
            tg_hist_add(&h, ends[i]);
        }
        assert_int_equal(tg_hist_quantile(&h, 1u, 2u), ends[i]);
    }
}

/* Values beyond the buckets are counted, and known by the maximum. */
static void values_above_the_range(void **state)
{
    uint32_t buckets[TG_HIST_BUCKETS(8u)];
    struct tg_hist h;

    (void)state;
    assert_int_equal(tg_hist_init(&h, buckets, TG_HIST_BUCKETS(8u)), 0);
    tg_hist_add(&h, 255u);
    assert_int_equal(h.above, 0u);
    tg_hist_add(&h, 256u);
    tg_hist_add(&h, 1000000u);
    assert_int_equal(h.above, 2u);
    assert_int_equal(h.count, 3u);
    assert_int_equal(tg_hist_quantile(&h, 1u, 3u), 255u);
    assert_int_equal(tg_hist_quantile(&h, 99u, 100u), 1000000u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_numbers_of_buckets), cmocka_unit_test(an_empty_histogram),
        cmocka_unit_test(error_of_every_value),   cmocka_unit_test(quantiles_against_sorting),
        cmocka_unit_test(values_above_the_range), cmocka_unit_test(one_value_many_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
