/* SPDX-License-Identifier: MIT
 *
 * controllers_test.c - one queue or several, moderated or not, and the register with the running
 * priority. An interrupt costs 1 us to enter and 1 us for each frame (2 us with the eager half),
 * the tick 1 us, protocol work 10 us.
 */
#include "world.h"

#define SYSTEM(tasks, gate, more) SYSTEM_POLLED(tasks, "", gate, more)

#define SYSTEM_POLLED(tasks, poll, gate, more)                                                     \
    "name: t\ncpu: {irq: 1 us, switch: 0 us}\n" tasks                                              \
    "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 2 us, deferred: 10 us, "           \
    "section: 0 us, floor: 1, buffers: 40, mtu: 1500, lock: 0 us" poll "}\n"                       \
    "queues:\n"                                                                                    \
    "  - {name: above, priorities: 16..31, ring: 4, gate: {packets: 100, period: 1 ms}}\n"         \
    "  - {name: below, priorities: 0..15, ring: 4, " gate "}\n"                                    \
    "flows:\n"                                                                                     \
    "  - {name: urgent, match: udp dst port 1, priority: 20, reserve: 8, budget: unlimited}\n"     \
    "  - {name: bulk, match: udp dst port 2, priority: 6, reserve: 8, budget: unlimited}\n" more

#define GATE  "gate: {packets: 100, period: 1 ms}"
#define DROP  "unregistered: drop\n"
#define STOCK "stock: {queue: {ring: 6, absolute_timer: 50 us}}\n"
#define NONE  "tasks: []\n"
#define TASK(name, priority)                                                                       \
    "tasks:\n  - {name: " name ", priority: " priority ", period: 1 ms, wcet: 20 us}\n"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

enum { BEST = 0, URGENT = 1, BULK = 2, MALFORMED = 3 };

/* ---- One queue, or one per range ------------------------------------------------------------- */

static struct world *one_of_each(const char *more)
{
    struct world *const w = world_open(more, MS);

    world_arrive(w, 0u, BULK);
    world_arrive(w, 30u * US, URGENT);
    return w;
}

static const char controllers[] = SYSTEM(NONE, "absolute_timer: 100 us, " GATE, DROP STOCK);

/* What stock drivers make of them on the queues of the file. */
#define BY_RANGE                                                                                   \
    "0 idle\n30000 irq above\n32000 protocol\n42000 idle\n"                                        \
    "100000 irq below\n102000 protocol\n112000 idle\n"

static void stock_high_has_one_queue_without_moderation(void **state)
{
    (void)state;
    world_expect(one_of_each(controllers), TG_SIM_STOCK_HIGH,
                 "0 irq stock\n"
                 "2000 protocol\n"
                 "12000 idle\n"
                 "30000 irq stock\n"
                 "32000 protocol\n"
                 "42000 idle\n");
}

static void stock_moderated_has_one_queue_with_it(void **state)
{
    (void)state;
    world_expect(one_of_each(controllers), TG_SIM_STOCK_MODERATED,
                 "0 idle\n"
                 "50000 irq stock\n"
                 "53000 protocol\n"
                 "73000 idle\n");
}

static void nic_has_a_queue_for_each_range(void **state)
{
    (void)state;
    world_expect(one_of_each(controllers), TG_SIM_NIC, BY_RANGE);
}

/* The core is on the queues of the file whatever stock drivers have. */
static void the_core_is_on_the_queues_of_the_file(void **state)
{
    struct world *const w = one_of_each(controllers);

    (void)state;
    world_run(w, TG_SIM_STOCK_HIGH);
    assert_int_equal(w->results.n_queues, 1u);
    world_run(w, TG_SIM_COMBINED);
    assert_int_equal(w->results.n_queues, 2u);
    assert_int_equal(w->results.queues[1].interrupts, 1u);
    world_expect(w, TG_SIM_TIDEGATE,
                 "0 idle\n"
                 "30000 irq above\n"
                 "33000 protocol\n"
                 "43000 idle\n"
                 "100000 irq below\n"
                 "103000 protocol\n"
                 "113000 idle\n");
}

/* Ring and packets share the buffers of the file, under every policy. */
static void a_ring_of_stock_drivers_loses_what_is_too_much(void **state)
{
    struct world *const w = world_open(controllers, MS);

    (void)state;
    for (uint32_t i = 0u; i < 9u; i++) {
        world_arrive(w, 0u, i % 2u == 0u ? BULK : URGENT);
    }
    world_run(w, TG_SIM_STOCK_HIGH);
    assert_int_equal(w->results.queues[0].received, 6u);
    assert_int_equal(w->results.queues[0].lost, 3u);
    assert_int_equal(w->results.flows[URGENT].lost, 1u);
    world_close(w);
}

