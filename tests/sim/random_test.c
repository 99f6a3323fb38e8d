/* SPDX-License-Identifier: MIT
 *
 * random_test.c - random systems under every policy: nothing is lost without being counted (the
 * simulator itself refuses results that do not add up), the CPU is never idle while there is work,
 * nobody runs while somebody more urgent could, no thread is switched to more often than twice per
 * job, and the same input gives the same results.
 */
#include "world.h"

#include "rng.h"
#include "sim/traffic.h"
#include "tidegate/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEMS    150u
#define TEXT_BYTES 8192u
#define TASKS_MAX  6u

/* ---- A system -------------------------------------------------------------------------------- */

struct text {
    char bytes[TEXT_BYTES];
    size_t length;
};

static __attribute__((format(printf, 2, 3))) void add(struct text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    t->length += (size_t)vsnprintf(t->bytes + t->length, TEXT_BYTES - t->length, format, args);
    va_end(args);
    assert_true(t->length < TEXT_BYTES);
}

static const char *const matches[] = {"udp dst port 1", "tcp dst port 80", "arp",
                                      "ip6 and udp dst port 7", "icmp"};

/* Plain: no sections and no lock, so that the most urgent thread must have the CPU at every
 * moment. */
static void add_tasks(struct text *t, struct rng *r, bool is_plain)
{
    const uint32_t n = rng_below(r, TASKS_MAX + 1u);

    add(t, n == 0u ? "tasks: []\n" : "tasks:\n");
    for (uint32_t i = 0u; i < n; i++) {
        const uint32_t period_us = rng_between(r, 100u, 3000u);
        const uint32_t wcet_us = rng_between(r, 1u, period_us / 4u);

        add(t, "  - {name: t%u, priority: %u, period: %u us, wcet: %u us, deadline: %u us", i,
            rng_between(r, 3u, 31u), period_us, wcet_us, 3u * period_us);
        if (rng_percent(r, 50u)) {
            add(t, ", jitter: %u us", rng_below(r, 2u * period_us));
        }
        if (!is_plain && rng_percent(r, 50u)) {
            add(t, ", section: %u us, irq_off: %u us", rng_below(r, wcet_us + 1u),
                rng_below(r, 1u + wcet_us / 2u));
        }
        if (!is_plain && rng_percent(r, 50u)) {
            add(t, ", calls_stack: true");
        }
        add(t, "}\n");
    }
}

static void add_gate(struct text *t, struct rng *r)
{
    static const char *const kinds[] = {"deferrable", "sporadic", "polling"};

    if (rng_percent(r, 15u)) {
        add(t, "unlimited");
    } else {
        add(t, "{kind: %s, packets: %u, period: %u us}", kinds[rng_below(r, 3u)],
            rng_between(r, 1u, 40u), rng_between(r, 50u, 2000u));
    }
}

static void add_moderation(struct text *t, struct rng *r)
{
    if (rng_percent(r, 30u)) {
        add(t, ", absolute_timer: %u us", rng_between(r, 1u, 500u));
    }
    if (rng_percent(r, 30u)) {
        add(t, ", packet_timer: %u us", rng_between(r, 1u, 100u));
    }
    if (rng_percent(r, 30u)) {
        add(t, ", packets: %u", rng_between(r, 1u, 8u));
    }
}

static uint32_t add_queues(struct text *t, struct rng *r)
{
    const uint32_t n = rng_between(r, 1u, 3u);
    const bool is_shared = n > 1u && rng_percent(r, 50u);
    uint32_t descriptors = 0u;
    uint32_t highest = 31u;

    if (is_shared) {
        add(t, "gate: ");
        add_gate(t, r);
        add(t, "\n");
    }
    add(t, "queues:\n");
    for (uint32_t i = 0u; i < n; i++) {
        const uint32_t lowest = i + 1u == n ? 0u : highest - rng_between(r, 1u, 9u);
        const uint32_t ring = rng_between(r, 1u, 32u);

        add(t, "  - {name: q%u, ring: %u", i, ring);
        if (n > 1u) {
            add(t, ", priorities: %u..%u", lowest, highest);
        }
        add_moderation(t, r);
        if (!is_shared) {
            add(t, ", gate: ");
            add_gate(t, r);
        }
        add(t, "}\n");
        descriptors += ring;
        highest = lowest - 1u;
    }
    return descriptors;
}

