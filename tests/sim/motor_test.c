/* SPDX-License-Identifier: MIT
 *
 * motor_test.c - examples/motor.yaml shows what it is there for: below what the gate admits every
 * stock driver fails in its own way and tidegate in none; far beyond it the tasks still hold.
 * Prints how fast it was.
 */
#include "check_cmocka.h"

#include "sim/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define MOTOR "../../examples/motor.yaml"

enum { CONTROL = 0, SETPOINT = 1 }; /* task, flow of the results */

struct motor {
    struct tg_system *system;
    struct tg_sim_results policies[TG_SIM_POLICIES];
    uint64_t packets;
    clock_t ticks;
};

static void run_policy(struct motor *m, const struct tg_system_scenario *scenario,
                       struct tg_traffic *traffic, enum tg_sim_policy policy)
{
    const struct tg_sim_input input = {
        .system = m->system,
        .policy = policy,
        .arrivals = {.next = tg_traffic_next, .ctx = traffic},
        .for_ns = scenario->for_ns,
        .seed = scenario->seed,
        .stock_gate = {.kind = TG_SERVER_DEFERRABLE,
                       .budget_pkts = m->system->stock_gate.packets,
                       .period_ns = m->system->stock_gate.period_ns}};

    tg_traffic_rewind(traffic);

    const clock_t start = clock();

    assert_int_equal(tg_sim_run(&input, &m->policies[policy]), 0);
    m->ticks += clock() - start;
    m->packets += m->policies[policy].packets;
}

static void motor_run(struct motor *m, size_t number)
{
    static struct tg_errors errors;
    struct tg_traffic *traffic;
    char text[256];

    *m = (struct motor){0};
    tg_errors_init(&errors);
    if (tg_system_load(MOTOR, &m->system, &errors) != 0) {
        tg_errors_print(&errors, MOTOR, stderr);
        fail();
    }
    assert_in_range(number + 1u, 1u, m->system->n_scenarios);

    const struct tg_system_scenario *const scenario = &m->system->scenarios[number];

    assert_int_equal(tg_traffic_open(m->system, scenario, &traffic, text, sizeof text), 0);
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        run_policy(m, scenario, traffic, (enum tg_sim_policy)p);
    }
    tg_traffic_close(traffic);
    printf("%s: %" PRIu64 " packets, %.1f million a second\n", scenario->name, m->packets,
           (double)m->packets / 1e6 * (double)CLOCKS_PER_SEC / (double)(m->ticks + 1));
}

static void motor_free(struct motor *m)
{
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        tg_sim_results_free(&m->policies[p]);
    }
    tg_system_free(m->system);
}

static void below_the_gate_each_stock_driver_fails(void **state)
{
    struct motor m;
    const struct tg_sim_results *const p = m.policies;
    const struct tg_sim_flow_result *f;

    (void)state;
    motor_run(&m, 0u);

    /* The tasks miss deadlines. */
    assert_true(p[TG_SIM_STOCK_HIGH].tasks[CONTROL].misses > 500u);

    /* The tasks hold; setpoints are late. */
    assert_false(p[TG_SIM_STOCK_LOW].has_missed);
    assert_true(p[TG_SIM_STOCK_LOW].flows[SETPOINT].late > 100u);

    /* The tasks hold; setpoints are lost. */
    assert_false(p[TG_SIM_STOCK_LIMITED].has_missed);
    assert_true(p[TG_SIM_STOCK_LIMITED].flows[SETPOINT].lost > 100u);

    /* Nothing is missed, and every conforming setpoint is delivered in time. */
    f = &p[TG_SIM_TIDEGATE].flows[SETPOINT];
    assert_false(p[TG_SIM_TIDEGATE].has_missed);
    assert_true(f->is_conforming);
    assert_in_range(f->sent, 990u, 1000u);
    assert_int_equal(f->delivered + f->in_flight, f->sent);
    assert_in_range(f->in_flight, 0u, 1u);
    assert_int_equal(f->late, 0u);
    motor_free(&m);
}

static void far_beyond_it_the_tasks_still_hold(void **state)
{
    struct motor m;
    const struct tg_sim_results *const p = m.policies;

    (void)state;
    motor_run(&m, 1u);
    assert_true(p[TG_SIM_STOCK_HIGH].has_missed);
    assert_true(p[TG_SIM_STOCK_LOW].has_missed);
    assert_false(p[TG_SIM_TIDEGATE].has_missed);
    assert_int_equal(p[TG_SIM_TIDEGATE].flows[SETPOINT].late, 0u);
    assert_true(p[TG_SIM_TIDEGATE].flows[SETPOINT].lost > 100u);
    motor_free(&m);
}

/* More than three million packets in a release build; only printed, since machines differ. The
 * memory that a run takes does not depend on its length: the arrays of a run are sized by the
 * system alone. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_the_gate_each_stock_driver_fails),
        cmocka_unit_test(far_beyond_it_the_tasks_still_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
