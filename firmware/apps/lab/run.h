/* SPDX-License-Identifier: MIT
 *
 * run.h - a plan (src/lab/plan.h) as it is run on any board: memory, threads, time, periodic
 * tasks, counts of the flows, lines of the results.
 *
 *     plan.c     the plan, from a file of the host; memory, threads
 *     jobs.c     periodic tasks
 *     flows.c    counts of the flows; lines of the results
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "kernel.h"
#include "plan.h"
#include "threads.h"
#include "tidegate/hist.h"
#include "tidegate/rx.h"
#include "tidegate/trace.h"

#define LAB_TICK_NS     10u
#define LAB_PRIORITY(p) ((osPriority_t)((int)STATION_FIRST_PRIORITY + (int)(p)))
#define LAB_ABOVE_TASKS LAB_PRIORITY(32)    /* of the protocol task of stock-high */
#define LAB_SECTION     osPriorityRealtime7 /* the scheduler is as good as locked */
#define LAB_CONTROL     osPriorityISR       /* ends the run */

/* What `tidegate gen` wrote. */
extern const struct tg_config tidegate_config;
const struct tg_storage *tidegate_storage(void);

/* The plan; all of it is read only. */
extern const struct lab_plan *lab_plan;
extern const struct lab_task *lab_tasks;
extern const struct lab_flow *lab_flows;
extern const struct lab_frame *lab_frames;
extern const struct lab_arrival *lab_arrivals;
extern const uint8_t *lab_bytes;

/* Read it, and stop the program if that is impossible. Context: start-up. */
void lab_read_plan(const char *path);

/* Memory until the end. Context: start-up. */
void *lab_memory(size_t n, size_t size_bytes);

/* A thread with a stack of its own. Context: start-up or a thread. */
osThreadId_t lab_thread(const char *name, osPriority_t priority, void (*run)(void *),
                        void *argument);

/* ---- Time ------------------------------------------------------------------------------------ */

/* Instant 0 of the plan, in ticks of board_ticks(). */
extern uint64_t lab_start;

/* Spend so many instructions, to within four; a board that does not count them: 2^shift ns each.
 */
void lab_busy(uint32_t instructions);

/* The same for so long. */
static inline void lab_busy_ns(uint64_t ns)
{
    lab_busy((uint32_t)(ns >> lab_plan->shift));
}

/* The stack's lock, for tasks that call it. Context: a thread. */
void lab_stack_lock(void);
void lab_stack_unlock(void);

/* ---- Periodic tasks -------------------------------------------------------------------------- */

struct lab_job_counters {
    uint32_t released; /* until the end, whether begun or not */
    uint32_t finished;
    uint32_t missed;
    uint64_t worst_ticks;
};

extern struct lab_job_counters *lab_jobs; /* of each task */

/* Context: a thread, lab_start is known. */
void lab_jobs_start(void);

/* Count what is not finished. Context: the end, nothing else runs. */
void lab_jobs_end(void);

/* ---- Flows ----------------------------------------------------------------------------------- */

struct lab_counters {
    uint32_t sent;
    uint32_t lost; /* the ring was full */
    uint32_t delivered;
    uint32_t late;
    uint64_t worst_ticks;
    struct tg_hist latency; /* ns */
};

extern struct lab_counters *lab_counters; /* of each flow */

/* Context: start-up, the plan is read. */
void lab_flows_init(void);

/* ---- What happened when ---------------------------------------------------------------------- */

/* Where events go; NULL: nowhere. */
extern struct tg_trace *lab_trace_ring;

/* Context: any. */
void lab_trace_add(uint64_t at_ticks, enum lab_event_kind kind, uint32_t subject, uint32_t value);

static inline void lab_trace(enum lab_event_kind kind, uint32_t subject, uint32_t value)
{
    if (lab_trace_ring != NULL) {
        lab_trace_add(board_ticks(), kind, subject, value);
    }
}

/* ---- Results --------------------------------------------------------------------------------- */

/* One line: a word, and numbers. Context: a thread. */
void lab_say(const char *word, const uint64_t *numbers, size_t n);

#define LAB_SAY(word, ...)                                                                         \
    lab_say(word, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / 8u)

/* All of a task, and of a flow; f: what the core counted of it. Context: as lab_say. */
void lab_say_task(uint32_t i);
void lab_say_flow(uint32_t i, const struct tg_flow_counters *f);

#endif
