/* SPDX-License-Identifier: MIT
 *
 * api_test.c - what a caller of the simulator can give and get: adversaries, hooks, early stops,
 * errors.
 */
#include "world.h"

#include <stdio.h>
#include <string.h>

#define SYSTEM(tasks, flow)                                                                        \
    "name: t\ncpu: {irq: 1 us, switch: 0 us}\n" tasks                                              \
    "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 2 us, deferred: 10 us, "           \
    "section: 0 us, floor: 1, buffers: 64, mtu: 1500, lock: 0 us}\n"                               \
    "queues: [{name: q, ring: 8, gate: {packets: 4, period: 100 us}}]\n"                           \
    "flows: [{name: high, match: udp dst port 1, priority: 20, reserve: 8, budget: unlimited" flow \
    "}]\n"                                                                                         \
    "best_effort: {priority: 0, budget: unlimited, reserve: 16}\n"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

enum { BEST = 0, HIGH = 1 };

/* ---- Conforming sources: at most burst * ceil((D + jitter) / every) frames in any window D --- */

static bool conforms(const char *source, const uint64_t *at_us, uint32_t n)
{
    char text[2048];

    (void)snprintf(text, sizeof text, SYSTEM("tasks: []\n", "%s"), source);

    struct world *const w = world_open(text, 100u * MS);

    for (uint32_t i = 0u; i < n; i++) {
        world_arrive(w, at_us[i] * US, HIGH);
    }
    world_run(w, TG_SIM_TIDEGATE);

    const bool is_conforming = w->results.flows[HIGH].is_conforming;

    world_close(w);
    return is_conforming;
}

#define CONFORMS(source, ...)                                                                      \
    conforms(source, (const uint64_t[]){__VA_ARGS__},                                              \
             sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void sources_are_judged(void **state)
{
    (void)state;
    /* No jitter: a period apart at least. */
    assert_true(CONFORMS(", every: 1 ms", 0u, 1000u, 2000u, 5000u, 6000u));
    assert_false(CONFORMS(", every: 1 ms", 0u, 1000u, 1999u));
    /* Jitter: two may come close together, if the first of them was as late as it may be. */
    assert_true(CONFORMS(", every: 1 ms, jitter: 300 us", 300u, 1000u, 2300u, 3000u));
    assert_true(CONFORMS(", every: 1 ms, jitter: 300 us", 5000u, 5700u, 6700u));
    assert_false(CONFORMS(", every: 1 ms, jitter: 300 us", 5000u, 5699u));
    assert_false(CONFORMS(", every: 1 ms, jitter: 300 us", 5000u, 5700u, 6699u));
    /* Jitter beyond the period. */
    assert_true(CONFORMS(", every: 100 us, jitter: 250 us", 1000u, 1000u, 1000u, 1050u, 1150u));
    assert_false(CONFORMS(", every: 100 us, jitter: 250 us", 1000u, 1000u, 1000u, 1049u));
    /* Bursts. */
    assert_true(CONFORMS(", every: 1 ms, burst: 2", 0u, 0u, 1000u, 1000u));
    assert_false(CONFORMS(", every: 1 ms, burst: 2", 0u, 0u, 999u));
    /* Who says nothing promises nothing. */
    assert_true(CONFORMS("", 0u, 0u, 0u));
}

/* ---- Adversaries ----------------------------------------------------------------------------- */

/* A new frame at the very instant at which reception goes idle, as long as it may interrupt. */
static bool never_idle(void *ctx, const struct tg_sim_view *view, struct tg_sim_arrival *out)
{
    const struct world *const w = ctx;

    if (view->unmasked == 0u) {
        return false;
    }
    assert_int_equal(view->filled_pkts[0], 0u);
    *out = (struct tg_sim_arrival){.frame = &w->frames[BEST]};
    return true;
}

static void a_flood_can_react(void **state)
{
    struct world *const w = world_open(SYSTEM("tasks: []\n", ""), 250u * US);

    (void)state;
    w->input.react = never_idle;
    w->input.react_ctx = w;
    world_log_cpu(w);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n" /* four times 1 + 2: the ring is empty after each */
                        "12000 protocol\n"
                        "52000 idle\n"
                        "100000 tick\n" /* nothing in the ring: open again */
                        "101000 irq q\n"
                        "113000 protocol\n"
                        "153000 idle\n"
                        "200000 tick\n"
                        "201000 irq q\n"
                        "213000 protocol\n");
    assert_int_equal(w->results.packets, 12u);
    assert_int_equal(w->results.interrupts, 12u);
    world_close(w);
}

/* ---- Hooks ----------------------------------------------------------------------------------- */

struct samples {
    uint32_t n;
    uint64_t delivered[8];
    uint64_t dropped[8];
    tg_ns at_ns[8];
};

