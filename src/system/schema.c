/* SPDX-License-Identifier: MIT
 *
 * schema.c - the one table of all fields of a system file. docs/system-file.md explains each of
 * them; a test holds the two together.
 */
#include "system/schema.h"

#define ABSENT   TG_SYSTEM_ABSENT
#define PRIO_MAX (TG_PRIORITIES - 1u)
#define TIME_MAX TG_SYSTEM_TIME_MAX_NS

#define AT(type, member)    .offset = offsetof(struct type, member)
#define WIDTH(type, member) .width = (uint8_t)sizeof(((struct type *)NULL)->member)
#define TO(type, member)    AT(type, member), WIDTH(type, member)

#define REQUIRED       .is_required = true
#define OPTIONAL(x)    .absent = (x)
#define NUMBER(lo, hi) .type = TG_VALUE_NUMBER, .min = (lo), .max = (hi)
#define TIME(lo, hi)   .type = TG_VALUE_DURATION, .min = (lo), .max = (hi)
#define RATE           .type = TG_VALUE_RATE, .min = 1u, .max = TG_SYSTEM_RATE_MAX_PPS
#define PRIORITY       NUMBER(0u, PRIO_MAX)
#define NAME           .type = TG_VALUE_NAME, .min = 1u, .max = TG_SYSTEM_NAME_MAX_BYTES
#define CHOICE(list)   .type = TG_VALUE_CHOICE, .choices = (list)

static const struct tg_schema_choice flow_kinds[] = {{"deferrable", TG_SERVER_DEFERRABLE, false},
                                                     {"sporadic", TG_SERVER_SPORADIC, false},
                                                     {"token", 0u, true},
                                                     {NULL, 0u, false}};
static const struct tg_schema_choice gate_kinds[] = {{"deferrable", TG_SERVER_DEFERRABLE, false},
                                                     {"sporadic", TG_SERVER_SPORADIC, false},
                                                     {"polling", TG_SERVER_POLLING, false},
                                                     {"token", 0u, true},
                                                     {NULL, 0u, false}};
static const struct tg_schema_choice server_kinds[] = {
    {"deferrable", TG_SYSTEM_SERVER_DEFERRABLE, false},
    {"polling", TG_SYSTEM_SERVER_POLLING, false},
    {"sporadic", TG_SYSTEM_SERVER_SPORADIC, false},
    {"periodic", TG_SYSTEM_SERVER_PERIODIC, false},
    {"token", 0u, true},
    {NULL, 0u, false}};
static const struct tg_schema_choice refills[] = {
    {"timestamp", TG_REFILL_TIMESTAMP, false}, {"tick", TG_REFILL_TICK, false}, {NULL, 0u, false}};
static const struct tg_schema_choice forms[] = {{"whole", TG_FORM_WHOLE, false},
                                                {"fragment", TG_FORM_FRAGMENT, false},
                                                {"malformed", TG_FORM_MALFORMED, false},
                                                {NULL, 0u, false}};
static const struct tg_schema_choice services[] = {{"echo", TG_SERVICE_ECHO, false},
                                                   {"sink", TG_SERVICE_SINK, false},
                                                   {"discard", TG_SERVICE_DISCARD, false},
                                                   {NULL, 0u, false}};
static const struct tg_schema_choice unregistered[] = {
    {"best_effort", 0u, false}, {"drop", 1u, false}, {NULL, 0u, false}};

#define BUDGET_FIELDS(kinds)                                                                       \
    {.name = "packets",                                                                            \
     REQUIRED,                                                                                     \
     NUMBER(1u, TG_SERVER_BUDGET_MAX),                                                             \
     TO(tg_system_budget, packets),                                                                \
     .at_offset = offsetof(struct tg_system_budget, packets_at)},                                  \
        {.name = "period",                                                                         \
         REQUIRED,                                                                                 \
         TIME(TG_PERIOD_MIN_NS, TG_PERIOD_MAX_NS),                                                 \
         TO(tg_system_budget, period_ns),                                                          \
         .at_offset = offsetof(struct tg_system_budget, period_at)},                               \
        {.name = "kind",                                                                           \
         CHOICE(kinds),                                                                            \
         OPTIONAL(TG_SERVER_DEFERRABLE),                                                           \
         TO(tg_system_budget, kind)},                                                              \
        {.name = "fixed", .type = TG_VALUE_BOOL, TO(tg_system_budget, is_fixed)},                  \
    {                                                                                              \
        .name = NULL                                                                               \
    }

