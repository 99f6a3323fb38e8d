/* SPDX-License-Identifier: MIT
 *
 * main.c - run a plan with the tables of a system file, and print what came out.
 *
 *     plan=FILE   written by `tidegate` (src/lab/plan.h)
 *     trace=FILE  for what happened when, if the plan wants that: see station_dump
 *
 * Prints one line a thing, words and numbers with one space between; times in ticks of 10 ns unless
 * the word says ns. Samples of interrupts as "sample LENGTH COUNT".
 */
#include "arch.h"
#include "board.h"
#include "lab.h"
#include "lwip_station.h"
#include "semihost.h"

#include <stdio.h>
#include <stdlib.h>

/* Between the choice of instant 0 and that: time to start all threads. */
#define SETTLE_TICKS   (BOARD_TICK_HZ / 1000u)
#define PER_TASK_TICKS (BOARD_TICK_HZ / 5000u)

#define PATH_INSTRUCTIONS_MAX 65536u

static const struct tg_storage *storage;
static uint64_t rounds_at_start; /* of the worker */

static uint64_t now(void)
{
    return board_ticks();
}

/* Instant 0 lies on the grid of the gate, which began when the receive path was set up. */
static void choose_start(void)
{
    const struct tg_server *const gate = &storage->gates[0].server;
    const uint64_t earliest = now() + SETTLE_TICKS + lab_plan->n_tasks * PER_TASK_TICKS;

    lab_start = earliest;
    if (lab_plan->policy == LAB_TIDEGATE && gate->period_ns != 0u) {
        const tg_ns refill_ns = gate->until_ns + 1u;
        const tg_ns ahead_ns = earliest * LAB_TICK_NS - refill_ns;

        lab_start = (refill_ns + (ahead_ns / gate->period_ns + 1u) * gate->period_ns) / LAB_TICK_NS;
    }
}

/* ---- Results --------------------------------------------------------------------------------- */

static void say_samples(void)
{
    uint32_t *const counts = lab_memory(PATH_INSTRUCTIONS_MAX, sizeof(*counts));

    for (uint32_t i = 0u; i < lab_plan->samples; i++) {
        counts[lab_samples[i] < PATH_INSTRUCTIONS_MAX ? lab_samples[i] : 0u]++;
    }
    for (uint32_t k = 0u; k < PATH_INSTRUCTIONS_MAX; k++) {
        if (counts[k] != 0u) {
            LAB_SAY("sample", k, counts[k]);
        }
    }
}

static void say_results(void)
{
    const bool has_core = lab_plan->policy == LAB_TIDEGATE;
    const struct tg_flow_counters none = {0};
    struct tg_snapshot s = {.flows = lab_memory(storage->n_flows, sizeof(*s.flows))};

    if (has_core) {
        tg_rx_snapshot(&station_protocol, &s);
    } else {
        s.queues[0].received = station_stock.received;
        s.closed[0] = lab_stock_closed;
    }
    LAB_SAY("around", lab_instructions_of_ns(generator_around_ns(false)),
            lab_instructions_of_ns(generator_around_ns(true)));
    LAB_SAY("queue", s.queues[0].received, s.queues[0].malformed, s.queues[0].unregistered,
            s.queues[0].spurious, s.closed[0], generator_most_filled());
    LAB_SAY("stock", station_stock.no_buffer);
    LAB_SAY("worker", (lab_worker_rounds - rounds_at_start) * LAB_WORKER_INSTRUCTIONS);
    for (uint32_t i = 0u; i < lab_plan->n_tasks; i++) {
        lab_say_task(i);
    }
    for (uint32_t i = 0u; i < lab_plan->n_flows; i++) {
        lab_say_flow(i, has_core && i < storage->n_flows ? &s.flows[i] : &none);
    }
    say_samples();
    LAB_SAY("end", 0u);
}

/* ---- What happened when ---------------------------------------------------------------------- */

/* What comes before and after the window goes where there is no room. */
static struct {
    struct tg_trace ring; /* the core's */
    struct tg_event none[1];
    struct tg_event *events; /* NULL: no trace is wanted */
    struct tg_trace kept;    /* after the window */
} trace;

