/* SPDX-License-Identifier: MIT
 *
 * station.h - the board as a station of a network: GEM, receive path, protocol thread; and the
 * generator on the other GEM. What applications are built on; there is one per program.
 *
 * Start-up: board_main has run, osKernelInitialize; then station_init, what else the application
 * has, osKernelStart, and from a thread station_start, generator_start.
 */
#ifndef STATION_H
#define STATION_H

#include "gem_stock.h"
#include "gem_tidegate.h"
#include "generator.h"
#include "threads.h"

/* 02:00:00:00:00:01, and 02 for the board's other GEM; as tg_mac. */
#define STATION_MAC   UINT64_C(0x010000000002)
#define GENERATOR_MAC UINT64_C(0x020000000002)
#define STATION_RING  256u /* descriptors, at most */

struct station_config {
    /* With Tidegate: tables and memory, as `tidegate gen` writes them; one queue. core NULL:
     * stock. */
    const struct tg_config *core;
    const struct tg_storage *storage;
    enum tg_port_priority_kind kind;
    struct tg_trace *trace; /* where events go, or NULL; core->trace says whether there are any */

    /* The protocol thread processes a packet; who frees it calls tg_rx_release. NULL: see run. */
    void (*input)(struct tg_buffer *buffer);

    /* In place of input: process the most urgent packet; false if none waits. */
    bool (*run)(void);

    /* Stock: */
    struct gem_stock_buffer *buffers; /* n_buffers, more than ring */
    uint32_t n_buffers;
    uint32_t ring;         /* descriptors */
    osPriority_t priority; /* of the driver's thread */

    /* The driver's thread: gem_stock_take and gem_stock_wait in turn, for ever. */
    void (*stock_run)(void);
};

extern struct tg_protocol station_protocol;
extern struct gem_stock station_stock;

/* Context: start-up. What does not fit stops the program. */
void station_init(const struct station_config *cfg);

/* Start threads and reception. Context: a thread. */
void station_start(void);

/* This GEM, and the other one, for the generator. */
struct gem *station_gem(void);
struct gem *station_sender(void);

/* The oldest frame that this GEM has sent and the other one received; NULL if there is none. Up to
 * STATION_RING of them are kept.
 *
 * Context: one thread. The bytes are valid until STATION_RING more have come. */
const uint8_t *station_take_answer(uint32_t *len_bytes);

/* The clock of frame->now_ns. Context: any. */
tg_ns station_now_ns(void);

/* Write the events of a trace to a file of the host, oldest first: records of struct tg_event as
 * they are in memory (little endian: at_ns 8 bytes, subject 2, kind 1, value 1, lost 4). What the
 * host refuses stops the program.
 *
 * Context: after the measured run. */
void station_dump(struct tg_trace *trace, const char *path);

#endif
