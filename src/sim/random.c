/* SPDX-License-Identifier: MIT
 *
 * random.c - random numbers that are the same on every machine.
 */
#include "sim/random.h"

static uint64_t split_mix(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

void tg_random_init(struct tg_random *r, uint64_t seed, enum tg_random_stream stream,
                    uint64_t index)
{
    uint64_t state = seed;

    /* Each part goes through the mixer before the next is added: neighbours have nothing in
     * common. */
    state = split_mix(&state) + (uint64_t)stream;
    state = split_mix(&state) + index;
    for (uint32_t i = 0u; i < 4u; i++) {
        r->s[i] = split_mix(&state);
    }
}

static uint64_t rotate(uint64_t x, uint32_t by)
{
    return x << by | x >> (64u - by);
}

uint64_t tg_random_next(struct tg_random *r)
{
    uint64_t *const s = r->s;
    const uint64_t result = rotate(s[1] * 5u, 7u) * 9u;
    const uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45u);
    return result;
}

uint64_t tg_random_below(struct tg_random *r, uint64_t n)
{
    return tg_random_next(r) % n;
}

uint64_t tg_random_exponential(struct tg_random *r)
{
    for (uint64_t whole = 0u; whole < 31u; whole++) {
        const uint64_t first = tg_random_next(r);
        uint64_t last = first;
        uint32_t run = 1u;

        for (uint64_t u = tg_random_next(r); u <= last; u = tg_random_next(r)) {
            last = u;
            run++;
        }
        if ((run & 1u) != 0u) { /* a falling run of odd length ends with probability exp(-first) */
            return whole << TG_RANDOM_ONE_BITS | first >> (64u - TG_RANDOM_ONE_BITS);
        }
    }
    return UINT64_C(31) << TG_RANDOM_ONE_BITS; /* once in 10^13 */
}