static void add_flows(struct text *t, struct rng *r, uint32_t n, bool is_plain)
{
    add(t, n == 0u ? "flows: []\n" : "flows:\n");
    for (uint32_t i = 0u; i < n; i++) {
        add(t, "  - {name: f%u, match: %s, priority: %u, reserve: %u, deferred: %u us", i,
            matches[i], rng_below(r, 32u), rng_between(r, 1u, 10u), rng_between(r, 1u, 60u));
        if (rng_percent(r, 30u)) {
            add(t, ", budget: unlimited");
        } else {
            add(t, ", budget: {kind: %s, packets: %u, period: %u us}",
                rng_percent(r, 50u) ? "sporadic" : "deferrable", rng_between(r, 1u, 10u),
                rng_between(r, 100u, 5000u));
        }
        if (rng_percent(r, 40u)) {
            add(t, ", receiver: {priority: %u, wcet: %u us}", rng_between(r, 3u, 31u),
                rng_between(r, 1u, 60u));
        }
        if (!is_plain && rng_percent(r, 40u)) {
            add(t, ", section: %u ns", rng_below(r, 1000u));
        }
        if (rng_percent(r, 50u)) {
            add(t, ", every: 1 ms, jitter: 100 us, deadline: 2 ms");
        }
        add(t, "}\n");
    }
}

static void add_traffic(struct text *t, struct rng *r, uint32_t n_flows)
{
    const uint32_t n = rng_between(r, 1u, 6u);

    add(t, "scenarios:\n  - name: s\n    run: {for: 30 ms, seed: %u}\n    traffic:\n",
        rng_below(r, 1000000u));
    for (uint32_t i = 0u; i < n; i++) {
        const char *const forms[] = {"whole", "malformed", "fragment"};

        if (n_flows != 0u && rng_percent(r, 50u)) {
            add(t, "      - {frames: %s, length: 0, every: %u us, jitter: %u us",
                matches[rng_below(r, n_flows)], rng_between(r, 100u, 2000u), rng_below(r, 3000u));
        } else if (rng_percent(r, 50u)) {
            add(t, "      - {frames: udp dst port 9, form: %s, length: 0, rate: %u pps",
                forms[rng_below(r, 3u)], rng_between(r, 1000u, 1500000u));
        } else {
            add(t, "      - {frames: udp dst port 1, length: 0, poisson: %u pps",
                rng_between(r, 1000u, 300000u));
        }
        if (rng_percent(r, 30u)) {
            add(t, ", burst: %u", rng_between(r, 1u, 20u));
        }
        add(t, "}\n");
    }
}

static void random_system(struct text *t, struct rng *r, bool is_plain)
{
    const uint32_t n_flows = rng_below(r, 6u);
    struct text queues = {.length = 0u};
    const uint32_t descriptors = add_queues(&queues, r);

    t->length = 0u;
    add(t, "name: random\ncpu: {irq: %u ns, switch: %u ns}\n", rng_below(r, 3000u),
        rng_percent(r, 30u) ? 0u : rng_below(r, 2000u));
    add_tasks(t, r, is_plain);
    if (rng_percent(r, 30u)) {
        add(t,
            "servers: [{name: shell, kind: periodic, priority: %u, capacity: %u us, period: 2 "
            "ms}]\n",
            rng_between(r, 3u, 31u), rng_between(r, 1u, 400u));
    }
    add(t, "receive: {station: 02:00:00:00:00:01, driver: %u ns, eager: 1500 ns, deferred: 20 us, ",
        rng_below(r, 700u));
    if (rng_percent(r, 50u)) {
        add(t, "refused: %u ns, ", rng_between(r, 700u, 1500u));
    }
    add(t, "section: %u ns, lock: %u us, floor: %u, mtu: 1500, buffers: %u", is_plain ? 0u : 500u,
        is_plain ? 0u : rng_below(r, 10u), rng_below(r, 3u), descriptors + 100u);
    if (rng_percent(r, 30u)) {
        add(t, ", poll_priority: %u", rng_between(r, 3u, 31u));
    }
    /* A sporadic gate has no refills that a tick could do. */
    const bool is_by_tick = rng_percent(r, 50u) && strstr(queues.bytes, "sporadic") == NULL;

    add(t, ", refill: %s}\n%s", is_by_tick ? "tick" : "timestamp", queues.bytes);
    add_flows(t, r, n_flows, is_plain);
    if (rng_percent(r, 30u)) {
        add(t, "unregistered: drop\n");
    } else {
        add(t, "best_effort: {priority: 0, budget: unlimited, reserve: %u}\n",
            rng_between(r, 1u, 40u));
    }
    if (rng_percent(r, 50u)) {
        add(t, "stock: {queue: {ring: %u", rng_between(r, 1u, 32u));
        add_moderation(t, r);
        add(t, "}}\n");
    }
    add_traffic(t, r, n_flows);
}

