/* SPDX-License-Identifier: MIT
 *
 * system_lower_test.c - a file with every field: what is read, and both lowerings, by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "analysis/lower.h"
#include "system_base.h"

static const char every_field[] =
    "name: full\n"
    "cpu: {irq: 1 us, switch: 500 ns}\n"
    "tasks:\n"
    "  - {name: a, priority: 20, period: 1 ms, wcet: 300 us, deadline: 900 us, jitter: 10 us,\n"
    "     blocking: 5 us, section: 2 us, irq_off: 1 us, calls_stack: true}\n"
    "  - {name: b, priority: 4, period: 20 ms, wcet: 4 ms}\n"
    "servers:\n"
    "  - {name: s, kind: sporadic, priority: 3, capacity: 1 ms, period: 10 ms}\n"
    "receive:\n"
    "  {station: 02:00:00:00:00:0a, driver: 700 ns, eager: 2 us, refused: 1500 ns,\n"
    "   deferred: 20 us, section: 1 us, lock: 8 us, floor: 5, buffers: 96, mtu: 1400, tick: 3 us, "
    "poll_priority: 30,\n"
    "   refill: tick, irq_off: 4 us, wire_gap: 6720 ns}\n"
    "gate: {packets: 32, period: 500 us, kind: deferrable, fixed: true}\n"
    "queues:\n"
    "  - {name: hi, ring: 16, priorities: 20..31, isolated: true, absolute_timer: 2 ms,\n"
    "     packet_timer: 200 us, packets: 16}\n"
    "  - {name: lo, ring: 8, priorities: 0..19}\n"
    "flows:\n"
    "  - {name: f, match: udp dst port 5000, priority: 21, reserve: 6, every: 1 ms, jitter: 50 "
    "us,\n"
    "     budget: {packets: 3, period: 1 ms, kind: sporadic, fixed: true}, burst: 2,\n"
    "     deadline: 700 us, assume_conforming: true, deferred: 30 us, section: 2 us,\n"
    "     irq_off: 1500 ns, receiver: {priority: 19, wcet: 50 us}}\n"
    "  - {name: g, match: arp, priority: 3, reserve: 4, budget: {packets: 2, period: 10 ms}}\n"
    "  - {name: h, match: icmp, priority: 3, reserve: 4, budget: unlimited}\n"
    "best_effort: {priority: 0, budget: {packets: 5, period: 1 s, kind: sporadic}, reserve: 32}\n"
    "unregistered: best_effort\n"
    "stock: {gate: {packets: 15, period: 1 ms}}\n"
    "scenarios:\n"
    "  - name: all\n"
    "    run: {for: 1 s, seed: 7}\n"
    "    traffic:\n"
    "      - {flow: f, every: 1 ms, jitter: 50 us, burst: 2, from: 1 ms, until: 900 ms, length: "
    "10}\n"
    "      - {frames: udp dst port 9, rate: 40 kpps, form: fragment}\n"
    "      - {frames: icmp6, poisson: 10 /s, form: malformed, burst: 3}\n"
    "      - {capture: a.pcap, repeat: 2, from: 5 ms}\n"
    "  - {name: none, run: {for: 2 us}, traffic: []}\n";

static struct tg_system *parse(const char *text)
{
    struct tg_errors *const errors = malloc(sizeof *errors);
    struct tg_system *system = NULL;

    assert_non_null(errors);
    if (tg_system_parse(text, strlen(text), NULL, &system, errors) != 0) {
        tg_errors_print(errors, "text", stderr);
    }
    free(errors);
    assert_non_null(system);
    return system;
}

static int read_full(void **state)
{
    *state = parse(every_field);
    return 0;
}

static int release(void **state)
{
    tg_system_free(*state);
    return 0;
}

/* ---- What is read ---------------------------------------------------------------------------- */

