/* SPDX-License-Identifier: MIT
 *
 * lab.h - what the files of the lab share.
 *
 *     plan.c     the plan, from a file of the host
 *     network.c  arrivals, on time, while the clock stands still
 *     packets.c  where packets end: protocol work, receivers, counters
 *     lwip.c     receivers behind lwIP
 *     jobs.c     periodic tasks
 *     stock.c    the stock driver's thread, plain or behind a limit of packets per period
 *     worker.c   instructions that are left over, and lengths of interrupts
 *     main.c     start, end, results
 */
#ifndef LAB_H
#define LAB_H

#include "kernel.h"
#include "plan.h"
#include "station.h"
#include "tidegate/hist.h"

#define LAB_TICK_NS     10u
#define LAB_SERVICE     osPriorityRealtime
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

/* Ticks that the network has taken out of the clock. */
extern volatile uint32_t lab_stolen_ticks;

/* Spend so many instructions, to within four. */
void lab_busy(uint32_t instructions);

/* The same for so long. */
static inline void lab_busy_ns(uint64_t ns)
{
    lab_busy((uint32_t)(ns >> lab_plan->shift));
}

/* Ticks to whole instructions; exact from shift 5 on. */
static inline uint32_t lab_instructions(uint32_t ticks)
{
    return (ticks * LAB_TICK_NS + (1u << lab_plan->shift) / 2u) >> lab_plan->shift;
}

/* Wait for an interruption. Returns: ticks between two looks at the global timer around it, which
 * are GAP_INSTRUCTIONS apart without one. */
uint32_t lab_next_gap(void);
#define GAP_INSTRUCTIONS 5u

/* Instructions that an interrupt of the network takes beside what it measures itself; [1]: that
 * interrupts another one. */
extern uint32_t lab_network_around[2];

/* Find these out, and be ready. Context: a thread, after station_start; nothing else runs. */
void lab_network_init(void);

/* Arrivals from lab_start on. Context: a thread. */
void lab_network_start(void);

/* Of the last interrupt, in and out included, if it came to a thread. Context: any. */
uint32_t lab_network_instructions(void);

/* ---- Packets --------------------------------------------------------------------------------- */

struct lab_counters {
    uint32_t sent;
    uint32_t lost; /* the ring was full */
    uint32_t delivered;
    uint32_t late;
    uint64_t worst_ticks;
    struct tg_hist latency; /* ns */
};

extern struct lab_counters *lab_counters; /* of each flow */
extern uint32_t lab_most_filled;          /* frames in the ring at one time */
extern uint32_t lab_filled; /* kept by the network, which sees the ring before each frame */

/* Context: start-up. */
void lab_packets_init(const struct tg_storage *storage);

/* Before station_init. Context: start-up. */
struct gem_stock_buffer *lab_stock_buffers(void);

/* A frame is about to be written to this address. Context: the network. */
void lab_packet_arrives(uint32_t address, uint32_t flow, uint64_t at_ticks);

/* A packet is to be processed. Context: the protocol thread; the driver's thread. */
void lab_input(struct tg_buffer *buffer);
void lab_stock_input(struct gem_stock_buffer *buffer);

/* lwIP has taken the packet with this payload to its receiver. Context: lwIP. */
void lab_packet_delivered(const void *payload);

/* Start lwIP and its receivers. Context: a thread, before station_start. */
void lab_lwip_start(const struct station_config *cfg);

/* The stack's lock, for tasks that call it. Context: a thread. */
void lab_stack_lock(void);
void lab_stack_unlock(void);

/* ---- Others ---------------------------------------------------------------------------------- */

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

/* The driver's thread of the stock policies. Context: init: start-up, before station_init. */
void lab_stock_init(void);
void lab_stock_run(void);
extern uint32_t lab_stock_closed; /* how often reception was masked */

extern uint64_t lab_worker_rounds; /* of LAB_WORKER_INSTRUCTIONS each */
extern uint32_t *lab_samples;      /* plan.samples lengths of interrupts, in instructions */
#define LAB_WORKER_INSTRUCTIONS 100u

/* Context: a thread, lab_start is known. */
void lab_worker_start(void);

#endif