/* ---- An observer ----------------------------------------------------------------------------- */

/* What can run, from the events alone. */
struct observer {
    const struct tg_system *system;
    bool is_plain;
    bool has_register;
    uint64_t jobs[TASKS_MAX]; /* released and not finished */
    uint64_t packets;         /* accepted, protocol work not ended */
    uint64_t receiver[16];    /* jobs */
    uint64_t works;           /* jobs, packets and jobs of receivers so far */
    uint32_t protocol_priority;
    bool is_interrupt;
    const char *complaint;
    tg_ns at_ns;
};

static uint32_t most_urgent(const struct observer *o)
{
    uint32_t highest = o->packets != 0u ? o->protocol_priority : 0u;

    for (uint32_t i = 0u; i < o->system->n_tasks; i++) {
        if (o->jobs[i] != 0u && o->system->tasks[i].priority > highest) {
            highest = o->system->tasks[i].priority;
        }
    }
    for (uint32_t i = 0u; i < o->system->n_flows; i++) {
        if (o->receiver[i] != 0u && o->system->flows[i].receiver_priority > highest) {
            highest = o->system->flows[i].receiver_priority;
        }
    }
    return highest;
}

static bool has_work(const struct observer *o)
{
    uint64_t work = o->packets;

    for (uint32_t i = 0u; i < TASKS_MAX; i++) {
        work += o->jobs[i];
    }
    for (uint32_t i = 0u; i < 16u; i++) {
        work += o->receiver[i];
    }
    return work != 0u;
}

static void complain(struct observer *o, const char *what, tg_ns at_ns)
{
    if (o->complaint == NULL) {
        o->complaint = what;
        o->at_ns = at_ns;
    }
}

static void see_runner(struct observer *o, const struct tg_sim_event *e)
{
    const uint32_t urgent = most_urgent(o);

    switch ((enum tg_sim_runner)e->value) {
    case TG_SIM_RUN_INTERRUPT:
        if (o->is_plain && o->has_register && has_work(o) &&
            o->system->queues[e->index].priority_max <= urgent) {
            complain(o, "the interrupt of a queue that the register holds back", e->at_ns);
        }
        break;
    case TG_SIM_RUN_IDLE:
        if (has_work(o)) {
            complain(o, "the CPU is idle while there is work", e->at_ns);
        }
        break;
    case TG_SIM_RUN_TASK:
        if (o->jobs[e->index] == 0u) {
            complain(o, "a task runs without a job", e->at_ns);
        }
        if (o->is_plain && o->system->tasks[e->index].priority < urgent) {
            complain(o, "a task runs although somebody is more urgent", e->at_ns);
        }
        break;
    case TG_SIM_RUN_RECEIVER:
        if (o->is_plain && o->system->flows[e->index].receiver_priority < urgent) {
            complain(o, "a receiver runs although somebody is more urgent", e->at_ns);
        }
        break;
    case TG_SIM_RUN_PROTOCOL:
        if (o->is_plain && o->protocol_priority < urgent) {
            complain(o, "the protocol task runs although somebody is more urgent", e->at_ns);
        }
        break;
    default:
        break;
    }
}

static void observe(void *ctx, const struct tg_sim_event *e)
{
    struct observer *const o = ctx;
    const uint32_t flow = e->index;

    switch (e->kind) {
    case TG_SIM_EVENT_RUN:
        see_runner(o, e);
        break;
    case TG_SIM_EVENT_RELEASE:
        o->jobs[e->index]++;
        o->works++;
        break;
    case TG_SIM_EVENT_FINISH:
        o->jobs[e->index]--;
        break;
    case TG_SIM_EVENT_VERDICT:
        o->packets += e->value == TG_VERDICT_PASSED;
        o->works += e->value == TG_VERDICT_PASSED;
        break;
    case TG_SIM_EVENT_DONE:
        o->packets--;
        if (flow != 0u && flow <= o->system->n_flows &&
            o->system->flows[flow - 1u].receiver_wcet_ns != 0u) {
            o->receiver[flow - 1u]++;
            o->works++;
        }
        break;
    case TG_SIM_EVENT_RECEIVED:
        o->receiver[flow - 1u]--;
        break;
    case TG_SIM_EVENT_PRIORITY:
        o->protocol_priority = e->value;
        break;
    default:
        break;
    }
}

