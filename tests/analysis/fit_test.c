/* SPDX-License-Identifier: MIT
 *
 * fit_test.c - largest budgets: what comes out passes the analysis, and no single budget can be one
 * larger; what the user fixed stays; what is infeasible says why.
 */
#include "analysis/fit.h"

#include "systems.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ROUNDS = 400, LARGEST = 60 };

static const struct tg_fit_options plain = {.budget_max = LARGEST};

static struct tg_fit_result fit(const struct system *s, const struct tg_fit_options *options)
{
    const struct tg_analysis_input in = system_input(s);
    struct tg_fit_result result;
    assert_int_equal(tg_fit(&in, options, &result), 0);
    return result;
}

static bool holds(const struct system *s)
{
    const struct tg_analysis_input in = system_input(s);
    struct tg_analysis_result result;
    assert_int_equal(tg_analyse(&in, &result), 0);
    const bool ok = result.ok;
    tg_analysis_result_free(&result);
    return ok;
}

static bool never_closes(const struct system *s, size_t gate)
{
    const struct tg_analysis_input in = system_input(s);
    struct tg_analysis_result result;
    bool never = false;

    assert_int_equal(tg_analyse(&in, &result), 0);
    for (size_t k = 0; k < s->n_queues; k++) {
        never = never || (s->queues[k].gate == gate && result.queues[k].never_closes);
    }
    tg_analysis_result_free(&result);
    return never;
}

static void install(struct system *s, const struct tg_fit_candidate *c)
{
    if (s->n_gates == 1) {
        s->gates[0].period = c->period;
    }
    for (size_t g = 0; g < s->n_gates; g++) {
        s->gates[g].budget = c->gates[g].packets;
    }
    for (size_t i = 0; i < s->n_flows; i++) {
        s->flows[i].budget = c->flows[i].packets;
    }
}

/* The binding says FIXED, SEARCH_LIMIT, or the truth: one more breaks something. */
static void assert_maximal(const struct system *fitted, const struct tg_fit_candidate *c)
{
    for (size_t i = 0; i < fitted->n_flows; i++) {
        struct system more = *fitted;
        more.flows[i].budget++;
        if (c->flows[i].binding.why.code == TG_WHY_FIXED) {
            continue;
        }
        if (c->flows[i].binding.why.code == TG_WHY_SEARCH_LIMIT) {
            assert_true(fitted->flows[i].budget >= LARGEST);
            continue;
        }
        assert_false(holds(&more));
        assert_int_not_equal(c->flows[i].binding.why.code, TG_WHY_NONE);
    }
    for (size_t g = 0; g < fitted->n_gates; g++) {
        const enum tg_why_code code = c->gates[g].binding.why.code;
        struct system more = *fitted;
        more.gates[g].budget++;
        if (code == TG_WHY_NEVER_SPENT) {
            assert_true(never_closes(fitted, g));
        } else if (code != TG_WHY_FIXED && code != TG_WHY_SEARCH_LIMIT) {
            assert_false(holds(&more));
        }
    }
}

/* Light enough that a good part can be guaranteed. */
static void random_plant(struct system *s, uint64_t *r)
{
    random_system(s, r, false, false);
    for (size_t i = 0; i < s->n_tasks; i++) {
        s->tasks[i].wcet = 1 + s->tasks[i].wcet / 4;
        s->tasks[i].deadline = 2 * s->tasks[i].period;
    }
    for (size_t i = 0; i < s->n_flows; i++) {
        s->flows[i].deadline = s->flows[i].deadline == TG_NO_BOUND ? TG_NO_BOUND : 20000;
    }
    for (size_t k = 0; k < s->n_queues; k++) {
        s->queues[k].ring = 200;
    }
}

/* A gate for each of two groups of queues. */
static void split_gate(struct system *s, uint64_t *r)
{
    if (s->n_gates == 1 && s->n_queues > 1 && random_chance(r, 50)) {
        s->gates[1] = s->gates[0];
        if (s->gates[1].period != 0) {
            s->gates[1].period = s->gates[0].period * random_between(r, 1, 12) / 4 + 1;
        }
        s->n_gates = 2;
        for (size_t k = 0; k < s->n_queues; k++) {
            s->queues[k].gate = k % 2;
        }
    }
}

