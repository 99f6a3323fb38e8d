/* SPDX-License-Identifier: MIT
 *
 * policies_test.c - what a stock driver does, by the definitions of docs/system-file.md, and what
 * it is not charged for. An interrupt costs 1 us to enter and 1 us for each frame (2 us with the
 * eager half), the tick 1 us, protocol work 10 us.
 */
#include "world.h"

#include "sim/limit.h"

#include <string.h>

#define SYSTEM(tasks, ring, more)                                                                  \
    "name: t\ncpu: {irq: 1 us, switch: 0 us}\n" tasks                                              \
    "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 2 us, deferred: 10 us, "           \
    "section: 0 us, floor: 3, buffers: 12, mtu: 1500, lock: 0 us}\n"                               \
    "queues: [{name: q, ring: " ring ", gate: {packets: 100, period: 1 ms}}]\n"                    \
    "flows:\n"                                                                                     \
    "  - {name: high, match: udp dst port 1, priority: 20, reserve: 2, budget: unlimited, "        \
    "deferred: 6 us}\n"                                                                            \
    "  - {name: low, match: udp dst port 2, priority: 6, reserve: 2, budget: unlimited}\n"         \
    "best_effort: {priority: 0, budget: unlimited, reserve: 2}\n" more

#define TASKS                                                                                      \
    "tasks:\n"                                                                                     \
    "  - {name: top, priority: 31, period: 1 ms, wcet: 20 us}\n"                                   \
    "  - {name: bottom, priority: 1, period: 1 ms, wcet: 20 us}\n"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

enum { BEST = 0, HIGH = 1, LOW = 2, MALFORMED = 3 };

static struct world *three_packets(void)
{
    static const tg_ns at_ns[] = {10u * US, 0u};
    struct world *const w = world_open(SYSTEM(TASKS, "4", ""), MS);

    w->input.task_offsets_ns = at_ns;
    world_arrive(w, 0u, BEST);
    world_arrive(w, 0u, LOW);
    world_arrive(w, 0u, HIGH);
    world_log_cpu(w);
    world_log(w, TG_SIM_EVENT_DONE);
    return w;
}

/* One queue, first come first served, above every task; the interrupt costs irq + driver, and goes
 * on without being entered again as long as frames are left. A flow's own protocol work is the same
 * everywhere. */
static void stock_high_is_above_every_task(void **state)
{
    struct world *const w = three_packets();

    (void)state;
    world_run(w, TG_SIM_STOCK_HIGH);
    world_assert_log(w, "0 irq q\n"
                        "4000 protocol\n"
                        "14000 best done\n"
                        "24000 low done\n"
                        "30000 high done\n"
                        "30000 top\n"
                        "50000 bottom\n"
                        "70000 idle\n");
    assert_int_equal(w->results.interrupts, 1u);
    world_close(w);
}

static void stock_low_is_at_the_floor(void **state)
{
    struct world *const w = three_packets();

    (void)state;
    world_run(w, TG_SIM_STOCK_LOW);
    world_assert_log(w, "0 irq q\n"
                        "4000 protocol\n" /* 3, above bottom */
                        "10000 top\n"
                        "30000 protocol\n"
                        "34000 best done\n"
                        "44000 low done\n"
                        "50000 high done\n"
                        "50000 bottom\n"
                        "70000 idle\n");
    world_close(w);
}

/* stock-high, but when the gate is spent reception is masked until the tick at the next refill. */
static void stock_limited_masks_until_the_refill(void **state)
{
    struct world *const w = three_packets();

    (void)state;
    w->input.stock_gate = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 2u, .period_ns = 100u * US};
    world_run(w, TG_SIM_STOCK_LIMITED);
    world_assert_log(w, "0 irq q\n"
                        "3000 protocol\n"
                        "13000 best done\n"
                        "23000 low done\n"
                        "23000 top\n"
                        "43000 bottom\n"
                        "63000 idle\n"
                        "100000 tick\n"
                        "101000 irq q\n"
                        "103000 protocol\n"
                        "109000 high done\n"
                        "109000 idle\n");
    assert_int_equal(w->results.mode_changes, 1u);
    world_close(w);
}

/* The whole pool but the ring serves whoever comes first, malformed frames as well: 8 of 12. */
static void stock_has_one_pool(void **state)
{
    struct world *const w = world_open(SYSTEM("tasks: []\n", "4", ""), MS);

    (void)state;
    for (uint32_t i = 0u; i < 12u; i++) {
        /* One a microsecond: the interrupt keeps up, the protocol task gets nothing meanwhile. */
        world_arrive(w, i * US, i == 3u ? MALFORMED : i == 11u ? HIGH : BEST);
    }
    world_run(w, TG_SIM_STOCK_HIGH);
    assert_int_equal(w->results.most_held_pkts, 8u);
    assert_int_equal(w->results.flows[BEST].delivered, 7u);
    assert_int_equal(w->results.flows[BEST].dropped_no_buffer, 3u);
    assert_int_equal(w->results.flows[MALFORMED].delivered, 1u);
    assert_int_equal(w->results.flows[HIGH].dropped_no_buffer, 1u);
    assert_int_equal(w->results.cpu_ns[TG_SIM_SHARE_INTERRUPTS], 13u * US);
    assert_int_equal(w->results.cpu_ns[TG_SIM_SHARE_PROTOCOL], 80u * US);
    world_close(w);
}

