/* SPDX-License-Identifier: MIT
 *
 * queue_test.c - the priority queues: highest first, first in first out within a priority.
 */
#include "check_cmocka.h"
#include "rng.h"
#include "tidegate/check.h"

enum { BUFFERS = 64, OPERATIONS = 200000 };

static void check(const struct tg_queue *q)
{
    if (tg_queue_check(q) != NULL) {
        fail_msg("%s", tg_queue_check(q));
    }
}

/* R7: the highest priority first, and in the order of arrival within it. */
static void highest_first_then_oldest(void **state)
{
    static const uint8_t in[] = {3, 31, 0, 3, 31, 0};
    static const uint32_t out[] = {1, 4, 0, 3, 2, 5};
    struct tg_buffer buffers[6] = {{.priority = 0u}};
    struct tg_queue q;

    (void)state;
    tg_queue_init(&q);
    for (uint32_t i = 0u; i < 6u; i++) {
        buffers[i] = (struct tg_buffer){.priority = in[i], .state = TG_BUFFER_WAITING};
        tg_queue_push(&q, &buffers[i]);
        check(&q);
    }
    for (uint32_t i = 0u; i < 6u; i++) {
        assert_ptr_equal(tg_queue_pop(&q), &buffers[out[i]]);
        check(&q);
    }
    assert_int_equal(q.waiting, 0u);
}

static void highest_bit_of_every_size(void **state)
{
    struct rng r;

    (void)state;
    rng_init(&r, "highest_bit_of_every_size");
    for (uint32_t bit = 0u; bit < 32u; bit++) {
        for (uint32_t i = 0u; i < 1000u; i++) {
            const uint32_t below = (uint32_t)rng_next(&r) & ((1u << bit) - 1u);

            assert_int_equal(tg_highest_bit(1u << bit | below), bit);
        }
    }
}

/* Against one sequence number per buffer: pop gives the largest priority, then the smallest
 * number. */
static void random_pushes_and_pops(void **state)
{
    struct tg_buffer buffers[BUFFERS];
    uint32_t number[BUFFERS];
    bool is_in[BUFFERS] = {false};
    uint32_t n_in = 0u;
    struct tg_queue q;
    struct rng r;

    (void)state;
    rng_init(&r, "random_pushes_and_pops");
    tg_queue_init(&q);
    for (uint32_t i = 0u; i < OPERATIONS; i++) {
        const uint32_t k = rng_below(&r, BUFFERS);
        uint32_t best = BUFFERS;

        if (!is_in[k]) {
            buffers[k] = (struct tg_buffer){.priority = (uint8_t)rng_below(&r, TG_PRIORITIES),
                                            .state = TG_BUFFER_WAITING};
            number[k] = i;
            is_in[k] = true;
            n_in++;
            tg_queue_push(&q, &buffers[k]);
        } else {
            for (uint32_t b = 0u; b < BUFFERS; b++) {
                if (is_in[b] &&
                    (best == BUFFERS || buffers[b].priority > buffers[best].priority ||
                     (buffers[b].priority == buffers[best].priority && number[b] < number[best]))) {
                    best = b;
                }
            }
            assert_ptr_equal(tg_queue_pop(&q), &buffers[best]);
            is_in[best] = false;
            n_in--;
        }
        assert_int_equal(q.waiting == 0u, n_in == 0u);
        check(&q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(highest_first_then_oldest),
        cmocka_unit_test(highest_bit_of_every_size),
        cmocka_unit_test(random_pushes_and_pops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
