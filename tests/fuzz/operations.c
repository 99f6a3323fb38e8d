/* SPDX-License-Identifier: MIT
 *
 * operations.c - any bytes as a receive path and a sequence of operations on it: whatever the
 * random world of tests/model draws, it draws from the input, and its model must agree after every
 * operation.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rx_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STEPS_MAX 300u /* the world remembers what servers admitted in about so many */

/* ---- rng.h: from the input, then zeros ------------------------------------------------------- */

static struct {
    const uint8_t *next;
    const uint8_t *end;
} input;

void rng_init_seed(struct rng *r, uint64_t seed)
{
    r->state = seed;
}

static uint32_t draw(uint32_t n_bytes)
{
    uint32_t x = 0u;

    while (n_bytes-- > 0u && input.next < input.end) {
        x = x << 8 | *input.next++;
    }
    return x;
}

/* Few bytes for few choices, so that one byte more or less of an input means one choice more or
 * less. */
uint32_t rng_below(struct rng *r, uint32_t n)
{
    (void)r;
    return n <= 1u ? 0u : draw(n <= 256u ? 1u : n <= 65536u ? 2u : 4u) % n;
}

uint64_t rng_next(struct rng *r)
{
    (void)r;
    return draw(1u);
}

uint32_t rng_between(struct rng *r, uint32_t lowest, uint32_t highest)
{
    return lowest + rng_below(r, highest - lowest + 1u);
}

bool rng_percent(struct rng *r, uint32_t percent)
{
    return rng_below(r, 100u) < percent;
}

/* ---- The target ------------------------------------------------------------------------------ */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world w;
    const char *wrong = NULL;

    input.next = data;
    input.end = data + size;
    world_init(&w, 0u);
    for (uint32_t i = 0u; i < STEPS_MAX && input.next < input.end && wrong == NULL; i++) {
        wrong = world_step(&w);
    }
    if (wrong == NULL) {
        wrong = world_finish(&w);
    }
    if (wrong != NULL) {
        fprintf(stderr, "%s\n", wrong);
        abort();
    }
    return 0;
}
