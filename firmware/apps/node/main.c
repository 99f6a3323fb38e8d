/* SPDX-License-Identifier: MIT
 *
 * main.c - run a plan with the tables of a system file on the priority NIC, and print what came
 * out.
 *
 *     plan=FILE   written by `tidegate` (src/lab/plan.h)
 *     end=FILE    the network has sent all it has: the run ends when this file is there
 *
 * Prints "clock TICKS" several times and "ready", so that the sender knows this clock; at the end
 * one line a thing, words and numbers with one space between.
 */
#include "arch.h"
#include "board.h"
#include "node.h"
#include "semihost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS_TICKS      (BOARD_TICK_HZ / 1000u)
#define CLOCKS        32u
#define LOOK_TICKS    (20u * MS_TICKS)
#define QUIET_TICKS   (300u * MS_TICKS)
#define DRAIN_MAX     20u /* times that, if it never becomes quiet */
#define MEASURE_LOOPS 500000u
#define MEASURES      8u

uint64_t lab_start;

static uint32_t loops_per_ms;
static struct node_counts counts;

/* ---- Spending time --------------------------------------------------------------------------- */

static void loop(uint32_t n)
{
    __asm volatile("1: nop\n\tsubs %0, %0, #1\n\tbne 1b" : "+r"(n)::"cc");
}

/* No instruction has a time here: so many turns of a loop were found to take a millisecond when
 * nothing disturbed the host, or little. */
static void measure_loops(void)
{
    for (uint32_t i = 0u; i < MEASURES; i++) {
        const uint64_t start = board_ticks();

        loop(MEASURE_LOOPS);
        const uint32_t found =
            (uint32_t)((uint64_t)MEASURE_LOOPS * MS_TICKS / (board_ticks() - start + 1u));

        loops_per_ms = found > loops_per_ms ? found : loops_per_ms;
    }
}

void lab_busy(uint32_t ns)
{
    const uint64_t n = (uint64_t)ns * loops_per_ms / 1000000u;

    if (n != 0u) {
        loop((uint32_t)n);
    }
}

/* ---- Results --------------------------------------------------------------------------------- */

static uint64_t of_queue(uint32_t queue, uint32_t counter)
{
    return tg_nic_driver_count(&node_nic.driver, TG_NIC_QUEUE(queue) + counter);
}

static void say_queue(uint32_t k)
{
    const uint64_t delivered = of_queue(k, TG_NIC_Q_DELIVERED);
    const uint64_t empty = of_queue(k, TG_NIC_Q_DROP_EMPTY);

    const uint64_t dropped =
        of_queue(k, TG_NIC_Q_DROP_DISABLED) + of_queue(k, TG_NIC_Q_DROP_INDEX) +
        of_queue(k, TG_NIC_Q_DROP_DESCRIPTOR) + of_queue(k, TG_NIC_Q_DROP_LONG);

    LAB_SAY("nic_queue", k, delivered + empty + dropped, delivered, empty, dropped,
            of_queue(k, TG_NIC_Q_RAISED_COUNTER) + of_queue(k, TG_NIC_Q_RAISED_ABSOLUTE) +
                of_queue(k, TG_NIC_Q_RAISED_PACKET),
            of_queue(k, TG_NIC_Q_HELD_RUNNING), of_queue(k, TG_NIC_Q_HELD_GATE), counts.vectors[k],
            counts.accepted[k] + counts.waiting[k]);
}

static void say_results(void)
{
    const struct tg_nic_driver *const d = &node_nic.driver;
    uint64_t spurious = 0u;
    uint64_t closed = 0u;

    for (uint32_t k = 0u; k < d->n_queues; k++) {
        say_queue(k);
        spurious += counts.core.queues[k].spurious;
        closed += counts.core.closed[k];
    }
    LAB_SAY("queue", tg_nic_driver_count(d, TG_NIC_RX_FRAMES),
            tg_nic_driver_count(d, TG_NIC_RX_MALFORMED), tg_nic_driver_count(d, TG_NIC_RX_REFUSED),
            spurious, closed, 0u);
    LAB_SAY("around", 0u, 0u);
    LAB_SAY("stock", 0u);
    LAB_SAY("worker", 0u);
    LAB_SAY("unanswered", node_unanswered);
    for (uint32_t i = 0u; i < lab_plan->n_flows; i++) {
        lab_counters[i].sent = (uint32_t)counts.received[i];
        lab_say_flow(i, &counts.core.flows[i]);
    }
    LAB_SAY("end", 0u);
}

/* ---- The run --------------------------------------------------------------------------------- */

/* Frames that were taken out of the rings, and packets that were processed. */
static uint64_t steps(void)
{
    uint64_t sum = 0u;

    node_path_read(&counts);
    for (uint32_t k = 0u; k < node_nic.driver.n_queues; k++) {
        sum += counts.accepted[k];
    }
    for (uint32_t i = 0u; i < lab_plan->n_flows; i++) {
        sum += lab_counters[i].delivered;
    }
    return sum;
}

/* Until nothing happens any more. */
static void drain(void)
{
    uint64_t last = steps();

    for (uint32_t n = 0u; n < DRAIN_MAX; n++) {
        (void)osDelay(QUIET_TICKS);
        const uint64_t now = steps();

        if (now == last) {
            return;
        }
        last = now;
    }
}

/* What came last may wait for an interrupt that does not come any more. */
static void stop(void)
{
    nic_stop(&node_nic);
    node_path_read(&counts);
    for (uint32_t k = 0u; k < node_nic.driver.n_queues; k++) {
        if (counts.waiting[k] != 0u) {
            nic_pend(k);
        }
    }
}

static void wait_for_end(void)
{
    char path[512];
    int file;

    (void)semihost_word("end", "", path, sizeof(path));
    do {
        (void)osDelay(LOOK_TICKS);
        file = semihost_open(path, SEMIHOST_READ);
    } while (file < 0);
    semihost_close(file);
}

/* The run of the tasks is over after its time; that of the packets when the network says so, and
 * what is not processed by then for want of time stays so. */
static void control(void *argument)
{
    measure_loops();
    node_network_start();
    node_path_start(argument);
    for (uint32_t i = 0u; i < CLOCKS; i++) {
        LAB_SAY("clock", board_ticks());
        (void)fflush(stdout);
    }
    lab_start = board_ticks() + MS_TICKS;
    lab_jobs_start();
    (void)osDelayUntil((uint32_t)(lab_start + MS_TICKS)); /* the tasks run, or want to */
    LAB_SAY("ready", lab_start);
    (void)fflush(stdout);
    (void)osDelayUntil((uint32_t)(lab_start + lab_plan->for_ns / LAB_TICK_NS));
    lab_jobs_end();
    for (uint32_t i = 0u; i < lab_plan->n_tasks; i++) {
        lab_say_task(i);
    }
    wait_for_end();
    drain();
    stop();
    drain();
    (void)arch_lock(); /* nothing happens any more */
    node_path_read(&counts);
    say_results();
    exit(EXIT_SUCCESS);
}

int main(void)
{
    char path[512];
    const struct tg_storage *const storage = tidegate_storage();

    lab_read_plan(semihost_word("plan", "", path, sizeof(path)));
    lab_flows_init();
    counts.received = lab_memory(lab_plan->n_flows, sizeof(*counts.received));
    counts.core.flows = lab_memory(lab_plan->n_flows, sizeof(*counts.core.flows));
    (void)osKernelInitialize();
    (void)lab_thread("control", LAB_CONTROL, control, (void *)(uintptr_t)storage);
    (void)osKernelStart();
    return EXIT_FAILURE;
}