static const struct tg_schema_field budget_fields[] = {BUDGET_FIELDS(flow_kinds)};
static const struct tg_schema budget = {"budget", budget_fields, true};

static const struct tg_schema_field gate_fields[] = {BUDGET_FIELDS(gate_kinds)};
static const struct tg_schema gate = {"gate", gate_fields, true};

static const struct tg_schema_field cpu_fields[] = {
    {.name = "irq", REQUIRED, TIME(0u, TIME_MAX), TO(tg_system, irq_ns)},
    {.name = "switch", REQUIRED, TIME(0u, TIME_MAX), TO(tg_system, switch_ns)},
    {.name = NULL}};
static const struct tg_schema cpu = {"cpu", cpu_fields, false};

static const struct tg_schema_field task_fields[] = {
    {.name = "name", REQUIRED, NAME, TO(tg_system_task, name)},
    {.name = "priority", REQUIRED, PRIORITY, TO(tg_system_task, priority)},
    {.name = "period", REQUIRED, TIME(TG_PERIOD_MIN_NS, TIME_MAX), TO(tg_system_task, period_ns)},
    {.name = "wcet", REQUIRED, TIME(1u, TIME_MAX), TO(tg_system_task, wcet_ns)},
    {.name = "deadline", TIME(1u, TIME_MAX), OPTIONAL(ABSENT), TO(tg_system_task, deadline_ns)},
    {.name = "jitter", TIME(0u, TIME_MAX), TO(tg_system_task, jitter_ns)},
    {.name = "blocking", TIME(0u, TIME_MAX), TO(tg_system_task, blocking_ns)},
    {.name = "section", TIME(0u, TIME_MAX), TO(tg_system_task, section_ns)},
    {.name = "irq_off", TIME(0u, TIME_MAX), TO(tg_system_task, irq_off_ns)},
    {.name = "calls_stack", .type = TG_VALUE_BOOL, TO(tg_system_task, calls_stack)},
    {.name = NULL}};
static const struct tg_schema task = {"tasks", task_fields, true};

static const struct tg_schema_field server_fields[] = {
    {.name = "name", REQUIRED, NAME, TO(tg_system_server, name)},
    {.name = "kind", REQUIRED, CHOICE(server_kinds), TO(tg_system_server, kind)},
    {.name = "priority", REQUIRED, PRIORITY, TO(tg_system_server, priority)},
    {.name = "capacity", REQUIRED, TIME(1u, TIME_MAX), TO(tg_system_server, capacity_ns)},
    {.name = "period", REQUIRED, TIME(TG_PERIOD_MIN_NS, TIME_MAX), TO(tg_system_server, period_ns)},
    {.name = NULL}};
static const struct tg_schema server = {"servers", server_fields, true};

#define RECEIVE(member) TO(tg_system_written, system.receive.member)

static const struct tg_schema_field receive_fields[] = {
    {.name = "station", .type = TG_VALUE_ADDRESS, OPTIONAL(TG_MAC_NONE), RECEIVE(station.mac)},
    {.name = "driver", REQUIRED, TIME(0u, TIME_MAX), RECEIVE(driver_ns)},
    {.name = "eager", REQUIRED, TIME(1u, TIME_MAX), RECEIVE(eager_ns)},
    {.name = "refused", TIME(1u, TIME_MAX), OPTIONAL(ABSENT), RECEIVE(refused_ns)},
    {.name = "deferred", REQUIRED, TIME(1u, TIME_MAX), RECEIVE(deferred_ns)},
    {.name = "section", REQUIRED, TIME(0u, TIME_MAX), RECEIVE(section_ns)},
    {.name = "lock", REQUIRED, TIME(0u, TIME_MAX), RECEIVE(lock_ns)},
    {.name = "floor", REQUIRED, PRIORITY, RECEIVE(floor)},
    {.name = "buffers", REQUIRED, NUMBER(2u, 1000000u), RECEIVE(buffers_pkts)},
    {.name = "mtu", NUMBER(68u, 65521u), OPTIONAL(1500u), RECEIVE(station.mtu_bytes)},
    {.name = "tick", TIME(0u, TIME_MAX), OPTIONAL(ABSENT), RECEIVE(tick_ns)},
    {.name = "poll_priority", PRIORITY, RECEIVE(poll_priority)},
    {.name = "refill", CHOICE(refills), OPTIONAL(TG_REFILL_TIMESTAMP), RECEIVE(refill)},
    {.name = "irq_off", TIME(0u, TIME_MAX), RECEIVE(irq_off_ns)},
    {.name = "wire_gap", TIME(1u, TIME_MAX), RECEIVE(wire_gap_ns)},
    {.name = NULL}};