static void without_a_queue_of_their_own_stock_drivers_have_those_of_the_file(void **state)
{
    static const char text[] = SYSTEM(NONE, "absolute_timer: 100 us, " GATE, DROP);
    static const enum tg_sim_policy policies[] = {TG_SIM_STOCK_HIGH, TG_SIM_STOCK_MODERATED,
                                                  TG_SIM_NIC};

    (void)state;
    for (uint32_t i = 0u; i < 3u; i++) {
        world_expect(one_of_each(text), policies[i], BY_RANGE);
    }
}

/* ---- What no flow takes ---------------------------------------------------------------------- */

static struct world *strangers(const char *text)
{
    struct world *const w = world_open(text, MS);

    world_arrive(w, 0u, BEST);
    world_arrive(w, 0u, MALFORMED);
    world_arrive(w, 10u * US, BULK);
    return w;
}

static void a_controller_that_knows_flows_drops_the_rest(void **state)
{
    static const char text[] = SYSTEM(NONE, GATE, DROP);
    static const enum tg_sim_policy policies[] = {TG_SIM_NIC, TG_SIM_COMBINED};

    (void)state;
    for (uint32_t i = 0u; i < 2u; i++) {
        struct world *const w = strangers(text);

        world_log(w, TG_SIM_EVENT_VERDICT);
        world_run(w, policies[i]);
        world_assert_log(w, i == 0u ? "0 best unregistered\n0 malformed malformed\n"
                                      "12000 bulk passed\n"
                                    : "0 best unregistered\n0 malformed malformed\n"
                                      "13000 bulk passed\n");
        assert_int_equal(w->results.flows[BEST].unregistered, 1u);
        assert_int_equal(w->results.flows[MALFORMED].malformed, 1u);
        assert_int_equal(w->results.queues[0].received + w->results.queues[1].received, 1u);
        assert_int_equal(w->results.interrupts, 1u);
        world_close(w);
    }
}

/* tidegate drops them in the interrupt; a stock driver passes them on. */
static void other_controllers_let_them_in(void **state)
{
    struct world *const w = strangers(SYSTEM(NONE, GATE, DROP));

    (void)state;
    world_run(w, TG_SIM_TIDEGATE);
    assert_int_equal(w->results.flows[BEST].unregistered, 1u);
    assert_int_equal(w->results.cpu_ns[TG_SIM_SHARE_INTERRUPTS], 8u * US);
    world_run(w, TG_SIM_STOCK_HIGH);
    assert_int_equal(w->results.flows[BEST].delivered, 1u);
    assert_int_equal(w->results.flows[MALFORMED].delivered, 1u);
    world_close(w);
}

static void best_effort_is_let_in_where_the_file_wants_it(void **state)
{
    struct world *const w = strangers(
        SYSTEM(NONE, GATE, "best_effort: {priority: 0, budget: unlimited, reserve: 4}\n"));

    (void)state;
    world_run(w, TG_SIM_COMBINED);
    assert_int_equal(w->results.flows[BEST].delivered, 1u);
    assert_int_equal(w->results.queues[1].received, 3u);
    world_close(w);
}

/* ---- The running-priority register ----------------------------------------------------------- */

static void a_queue_below_waits_for_the_task_above(void **state)
{
    struct world *const w = world_open(SYSTEM(TASK("top", "24"), GATE, DROP), MS);

    (void)state;
    world_arrive(w, 5u * US, BULK);
    world_arrive(w, 7u * US, URGENT); /* 31 is above 24 */
    world_run(w, TG_SIM_TIDEGATE);
    assert_int_equal(w->results.tasks[0].worst_ns, 26u * US);
    world_expect(w, TG_SIM_COMBINED,
                 "0 top\n"
                 "7000 irq above\n"
                 "10000 top\n"
                 "23000 protocol\n" /* at 20 it holds `below` back, too */
                 "33000 irq below\n"
                 "36000 protocol\n"
                 "46000 idle\n");
}

/* A task within the range has to stand its traffic, up to the top of the range, which is excluded:
 * the queue is not above the task then. */
