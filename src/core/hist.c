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

int tg_hist_merge(struct tg_hist *h, const struct tg_hist *other)
{
    if (h->n_buckets != other->n_buckets) {
        return TG_ERR_RANGE;
    }
    for (uint32_t i = 0u; i < h->n_buckets; i++) {
        h->buckets[i] += other->buckets[i];
    }
    h->count += other->count;
    h->above += other->above;
    h->min = other->min < h->min ? other->min : h->min;
    h->max = other->max > h->max ? other->max : h->max;
    return 0;
}

/* count * numerator / denominator, rounded up, without a 64-bit division: 44 + 20 bits of product, taken
 * bit by bit from the top. */
static uint64_t rank_of(uint64_t count, uint32_t numerator, uint32_t denominator)
{
    uint64_t rest = count * numerator + denominator - 1u;
    uint64_t quotient = 0u;

    for (uint32_t bit = 44u; bit-- > 0u;) {
        if (rest >> bit >= denominator) {
            rest -= (uint64_t)denominator << bit;
            quotient |= UINT64_C(1) << bit;
        }
    }
    return quotient;
}

uint64_t tg_hist_quantile(const struct tg_hist *h, uint32_t numerator, uint32_t denominator)
{
    if (h->count == 0u) {
        return 0u;
    }
    const uint64_t rank = rank_of(h->count, numerator, denominator);
    uint64_t seen = 0u;

    if (rank <= 1u) {
        return h->min;
    }
    if (rank == h->count) {
        return h->max;
    }
    for (uint32_t i = 0u; i < h->n_buckets; i++) {
        seen += h->buckets[i];
        if (seen >= rank) {
            const uint64_t value = value_of(i);

            return value < h->min ? h->min : value > h->max ? h->max : value;
        }
    }
    return h->max;
}