static void take_sample(void *ctx, tg_ns now_ns, const struct tg_sim_results *so_far)
{
    struct samples *const s = ctx;
    tg_ns cpu_ns = 0u;

    for (uint32_t i = 0u; i < TG_SIM_SHARES; i++) {
        cpu_ns += so_far->cpu_ns[i];
    }
    assert_int_equal(cpu_ns, now_ns);
    assert_true(s->n < 8u);
    s->at_ns[s->n] = now_ns;
    s->delivered[s->n] = so_far->flows[HIGH].delivered;
    s->dropped[s->n] = so_far->flows[HIGH].dropped_budget;
    s->n++;
}

/* Counters that the core keeps are brought up to date for each sample. */
static void samples_show_the_results_so_far(void **state)
{
    struct world *const w = world_open(
        "name: t\ncpu: {irq: 1 us, switch: 0 us}\ntasks: []\n"
        "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 2 us, deferred: 10 us, "
        "section: 0 us, floor: 1, buffers: 64, mtu: 1500, lock: 0 us}\n"
        "queues: [{name: q, ring: 8, gate: {packets: 4, period: 100 us}}]\n"
        "flows: [{name: high, match: udp dst port 1, priority: 20, reserve: 8, "
        "budget: {packets: 1, period: 100 us}}]\n"
        "best_effort: {priority: 0, budget: unlimited, reserve: 16}\n",
        500u * US);
    struct samples samples = {.n = 0u};

    (void)state;
    for (uint32_t i = 0u; i < 5u; i++) {
        world_arrive(w, i * 100u * US + 10u * US, HIGH);
        world_arrive(w, i * 100u * US + 10u * US, HIGH);
    }
    w->input.sample = take_sample;
    w->input.sample_ctx = &samples;
    w->input.sample_ns = 100u * US;
    world_run(w, TG_SIM_TIDEGATE);
    assert_int_equal(samples.n, 5u);
    for (uint32_t i = 0u; i < 5u; i++) {
        assert_int_equal(samples.at_ns[i], (i + 1u) * 100u * US);
        assert_int_equal(samples.delivered[i], i + 1u);
        assert_int_equal(samples.dropped[i], i + 1u);
    }
    world_close(w);
}

/* Seen at the release of the next job, when the one before is past its deadline and not done. */
static void a_run_can_stop_at_a_miss(void **state)
{
    struct world *const w = world_open(
        SYSTEM("tasks: [{name: late, priority: 5, period: 100 us, wcet: 250 us}]\n", ""), 10u * MS);

    (void)state;
    w->input.stop_on_miss = true;
    world_run(w, TG_SIM_TIDEGATE);
    assert_true(w->results.has_missed);
    assert_int_equal(w->results.for_ns, 200u * US);
    world_close(w);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

static struct tg_sim_arrival bad_arrivals[2];

static bool next_bad(void *ctx, struct tg_sim_arrival *out)
{
    uint32_t *const n = ctx;

    if (*n == 2u) {
        return false;
    }
    *out = bad_arrivals[(*n)++];
    return true;
}

static int run_bad(struct world *w)
{
    uint32_t n = 0u;

    tg_sim_results_free(&w->results);
    w->input.policy = TG_SIM_TIDEGATE;
    w->input.arrivals = (struct tg_sim_arrivals){.next = next_bad, .ctx = &n};
    return tg_sim_run(&w->input, &w->results);
}

static void bad_input_is_refused(void **state)
{
    struct world *const w = world_open(SYSTEM("tasks: []\n", ""), MS);

    (void)state;
    bad_arrivals[0] = (struct tg_sim_arrival){.at_ns = 5u, .frame = &w->frames[BEST]};
    bad_arrivals[1] = (struct tg_sim_arrival){.at_ns = 4u, .frame = &w->frames[BEST]};
    assert_int_equal(run_bad(w), TG_SIM_ERR_ARRIVALS);
    bad_arrivals[1] = (struct tg_sim_arrival){.at_ns = 6u, .queue = 1u};
    assert_int_equal(run_bad(w), TG_SIM_ERR_ARRIVALS);
    bad_arrivals[1] = bad_arrivals[0];
    assert_int_equal(run_bad(w), 0);

    w->input.policy = TG_SIM_STOCK_LIMITED; /* a forgotten gate is not unlimited */
    tg_sim_results_free(&w->results);
    w->input.arrivals.next = NULL;
    assert_int_equal(tg_sim_run(&w->input, &w->results), TG_SIM_ERR_CONFIG);
    assert_non_null(strstr(w->results.failure, "gate"));

    w->system->receive.buffers_pkts = 9u; /* less than ring and reserves */
    w->input.policy = TG_SIM_TIDEGATE;
    tg_sim_results_free(&w->results);
    assert_int_equal(tg_sim_run(&w->input, &w->results), TG_SIM_ERR_CONFIG);
    assert_non_null(strstr(w->results.failure, "refuses"));
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_are_judged),
        cmocka_unit_test(a_flood_can_react),
        cmocka_unit_test(samples_show_the_results_so_far),
        cmocka_unit_test(a_run_can_stop_at_a_miss),
        cmocka_unit_test(bad_input_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
