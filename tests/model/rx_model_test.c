/* SPDX-License-Identifier: MIT
 *
 * rx_model_test.c - random operation sequences on random systems: every invariant after every
 * operation.
 */
#include "check_cmocka.h"
#include "rx_world.h"

#include <inttypes.h>

enum { SEQUENCES = 100000, STEPS_MAX = 200 };

/* Rules 1 to 9 and 12, R1 to R3, R6, R7, R9: conservation, demand bounds in every window,
 * inheritance and reserves at every step, recovery; with spurious and lost interrupts, full rings,
 * an empty pool, clocks that jump, and flows that come and go under load. */
static void random_operations(void **state)
{
    static struct world w;
    struct rng rng;
    uint64_t verdicts[TG_VERDICT_NONE + 1] = {0u};

    (void)state;
    rng_init(&rng, "random_operations");
    for (uint32_t i = 0u; i < SEQUENCES; i++) {
        const uint64_t seed = rng_next(&rng);
        const char *wrong = NULL;
        uint32_t step = 0u;

        world_init(&w, seed);
        for (uint32_t n = rng_between(&rng, 1u, STEPS_MAX); step < n && wrong == NULL; step++) {
            wrong = world_step(&w);
        }
        if (wrong == NULL) {
            wrong = world_finish(&w);
        }
        if (wrong != NULL) {
            fail_msg("sequence %u (seed %" PRIu64 "), step %u: %s", i, seed, step, wrong);
        }
        for (uint32_t v = 0u; v <= TG_VERDICT_NONE; v++) {
            verdicts[v] += w.verdicts[v];
        }
    }
    for (uint32_t v = 0u; v < TG_VERDICT_NONE; v++) {
        print_message("verdict %u: %" PRIu64 " frames\n", v, verdicts[v]);
        assert_true(verdicts[v] > 10000u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