static const struct tg_schema receive = {"receive", receive_fields, false};

#define QUEUE(member) TO(tg_queue_written, queue.member)

static const struct tg_schema_field queue_fields[] = {
    {.name = "name", REQUIRED, NAME, QUEUE(name)},
    {.name = "ring", REQUIRED, NUMBER(1u, UINT16_MAX), QUEUE(ring_pkts)},
    {.name = "gate", .type = TG_VALUE_BUDGET, .map = &gate, TO(tg_queue_written, gate)},
    {.name = "priorities",
     .type = TG_VALUE_RANGE,
     .max = PRIO_MAX,
     QUEUE(priority_min),
     .extra = offsetof(struct tg_queue_written, queue.priority_max)},
    {.name = "rank", NUMBER(0u, UINT8_MAX), QUEUE(rank)},
    {.name = "isolated", .type = TG_VALUE_BOOL, QUEUE(is_isolated)},
    {.name = "absolute_timer", TIME(1u, TIME_MAX), QUEUE(absolute_timer_ns)},
    {.name = "packet_timer", TIME(1u, TIME_MAX), QUEUE(packet_timer_ns)},
    {.name = "packets", NUMBER(1u, UINT16_MAX), QUEUE(moderation_pkts)},
    {.name = NULL}};
static const struct tg_schema queue = {"queues", queue_fields, true};

static const struct tg_schema_field receiver_fields[] = {
    {.name = "priority", REQUIRED, PRIORITY, TO(tg_system_flow, receiver_priority)},
    {.name = "wcet", REQUIRED, TIME(1u, TIME_MAX), TO(tg_system_flow, receiver_wcet_ns)},
    {.name = NULL}};
static const struct tg_schema receiver = {"receiver", receiver_fields, false};

static const struct tg_schema_field flow_fields[] = {
    {.name = "name", REQUIRED, NAME, TO(tg_system_flow, name)},
    {.name = "match",
     REQUIRED,
     .type = TG_VALUE_MATCH,
     TO(tg_system_flow, match_text),
     .extra = offsetof(struct tg_system_flow, match),
     .at_offset = offsetof(struct tg_system_flow, match_at)},
    {.name = "priority", REQUIRED, PRIORITY, TO(tg_system_flow, priority)},
    {.name = "budget",
     REQUIRED,
     .type = TG_VALUE_BUDGET,
     .map = &budget,
     TO(tg_system_flow, budget)},
    {.name = "reserve", REQUIRED, NUMBER(1u, UINT16_MAX), TO(tg_system_flow, reserve_pkts)},
    {.name = "every", TIME(TG_PERIOD_MIN_NS, TIME_MAX), TO(tg_system_flow, source.every_ns)},
    {.name = "jitter", TIME(0u, TIME_MAX), TO(tg_system_flow, source.jitter_ns)},
    {.name = "burst",
     NUMBER(1u, TG_SYSTEM_BURST_MAX_PKTS),
     OPTIONAL(1u),
     TO(tg_system_flow, source.burst_pkts)},
    {.name = "deadline", TIME(1u, TIME_MAX), OPTIONAL(ABSENT), TO(tg_system_flow, deadline_ns)},
    {.name = "assume_conforming", .type = TG_VALUE_BOOL, TO(tg_system_flow, assume_conforming)},
    {.name = "deferred", TIME(1u, TIME_MAX), OPTIONAL(ABSENT), TO(tg_system_flow, deferred_ns)},
    {.name = "section", TIME(0u, TIME_MAX), OPTIONAL(ABSENT), TO(tg_system_flow, section_ns)},
    {.name = "irq_off", TIME(0u, TIME_MAX), TO(tg_system_flow, irq_off_ns)},
    {.name = "receiver", .type = TG_VALUE_MAP, .map = &receiver},
    {.name = "service", CHOICE(services), TO(tg_system_flow, service)},
    {.name = NULL}};
