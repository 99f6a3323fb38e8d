/* SPDX-License-Identifier: MIT
 *
 * rng.c - SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
 */
#include "rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void rng_init(struct rng *r, const char *test)
{
    const char *const given = getenv("TG_SEED");
    struct timespec now;
    uint64_t seed;

    if (given != NULL) {
        seed = strtoull(given, NULL, 0);
    } else {
        (void)timespec_get(&now, TIME_UTC);
        seed = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
    printf("%s: TG_SEED=%" PRIu64 "\n", test, seed);
    (void)fflush(stdout); /* a crash must not take the seed with it */
    rng_init_seed(r, seed);
}

void rng_init_seed(struct rng *r, uint64_t seed)
{
    r->state = seed;
}

uint64_t rng_next(struct rng *r)
{
    uint64_t x = r->state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)(((rng_next(r) >> 32) * n) >> 32);
}

uint32_t rng_between(struct rng *r, uint32_t lowest, uint32_t highest)
{
    return lowest + rng_below(r, highest - lowest + 1u);
}

bool rng_percent(struct rng *r, uint32_t percent)
{
    return rng_below(r, 100u) < percent;
}