static void test_tasks(void **state)
{
    const struct tg_system *const s = *state;

    assert_string_equal(s->name, "full");
    assert_true(s->irq_ns == 1000u && s->switch_ns == 500u);
    assert_int_equal(s->n_tasks, 2u);
    const struct tg_system_task *const a = &s->tasks[0];
    assert_string_equal(a->name, "a");
    assert_true(a->at.line == 4u && a->at.column == 5u && a->priority == 20u);
    assert_true(a->period_ns == 1000000u && a->wcet_ns == 300000u && a->deadline_ns == 900000u);
    assert_true(a->jitter_ns == 10000u && a->blocking_ns == 5000u && a->section_ns == 2000u);
    assert_true(a->irq_off_ns == 1000u && a->calls_stack);
    const struct tg_system_task *const b = &s->tasks[1];
    assert_true(b->deadline_ns == 20000000u); /* its period */
    assert_true(b->jitter_ns == 0u && b->blocking_ns == 0u && b->section_ns == 0u);
    assert_true(b->irq_off_ns == 0u && !b->calls_stack);
    assert_int_equal(s->n_servers, 1u);
    assert_string_equal(s->servers[0].name, "s");
    assert_true(s->servers[0].kind == TG_SYSTEM_SERVER_SPORADIC && s->servers[0].priority == 3u);
    assert_true(s->servers[0].capacity_ns == 1000000u && s->servers[0].period_ns == 10000000u);
}

static void test_receive(void **state)
{
    static const uint8_t own[6] = {0x02, 0, 0, 0, 0, 0x0a};
    const struct tg_system *const s = *state;
    const struct tg_system_receive *const r = &s->receive;

    assert_true(r->station.mac == tg_mac(own) && r->station.mtu_bytes == 1400u);
    assert_true(r->driver_ns == 700u && r->eager_ns == 2000u && r->refused_ns == 1500u);
    assert_true(r->deferred_ns == 20000u && r->section_ns == 1000u);
    assert_true(r->lock_ns == 8000u && r->irq_off_ns == 4000u);
    assert_true(r->tick_ns == 3000u && r->wire_gap_ns == 6720u && r->buffers_pkts == 96u);
    assert_true(r->refill == TG_REFILL_TICK && r->floor == 5u);
    assert_true(r->polled_by_task && r->poll_priority == 30u);
    assert_int_equal(r->at.line, 10u);
    assert_true(s->n_gates == 1u && s->gate_is_shared && s->n_queues == 2u);
    assert_true(s->gates[0].packets == 32u && s->gates[0].period_ns == 500000u);
    assert_true(s->gates[0].kind == TG_SERVER_DEFERRABLE && s->gates[0].is_fixed);
    assert_true(s->gates[0].packets_at.line == 13u && s->gates[0].packets_at.column == 17u);
    assert_true(s->gates[0].period_at.column == 29u);
    const struct tg_system_queue *const hi = &s->queues[0];
    assert_string_equal(hi->name, "hi");
    assert_true(hi->ring_pkts == 16u && hi->gate == 0u && hi->rank == 1u && hi->is_isolated);
    assert_true(hi->priority_min == 20u && hi->priority_max == 31u);
    assert_true(hi->absolute_timer_ns == 2000000u && hi->packet_timer_ns == 200000u);
    assert_true(hi->moderation_pkts == 16u);
    assert_true(s->queues[1].rank == 0u && !s->queues[1].is_isolated);
    assert_true(s->queues[1].absolute_timer_ns == 0u && s->queues[1].moderation_pkts == 0u);
    assert_true(s->stock_gate.packets == 15u && s->stock_gate.at.line == 27u);
}

