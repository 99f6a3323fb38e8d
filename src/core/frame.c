/* SPDX-License-Identifier: MIT
 *
 * frame.c - from the bytes of one Ethernet frame to a class and a key.
 */
#include "parse.h"

uint64_t tg_mac(const uint8_t address[6])
{
    return tg_load16(address) | (uint64_t)tg_load32(address + 2) << 16;
}

enum tg_frame_class tg_frame_parse(const struct tg_station *station, const uint8_t *bytes,
                                   uint32_t len_bytes, uint32_t tci, struct tg_frame_key *key)
{
    return tg_parse(station, bytes, len_bytes, tci, key);
}