static void use_ring(struct tg_event *events, uint32_t n_events)
{
    if (tg_trace_init(&trace.ring, events, n_events) != 0) {
        kernel_panic("the size of the trace", NULL);
    }
}

/* The tables, but with events; these cost the core what they cost. */
static const struct tg_config *with_trace(const struct tg_config *config)
{
    static struct tg_config traced;

    traced = *config;
    traced.trace = true;
    return &traced;
}

static void prepare_trace(struct station_config *cfg)
{
    trace.events = lab_memory(LAB_TRACE_EVENTS, sizeof(*trace.events));
    use_ring(trace.none, 1u);
    cfg->trace = &trace.ring;
}

static void start_trace(void)
{
    const uint32_t state = arch_lock();

    use_ring(trace.events, LAB_TRACE_EVENTS);
    lab_trace_ring = &trace.ring;
    lab_trace_add(lab_start, LAB_EVENT_START, 0u, 0u);
    arch_unlock(state);
}

static void stop_trace(void)
{
    const uint32_t state = arch_lock();

    trace.kept = trace.ring;
    use_ring(trace.none, 1u);
    lab_trace_ring = NULL;
    arch_unlock(state);
}

static void write_trace(void)
{
    char path[128];

    LAB_SAY("trace", trace.kept.lost);
    station_dump(&trace.kept, semihost_word("trace", "", path, sizeof(path)));
}

/* ---- The run --------------------------------------------------------------------------------- */

/* A delay is at most 21 s long (kernel). */
static void wait_until(uint64_t at)
{
    while (at > now() + INT32_MAX) {
        (void)osDelay(INT32_MAX);
    }
    (void)osDelayUntil((uint32_t)at); /* an error: it has passed */
}

static void control(void *argument)
{
    if (lab_plan->stack == LAB_STACK_LWIP) {
        lab_lwip_start(argument);
    }
    station_start();
    lab_network_init();
    lab_worker_init();
    choose_start();
    lab_jobs_start();
    lab_worker_start();
    lab_lwip_send_start();
    generator_start(lab_start);
    if (osDelayUntil((uint32_t)lab_start) != osOK) {
        kernel_panic("instant 0 has passed before all was ready", NULL);
    }
    rounds_at_start = lab_worker_rounds;
    if (trace.events != NULL) {
        wait_until(lab_start + lab_plan->trace_from_ns / LAB_TICK_NS);
        start_trace();
        wait_until(lab_start + lab_plan->trace_until_ns / LAB_TICK_NS);
        stop_trace();
    }
    wait_until(lab_start + lab_plan->for_ns / LAB_TICK_NS);
    (void)arch_lock(); /* nothing happens any more */
    lab_jobs_end();
    if (trace.events != NULL) {
        write_trace();
    }
    say_results();
    exit(EXIT_SUCCESS);
}

static const struct station_config *init_station(void)
{
    static struct station_config cfg = {.input = lab_input, .stock_run = lab_stock_run};

    if (lab_plan->stack == LAB_STACK_LWIP) {
        cfg.run = lwip_station_run;
    }
    if (lab_plan->policy == LAB_TIDEGATE) {
        cfg.core = &tidegate_config;
        if (lab_plan->trace_until_ns != 0u) {
            cfg.core = with_trace(&tidegate_config);
        }
        cfg.storage = storage;
        cfg.kind = TG_PORT_DIRECT;
    } else {
        cfg.buffers = lab_stock_buffers();
        cfg.n_buffers = storage->n_buffers;
        cfg.ring = tidegate_config.queues[0].ring;
        cfg.priority =
            lab_plan->policy == LAB_STOCK_LOW ? LAB_PRIORITY(lab_plan->floor) : LAB_ABOVE_TASKS;
    }
    if (lab_plan->trace_until_ns != 0u) {
        prepare_trace(&cfg);
    }
    station_init(&cfg);
    return &cfg;
}

int main(void)
{
    char path[512];

    lab_read_plan(semihost_word("plan", "", path, sizeof(path)));
    storage = tidegate_storage();
    (void)osKernelInitialize();
    lab_packets_init(storage);
    lab_stock_init();

    const struct station_config *const cfg = init_station();

    (void)lab_thread("control", LAB_CONTROL, control, (void *)(uintptr_t)cfg);
    (void)osKernelStart();
    return EXIT_FAILURE;
}
