/* SPDX-License-Identifier: MIT
 *
 * peer_frames.h - frames of the peer, with checksums as lwIP wants them.
 */
#ifndef TG_TESTS_PEER_FRAMES_H
#define TG_TESTS_PEER_FRAMES_H

#include "test_frame.h"

/* The station is 192.0.2.1 (and 2001:db8::1), its peer 192.0.2.2; floods come from there, too. */
extern const uint8_t STATION_HOST[4];
extern const uint8_t PEER_HOST[4];

/* Set the checksums (IPv4 header, UDP, TCP, ICMP, IGMP) where the frame has room for them. */
void peer_seal(struct frame *f);

/* IPv4 from the peer to the station, not sealed. */
struct frame peer_frame(struct frame_spec spec);

struct frame peer_udp(uint16_t src_port, uint16_t dst_port, uint16_t payload_bytes);

#endif