/* What a driver with a filter in the NIC would drop is accounted for by flow, but every policy has
 * the same NIC and the same arrivals. */
static void all_policies_get_the_same_arrivals(void **state)
{
    struct world *const w = world_open(SYSTEM(TASKS, "4", ""), MS);

    (void)state;
    for (uint32_t i = 0u; i < 900u; i++) {
        world_arrive(w, i * US, (int)(i * 7u % 4u));
    }
    w->input.stock_gate = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 5u, .period_ns = 100u * US};
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        world_run(w, (enum tg_sim_policy)p);
        for (uint32_t f = 0u; f < 4u; f++) {
            assert_int_equal(w->results.flows[f].sent, 225u);
        }
    }
    world_close(w);
}

#define LOAD(packets)                                                                              \
    "scenarios:\n"                                                                                 \
    "  - name: load\n"                                                                             \
    "    run: {for: 20 ms, seed: 1}\n"                                                             \
    "    traffic: [{frames: udp dst port 9, rate: " packets ", length: 0}]\n"

static struct tg_sim_input load_of(struct world *w, struct tg_traffic **traffic)
{
    char text[256];

    assert_int_equal(
        tg_traffic_open(w->system, &w->system->scenarios[0], traffic, text, sizeof text), 0);
    w->input.arrivals = (struct tg_sim_arrivals){.next = tg_traffic_next, .ctx = *traffic};
    return w->input;
}

static bool misses_with(struct tg_sim_input input, struct tg_traffic *traffic, uint32_t packets)
{
    struct tg_sim_results results;

    input.policy = TG_SIM_STOCK_LIMITED;
    input.stock_gate = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = packets, .period_ns = MS};
    tg_traffic_rewind(traffic);
    assert_int_equal(tg_sim_run(&input, &results), 0);
    tg_sim_results_free(&results);
    return results.has_missed;
}

/* A frame comes every 5 us and a task needs 500 us of each ms. While frames are admitted reception
 * has the CPU alone; 8 packets at most are then left, 80 us: so the gate is about (1000 - 500 - 80)
 * / 5. */
static void the_search_finds_the_largest_gate(void **state)
{
    struct world *const w =
        world_open(SYSTEM("tasks: [{name: half, priority: 9, period: 1 ms, wcet: 500 us}]\n", "4",
                          LOAD("200 kpps")),
                   20u * MS);
    struct tg_traffic *traffic;
    const struct tg_sim_input input = load_of(w, &traffic);
    uint32_t packets;
    enum tg_limit_kind kind;

    (void)state;
    assert_int_equal(tg_limit_search(&input, traffic, MS, &packets, &kind), 0);
    assert_int_equal(kind, TG_LIMIT_FOUND);
    assert_in_range(packets, 80u, 90u);
    assert_false(misses_with(input, traffic, packets));
    assert_true(misses_with(input, traffic, packets + 1u));
    tg_traffic_close(traffic);
    world_close(w);
}

/* Nothing to limit: ten packets per period. */
static void the_search_may_find_no_need(void **state)
{
    struct world *const w =
        world_open(SYSTEM("tasks: [{name: half, priority: 9, period: 1 ms, wcet: 500 us}]\n", "4",
                          LOAD("10 kpps")),
                   20u * MS);
    struct tg_traffic *traffic;
    const struct tg_sim_input input = load_of(w, &traffic);
    uint32_t packets;
    enum tg_limit_kind kind;

    (void)state;
    assert_int_equal(tg_limit_search(&input, traffic, MS, &packets, &kind), 0);
    assert_int_equal(kind, TG_LIMIT_NOT_NEEDED);
    assert_false(misses_with(input, traffic, packets));
    tg_traffic_close(traffic);
    world_close(w);
}

/* Not even one: the task needs all but 5 us. */
static void the_search_may_find_nothing(void **state)
{
    struct world *const w =
        world_open(SYSTEM("tasks: [{name: most, priority: 9, period: 1 ms, wcet: 995 us}]\n", "4",
                          LOAD("10 kpps")),
                   20u * MS);
    struct tg_traffic *traffic;
    const struct tg_sim_input input = load_of(w, &traffic);
    uint32_t packets;
    enum tg_limit_kind kind;

    (void)state;
    assert_int_equal(tg_limit_search(&input, traffic, MS, &packets, &kind), 0);
    assert_int_equal(kind, TG_LIMIT_NONE);
    assert_int_equal(packets, 1u);
    assert_true(misses_with(input, traffic, 1u));
    tg_traffic_close(traffic);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stock_high_is_above_every_task),
        cmocka_unit_test(stock_low_is_at_the_floor),
        cmocka_unit_test(stock_limited_masks_until_the_refill),
        cmocka_unit_test(stock_has_one_pool),
        cmocka_unit_test(all_policies_get_the_same_arrivals),
        cmocka_unit_test(the_search_finds_the_largest_gate),
        cmocka_unit_test(the_search_may_find_no_need),
        cmocka_unit_test(the_search_may_find_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
