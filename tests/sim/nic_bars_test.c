/* SPDX-License-Identifier: MIT
 *
 * nic_bars_test.c - what the controllers of examples/nic.yaml buy, and that no figure of the core
 * on them is beyond its bound.
 */
#include "world.h"

#include "analysis/lower.h"
#include "sim/traffic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_PATH "../../examples/nic.yaml"
#define MS        UINT64_C(1000000)
#define CRITICAL  0u /* task control */
#define SETPOINT  1u /* flow of the results, at 1 kHz */
#define UPLOAD    4u /* flow of the results; its queue is flooded */

enum scenario { QUIET, FLOOD_1_MPPS, FLOOD_100_KPPS, SCENARIOS };

struct bars {
    struct tg_system *system;
    struct tg_system_analysis analysis;
    struct tg_analysis_result proof;
    struct tg_sim_results results[SCENARIOS][TG_SIM_POLICIES];
};

static void run(struct bars *b, uint32_t scenario, enum tg_sim_policy policy)
{
    const struct tg_system_scenario *const s = &b->system->scenarios[scenario];
    struct tg_traffic *traffic = NULL;
    char text[256];

    assert_int_equal(tg_traffic_open(b->system, s, &traffic, text, sizeof text), 0);

    const struct tg_sim_input input = {
        .system = b->system,
        .policy = policy,
        .arrivals = {.next = tg_traffic_next, .ctx = traffic},
        .for_ns = s->for_ns,
        .seed = s->seed,
        .stock_gate = {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 8u, .period_ns = MS}};

    assert_int_equal(tg_sim_run(&input, &b->results[scenario][policy]), 0);
    tg_traffic_close(traffic);
}

static int open(void **state)
{
    static struct bars b;
    static struct tg_errors errors;
    static const char *const names[SCENARIOS] = {"no flood", "flood 1 Mpps", "flood 100 kpps"};

    tg_errors_init(&errors);
    if (tg_system_load(FILE_PATH, &b.system, &errors) != 0) {
        tg_errors_print(&errors, FILE_PATH, stderr);
        return -1;
    }
    if (tg_system_lower_analysis(b.system, &b.analysis) != 0 ||
        tg_analyse(&b.analysis.input, &b.proof) != 0 || b.system->n_scenarios != SCENARIOS) {
        return -1;
    }
    for (uint32_t i = 0u; i < SCENARIOS; i++) {
        assert_string_equal(b.system->scenarios[i].name, names[i]);
        for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
            run(&b, i, (enum tg_sim_policy)p);
        }
    }
    assert_string_equal(b.system->flows[SETPOINT - 1u].name, "setpoint");
    assert_string_equal(b.system->flows[UPLOAD - 1u].name, "upload");
    *state = &b;
    return 0;
}

static int close(void **state)
{
    struct bars *const b = *state;

    for (uint32_t i = 0u; i < SCENARIOS * TG_SIM_POLICIES; i++) {
        tg_sim_results_free(&b->results[i / TG_SIM_POLICIES][i % TG_SIM_POLICIES]);
    }
    tg_analysis_result_free(&b->proof);
    tg_system_analysis_free(&b->analysis);
    tg_system_free(b->system);
    return 0;
}

/* Of the critical task, how much longer its worst response is than without a flood. */
static tg_ns added_ns(const struct bars *b, uint32_t scenario, enum tg_sim_policy policy)
{
    const tg_ns quiet_ns = b->results[QUIET][policy].tasks[CRITICAL].worst_ns;
    const tg_ns flood_ns = b->results[scenario][policy].tasks[CRITICAL].worst_ns;

    return flood_ns > quiet_ns ? flood_ns - quiet_ns : 0u;
}

static uint64_t latency_ns(const struct tg_sim_results *r, uint32_t flow, uint32_t percent)
{
    return tg_hist_quantile(&r->flows[flow].latency, percent, 100u);
}

/* The measured figures beside their bars. */
static void print(const struct bars *b, enum tg_sim_policy policy)
{
    const struct tg_sim_results *const stock = &b->results[FLOOD_100_KPPS][TG_SIM_STOCK_HIGH];
    const struct tg_sim_results *const r = &b->results[FLOOD_100_KPPS][policy];
    const uint64_t cost = r->interrupts + r->ticks;

    (void)printf(
        "%s, 100 kpps: %" PRIu64 " interrupts and ticks instead of %" PRIu64
        " (at most 3 %%), control %" PRIu64 " ns longer instead of more than %" PRIu64
        " (at most 10 %%), setpoints after %" PRIu64 ", %" PRIu64 ", %" PRIu64
        " ns instead of %" PRIu64 ", %" PRIu64 ", %" PRIu64 " (p50, p99, most), upload %" PRIu64
        " delivered (at least 800), p99 %" PRIu64 " ns\n",
        tg_sim_policy_name(policy), cost, stock->interrupts, added_ns(b, FLOOD_100_KPPS, policy),
        added_ns(b, FLOOD_100_KPPS, TG_SIM_STOCK_HIGH), latency_ns(r, SETPOINT, 50u),
        latency_ns(r, SETPOINT, 99u), latency_ns(r, SETPOINT, 100u),
        latency_ns(stock, SETPOINT, 50u), latency_ns(stock, SETPOINT, 99u),
        latency_ns(stock, SETPOINT, 100u), r->flows[UPLOAD].delivered, latency_ns(r, UPLOAD, 99u));
}