static void test_flows(void **state)
{
    const struct tg_system *const s = *state;

    assert_int_equal(s->n_flows, 3u);
    const struct tg_system_flow *const f = &s->flows[0];
    assert_string_equal(f->name, "f");
    assert_string_equal(f->match_text, "udp dst port 5000");
    assert_true(f->match_at.line == 19u && f->match_at.column == 22u);
    assert_true(f->match.dst_port == 5000u && f->match.protocol == 17u);
    assert_true(f->budget.kind == TG_SERVER_SPORADIC && f->budget.packets == 3u);
    assert_true(f->budget.period_ns == 1000000u && f->budget.is_fixed);
    assert_true(f->source.every_ns == 1000000u && f->source.jitter_ns == 50000u);
    assert_true(f->source.burst_pkts == 2u && f->deadline_ns == 700000u);
    assert_true(f->deferred_ns == 30000u && f->section_ns == 2000u && f->irq_off_ns == 1500u);
    assert_true(f->receiver_priority == 19u && f->receiver_wcet_ns == 50000u);
    assert_true(f->reserve_pkts == 6u && f->priority == 21u && f->queue == 0u);
    assert_true(f->assume_conforming);
    const struct tg_system_flow *const g = &s->flows[1];
    assert_true(g->budget.kind == TG_SERVER_DEFERRABLE && !g->budget.is_fixed && g->queue == 1u);
    assert_true(g->deferred_ns == 20000u && g->section_ns == 1000u); /* receive's */
    assert_true(g->deadline_ns == TG_SYSTEM_ABSENT && g->source.every_ns == 0u);
    assert_true(g->receiver_wcet_ns == 0u && !g->assume_conforming);
    assert_true(s->flows[2].budget.kind == TG_SERVER_UNLIMITED);
    assert_true(s->flows[2].budget.packets == 0u && s->flows[2].budget.period_ns == 0u);
    assert_true(!s->best_effort.is_dropped && s->best_effort.reserve_pkts == 32u);
    assert_true(s->best_effort.queue == 1u && s->best_effort.budget.packets == 5u);
}

static void test_scenarios(void **state)
{
    const struct tg_system *const s = *state;

    assert_int_equal(s->n_scenarios, 2u);
    const struct tg_system_scenario *const all = &s->scenarios[0];
    assert_string_equal(all->name, "all");
    assert_true(all->for_ns == 1000000000u && all->seed == 7u && all->n_traffic == 4u);
    const struct tg_system_traffic *const t = all->traffic;
    assert_true(t[0].kind == TG_TRAFFIC_PERIODIC && t[0].flow == 0 && t[0].every_ns == 1000000u);
    assert_true(t[0].jitter_ns == 50000u && t[0].burst_pkts == 2u && t[0].length_bytes == 10u);
    assert_true(t[0].from_ns == 1000000u && t[0].until_ns == 900000000u);
    assert_true(t[0].match.dst_port == 5000u && t[0].match_text == NULL);
    assert_true(t[1].kind == TG_TRAFFIC_RATE && t[1].flow == -1 && t[1].rate_pps == 40000u);
    assert_true(t[1].form == TG_FORM_FRAGMENT && t[1].match.dst_port == 9u);
    assert_true(t[1].from_ns == 0u && t[1].until_ns == all->for_ns && t[1].burst_pkts == 1u);
    assert_string_equal(t[1].match_text, "udp dst port 9");
    assert_true(t[2].kind == TG_TRAFFIC_POISSON && t[2].rate_pps == 10u && t[2].burst_pkts == 3u);
    assert_true(t[2].form == TG_FORM_MALFORMED);
    assert_true(t[3].kind == TG_TRAFFIC_CAPTURE && t[3].flow == -1 && t[3].repeat == 2u);
    assert_string_equal(t[3].capture_path, "a.pcap");
    assert_true(t[3].from_ns == 5000000u);
    assert_true(s->scenarios[1].seed == 1u && s->scenarios[1].n_traffic == 0u);
}

