/* SPDX-License-Identifier: MIT
 *
 * system_examples_test.c - the files that a user starts from: they load, they prove what they say,
 * and no scenario of theirs exceeds what was proved.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lower.h"
#include "sim/traffic.h"

#define SEEDS 3u /* runs of each scenario, the file's own seed first */

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
                                    {.path = "../../examples/drone.yaml"},
                                    {.path = "../../examples/nic.yaml"}};

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

/* Every flow that is not best effort has a bound, and buffers enough for all that its budget
 * accepts. */
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

/* ---- Bound >= simulation --------------------------------------------------------------------- */

static void check_tasks(const struct example *e, const struct tg_sim_results *r)
{
    for (size_t i = 0u; i < e->system->n_tasks; i++) {
        assert_int_equal(r->tasks[i].misses, 0u);
        assert_true(r->tasks[i].worst_ns <= e->result.tasks[i].response.value);
    }
}

static void check_flow(const struct tg_flow_result *bound, const struct tg_sim_flow_result *seen)
{
    assert_true(seen->worst_accepted_ns <= bound->accepted.value);
    assert_true(seen->most_backlog_pkts <= bound->backlog);
    if (seen->worst_receiver_ns != 0u) {
        assert_true(seen->worst_receiver_ns <= bound->accepted_receiver.value);
    }
    if (bound->lossless && seen->is_conforming) {
        assert_int_equal(seen->lost + seen->dropped_budget + seen->dropped_no_buffer, 0u);
        assert_int_equal(seen->late, 0u);
        assert_true(seen->worst_protocol_ns <= bound->conforming.value);
    }
}

static void check_queues(const struct example *e, const struct tg_sim_results *r)
{
    for (size_t i = 0u; i < e->system->n_queues; i++) {
        if (e->result.queues[i].lossless) {
            assert_int_equal(r->queues[i].lost, 0u);
            assert_true(r->queues[i].worst_acceptance_ns <= e->result.queues[i].acceptance.value);
            assert_true(r->queues[i].most_filled_pkts <= e->result.queues[i].ring_need);
        }
    }
}

static void run_scenario(const struct example *e, struct tg_system_scenario scenario)
{
    struct tg_traffic *traffic = NULL;
    struct tg_sim_results r;
    char text[256];

    assert_int_equal(tg_traffic_open(e->system, &scenario, &traffic, text, sizeof text), 0);

    const struct tg_sim_input input = {.system = e->system,
                                       .policy = TG_SIM_TIDEGATE,
                                       .arrivals = {.next = tg_traffic_next, .ctx = traffic},
                                       .for_ns = scenario.for_ns,
                                       .seed = scenario.seed};

    assert_int_equal(tg_sim_run(&input, &r), 0);
    check_tasks(e, &r);
    check_flow(&e->result.flows[e->system->n_flows], &r.flows[0]); /* best effort */
    for (size_t i = 0u; i < e->system->n_flows; i++) {
        check_flow(&e->result.flows[i], &r.flows[i + 1u]);
    }
    check_queues(e, &r);
    tg_sim_results_free(&r);
    tg_traffic_close(traffic);
}

static void test_bounds(void **state)
{
    const struct example *const e = *state;

    for (size_t i = 0u; i < e->system->n_scenarios; i++) {
        for (uint64_t seed = 0u; seed < SEEDS; seed++) {
            struct tg_system_scenario scenario = e->system->scenarios[i];

            scenario.seed += seed;
            run_scenario(e, scenario);
        }
    }
}

#define OF(test, i)                                                                                \
    {                                                                                              \
#test " of " #i, test, load, release, &examples[i]                                         \
    }
#define ALL_OF(i) OF(test_proof, i), OF(test_flows, i), OF(test_scenarios, i), OF(test_bounds, i)

int main(void)
{
    const struct CMUnitTest tests[] = {ALL_OF(0),
                                       ALL_OF(1),
                                       ALL_OF(2),
                                       ALL_OF(3),
                                       ALL_OF(4),
                                       OF(test_flows, 5), /* the proof: see nic_bars_test */
                                       OF(test_scenarios, 5),
                                       OF(test_bounds, 5)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
