/* SPDX-License-Identifier: MIT
 *
 * jobs.c - the periodic tasks of the plan: they spend their time, and look when they have done so.
 */
#include "arch.h"
#include "run.h"

struct lab_job_counters *lab_jobs;

/* The parts of a job that stop others come first, all from its first instant on: what is left of
 * the longer ones is done when the shorter ones are over. */
static void work(const struct lab_task *t)
{
    uint64_t spent_ns = t->irq_off_ns;

    if (t->section_ns > spent_ns) {
        (void)osThreadSetPriority(osThreadGetId(), LAB_SECTION);
    }
    if (t->irq_off_ns != 0u) {
        const uint32_t state = arch_lock();

        lab_busy_ns(t->irq_off_ns);
        arch_unlock(state);
    }
    if (t->section_ns > spent_ns) {
        lab_busy_ns(t->section_ns - spent_ns);
        spent_ns = t->section_ns;
        (void)osThreadSetPriority(osThreadGetId(), LAB_PRIORITY(t->priority));
    }
    if (t->lock_ns > spent_ns) {
        lab_stack_lock();
        lab_busy_ns(t->lock_ns - spent_ns);
        spent_ns = t->lock_ns;
        lab_stack_unlock();
    }
    if (t->wcet_ns > spent_ns) {
        lab_busy_ns(t->wcet_ns - spent_ns);
    }
}

static void run(void *argument)
{
    const struct lab_task *const t = argument;
    const uint32_t number = (uint32_t)(t - lab_tasks);
    struct lab_job_counters *const c = &lab_jobs[number];

    for (uint64_t release = lab_start;; release += t->period_ns / LAB_TICK_NS) {
        (void)osDelayUntil((uint32_t)release); /* an error: it has passed, so the job is late */
        if (lab_trace_ring != NULL) {
            lab_trace_add(release, LAB_EVENT_RELEASE, number, 0u);
        }
        lab_trace(LAB_EVENT_JOB_IN, number, 0u);
        work(t);
        const uint64_t response = board_ticks() - release;
        const bool is_late = response > t->deadline_ns / LAB_TICK_NS;

        c->finished++;
        c->missed += is_late;
        c->worst_ticks = response > c->worst_ticks ? response : c->worst_ticks;
        lab_trace(LAB_EVENT_JOB_OUT, number, is_late);
    }
}

void lab_jobs_start(void)
{
    lab_jobs = lab_memory(lab_plan->n_tasks, sizeof(*lab_jobs));
    for (uint32_t i = 0u; i < lab_plan->n_tasks; i++) {
        (void)lab_thread("task", LAB_PRIORITY(lab_tasks[i].priority), run,
                         (void *)(uintptr_t)&lab_tasks[i]);
    }
}

void lab_jobs_end(void)
{
    const uint64_t now = lab_start + lab_plan->for_ns / LAB_TICK_NS;

    for (uint32_t i = 0u; i < lab_plan->n_tasks; i++) {
        const struct lab_task *const t = &lab_tasks[i];
        struct lab_job_counters *const c = &lab_jobs[i];
        const uint64_t period = t->period_ns / LAB_TICK_NS;
        const uint64_t oldest = lab_start + c->finished * period; /* release of the next one */

        c->released = (uint32_t)((lab_plan->for_ns + t->period_ns - 1u) / t->period_ns);
        if (c->released > c->finished) {
            const uint64_t age = now - oldest;

            c->worst_ticks = age > c->worst_ticks ? age : c->worst_ticks;
            if (age >= t->deadline_ns / LAB_TICK_NS) {
                const uint64_t past = (age - t->deadline_ns / LAB_TICK_NS) / period + 1u;
                const uint64_t open = c->released - c->finished;

                c->missed += (uint32_t)(past < open ? past : open);
            }
        }
    }
}
