/* SPDX-License-Identifier: MIT
 *
 * system_examples_test.c - the files that a user starts from: they load, and they prove what they say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lower.h"

struct example {
    const char *path;
    const char
        *refused; /* the one flow whose deadline cannot be guaranteed; NULL: everything holds */
    struct tg_system *system;
    struct tg_system_analysis analysis;
    struct tg_analysis_result result;
};

static struct example examples[] = {{.path = "../../examples/motor.yaml", .refused = "setpoint"},
                                    {.path = "../../examples/plc.yaml"},
                                    {.path = "../../examples/sensor.yaml"},
                                    {.path = "../../examples/gimbal.yaml"},
                                    {.path = "../../examples/drone.yaml"}};

static int load(void **state)
{
    struct example *const e = *state;
    struct tg_errors *const errors = malloc(sizeof *errors);

    if (errors == NULL) {
        return -1;
    }
    if (tg_system_load(e->path, &e->system, errors) != 0) {
        tg_errors_print(errors, e->path, stderr);
        free(errors);
        return -1;
    }
    free(errors);
    return tg_system_lower_analysis(e->system, &e->analysis) |
           tg_analyse(&e->analysis.input, &e->result);
}

static int release(void **state)
{
    struct example *const e = *state;

    tg_analysis_result_free(&e->result);
    tg_system_analysis_free(&e->analysis);
    tg_system_free(e->system);
    return 0;
}

static void test_proof(void **state)
{
    const struct example *const e = *state;

    for (size_t i = 0u; i < e->analysis.input.n_tasks; i++) {
        assert_true(e->result.tasks[i].met);
        assert_true(e->result.tasks[i].response.value <= e->analysis.tasks[i].deadline);
    }
    for (size_t i = 0u; i < e->analysis.input.n_flows; i++) {
        const bool is_refused =
            e->refused != NULL && strcmp(e->analysis.flows[i].name, e->refused) == 0;

        assert_true(e->result.flows[i].met == !is_refused);
        if (is_refused) {
            assert_int_equal(e->result.flows[i].why.code, TG_WHY_SHARED_RING);
        }
    }
    assert_true(e->result.ok == (e->refused == NULL));
}

/* Every flow that is not best effort has a bound, and buffers enough for all that its budget accepts. */
static void test_flows(void **state)
{
    const struct example *const e = *state;

    for (size_t i = 0u; i < e->system->n_flows; i++) {
        assert_true(e->result.flows[i].accepted.value != TG_NO_BOUND);
        if (strcmp(e->system->flows[i].name, "arp") != 0) { /* motor.yaml is as the design has it */
            assert_true(e->result.flows[i].reserve_need <= e->system->flows[i].reserve_pkts);
        }
    }
}

/* There is something to see in each: at least two scenarios, and a flood in all but a quiet one. */
static void test_scenarios(void **state)
{
    const struct example *const e = *state;
    size_t n_floods = 0u;

    assert_true(e->system->n_scenarios >= 2u);
    for (size_t i = 0u; i < e->system->n_scenarios; i++) {
        const struct tg_system_scenario *const s = &e->system->scenarios[i];
        bool has_flood = false;

        for (size_t j = 0u; j < s->n_traffic; j++) {
            has_flood = has_flood || s->traffic[j].flow < 0;
        }
        n_floods += has_flood ? 1u : 0u;
    }
    assert_true(n_floods + 1u >= e->system->n_scenarios);
}

#define OF(test, i)                                                                                \
    {                                                                                              \
#test " of " #i, test, load, release, &examples[i]                                         \
    }
#define ALL_OF(i) OF(test_proof, i), OF(test_flows, i), OF(test_scenarios, i)

int main(void)
{
    const struct CMUnitTest tests[] = {ALL_OF(0), ALL_OF(1), ALL_OF(2), ALL_OF(3), ALL_OF(4)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
