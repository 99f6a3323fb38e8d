/* SPDX-License-Identifier: MIT
 *
 * tasks.c - the periodic tasks of a system file as threads.
 */
#include "tasks.h"
#include "busy.h"
#include "measure.h"

#include <lwip/tcpip.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

/* From the start of the last thread to the first release: all of them wait for it. */
#define START_NS UINT64_C(10000000)

/* ---- A job ----------------------------------------------------------------------------------- */

/* Returns: false if the task is to stop. */
static bool wait_until(struct tg_task_thread *t, tg_ns at_ns)
{
    const struct timespec at = {.tv_sec = (time_t)(at_ns / NS_PER_S),
                                .tv_nsec = (long)(at_ns % NS_PER_S)};

    (void)pthread_mutex_lock(&t->lock);
    while (!t->is_stopping && tg_posix_port_now_ns() < at_ns) {
        (void)pthread_cond_timedwait(&t->change, &t->lock, &at);
    }
    const bool goes_on = !t->is_stopping;

    (void)pthread_mutex_unlock(&t->lock);
    return goes_on;
}

/* Returns: when the first release is, or was, if the task is to stop before that. */
static tg_ns wait_for_start(struct tg_task_thread *t)
{
    (void)pthread_mutex_lock(&t->lock);
    while (!t->is_stopping && t->start_ns == 0u) {
        (void)pthread_cond_wait(&t->change, &t->lock);
    }
    const tg_ns start_ns = t->start_ns;

    (void)pthread_mutex_unlock(&t->lock);
    return start_ns;
}

static void work(const struct tg_task_thread *t)
{
    if (t->lock_ns != 0u) {
        LOCK_TCPIP_CORE();
        tg_busy(t->lock_ns);
        UNLOCK_TCPIP_CORE();
    }
    tg_busy(t->task->wcet_ns - t->lock_ns);
}

static void note(struct tg_task_thread *t, tg_ns release_ns, tg_ns start_ns, tg_ns end_ns)
{
    struct tg_task_measure *const m = &t->measure;
    const tg_ns lateness_ns = start_ns - release_ns;
    const tg_ns response_ns = end_ns - release_ns;

    (void)pthread_mutex_lock(&t->lock);
    m->jobs++;
    m->misses += response_ns > t->task->deadline_ns;
    m->worst_lateness_ns = lateness_ns > m->worst_lateness_ns ? lateness_ns : m->worst_lateness_ns;
    m->worst_response_ns = response_ns > m->worst_response_ns ? response_ns : m->worst_response_ns;
    m->used_ns = tg_busy_used_ns(pthread_self());
    (void)pthread_mutex_unlock(&t->lock);
}

/* Releases stay on the grid: a job that ends late makes the next one start late, none is left
 * out. */
static void *run_task(void *arg)
{
    struct tg_task_thread *const t = arg;

    for (tg_ns release_ns = wait_for_start(t); wait_until(t, release_ns);
         release_ns += t->task->period_ns) {
        const tg_ns start_ns = tg_posix_port_now_ns();

        work(t);
        note(t, release_ns, start_ns, tg_posix_port_now_ns());
    }
    return NULL;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static int init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attr;
    int err = pthread_condattr_init(&attr);

    if (err) {
        return err;
    }
    err = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    if (!err) {
        err = pthread_cond_init(condition, &attr);
    }
    (void)pthread_condattr_destroy(&attr);
    return err;
}

static int start(struct tg_task_thread *t, struct tg_posix_port *port)
{
    int err = tg_inheriting_lock(&t->lock);

    if (err) {
        return err;
    }
    err = init_condition(&t->change);
    if (!err) {
        err = tg_posix_port_spawn(port, t->task->priority, run_task, t, &t->id);
        if (err) {
            (void)pthread_cond_destroy(&t->change);
        }
    }
    if (err) {
        (void)pthread_mutex_destroy(&t->lock);
    }
    return err;
}

static void release(struct tg_tasks *tasks)
{
    const tg_ns start_ns = tg_posix_port_now_ns() + START_NS;

    for (size_t i = 0u; i < tasks->n; i++) {
        struct tg_task_thread *const t = &tasks->threads[i];

        (void)pthread_mutex_lock(&t->lock);
        t->start_ns = start_ns;
        (void)pthread_cond_signal(&t->change);
        (void)pthread_mutex_unlock(&t->lock);
    }
}

int tg_tasks_start(struct tg_tasks *tasks, const struct tg_system *system,
                   struct tg_posix_port *port)
{
    *tasks = (struct tg_tasks){.threads = calloc(system->n_tasks + 1u, sizeof *tasks->threads)};
    if (tasks->threads == NULL) {
        fputs("tidegate run: out of memory\n", stderr);
        return -1;
    }
    while (tasks->n < system->n_tasks) {
        struct tg_task_thread *const t = &tasks->threads[tasks->n];
        const struct tg_system_task *const task = &system->tasks[tasks->n];
        const tg_ns lock_ns = system->receive.lock_ns;

        *t = (struct tg_task_thread){.task = task};
        if (task->calls_stack) {
            t->lock_ns = lock_ns < task->wcet_ns ? lock_ns : task->wcet_ns;
        }
        const int err = start(t, port);

        if (err) {
            fprintf(stderr, "tidegate run: task %s cannot be started: %s\n", task->name,
                    strerror(err));
            tg_tasks_stop(tasks);
            tg_tasks_free(tasks);
            return -1;
        }
        tasks->n++;
    }
    release(tasks);
    return 0;
}

struct tg_task_measure tg_tasks_measure(struct tg_tasks *tasks, size_t task)
{
    struct tg_task_thread *const t = &tasks->threads[task];

    (void)pthread_mutex_lock(&t->lock);
    const struct tg_task_measure measure = t->measure;

    (void)pthread_mutex_unlock(&t->lock);
    return measure;
}

void tg_tasks_stop(struct tg_tasks *tasks)
{
    for (size_t i = 0u; i < tasks->n; i++) {
        struct tg_task_thread *const t = &tasks->threads[i];

        (void)pthread_mutex_lock(&t->lock);
        t->is_stopping = true;
        (void)pthread_cond_signal(&t->change);
        (void)pthread_mutex_unlock(&t->lock);
    }
    for (size_t i = 0u; i < tasks->n; i++) {
        (void)pthread_join(tasks->threads[i].id, NULL);
    }
}

void tg_tasks_free(struct tg_tasks *tasks)
{
    for (size_t i = 0u; i < tasks->n; i++) {
        (void)pthread_cond_destroy(&tasks->threads[i].change);
        (void)pthread_mutex_destroy(&tasks->threads[i].lock);
    }
    free(tasks->threads);
    *tasks = (struct tg_tasks){.n = 0u};
}