/* What nobody wrote: one queue for all priorities, the tick of an interrupt's cost, no station. */
static void test_defaults(void **state)
{
    char text[SYSTEM_TEXT_MAX];

    (void)state;
    system_base_with(9u, 9u, "", text);
    struct tg_system *const s = parse(text);
    assert_true(s->receive.tick_ns == 1000u && !s->receive.polled_by_task);
    assert_int_equal(s->receive.refused_ns, s->receive.eager_ns);
    assert_true(s->receive.refill == TG_REFILL_TIMESTAMP && s->receive.station.mac == TG_MAC_NONE);
    assert_true(s->receive.station.mtu_bytes == 1500u && s->receive.wire_gap_ns == 0u);
    assert_true(s->queues[0].priority_min == 0u && s->queues[0].priority_max == 31u);
    assert_true(s->queues[0].rank == 0u && !s->gate_is_shared);
    assert_true(s->flows[0].source.burst_pkts == 1u);
    tg_system_free(s);
}

/* The source of a flow sends what reaches that flow, although others take the plain frames of its
 * match. */
static void test_narrowed_source(void **state)
{
    char text[SYSTEM_TEXT_MAX];

    (void)state;
    system_base_with(
        20u, 21u,
        "  - {name: reply, match: arp and not ether broadcast, priority: 6, reserve: 2,\n"
        "     budget: unlimited}\n"
        "  - {name: setpoint, match: arp, priority: 3, reserve: 2, budget: unlimited}\n"
        "  - {name: four, match: ip and udp dst port 7, priority: 3, reserve: 2,\n"
        "     budget: unlimited}\n"
        "  - {name: any, match: udp dst port 7, priority: 3, reserve: 2,\n"
        "     budget: unlimited}",
        text);
    char *const rest = strstr(text, "      - {frames:");
    assert_non_null(rest);
    (void)strcpy(rest, "      - {flow: any, poisson: 3 /s}\n");
    struct tg_system *const s = parse(text);
    const struct tg_system_traffic *const t = s->scenarios[0].traffic;
    assert_true((t[0].match.fields & TG_FIELD_BROADCAST) != 0u && t[0].match.broadcast);
    assert_true((t[1].match.fields & TG_FIELD_FAMILY) != 0u && t[1].match.family == 6u);
    tg_system_free(s);
}

/* Ranks that are written win over the order of the priorities. */
static void test_ranks(void **state)
{
    char text[SYSTEM_TEXT_MAX];

    (void)state;
    system_base_with(18u, 18u,
                     "  - {name: hi, ring: 8, gate: unlimited, priorities: 9..31, rank: 3}\n"
                     "  - {name: lo, ring: 8, gate: unlimited, priorities: 0..8, rank: 200}",
                     text);
    struct tg_system *const s = parse(text);
    assert_true(s->queues[0].rank == 3u && s->queues[1].rank == 200u);
    assert_true(s->n_gates == 2u && s->queues[0].gate == 0u && s->queues[1].gate == 1u);
    tg_system_free(s);
}

/* ---- Lowering to the core -------------------------------------------------------------------- */

static void test_config(void **state)
{
    const struct tg_system *const s = *state;
    struct tg_system_config c;

    assert_int_equal(tg_system_lower_config(s, &c), 0);
    assert_true(c.n_flows == 4u && c.n_buckets == 16u && c.n_buffers == 96u);
    assert_int_equal(c.buffer_bytes, 1472u); /* 1400 + 14 + 8 = 1422, up to a cache line */
    assert_true(c.config.n_gates == 1u && c.config.n_queues == 2u && c.config.n_flows == 3u);
    assert_true(c.config.floor == 5u && c.config.station.mac == s->receive.station.mac);
    assert_true(c.config.station.mtu_bytes == 1400u && !c.config.trace);
    assert_true(c.gates[0].refill == TG_REFILL_TICK && c.gates[0].budget.budget_pkts == 32u);
    assert_true(c.gates[0].budget.period_ns == 500000u && c.gates[0].budget.window == NULL);
    assert_true(c.queues[0].ring == 16u && c.queues[0].rank == 1u && c.queues[0].gate == 0u);
    assert_true(c.queues[1].ring == 8u && c.queues[1].rank == 0u);
    assert_true(c.flows[0].priority == 21u && c.flows[0].reserve_pkts == 6u);
    assert_true(c.flows[0].budget.kind == TG_SERVER_SPORADIC);
    assert_true(c.flows[0].budget.window == c.windows);
    assert_true(c.flows[1].priority == 3u); /* the core knows the floor itself */
    assert_true(c.flows[1].budget.kind == TG_SERVER_DEFERRABLE);
    assert_true(c.flows[2].budget.kind == TG_SERVER_UNLIMITED && c.flows[2].budget.period_ns == 0u);
    assert_true(c.config.best_effort_budget.window == c.windows + 3);
    assert_true(c.config.best_effort_budget.budget_pkts == 5u);
    assert_true(c.config.best_effort_reserve_pkts == 32u && c.config.best_effort_priority == 0u);
    tg_system_config_free(&c);
}