static void results_hold_and_are_maximal(void **state)
{
    uint64_t r = test_seed("results_hold_and_are_maximal");
    unsigned feasible = 0;
    unsigned with_deadline = 0;
    unsigned with_two_gates = 0;
    unsigned never_spent = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct system s;
        random_plant(&s, &r);
        split_gate(&s, &r);
        struct tg_fit_result result = fit(&s, &plain);
        const struct tg_fit_candidate *c = &result.candidates[0];
        if (c->feasible) {
            install(&s, c);
            assert_true(holds(&s));
            assert_maximal(&s, c);
            feasible++;
            with_two_gates += s.n_gates == 2;
            for (size_t g = 0; g < s.n_gates; g++) {
                never_spent += c->gates[g].binding.why.code == TG_WHY_NEVER_SPENT;
            }
            for (size_t i = 0; i < s.n_flows; i++) {
                with_deadline += s.flows[i].deadline != TG_NO_BOUND;
            }
        } else {
            assert_int_not_equal(c->why.why.code, TG_WHY_NONE);
        }
        tg_fit_result_free(&result);
    }
    assert_true(feasible > ROUNDS / 5);
    assert_true(with_deadline > 10);
    assert_true(with_two_gates > 10);
    assert_true(never_spent > 0);
}

/* The two-queue system of section 13: Q = 35, cmd 5, tel 20. */
static void two_queues(struct system *s)
{
    *s = (struct system){
        .tasks = {{.name = "ctl", .priority = 5, .wcet = 300, .period = 2000, .deadline = 2000},
                  {.name = "log", .priority = 2, .wcet = 1500, .period = 10000, .deadline = 10000}},
        .gates = {{.kind = TG_CURVE_DEFERRABLE,
                   .budget = 4,
                   .period = 1000,
                   .interrupt = 5,
                   .packet = 5,
                   .tick = 5}},
        .queues = {{.name = "rt", .rank = 1, .ring = 8, .isolated = true},
                   {.name = "be", .rank = 0, .ring = 64}},
        .flows = {{.name = "cmd",
                   .priority = 6,
                   .cost = 40,
                   .kind = TG_CURVE_DEFERRABLE,
                   .budget = 2,
                   .period = 10000,
                   .reserve = TG_NO_BOUND,
                   .has_source = true,
                   .every = 10000,
                   .jitter = 500,
                   .burst = 1,
                   .deadline = 2000},
                  {.name = "tel",
                   .priority = 3,
                   .cost = 60,
                   .kind = TG_CURVE_DEFERRABLE,
                   .budget = 4,
                   .period = 20000,
                   .reserve = TG_NO_BOUND,
                   .has_source = true,
                   .every = 20000,
                   .burst = 2,
                   .deadline = 5000},
                  {.name = "be",
                   .priority = 0,
                   .cost = 200,
                   .queue = 1,
                   .kind = TG_CURVE_UNLIMITED,
                   .reserve = 17,
                   .deadline = TG_NO_BOUND}},
        .n_tasks = 2,
        .n_gates = 1,
        .n_queues = 2,
        .n_flows = 3};
}

static void worked_example(void **state)
{
    const struct tg_fit_options options = {.budget_max = 1000};
    struct system s;

    (void)state;
    two_queues(&s);
    struct tg_fit_result result = fit(&s, &options);
    const struct tg_fit_candidate *c = &result.candidates[0];
    assert_true(c->feasible);
    assert_int_equal(result.best, 0);
    assert_int_equal(c->gates[0].packets, 35);
    assert_int_equal(c->flows[0].packets, 5);
    assert_int_equal(c->flows[1].packets, 20);
    assert_int_equal(c->flows[2].binding.why.code, TG_WHY_FIXED);
    assert_int_equal(result.order[0], 0);
    assert_int_equal(result.order[1], 1);
    assert_int_equal(result.order[2], 2);
    /* What the found budgets need in buffers: everything accepted in the last L_acc. */
    assert_int_equal(c->reserves[0], 10);
    assert_int_equal(c->rings[0], 3);
    assert_int_equal(c->rings[1], TG_NO_BOUND);
    tg_fit_result_free(&result);
}

