/* SPDX-License-Identifier: MIT
 *
 * flows.c - counts of the flows; lines of the results.
 */
#include "arch.h"
#include "run.h"

#include <stdio.h>

#define LATENCY_BITS 40u /* up to 18 minutes */

struct lab_counters *lab_counters;

void lab_flows_init(void)
{
    lab_counters = lab_memory(lab_plan->n_flows, sizeof(*lab_counters));
    for (uint32_t i = 0u; i < lab_plan->n_flows; i++) {
        const uint32_t n = TG_HIST_BUCKETS(LATENCY_BITS);

        if (tg_hist_init(&lab_counters[i].latency, lab_memory(n, sizeof(uint32_t)), n) != 0) {
            kernel_panic("the histogram is out of range", NULL);
        }
    }
}

struct tg_trace *lab_trace_ring;

void lab_trace_add(uint64_t at_ticks, enum lab_event_kind kind, uint32_t subject, uint32_t value)
{
    const uint32_t state = arch_lock();

    tg_trace_add(lab_trace_ring, at_ticks * LAB_TICK_NS, (enum tg_event_kind)kind, subject, value);
    arch_unlock(state);
}

void lab_say(const char *word, const uint64_t *numbers, size_t n)
{
    fputs(word, stdout);
    for (size_t i = 0u; i < n; i++) {
        printf(" %llu", (unsigned long long)numbers[i]);
    }
    putchar('\n');
}

void lab_say_task(uint32_t i)
{
    const struct lab_job_counters *const c = &lab_jobs[i];

    LAB_SAY("task", i, c->released, c->finished, c->missed, c->worst_ticks);
}

void lab_say_flow(uint32_t i, const struct tg_flow_counters *f)
{
    const struct lab_counters *const c = &lab_counters[i];

    LAB_SAY("flow", i, c->sent, c->lost, c->delivered, c->late, c->worst_ticks, f->dropped_budget,
            f->dropped_no_buffer, f->most_held_pkts);
    if (c->latency.count != 0u) {
        LAB_SAY("range_ns", i, c->latency.min, c->latency.max);
    }
    for (uint32_t k = 0u; k < c->latency.n_buckets; k++) {
        if (c->latency.buckets[k] != 0u) {
            LAB_SAY("latency", i, k, c->latency.buckets[k]);
        }
    }
}