/* ---- The runs -------------------------------------------------------------------------------- */

static void simulate(struct world *w, struct tg_traffic *traffic, enum tg_sim_policy policy,
                     struct tg_sim_results *out)
{
    w->input.policy = policy;
    w->input.for_ns = w->system->scenarios[0].for_ns;
    w->input.seed = w->system->scenarios[0].seed;
    w->input.arrivals = (struct tg_sim_arrivals){.next = tg_traffic_next, .ctx = traffic};
    w->input.stock_gate = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 12u, .period_ns = 700000u};
    tg_traffic_rewind(traffic);

    const int err = tg_sim_run(&w->input, out);

    if (err != 0) {
        fail_msg("%s: error %d: %s", tg_sim_policy_name(policy), err, out->failure);
    }
}

static void same_flows(const struct tg_sim_results *a, const struct tg_sim_results *b)
{
    for (uint32_t i = 0u; i < a->n_flows; i++) {
        const struct tg_hist *const x = &a->flows[i].latency;
        const struct tg_hist *const y = &b->flows[i].latency;

        assert_memory_equal(&a->flows[i], &b->flows[i],
                            offsetof(struct tg_sim_flow_result, latency));
        assert_memory_equal(x->buckets, y->buckets, x->n_buckets * sizeof x->buckets[0]);
        assert_int_equal(x->max, y->max);
    }
}

static void same(const struct tg_sim_results *a, const struct tg_sim_results *b)
{
    assert_memory_equal(a->tasks, b->tasks, a->n_tasks * sizeof a->tasks[0]);
    assert_memory_equal(a->queues, b->queues, sizeof a->queues);
    assert_memory_equal(a->cpu_ns, b->cpu_ns, sizeof a->cpu_ns);
    assert_int_equal(a->switches, b->switches);
    assert_int_equal(a->interrupts, b->interrupts);
    assert_int_equal(a->ticks, b->ticks);
    assert_int_equal(a->polled, b->polled);
    same_flows(a, b);
}

/* Two switches for each job or packet; one more for each packet where the protocol task looks for
 * another one in vain, and two for each tick that wakes a polling task and each job of a time
 * server. Waiting for the lock costs two more. */
static void check_switches(const struct world *w, const struct observer *o,
                           const struct tg_sim_results *results)
{
    uint64_t most = 3u * o->works + 2u;

    most += w->system->receive.polled_by_task ? 2u * results->ticks : 0u;
    for (size_t i = 0u; i < w->system->n_servers; i++) {
        most += 2u * (results->for_ns / w->system->servers[i].period_ns + 1u);
    }
    if (o->is_plain) {
        assert_in_range(results->switches, 0u, most);
    }
}

static void one_policy(struct world *w, struct tg_traffic *traffic, enum tg_sim_policy policy,
                       bool is_plain)
{
    struct observer o = {.system = w->system, .is_plain = is_plain};
    struct tg_sim_results quiet;
    struct tg_sim_results watched;

    o.has_register = policy == TG_SIM_COMBINED;
    o.protocol_priority = tg_sim_runs_core(policy) || policy == TG_SIM_STOCK_LOW
                              ? w->system->receive.floor
                              : TG_PRIORITIES;
    w->input.event = NULL;
    simulate(w, traffic, policy, &quiet);
    w->input.event = observe;
    w->input.event_ctx = &o;
    simulate(w, traffic, policy, &watched);
    if (o.complaint != NULL) {
        fail_msg("%s at %" PRIu64 " ns: %s", tg_sim_policy_name(policy), o.at_ns, o.complaint);
    }
    same(&quiet, &watched);
    check_switches(w, &o, &watched);
    tg_sim_results_free(&quiet);
    tg_sim_results_free(&watched);
}

static void random_systems_hold_together(void **state)
{
    struct text *const text = malloc(sizeof *text);
    struct rng r;

    (void)state;
    assert_non_null(text);
    rng_init(&r, "random_systems_hold_together");
    for (uint32_t n = 0u; n < SYSTEMS; n++) {
        const bool is_plain = rng_percent(&r, 50u);
        struct tg_traffic *traffic;
        char why[256];

        random_system(text, &r, is_plain);

        struct world *const w = world_open(text->bytes, 0u);

        assert_int_equal(
            tg_traffic_open(w->system, &w->system->scenarios[0], &traffic, why, sizeof why), 0);
        for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
            one_policy(w, traffic, (enum tg_sim_policy)p, is_plain);
        }
        tg_traffic_close(traffic);
        world_close(w);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_hold_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