/* The same with a gate for each queue: rt has what it takes never to be spent, be the rest. */
static void a_gate_for_each_queue(void **state)
{
    const struct tg_fit_options options = {.budget_max = 1000};
    struct system s;

    (void)state;
    two_queues(&s);
    s.gates[1] = s.gates[0];
    s.queues[1].gate = 1;
    s.n_gates = 2;
    struct tg_fit_result result = fit(&s, &options);
    const struct tg_fit_candidate *c = &result.candidates[0];
    assert_true(c->feasible);
    assert_int_equal(c->period, 0); /* each has its own */
    assert_int_equal(result.gate_order[0], 0);
    assert_int_equal(result.gate_order[1], 1);
    /* cmd 1 and tel 2 within a period, its delay and 500 of jitter; one more and it would close. */
    assert_int_equal(c->gates[0].packets, 4);
    assert_int_equal(c->gates[0].binding.why.code, TG_WHY_NEVER_SPENT);
    assert_true(c->gates[1].packets > 20);
    assert_int_equal(c->gates[1].binding.why.code, TG_WHY_DEADLINE);
    install(&s, c);
    assert_true(holds(&s));
    assert_maximal(&s, c);
    tg_fit_result_free(&result);
}

static void fixed_budgets_stay(void **state)
{
    const bool flow_fixed[MAX_FLOWS] = {false, true};
    const bool gate_fixed[] = {true};
    const struct tg_fit_options options = {
        .budget_max = 1000, .gate_fixed = gate_fixed, .flow_fixed = flow_fixed};
    struct system s;

    (void)state;
    two_queues(&s);
    struct tg_fit_result result = fit(&s, &options);
    const struct tg_fit_candidate *c = &result.candidates[0];
    assert_true(c->feasible);
    assert_int_equal(c->gates[0].packets, 4);
    assert_int_equal(c->gates[0].binding.why.code, TG_WHY_FIXED);
    assert_int_equal(c->flows[1].packets, 4);
    assert_int_equal(c->flows[1].binding.why.code, TG_WHY_FIXED);
    /* 4 packets a millisecond go through the gate, so nothing but the gate limits cmd. */
    assert_int_equal(c->flows[0].packets, 1000);
    assert_int_equal(c->flows[0].binding.why.code, TG_WHY_SEARCH_LIMIT);
    tg_fit_result_free(&result);
}

static void the_order_decides(void **state)
{
    const size_t order[] = {1, 0, 2};
    const struct tg_fit_options options = {.budget_max = 1000, .order = order};
    struct system s;

    (void)state;
    two_queues(&s);
    struct tg_fit_result result = fit(&s, &options);
    const struct tg_fit_candidate *c = &result.candidates[0];
    assert_memory_equal(result.order, order, sizeof order);
    assert_int_equal(c->gates[0].packets, 35);
    assert_true(c->flows[1].packets >= 20); /* first served */
    assert_true(c->flows[0].packets <= 5);
    install(&s, c);
    assert_true(holds(&s));
    tg_fit_result_free(&result);
}

static void periods_are_tried(void **state)
{
    const uint64_t periods[] = {20, 500, 1000, 4000};
    const struct tg_fit_options options = {.budget_max = 1000, .periods = periods, .n_periods = 4};
    struct system s;

    (void)state;
    two_queues(&s);
    struct tg_fit_result result = fit(&s, &options);
    assert_int_equal(result.n_candidates, 4);
    assert_false(result.candidates[0].feasible); /* not even the tick and one packet fit */
    assert_int_equal(result.candidates[0].why.why.code, TG_WHY_GATE_TOO_SLOW);
    assert_false(result.candidates[3].feasible); /* a packet may wait 4000, cmd has 2000 */
    assert_int_equal(result.candidates[3].why.flow, 0);
    assert_int_equal(result.candidates[3].why.why.code, TG_WHY_DEADLINE);
    assert_true(result.best == 1 || result.best == 2);
    for (size_t i = 1; i <= 2; i++) {
        struct system fitted = s;
        assert_true(result.candidates[i].feasible);
        install(&fitted, &result.candidates[i]);
        assert_true(holds(&fitted));
    }
    tg_fit_result_free(&result);
}