static const struct tg_schema flow = {"flows", flow_fields, true};

static const struct tg_schema_field best_effort_fields[] = {
    {.name = "priority", REQUIRED, PRIORITY, TO(tg_system_best_effort, priority)},
    {.name = "budget",
     REQUIRED,
     .type = TG_VALUE_BUDGET,
     .map = &budget,
     TO(tg_system_best_effort, budget)},
    {.name = "reserve", REQUIRED, NUMBER(1u, UINT16_MAX), TO(tg_system_best_effort, reserve_pkts)},
    {.name = NULL}};
static const struct tg_schema best_effort = {"best_effort", best_effort_fields, true};

/* What usual drivers can do: so many packets, then silence until the period ends. */
static const struct tg_schema_field stock_gate_fields[] = {
    {.name = "packets",
     REQUIRED,
     NUMBER(1u, TG_SERVER_BUDGET_MAX),
     TO(tg_system_budget, packets),
     .at_offset = offsetof(struct tg_system_budget, packets_at)},
    {.name = "period",
     REQUIRED,
     TIME(TG_PERIOD_MIN_NS, TG_PERIOD_MAX_NS),
     TO(tg_system_budget, period_ns),
     .at_offset = offsetof(struct tg_system_budget, period_at)},
    {.name = NULL}};
static const struct tg_schema stock_gate = {"stock.gate", stock_gate_fields, true};

static const struct tg_schema_field stock_queue_fields[] = {
    {.name = "ring", REQUIRED, NUMBER(1u, UINT16_MAX), TO(tg_system_queue, ring_pkts)},
    {.name = "absolute_timer", TIME(1u, TIME_MAX), TO(tg_system_queue, absolute_timer_ns)},
    {.name = "packet_timer", TIME(1u, TIME_MAX), TO(tg_system_queue, packet_timer_ns)},
    {.name = "packets", NUMBER(1u, UINT16_MAX), TO(tg_system_queue, moderation_pkts)},
    {.name = NULL}};
static const struct tg_schema stock_queue = {"stock.queue", stock_queue_fields, true};

static const struct tg_schema_field stock_fields[] = {{.name = "queue",
                                                       .type = TG_VALUE_MAP,
                                                       .map = &stock_queue,
                                                       AT(tg_system_written, system.stock_queue)},
                                                      {.name = "gate",
                                                       .type = TG_VALUE_MAP,
                                                       .map = &stock_gate,
                                                       AT(tg_system_written, system.stock_gate)},
                                                      {.name = NULL}};
static const struct tg_schema stock = {"stock", stock_fields, false};

static const struct tg_schema_field traffic_fields[] = {
    {.name = "flow", .type = TG_VALUE_REFERENCE},
    {.name = "frames",
     .type = TG_VALUE_MATCH,
     TO(tg_system_traffic, match_text),
     .extra = offsetof(struct tg_system_traffic, match)},
    {.name = "capture", .type = TG_VALUE_PATH, TO(tg_system_traffic, capture_path)},
    {.name = "every", TIME(TG_PERIOD_MIN_NS, TIME_MAX), TO(tg_system_traffic, every_ns)},
    {.name = "jitter", TIME(0u, TIME_MAX), TO(tg_system_traffic, jitter_ns)},
    {.name = "rate", RATE, TO(tg_system_traffic, rate_pps)},
    {.name = "poisson", RATE, TO(tg_system_traffic, rate_pps)},
    {.name = "burst",
     NUMBER(1u, TG_SYSTEM_BURST_MAX_PKTS),
     OPTIONAL(1u),
     TO(tg_system_traffic, burst_pkts)},
    {.name = "repeat",
     NUMBER(1u, TG_SYSTEM_REPEAT_MAX),
     OPTIONAL(1u),
     TO(tg_system_traffic, repeat)},
    {.name = "from", TIME(0u, TIME_MAX), TO(tg_system_traffic, from_ns)},
    {.name = "until", TIME(1u, TIME_MAX), OPTIONAL(ABSENT), TO(tg_system_traffic, until_ns)},
    {.name = "length", NUMBER(0u, UINT16_MAX), TO(tg_system_traffic, length_bytes)},
    {.name = "form", CHOICE(forms), OPTIONAL(TG_FORM_WHOLE), TO(tg_system_traffic, form)},
    {.name = NULL}};
