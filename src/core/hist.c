/* SPDX-License-Identifier: MIT
 *
 * hist.c - log-linear histogram: fixed memory, relative error of a reported value <= 1/64.
 */
#include "tidegate/hist.h"
#include "tidegate/queue.h" /* tg_highest_bit */

enum {
    EXACT_BITS = 6, /* values below 2^6 have a bucket of their own */
    EXACT = 1 << EXACT_BITS,
    PER_OCTAVE = EXACT / 2
};

static uint32_t highest_bit64(uint64_t x)
{
    const uint32_t upper = (uint32_t)(x >> 32);

    return upper != 0u ? 32u + tg_highest_bit(upper) : tg_highest_bit((uint32_t)x);
}

static uint32_t bucket_of(uint64_t value)
{
    if (value < EXACT) {
        return (uint32_t)value;
    }
    const uint32_t octave = highest_bit64(value) - EXACT_BITS + 1u; /* 1 for 64..127 */

    return octave * PER_OCTAVE + (uint32_t)(value >> octave);
}

/* The middle of a bucket. */
static uint64_t value_of(uint32_t bucket)
{
    if (bucket < EXACT) {
        return bucket;
    }
    const uint32_t octave = bucket / PER_OCTAVE - 1u;
    const uint64_t lowest = (uint64_t)(bucket - octave * PER_OCTAVE) << octave;

    return lowest + (UINT64_C(1) << (octave - 1u));
}

int tg_hist_init(struct tg_hist *h, uint32_t *buckets, uint32_t n_buckets)
{
    if (n_buckets < TG_HIST_BUCKETS(6u) || n_buckets > TG_HIST_BUCKETS(64u) ||
        n_buckets % PER_OCTAVE != 0u) {
        return TG_ERR_RANGE;
    }
    *h = (struct tg_hist){.buckets = buckets, .n_buckets = n_buckets, .min = UINT64_MAX};
    for (uint32_t i = 0u; i < n_buckets; i++) {
        buckets[i] = 0u;
    }
    return 0;
}

void tg_hist_add(struct tg_hist *h, uint64_t value)
{
    const uint32_t bucket = bucket_of(value);

    if (bucket < h->n_buckets) {
        h->buckets[bucket]++;
    } else {
        h->above++;
    }
    h->count++;
    if (value < h->min) {
        h->min = value;
    }
    if (value > h->max) {
        h->max = value;
    }
}

uint64_t tg_hist_quantile(const struct tg_hist *h, uint32_t numerator, uint32_t denominator)
{
    if (h->count == 0u) {
        return 0u;
    }
    const uint64_t wanted =
        h->count * numerator; /* in units of 1 / denominator: spares a division */
    uint64_t seen = 0u;

    if (wanted <= denominator) {
        return h->min;
    }
    if (numerator == denominator) {
        return h->max;
    }
    for (uint32_t i = 0u; i < h->n_buckets; i++) {
        seen += (uint64_t)h->buckets[i] * denominator;
        if (seen >= wanted) {
            const uint64_t value = value_of(i);

            return value < h->min ? h->min : value > h->max ? h->max : value;
        }
    }
    return h->max;
}
