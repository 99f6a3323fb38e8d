/* SPDX-License-Identifier: MIT
 *
 * num.h - integers that never wrap: TG_NO_BOUND absorbs, and what overflows becomes TG_NO_BOUND.
 */
#ifndef TG_ANALYSIS_NUM_H
#define TG_ANALYSIS_NUM_H

#include "analysis/analysis.h"

typedef unsigned __int128 tg_u128;

static inline uint64_t tg_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t tg_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t tg_add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? TG_NO_BOUND : sum;
}

/* a - b, not below 0; no bound minus anything stays without a bound. */
static inline uint64_t tg_sub(uint64_t a, uint64_t b)
{
    if (a == TG_NO_BOUND) {
        return a;
    }
    return a > b ? a - b : 0;
}

/* 0 * TG_NO_BOUND = 0: endless events of no cost cost nothing. */
static inline uint64_t tg_mul(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? TG_NO_BOUND : product;
}

static inline uint64_t tg_ceil_div(uint64_t a, uint64_t b)
{
    if (a <= b) { /* the usual case in a busy window, and a division is slow */
        return a != 0;
    }
    return a == TG_NO_BOUND ? a : a / b + (a % b != 0);
}

/* a * b / c without losing the high half; c >= 1. */
static inline uint64_t tg_mul_div(uint64_t a, uint64_t b, uint64_t c, bool up)
{
    if (a == TG_NO_BOUND || b == TG_NO_BOUND) {
        return TG_NO_BOUND;
    }
    const tg_u128 product = (tg_u128)a * b;
    const tg_u128 quotient = product / c + (up && product % c != 0);
    return quotient >= TG_NO_BOUND ? TG_NO_BOUND : (uint64_t)quotient;
}

/* Sums of many products: saturates as soon as the sum leaves 64 bits. */
static inline uint64_t tg_add_product(uint64_t sum, uint64_t a, uint64_t b)
{
    return tg_add(sum, tg_mul(a, b));
}

#endif
