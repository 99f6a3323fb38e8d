/* SPDX-License-Identifier: MIT
 *
 * switch_test.c - context switches that the proof must know of: in each of these systems the worst
 * case is almost reached, and leaving out the switches in question would put the bound below it.
 */
#include "world.h"

#include "analysis/lower.h"

#define RECEIVE(more)                                                                              \
    "receive: {station: 02:00:00:00:00:01, driver: 1 ns, eager: 1 ns, deferred: 10 us, "           \
    "section: 0 us, floor: 2, buffers: 64, mtu: 1500, tick: 1 ns" more "}\n"
#define QUEUE "queues: [{name: q, ring: 8, gate: {packets: 1, period: 1 ms}}]\n"
#define FLOW                                                                                       \
    "flows: [{name: high, match: udp dst port 1, priority: 20, reserve: 8, "                       \
    "budget: {kind: sporadic, packets: 1, period: 1 ms}}]\n"                                       \
    "unregistered: drop\n"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

enum { HIGH = 1 };

static struct tg_system_analysis lowered;
static struct tg_analysis_result proven;

static void prove(const struct world *w)
{
    assert_int_equal(tg_system_lower_analysis(w->system, &lowered), 0);
    assert_int_equal(tg_analyse(&lowered.input, &proven), 0);
}

static void forget(void)
{
    tg_analysis_result_free(&proven);
    tg_system_analysis_free(&lowered);
}

/* A packet in the middle of each job of m: it ends, the protocol task at its floor looks for
 * another packet, and only then x goes on. That is five switches for a job and a packet. */
static void looking_in_vain_costs_a_switch(void **state)
{
    struct world *const w =
        world_open("name: t\ncpu: {irq: 0 us, switch: 5 us}\n"
                   "tasks:\n"
                   "  - {name: m, priority: 10, period: 1 ms, wcet: 10 us}\n"
                   "  - {name: x, priority: 1, period: 50 ms, wcet: 4 ms}\n" RECEIVE(", lock: 0 us")
                       QUEUE FLOW,
                   20u * MS);

    (void)state;
    for (uint32_t k = 0u; k < 10u; k++) {
        world_arrive(w, k * MS + 7u * US, HIGH);
    }
    world_run(w, TG_SIM_TIDEGATE);
    prove(w);
    assert_in_range(proven.tasks[1].response.value, w->results.tasks[1].worst_ns,
                    w->results.tasks[1].worst_ns + 12u * US);
    forget();
    world_close(w);
}

/* The protocol task is switched to, finds the lock taken, lets the caller finish, and comes
 * back. */
static void waiting_for_the_lock_costs_two_switches(void **state)
{
    struct world *const w =
        world_open("name: t\ncpu: {irq: 0 us, switch: 5 us}\n"
                   "tasks: [{name: caller, priority: 3, period: 50 ms, wcet: 40 us, "
                   "calls_stack: true}]\n" RECEIVE(", lock: 8 us") QUEUE FLOW,
                   MS);

    (void)state;
    world_arrive(w, 5u * US + 1u, HIGH); /* the caller has had the lock for 1 ns */
    world_run(w, TG_SIM_TIDEGATE);
    prove(w);
    assert_int_equal(w->results.flows[HIGH].worst_accepted_ns, 33u * US - 1u);
    assert_in_range(proven.flows[0].accepted.value, w->results.flows[HIGH].worst_accepted_ns,
                    w->results.flows[HIGH].worst_accepted_ns + 6u * US);
    forget();
    world_close(w);
}

/* A gate that is always polled, by a task: each tick switches to it and back, even if there is
 * nothing. */
static void a_polling_task_costs_two_switches(void **state)
{
    struct world *const w = world_open(
        "name: t\ncpu: {irq: 0 us, switch: 5 us}\n"
        "tasks: [{name: x, priority: 3, period: 50 ms, wcet: 4 ms}]\n" RECEIVE(
            ", lock: 0 us, poll_priority: 30") "queues: [{name: q, ring: 8, gate: {kind: polling, "
                                               "packets: 1, period: 1 ms}}]\n" FLOW,
        20u * MS);
    const tg_ns just_before_a_tick_ns[] = {MS - 1u};

    (void)state;
    w->input.task_offsets_ns = just_before_a_tick_ns;
    world_run(w, TG_SIM_TIDEGATE);
    prove(w);
    /* Four times there and back; the first tick comes into the switch to x, which starts anew. */
    assert_int_equal(w->results.tasks[0].worst_ns, 4050u * US + 6u);
    assert_true(proven.tasks[0].response.value >= w->results.tasks[0].worst_ns);
    forget();
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_in_vain_costs_a_switch),
        cmocka_unit_test(waiting_for_the_lock_costs_two_switches),
        cmocka_unit_test(a_polling_task_costs_two_switches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
