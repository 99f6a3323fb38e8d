/* SPDX-License-Identifier: MIT
 *
 * lab.h - what the files of the lab share.
 *
 *     run.h      plan, tasks and counts, as on any board
 *     network.c  arrivals, for the generator
 *     packets.c  where packets end: protocol work, receivers, counters
 *     lwip.c     receivers behind lwIP
 *     stock.c    the stock driver's thread, plain or behind a limit of packets per period
 *     worker.c   instructions that are left over, and lengths of interrupts
 *     main.c     start, end, results
 */
#ifndef LAB_H
#define LAB_H

#include "run.h"
#include "station.h"

#define LAB_SERVICE osPriorityRealtime

/* ---- Time ------------------------------------------------------------------------------------ */

/* To whole instructions; ticks: exact from shift 5 on. */
static inline uint32_t lab_instructions_of_ns(uint32_t ns)
{
    return (ns + (1u << lab_plan->shift) / 2u) >> lab_plan->shift;
}

static inline uint32_t lab_instructions(uint32_t ticks)
{
    return lab_instructions_of_ns(ticks * LAB_TICK_NS);
}

/* The generator has the arrivals. Context: a thread, after station_start; nothing else runs. */
void lab_network_init(void);

/* ---- Packets --------------------------------------------------------------------------------- */

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

/* A thread that sends datagrams, if the plan wants one. Context: a thread, lab_start is known. */
void lab_lwip_send_start(void);

/* ---- Others ---------------------------------------------------------------------------------- */

/* The driver's thread of the stock policies. Context: init: start-up, before station_init. */
void lab_stock_init(void);
void lab_stock_run(void);
extern uint32_t lab_stock_closed; /* how often reception was masked */

extern uint64_t lab_worker_rounds; /* of LAB_WORKER_INSTRUCTIONS each */
extern uint32_t *lab_samples;      /* plan.samples lengths of interrupts, in instructions */
#define LAB_WORKER_INSTRUCTIONS 100u

/* Context: a thread; start: lab_start is known. */
void lab_worker_init(void);
void lab_worker_start(void);

#endif