/* A tenth of a million packets a second of a registered flow: interrupts of the receiver and ticks
 * of the gates against the interrupts of one unmoderated queue, and what the critical task waits
 * longer. stock-low is better to that task than stock-high. */
static void combined_against_one_unmoderated_queue(void **state)
{
    const struct bars *const b = *state;
    const struct tg_sim_results *const r = b->results[FLOOD_100_KPPS];
    const struct tg_sim_results *const c = &r[TG_SIM_COMBINED];

    print(b, TG_SIM_COMBINED);
    assert_true(100u * (c->interrupts + c->ticks) <= 3u * r[TG_SIM_STOCK_HIGH].interrupts);
    for (uint32_t p = TG_SIM_STOCK_HIGH; p <= TG_SIM_STOCK_LOW; p++) {
        assert_true(10u * added_ns(b, FLOOD_100_KPPS, TG_SIM_COMBINED) <=
                    added_ns(b, FLOOD_100_KPPS, (enum tg_sim_policy)p));
        assert_true(latency_ns(c, SETPOINT, 50u) <= latency_ns(&r[p], SETPOINT, 50u));
        assert_true(latency_ns(c, SETPOINT, 99u) <= latency_ns(&r[p], SETPOINT, 99u));
        assert_true(latency_ns(c, SETPOINT, 100u) <= latency_ns(&r[p], SETPOINT, 100u));
    }
    /* The flood lasts 0.8 s. */
    assert_true(c->flows[UPLOAD].delivered >= 1000u * 8u / 10u);
    assert_true(latency_ns(c, UPLOAD, 99u) <= 5u * MS);
    assert_int_equal(c->flows[SETPOINT].delivered + c->flows[SETPOINT].in_flight,
                     c->flows[SETPOINT].sent);
}

/* The controller alone: the published figures are 93 % of the interrupts and 80 % of the delay. The
 * setpoints are as quick as ever in the median. */
static void nic_against_one_unmoderated_queue(void **state)
{
    const struct bars *const b = *state;
    const struct tg_sim_results *const r = b->results[FLOOD_100_KPPS];

    print(b, TG_SIM_NIC);
    assert_true(100u * r[TG_SIM_NIC].interrupts <= 3u * r[TG_SIM_STOCK_HIGH].interrupts);
    assert_true(latency_ns(&r[TG_SIM_NIC], SETPOINT, 50u) <=
                latency_ns(&r[TG_SIM_STOCK_HIGH], SETPOINT, 50u));
    assert_true(r[TG_SIM_NIC].flows[UPLOAD].delivered >= 1000u * 8u / 10u);
    assert_true(latency_ns(&r[TG_SIM_NIC], UPLOAD, 99u) <= 5u * MS);
    assert_true(10u * added_ns(b, FLOOD_100_KPPS, TG_SIM_NIC) <=
                added_ns(b, FLOOD_100_KPPS, TG_SIM_STOCK_HIGH));
    assert_int_equal(r[TG_SIM_NIC].flows[SETPOINT].late, 0u);
    assert_false(r[TG_SIM_NIC].has_missed);
    assert_true(r[TG_SIM_STOCK_HIGH].has_missed && r[TG_SIM_STOCK_MODERATED].has_missed);
}

/* What makes its setpoints late is not the controller, which has them accepted after one frame of
 * another queue at most, but the one queue behind it: they wait for what the other queue's ring
 * held, and for that only. */
static void nic_is_late_behind_its_rings(void **state)
{
    const struct bars *const b = *state;
    const struct tg_sim_results *const r = b->results[FLOOD_100_KPPS];
    const struct tg_sim_flow_result *const setpoint = &r[TG_SIM_NIC].flows[SETPOINT];
    const struct tg_system_flow *const upload = &b->system->flows[UPLOAD - 1u];
    const tg_ns step_ns = b->system->irq_ns + b->system->receive.driver_ns;
    const tg_ns idle_ns = latency_ns(&b->results[QUIET][TG_SIM_NIC], SETPOINT, 50u);
    const tg_ns line_ns = b->system->queues[upload->queue].ring_pkts * upload->deferred_ns;

    (void)printf("nic: setpoints accepted after %" PRIu64 " ns at most (two steps: %" PRIu64
                 "), delivered after %" PRIu64 " (idle %" PRIu64 ", and %" PRIu64 " for a ring)\n",
                 setpoint->worst_acceptance_ns, 2u * step_ns, setpoint->latency.max, idle_ns,
                 line_ns);
    assert_true(setpoint->worst_acceptance_ns <= 2u * step_ns);
    assert_true(setpoint->latency.max > latency_ns(&r[TG_SIM_STOCK_HIGH], SETPOINT, 100u));
    assert_true(setpoint->latency.max <= idle_ns + line_ns);
}

