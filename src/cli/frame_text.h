/* SPDX-License-Identifier: MIT
 *
 * frame_text.h - a frame in words, as far as the core decoded it.
 */
#ifndef TG_CLI_FRAME_TEXT_H
#define TG_CLI_FRAME_TEXT_H

#include "tidegate/frame.h"

#define TG_FRAME_TEXT_BYTES 192u

/* The layers of a frame; a text is empty where the core did not look, or the bytes are not
 * there. */
struct tg_frame_text {
    char link[TG_FRAME_TEXT_BYTES];      /* "02:00:00:00:00:02 > 02:00:00:00:00:01 vlan 5" */
    char network[TG_FRAME_TEXT_BYTES];   /* "IPv4 192.0.2.2 > 192.0.2.1", "ARP", "type 0x88f7" */
    char transport[TG_FRAME_TEXT_BYTES]; /* "UDP 40000 > 5000", "ICMPv6", "protocol 47" */
};

/* Context: any task.
 * Units:   key as tg_frame_parse left it for these bytes; n_bytes of them are known.
 * Cost:    O(1). */
void tg_frame_describe(const struct tg_frame_key *key, const uint8_t *bytes, uint32_t n_bytes,
                       struct tg_frame_text *out);

#endif
