/* SPDX-License-Identifier: MIT
 *
 * shortcut.h - the most frequent step of the receive path, decided at once.
 *
 * For an untagged UDP packet over IPv4 without options, while gate and flow need no refill, the
 * steps of rx.c come down to a row of comparisons. The shortcut makes them all before it changes
 * anything: what it is not sure of it leaves to the steps themselves, so it never decides otherwise
 * than they do. Where size counts (-Os) there is none.
 */
#ifndef TG_CORE_SHORTCUT_H
#define TG_CORE_SHORTCUT_H

#include "bytes.h"
#include "path.h"
#include "protocols.h"
#include "table.h"

#define TG_SHORTCUT_NETWORK 14u /* offset of the network header */

/* True if all rules of frame.h let this frame through to matching as plain UDP; *word is its key's
 * word. */
static inline bool tg_shortcut_parse(const struct tg_station *station,
                                     const struct tg_rx_frame *frame, uint64_t *word)
{
    enum { HEADERS = 20 + 8 }; /* IPv4 without options, and UDP */
    const uint8_t *const bytes = frame->buffer->data;
    const uint32_t rest_bytes = frame->len_bytes - (TG_SHORTCUT_NETWORK + HEADERS); /* may wrap */

    if (rest_bytes > station->mtu_bytes - HEADERS || frame->tci != TG_TCI_NONE ||
        tg_load16(bytes + 12) != TG_WIRE16(TG_TYPE_IP4) || bytes[14] != 0x45u) {
        return false;
    }
    /* A group address, or the last four bytes of the station's own. */
    if ((bytes[0] & 1u) != 0u ||
        tg_load32(bytes + 8) == tg_load32((const uint8_t *)&station->mac + 2)) {
        return false;
    }

    const uint16_t udp_bytes = (uint16_t)tg_be16(bytes + 38);

    /* UDP fills the packet, as it usually does, and has at least its header (less wraps). */
    if (udp_bytes != (uint16_t)(tg_be16(bytes + 16) - 20u) || udp_bytes - 8u > rest_bytes) {
        return false;
    }
    if ((tg_load16(bytes + 20) & TG_WIRE16(0x3fff)) != 0u || bytes[23] != TG_PROTO_UDP ||
        tg_load32(bytes + 26) == tg_load32(bytes + 30)) {
        return false;
    }
    *word = (uint64_t)(TG_KIND_IP4 | TG_PROTO_UDP) << TG_KEY_KIND_SHIFT | tg_be32(bytes + 34);
    return true;
}

/* The flow of this shape, unless it fixes addresses; else NULL. */
static inline struct tg_flow *tg_shortcut_probe(const struct tg_flow_table *t,
                                                const struct tg_shape *shape, uint64_t key_word)
{
    const uint64_t word = key_word & shape->mask;
    const uint32_t high = (uint32_t)(word * shape->multiplier >> 32);
    uint32_t entry = t->buckets[high >> t->shift];
    struct tg_flow *flow = tg_table_at(t, entry);

    while (TG_UNLIKELY(!tg_table_is_candidate(entry, high) || flow->word != word ||
                       flow->fields != shape->fields)) {
        entry = flow->next; /* best effort, where an empty bucket leads, has none */
        if (entry == 0u) {
            return NULL;
        }
        flow = tg_table_at(t, entry);
    }
    return flow;
}

#endif