/* A million a second. The budgets of a task's own range are allowed on top of 1 %, but they are not
 * needed: nobody sends more of those flows than without the flood. */
static void combined_feels_no_flood_below(void **state)
{
    const struct bars *const b = *state;
    const struct tg_sim_results *const c = &b->results[FLOOD_1_MPPS][TG_SIM_COMBINED];
    const uint8_t flooded_max = b->system->queues[b->system->flows[UPLOAD - 1u].queue].priority_max;
    uint32_t above = 0u;

    assert_int_equal(c->flows[SETPOINT].delivered, c->flows[SETPOINT].sent);
    for (uint32_t i = 0u; i < b->system->n_tasks; i++) {
        const tg_ns quiet_ns = b->results[QUIET][TG_SIM_COMBINED].tasks[i].worst_ns;

        if (b->system->tasks[i].priority > flooded_max) {
            (void)printf("combined, 1 Mpps: %s %" PRIu64 " ns, %" PRIu64
                         " without (at most 1 %%)\n",
                         b->system->tasks[i].name, c->tasks[i].worst_ns, quiet_ns);
            assert_true(100u * c->tasks[i].worst_ns <= 101u * quiet_ns);
            above++;
        }
    }
    assert_int_equal(above, 2u);
    assert_false(c->has_missed);
    assert_false(b->results[FLOOD_1_MPPS][TG_SIM_NIC].flows[SETPOINT].late != 0u);
    assert_true(b->results[FLOOD_1_MPPS][TG_SIM_STOCK_HIGH].flows[SETPOINT].delivered <
                c->flows[SETPOINT].delivered);
}

static void check_bounds(const struct bars *b, const struct tg_sim_results *r)
{
    for (uint32_t i = 0u; i < b->system->n_tasks; i++) {
        assert_true(r->tasks[i].worst_ns <= b->proof.tasks[i].response.value);
    }
    for (uint32_t i = 0u; i < b->system->n_flows; i++) {
        const struct tg_sim_flow_result *const seen = &r->flows[i + 1u];

        assert_true(seen->worst_accepted_ns <= b->proof.flows[i].accepted.value);
        assert_true(seen->most_backlog_pkts <= b->proof.flows[i].backlog);
        if (seen->is_conforming) {
            assert_true(seen->latency.max <= b->proof.flows[i].conforming.value);
        }
    }
    for (uint32_t i = 0u; i < b->system->n_queues; i++) {
        assert_true(r->queues[i].worst_acceptance_ns <= b->proof.queues[i].acceptance.value);
    }
}

static void no_figure_is_beyond_its_bound(void **state)
{
    const struct bars *const b = *state;

    for (uint32_t i = 0u; i < SCENARIOS; i++) {
        for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
            if (tg_sim_runs_core((enum tg_sim_policy)p)) {
                check_bounds(b, &b->results[i][p]);
            }
        }
    }
    for (uint32_t i = 0u; i < b->system->n_queues; i++) {
        assert_int_not_equal(b->proof.queues[i].acceptance.value, TG_NO_BOUND);
    }
    assert_int_equal(b->proof.queues[b->system->flows[SETPOINT - 1u].queue].held, 0u);
    assert_int_not_equal(b->proof.queues[b->system->flows[UPLOAD - 1u].queue].held, 0u);
}

/* What comes is the same for all, so what differs is the controller and the driver. */
static void all_see_the_same_arrivals(void **state)
{
    const struct bars *const b = *state;

    for (uint32_t i = 0u; i < SCENARIOS; i++) {
        for (uint32_t p = 1u; p < TG_SIM_POLICIES; p++) {
            assert_int_equal(b->results[i][p].packets, b->results[i][0].packets);
            for (uint32_t f = 0u; f < b->results[i][p].n_flows; f++) {
                assert_int_equal(b->results[i][p].flows[f].sent, b->results[i][0].flows[f].sent);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combined_against_one_unmoderated_queue),
        cmocka_unit_test(nic_against_one_unmoderated_queue),
        cmocka_unit_test(nic_is_late_behind_its_rings),
        cmocka_unit_test(combined_feels_no_flood_below),
        cmocka_unit_test(no_figure_is_beyond_its_bound),
        cmocka_unit_test(all_see_the_same_arrivals),
    };

    return cmocka_run_group_tests_name("nic bars", tests, open, close);
}