static const struct tg_schema traffic = {"traffic", traffic_fields, true};

static const struct tg_schema_field run_fields[] = {
    {.name = "for", REQUIRED, TIME(1000u, TIME_MAX), TO(tg_system_scenario, for_ns)},
    {.name = "seed", NUMBER(0u, UINT64_MAX), OPTIONAL(1u), TO(tg_system_scenario, seed)},
    {.name = NULL}};
static const struct tg_schema run = {"run", run_fields, false};

static const struct tg_schema_field scenario_fields[] = {
    {.name = "name", REQUIRED, NAME, TO(tg_system_scenario, name)},
    {.name = "run", REQUIRED, .type = TG_VALUE_MAP, .map = &run},
    {.name = "traffic",
     REQUIRED,
     .type = TG_VALUE_LIST,
     .map = &traffic,
     AT(tg_system_scenario, traffic),
     .extra = offsetof(struct tg_system_scenario, n_traffic),
     .item_size = sizeof(struct tg_system_traffic),
     .max = TG_SYSTEM_TRAFFIC_MAX},
    {.name = NULL}};
static const struct tg_schema scenario = {"scenarios", scenario_fields, true};

/* A list in struct tg_system_written, with a count n_ beside it. */
#define LIST(schema, path, member, item, most)                                                     \
    .type = TG_VALUE_LIST, .map = &(schema),                                                       \
    .offset = offsetof(struct tg_system_written, path member),                                     \
    .extra = offsetof(struct tg_system_written, path n_##member),                                  \
    .item_size = sizeof(struct item), .max = (most)
#define NO_PATH

static const struct tg_schema_field file_fields[] = {
    {.name = "name", REQUIRED, NAME, TO(tg_system_written, system.name)},
    {.name = "cpu", REQUIRED, .type = TG_VALUE_MAP, .map = &cpu},
    {.name = "tasks", REQUIRED, LIST(task, system., tasks, tg_system_task, TG_SYSTEM_TASKS_MAX)},
    {.name = "servers", LIST(server, system., servers, tg_system_server, TG_SYSTEM_SERVERS_MAX)},
    {.name = "receive", REQUIRED, .type = TG_VALUE_MAP, .map = &receive},
    {.name = "gate", .type = TG_VALUE_BUDGET, .map = &gate, TO(tg_system_written, gate)},
    {.name = "queues",
     REQUIRED,
     .min = 1u,
     LIST(queue, NO_PATH, queues, tg_queue_written, TG_QUEUES_MAX)},
    {.name = "flows", REQUIRED, LIST(flow, system., flows, tg_system_flow, TG_SYSTEM_FLOWS_MAX)},
    {.name = "best_effort",
     .type = TG_VALUE_MAP,
     .map = &best_effort,
     AT(tg_system_written, system.best_effort)},
    {.name = "unregistered",
     CHOICE(unregistered),
     TO(tg_system_written, system.best_effort.is_dropped)},
    {.name = "stock", .type = TG_VALUE_MAP, .map = &stock},
    {.name = "scenarios",
     LIST(scenario, system., scenarios, tg_system_scenario, TG_SYSTEM_SCENARIOS_MAX)},
    {.name = NULL}};
const struct tg_schema tg_schema_file = {"file", file_fields, false};
