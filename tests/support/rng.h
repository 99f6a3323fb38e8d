/* SPDX-License-Identifier: MIT
 *
 * rng.h - random numbers of a test, from a seed that is printed and can be given again in TG_SEED.
 */
#ifndef TG_TESTS_RNG_H
#define TG_TESTS_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

/* Start from the number in the environment variable TG_SEED, else from the clock, and print the
 * seed. */
void rng_init(struct rng *r, const char *test);

/* Start from this seed, silently: for one of many runs whose seeds are drawn from another
 * generator. */
void rng_init_seed(struct rng *r, uint64_t seed);

uint64_t rng_next(struct rng *r);

/* 0..n - 1, n >= 1. */
uint32_t rng_below(struct rng *r, uint32_t n);

/* lowest..highest, both included. */
uint32_t rng_between(struct rng *r, uint32_t lowest, uint32_t highest);

/* True in so many of 100 cases. */
bool rng_percent(struct rng *r, uint32_t percent);

#endif