static void a_queue_waits_for_what_is_at_its_top(void **state)
{
    struct world *const inside = world_open(SYSTEM(TASK("task", "14"), GATE, DROP), MS);
    struct world *const top = world_open(SYSTEM(TASK("task", "15"), GATE, DROP), MS);

    (void)state;
    world_arrive(inside, 5u * US, BULK);
    world_expect(inside, TG_SIM_COMBINED,
                 "0 task\n"
                 "5000 irq below\n"
                 "8000 task\n"
                 "23000 protocol\n"
                 "33000 idle\n");
    world_arrive(top, 5u * US, BULK);
    world_expect(top, TG_SIM_COMBINED,
                 "0 task\n"
                 "20000 irq below\n"
                 "23000 protocol\n"
                 "33000 idle\n");
}

/* The frame that the interrupt is at is all that the task has to wait for; and the interrupt is
 * entered again. */
static void an_interrupt_is_left_for_a_job_above(void **state)
{
    static const tg_ns at_ns[] = {2u * US};
    struct world *const w = world_open(SYSTEM(TASK("top", "24"), GATE, DROP), MS);

    (void)state;
    w->input.task_offsets_ns = at_ns;
    for (uint32_t i = 0u; i < 3u; i++) {
        world_arrive(w, 0u, BULK);
    }
    world_run(w, TG_SIM_TIDEGATE);
    assert_int_equal(w->results.tasks[0].worst_ns, 25u * US); /* 1 + 3 * 2 us, from 2 us on */
    world_run(w, TG_SIM_COMBINED);
    assert_int_equal(w->results.tasks[0].worst_ns, 21u * US);
    assert_int_equal(w->results.interrupts, 2u);
    world_expect(w, TG_SIM_COMBINED,
                 "0 irq below\n"
                 "3000 top\n"
                 "23000 irq below\n"
                 "28000 protocol\n"
                 "58000 idle\n");
}

/* A gate that is spent needs its tick, and polls in the tick handler are no interrupts. */
static void polls_in_the_tick_handler_are_not_held_back(void **state)
{
    static const tg_ns at_ns[] = {95u * US};
    struct world *const w = world_open(
        SYSTEM(TASK("top", "24"), "gate: {packets: 1, period: 100 us}", DROP), 250u * US);

    (void)state;
    w->input.task_offsets_ns = at_ns;
    world_arrive(w, 0u, BULK);
    world_arrive(w, 0u, BULK);
    world_expect(w, TG_SIM_COMBINED,
                 "0 irq below\n"
                 "3000 protocol\n"
                 "13000 idle\n"
                 "95000 top\n"
                 "100000 tick\n"
                 "101000 poll below\n"
                 "103000 top\n"
                 "118000 protocol\n"
                 "128000 idle\n"
                 "200000 tick\n"
                 "201000 idle\n");
}

/* With a task that polls, they wait as that task does. */
static void polls_of_a_task_wait_for_what_is_above(void **state)
{
    static const char text[] = SYSTEM_POLLED(TASK("top", "24"), ", poll_priority: 15",
                                             "gate: {packets: 1, period: 100 us}", DROP);
    static const tg_ns at_ns[] = {95u * US};
    struct world *const w = world_open(text, 180u * US);

    (void)state;
    w->input.task_offsets_ns = at_ns;
    world_arrive(w, 0u, BULK);
    world_arrive(w, 0u, BULK);
    world_expect(w, TG_SIM_COMBINED,
                 "0 irq below\n"
                 "3000 protocol\n"
                 "13000 idle\n"
                 "95000 top\n"
                 "100000 tick\n"
                 "101000 top\n"
                 "116000 poller\n"
                 "118000 protocol\n"
                 "128000 idle\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stock_high_has_one_queue_without_moderation),
        cmocka_unit_test(stock_moderated_has_one_queue_with_it),
        cmocka_unit_test(nic_has_a_queue_for_each_range),
        cmocka_unit_test(the_core_is_on_the_queues_of_the_file),
        cmocka_unit_test(a_ring_of_stock_drivers_loses_what_is_too_much),
        cmocka_unit_test(without_a_queue_of_their_own_stock_drivers_have_those_of_the_file),
        cmocka_unit_test(a_controller_that_knows_flows_drops_the_rest),
        cmocka_unit_test(other_controllers_let_them_in),
        cmocka_unit_test(best_effort_is_let_in_where_the_file_wants_it),
        cmocka_unit_test(a_queue_below_waits_for_the_task_above),
        cmocka_unit_test(a_queue_waits_for_what_is_at_its_top),
        cmocka_unit_test(an_interrupt_is_left_for_a_job_above),
        cmocka_unit_test(polls_in_the_tick_handler_are_not_held_back),
        cmocka_unit_test(polls_of_a_task_wait_for_what_is_above),
    };

    return cmocka_run_group_tests_name("controllers", tests, NULL, NULL);
}
