/* SPDX-License-Identifier: MIT
 *
 * share.h - long-run shares of the CPU as fractions of 2^64, with a known direction of rounding, so
 * that "less than the whole CPU" can be decided without a common denominator.
 */
#ifndef TG_ANALYSIS_SHARE_H
#define TG_ANALYSIS_SHARE_H

#include "analysis/num.h"

/* Work per time (1 = TG_SHARE_ONE = the whole CPU), or packets per time. */
typedef tg_u128 tg_share;

#define TG_SHARE_ONE  ((tg_share)1 << 64)
#define TG_SHARE_FULL (~(tg_share)0) /* saturated: without limit */

/* A share that is not known exactly: lower <= true value <= upper. */
struct tg_share_range {
    tg_share lower;
    tg_share upper;
};

static inline tg_share tg_share_add(tg_share a, tg_share b)
{
    tg_share sum;
    return __builtin_add_overflow(a, b, &sum) ? TG_SHARE_FULL : sum;
}

static inline tg_share tg_share_sub(tg_share a, tg_share b)
{
    if (a == TG_SHARE_FULL) {
        return a;
    }
    return a > b ? a - b : 0;
}

static inline tg_share tg_share_min(tg_share a, tg_share b)
{
    return a < b ? a : b;
}

/* cost * rate; 0 if either is 0. */
static inline tg_share tg_share_mul(uint64_t cost, tg_share rate)
{
    const tg_share high = (tg_share)cost * (uint64_t)(rate >> 64);

    if (rate == TG_SHARE_FULL || high >> 63 != 0) {
        return cost == 0 ? 0 : TG_SHARE_FULL;
    }
    return tg_share_add(high << 64, (tg_share)cost * (uint64_t)rate);
}

/* amount / period; period >= 1. */
static inline struct tg_share_range tg_share_of(uint64_t amount, uint64_t period)
{
    const tg_share scaled = (tg_share)amount << 64;
    const tg_share lower = scaled / period;

    return (struct tg_share_range){.lower = lower, .upper = lower + (scaled % period != 0)};
}

static inline struct tg_share_range tg_share_range_add(struct tg_share_range a,
                                                       struct tg_share_range b)
{
    return (struct tg_share_range){.lower = tg_share_add(a.lower, b.lower),
                                   .upper = tg_share_add(a.upper, b.upper)};
}

static inline struct tg_share_range tg_share_range_min(struct tg_share_range a,
                                                       struct tg_share_range b)
{
    return (struct tg_share_range){.lower = tg_share_min(a.lower, b.lower),
                                   .upper = tg_share_min(a.upper, b.upper)};
}

static inline struct tg_share_range tg_share_range_mul(uint64_t cost, struct tg_share_range rate)
{
    return (struct tg_share_range){.lower = tg_share_mul(cost, rate.lower),
                                   .upper = tg_share_mul(cost, rate.upper)};
}

/* In millionths, for people: rounded to the nearest. */
static inline uint64_t tg_share_ppm(tg_share share)
{
    if (share >> 100 != 0) {
        return TG_NO_BOUND;
    }
    return (uint64_t)((share * 1000000u + TG_SHARE_ONE / 2) >> 64);
}

#endif