/* Gates that no tick can refill, and best effort that is not there. */
static void test_config_variants(void **state)
{
    char text[SYSTEM_TEXT_MAX];
    struct tg_system_config c;

    (void)state;
    system_base_with(16u, 22u,
                     "  buffers: 96\n"
                     "  refill: tick\n"
                     "gate: unlimited\n"
                     "queues: [{name: all, ring: 32}]\n"
                     "flows: []\n"
                     "unregistered: drop",
                     text);
    char *const scenarios = strstr(text, "scenarios");
    assert_non_null(scenarios);
    *scenarios = '\0';
    struct tg_system *const s = parse(text);
    assert_int_equal(tg_system_lower_config(s, &c), 0);
    assert_true(c.gates[0].refill == TG_REFILL_TIMESTAMP);
    assert_true(c.gates[0].budget.kind == TG_SERVER_UNLIMITED);
    assert_true(c.config.best_effort_reserve_pkts == 0u && c.config.n_flows == 0u);
    assert_true(c.n_flows == 1u && c.n_buckets == 4u);
    tg_system_config_free(&c);
    tg_system_free(s);
}

/* ---- Lowering to the analysis ---------------------------------------------------------------- */

static void test_analysis_tasks(void **state)
{
    struct tg_system_analysis a;
    char text[256];

    assert_int_equal(tg_system_lower_analysis(*state, &a), 0);
    assert_int_equal(tg_analysis_input_check(&a.input, text, sizeof text), 0);
    assert_string_equal(a.input.unit, "ns");
    assert_true(a.input.lock == 9000u && a.input.irq_off == 4000u && !a.input.discrete_blocking);
    assert_true(a.input.n_tasks == 2u && a.input.n_servers == 1u);
    assert_true(a.tasks[0].wcet == 301000u); /* 300 us and two switches of 500 ns */
    assert_true(a.tasks[0].priority == 20 && a.tasks[0].period == 1000000u);
    assert_true(a.tasks[0].deadline == 900000u && a.tasks[0].jitter == 10000u);
    assert_true(a.tasks[0].blocking == 5000u && a.tasks[0].section == 2000u);
    assert_true(a.tasks[0].irq_off == 1000u && a.tasks[0].calls_stack);
    assert_true(a.tasks[1].wcet == 4001000u && a.tasks[1].deadline == 20000000u);
    assert_true(a.servers[0].kind == TG_CURVE_SPORADIC && a.servers[0].capacity == 1000000u);
    assert_true(a.servers[0].period == 10000000u && a.servers[0].priority == 3);
    tg_system_analysis_free(&a);
}

