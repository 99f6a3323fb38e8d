/* SPDX-License-Identifier: MIT
 *
 * lwip_station.h - lwIP on the station of station.h: address 10.0.0.1, behind Tidegate or behind
 * the stock driver.
 *
 *     Tidegate: GEM ─▶ core ─▶ protocol thread: tg_lwip_input ─▶ socket
 *     stock:    GEM ─▶ driver's thread ─▶ tcpip_input ─▶ mailbox ─▶ tcpip_thread ─▶ socket
 *
 * In both the buffer that the GEM wrote travels to the socket without a copy, and comes back with
 * pbuf_free. Start-up: station_init with the functions below, from a thread lwip_station_start,
 * then sockets or netconns, then station_start. What is sent is copied into the GEM's ring.
 */
#ifndef LWIP_STATION_H
#define LWIP_STATION_H

#include "station.h"
#include "tg_lwip.h"

#define LWIP_STATION_ADDRESS "10.0.0.1"
#define LWIP_STATION_SENDER  "10.0.0.2" /* the generator's; its MAC address is known */
#define LWIP_STATION_BUFFERS 1024u      /* of the pool, at most */
#define LWIP_STATION_SOCKETS 16u        /* with a flow of their own */

/* lwip_station_priority (lwipopts.h) is the core priority of tcpip_thread; set it before
 * lwip_station_start. The floor with Tidegate, where it only runs timers; with the stock driver it
 * is the protocol task. */

/* What station_config wants as run and as stock_run. */
bool lwip_station_run(void);
void lwip_station_stock_run(void);

/* What that loop does with a frame; for a driver's thread with a loop of its own. */
void lwip_station_stock_input(struct gem_stock_buffer *b, uint32_t len_bytes);

/* Start lwIP on the station. cfg: what station_init was given.
 *
 * Context: a thread, after station_init, before station_start. What is refused stops the
 * program. */
void lwip_station_start(const struct station_config *cfg);

/* Of the adaptor, for flows of sockets and counters; not with the stock driver. */
extern struct tg_lwip lwip_station;

/* Packets that tcpip_thread's mailbox or its pool of messages refused: stock only. */
extern uint32_t lwip_station_refused;

#endif
