/* SPDX-License-Identifier: MIT
 *
 * traffic.h - frames and arrivals for the generator.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "generator.h"

#define TRAFFIC_FRAME_BYTES 1536u
#define TRAFFIC_PORT        4000u /* source port */
#define TRAFFIC_STAMP       42u   /* offset of the payload, whose first four bytes may change */

/* Where a frame's bytes lie, so that its stamp is aligned. */
struct traffic_bytes {
    uint16_t unused;
    uint8_t bytes[TRAFFIC_FRAME_BYTES + 2u];
} __attribute__((aligned(64)));

/* A UDP datagram over IPv4 from 10.0.0.2 to the station (10.0.0.1), checksum 0, payload of zeros.
 *
 * Context: start-up. Units: payload_bytes: 4..1472. */
struct generator_frame traffic_udp(struct traffic_bytes *memory, uint64_t station_mac,
                                   uint16_t dst_port, uint32_t payload_bytes);

/* Arrivals; room for `size` of them. Until they are sorted a gap counts from the start. */
struct traffic {
    struct generator_arrival *arrivals;
    uint32_t size;
    uint32_t n;
};

/* Add a frame every period from first on, before until.
 *
 * Context: start-up. Units: ticks. */
void traffic_add_periodic(struct traffic *t, uint32_t frame, uint32_t first, uint32_t period,
                          uint32_t until);

/* Put them into the order of time, as the generator wants them; of the same time, in that of the
 * frames.
 *
 * Context: start-up. */
void traffic_sort(struct traffic *t);

#endif