static void test_analysis_receive(void **state)
{
    struct tg_system_analysis a;

    assert_int_equal(tg_system_lower_analysis(*state, &a), 0);
    assert_true(a.input.n_gates == 1u && a.input.n_queues == 2u);
    assert_true(a.gates[0].kind == TG_CURVE_DEFERRABLE && a.gates[0].budget == 32u);
    assert_true(a.gates[0].period == 500000u && a.gates[0].interrupt == 1000u);
    assert_true(a.gates[0].packet == 2000u && a.gates[0].tick == 4000u);
    assert_true(a.gates[0].wire_gap == 6720u && a.gates[0].refilled_by_tick);
    assert_true(a.gates[0].polled_by_task && a.gates[0].poll_priority == 30);
    assert_true(a.queues[0].gate == 0u && a.queues[0].rank == 1 && a.queues[0].ring == 16u);
    assert_true(a.queues[0].isolated && a.queues[0].absolute_timer == 2000000u);
    assert_true(a.queues[0].packet_timer == 200000u && a.queues[0].packets == 16u);
    assert_true(a.queues[1].gate == 0u && a.queues[1].rank == 0 && !a.queues[1].isolated);
    tg_system_analysis_free(&a);
}

static void test_analysis_flows(void **state)
{
    struct tg_system_analysis a;

    assert_int_equal(tg_system_lower_analysis(*state, &a), 0);
    assert_int_equal(a.input.n_flows, 4u);
    const struct tg_analysis_flow *const f = &a.flows[0];
    assert_true(f->priority == 21 && f->cost == 31500u && f->section == 2000u);
    assert_true(f->irq_off == 1500u && f->queue == 0u && f->reserve == 6u);
    assert_true(f->kind == TG_CURVE_SPORADIC && f->budget == 3u && f->period == 1000000u);
    assert_true(f->has_source && f->every == 1000000u && f->jitter == 50000u && f->burst == 2u);
    assert_true(f->trusted && f->deadline == 700000u);
    assert_true(f->has_receiver && f->receiver_priority == 19 && f->receiver_wcet == 51000u);
    const struct tg_analysis_flow *const g = &a.flows[1];
    assert_int_equal(g->priority, 5); /* the floor */
    assert_true(g->cost == 21500u && g->section == 1000u && g->queue == 1u);
    assert_true(!g->has_source && !g->has_receiver && g->deadline == TG_NO_BOUND);
    assert_true(a.flows[2].kind == TG_CURVE_UNLIMITED && a.flows[2].budget == 0u);
    const struct tg_analysis_flow *const rest = &a.flows[3];
    assert_string_equal(rest->name, "best effort");
    assert_true(rest->priority == 5 && rest->cost == 21500u && rest->reserve == 32u);
    assert_true(rest->kind == TG_CURVE_SPORADIC && rest->queue == 1u);
    tg_system_analysis_free(&a);
}

/* A gate of the polling kind has no refill but the tick, whatever refills the others. */
static void test_analysis_polling(void **state)
{
    char text[SYSTEM_TEXT_MAX];
    struct tg_system_analysis a;

    (void)state;
    system_base_with(
        18u, 18u, "  - {name: all, ring: 32, gate: {packets: 32, period: 500 us, kind: polling}}",
        text);
    struct tg_system *const s = parse(text);
    assert_int_equal(tg_system_lower_analysis(s, &a), 0);
    assert_true(a.gates[0].kind == TG_CURVE_POLLING && a.gates[0].refilled_by_tick);
    assert_true(a.gates[0].tick == 1000u && !a.gates[0].polled_by_task);
    tg_system_analysis_free(&a);
    tg_system_free(s);
}

#define WITH_FILE(test) cmocka_unit_test_setup_teardown(test, read_full, release)

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_FILE(test_tasks),
                                       WITH_FILE(test_receive),
                                       WITH_FILE(test_flows),
                                       WITH_FILE(test_scenarios),
                                       cmocka_unit_test(test_defaults),
                                       cmocka_unit_test(test_narrowed_source),
                                       cmocka_unit_test(test_ranks),
                                       WITH_FILE(test_config),
                                       cmocka_unit_test(test_config_variants),
                                       WITH_FILE(test_analysis_tasks),
                                       WITH_FILE(test_analysis_receive),
                                       WITH_FILE(test_analysis_flows),
                                       cmocka_unit_test(test_analysis_polling)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
