/* SPDX-License-Identifier: MIT
 *
 * main.c - run a plan with the tables of a system file, and print what came out.
 *
 *     plan=FILE   written by `tidegate` (src/lab/plan.h)
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

#define SETTLE_TICKS (BOARD_TICK_HZ / 1000u) /* between the set-up and instant 0 */

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
    const uint64_t earliest = now() + SETTLE_TICKS;

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

/* ---- The run --------------------------------------------------------------------------------- */

static void control(void *argument)
{
    if (lab_plan->stack == LAB_STACK_LWIP) {
        lab_lwip_start(argument);
    }
    station_start();
    lab_network_init();
    choose_start();
    lab_jobs_start();
    lab_worker_start();
    generator_start(lab_start);
    (void)osDelayUntil((uint32_t)lab_start);
    rounds_at_start = lab_worker_rounds;

    const uint64_t end = lab_start + lab_plan->for_ns / LAB_TICK_NS;

    /* A delay is at most 21 s long (kernel). */
    while (end - now() > INT32_MAX) {
        (void)osDelay(INT32_MAX);
    }
    (void)osDelayUntil((uint32_t)end);
    (void)arch_lock(); /* nothing happens any more */
    lab_jobs_end();
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
        cfg.storage = storage;
        cfg.kind = TG_PORT_DIRECT;
    } else {
        cfg.buffers = lab_stock_buffers();
        cfg.n_buffers = storage->n_buffers;
        cfg.ring = tidegate_config.queues[0].ring;
        cfg.priority =
            lab_plan->policy == LAB_STOCK_LOW ? LAB_PRIORITY(lab_plan->floor) : LAB_ABOVE_TASKS;
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
