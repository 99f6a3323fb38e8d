/* SPDX-License-Identifier: MIT
 *
 * frame_build.h - from a match to the bytes of a frame that it takes.
 */
#ifndef TG_SYSTEM_FRAME_BUILD_H
#define TG_SYSTEM_FRAME_BUILD_H

#include "system/system.h"

/* Room for every frame: the largest IP packet, two tags, and what ends a cache line. */
#define TG_FRAME_BUILD_MAX_BYTES 65600u

/* Who sends to whom, where the match leaves it open. */
struct tg_frame_ends {
    uint64_t station_mac; /* from tg_mac(), or TG_MAC_NONE: 02:00:00:00:00:01 */
    uint32_t
        variant; /* tells senders apart: goes into the source address, and into the source port and
                             the ICMP sequence number where the match does not fix them */
};

/* Build a frame that the core hands to the flow with this match: the smallest one, plus payload;
 * correct lengths and checksums; not padded to the Ethernet minimum.
 *
 * Context: any.
 * Units:   length_bytes: payload behind the innermost header that is built; what does not fit into
 *          mtu_bytes or size_bytes is an error.
 * Returns: bytes of the frame; TG_ERR_RANGE if it does not fit; TG_ERR_UNREACHABLE if no frame can
 *          have this match and form (fragments exist in IPv4 only; malformed needs an IP header).
 * Cost:    O(length). */
TG_NODISCARD int tg_frame_build(const struct tg_match *match, enum tg_system_form form,
                                const struct tg_frame_ends *ends, uint32_t length_bytes,
                                uint32_t mtu_bytes, uint8_t *bytes, uint32_t size_bytes);

#endif
