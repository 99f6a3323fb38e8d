/* SPDX-License-Identifier: MIT
 *
 * tasks.h - the periodic tasks of a system file as threads: each works for its wcet at its priority
 * and measures how late it was.
 */
#ifndef TG_NODE_TASKS_H
#define TG_NODE_TASKS_H

#include "posix_port.h"

#include "sim/sim.h"

/* What one task has seen so far. */
struct tg_task_measure {
    uint64_t jobs;
    uint64_t misses;
    tg_ns worst_response_ns; /* from the nominal release to the end of a job */
    tg_ns worst_lateness_ns; /* from the nominal release to its start */
    tg_ns used_ns;           /* CPU time */
};

struct tg_task_thread {
    const struct tg_system_task *task;
    tg_ns lock_ns;  /* of each job, under the stack's lock; 0: it does not call the stack */
    tg_ns start_ns; /* first release; 0: not known yet */
    pthread_t id;
    pthread_mutex_t lock;
    pthread_cond_t change; /* of start_ns or is_stopping */
    bool is_stopping;
    struct tg_task_measure measure;
};

struct tg_tasks {
    struct tg_task_thread *threads;
    size_t n; /* started */
};

/* Start them; the first jobs of all are released together.
 *
 * Context: start-up, once lwIP is there; allocates.
 * Returns: 0; -1 after a message, none is left then.
 * Cost:    starts threads. */
TG_NODISCARD int tg_tasks_start(struct tg_tasks *tasks, const struct tg_system *system,
                                struct tg_posix_port *port);

/* What a task has seen so far.
 *
 * Context: any thread. Cost: O(1). */
struct tg_task_measure tg_tasks_measure(struct tg_tasks *tasks, size_t task);

/* Let each finish its job, and join it. What they measured stays.
 *
 * Context: any thread. Cost: blocks. */
void tg_tasks_stop(struct tg_tasks *tasks);

/* Context: stopped; an all-zero object is allowed. Cost: O(1). */
void tg_tasks_free(struct tg_tasks *tasks);

#endif
