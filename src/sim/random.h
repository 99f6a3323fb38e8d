/* SPDX-License-Identifier: MIT
 *
 * random.h - random numbers that are the same on every machine: integers only, one stream per
 * purpose.
 *
 * Source: xoshiro256** (Blackman, Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM
 *         TOMS 47(4),
 * 2021), seeded by SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
 */
#ifndef TG_SIM_RANDOM_H
#define TG_SIM_RANDOM_H

#include <stdint.h>

struct tg_random {
    uint64_t s[4];
};

/* What a stream is for, so that no two have the same numbers. */
enum tg_random_stream { TG_RANDOM_TRAFFIC = 1, TG_RANDOM_RELEASES, TG_RANDOM_HASH };

/* Start the stream of this seed, purpose and index.
 *
 * Context: any.
 * Cost:    O(1). */
void tg_random_init(struct tg_random *r, uint64_t seed, enum tg_random_stream stream,
                    uint64_t index);

/* 64 random bits.
 *
 * Context: any; as the two below.
 * Cost:    O(1). */
uint64_t tg_random_next(struct tg_random *r);

/* Uniform in 0..n - 1, n >= 1. The bias is below n / 2^64.
 *
 * Cost:    O(1). */
uint64_t tg_random_below(struct tg_random *r, uint64_t n);

/* Exponentially distributed with mean 1, in units of 2^-24, below 32.
 *
 * Source:  von Neumann, "Various techniques used in connection with random digits", 1951: exact, by
 *          comparing uniform numbers only, so no logarithm has to be the same everywhere.
 * Cost:    4.3 random numbers in the mean. */
uint64_t tg_random_exponential(struct tg_random *r);

#define TG_RANDOM_ONE_BITS 24u

#endif