static void infeasible_names_the_task(void **state)
{
    struct system s;

    (void)state;
    two_queues(&s);
    s.tasks[1].wcet = 9000;
    struct tg_fit_result result = fit(&s, &plain);
    assert_false(result.candidates[0].feasible);
    assert_int_equal(result.best, TG_NOBODY);
    assert_int_equal(result.candidates[0].why.task, 1);
    tg_fit_result_free(&result);
}

/* No gate mends a shared ring: no search for ever. */
static void infeasible_names_the_shared_ring(void **state)
{
    const struct tg_fit_options options = {.budget_max = TG_ANALYSIS_BUDGET_MAX};
    struct system s;

    (void)state;
    two_queues(&s);
    s.queues[0].isolated = false;
    struct tg_fit_result result = fit(&s, &options);
    assert_false(result.candidates[0].feasible);
    assert_int_equal(result.candidates[0].why.flow, 0);
    assert_int_equal(result.candidates[0].why.why.code, TG_WHY_SHARED_RING);
    tg_fit_result_free(&result);
}

static void bad_options(void **state)
{
    const size_t twice[] = {0, 0, 2};
    const uint64_t zero[] = {0};
    const struct tg_fit_options bad[] = {
        {.budget_max = 0},
        {.budget_max = TG_ANALYSIS_BUDGET_MAX + 1},
        {.budget_max = 10, .order = twice},
        {.budget_max = 10, .periods = zero, .n_periods = 1},
    };
    struct tg_fit_result result;
    struct system s;

    (void)state;
    two_queues(&s);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct tg_analysis_input in = system_input(&s);
        assert_int_equal(tg_fit(&in, &bad[i], &result), TG_ANALYSIS_ERR_INPUT);
        assert_null(result.candidates);
    }
    const uint64_t good[] = {1000};
    const struct tg_fit_options one_period = {.budget_max = 10, .periods = good, .n_periods = 1};
    s.gates[1] = s.gates[0];
    s.n_gates = 2; /* which of them would have it? */
    const struct tg_analysis_input in = system_input(&s);
    assert_int_equal(tg_fit(&in, &one_period, &result), TG_ANALYSIS_ERR_INPUT);
}

static void largest_server(void **state)
{
    uint64_t r = test_seed("largest_server");
    unsigned found = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct system s;
        uint64_t capacity;
        random_plant(&s, &r);
        s.n_gates = s.n_queues = s.n_flows = 0;
        s.n_servers = 1;
        s.servers[0] = (struct tg_analysis_server){
            .name = "s", .kind = TG_CURVE_DEFERRABLE, .priority = 10, .capacity = 1, .period = 97};
        const struct tg_analysis_input in = system_input(&s);
        assert_int_equal(tg_fit_server(&in, 0, &capacity), 0);
        if (capacity > 0) {
            s.servers[0].capacity = capacity;
            assert_true(holds(&s));
            found++;
        }
        if (capacity < s.servers[0].period) {
            s.servers[0].capacity = capacity + 1;
            assert_false(holds(&s));
        }
    }
    assert_true(found > ROUNDS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_hold_and_are_maximal),
        cmocka_unit_test(worked_example),
        cmocka_unit_test(a_gate_for_each_queue),
        cmocka_unit_test(fixed_budgets_stay),
        cmocka_unit_test(the_order_decides),
        cmocka_unit_test(periods_are_tried),
        cmocka_unit_test(infeasible_names_the_task),
        cmocka_unit_test(infeasible_names_the_shared_ring),
        cmocka_unit_test(bad_options),
        cmocka_unit_test(largest_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
