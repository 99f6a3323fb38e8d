/* SPDX-License-Identifier: MIT
 *
 * shortcut.h - the most frequent step of the receive path, decided at once.
 *
 * For an untagged UDP packet over IPv4 without options the rules of frame.h come down to a row of
 * comparisons, and the flow that takes a frame is mostly the first one that is looked at. Neither
 * decides otherwise than tg_frame_parse and tg_table_find do. Where size counts (-Os) there is no
 * shortcut.
 */
#ifndef TG_CORE_SHORTCUT_H
#define TG_CORE_SHORTCUT_H

#include "bytes.h"
#include "path.h"
#include "protocols.h"
#include "table.h"

#ifdef __OPTIMIZE_SIZE__

static inline bool tg_shortcut_parse(const struct tg_station *station,
                                     const struct tg_rx_frame *frame, uint64_t *word,
                                     const uint8_t **network)
{
    (void)station;
    (void)frame;
    (void)word;
    (void)network;
    return false;
}

static inline struct tg_flow *tg_shortcut_find(const struct tg_flow_table *t, uint64_t key_word,
                                               const uint8_t *network)
{
    return tg_table_find(t, t->shapes, key_word, network);
}

#else

/* True if all rules of frame.h let this frame through to matching as plain UDP; *word is its key's
 * word then, and its network header stands at *network. */
static inline bool tg_shortcut_parse(const struct tg_station *station,
                                     const struct tg_rx_frame *frame, uint64_t *word,
                                     const uint8_t **network)
{
    enum { HEADER = 14, HEADERS = 20 + 8 }; /* Ethernet; IPv4 without options, and UDP */
    const uint8_t *const bytes = frame->buffer->data;
    const uint32_t rest_bytes = frame->len_bytes - (HEADER + HEADERS); /* may wrap */

    /* IPv4 without options; the type of service stands behind. */
    if (rest_bytes > station->mtu_bytes - HEADERS || frame->tci != TG_TCI_NONE ||
        (tg_load32(bytes + 12) & TG_WIRE32(0xffffff00)) != TG_WIRE32(0x08004500)) {
        return false;
    }
    /* A group address, or the last four bytes of the station's own. */
    if ((bytes[0] & 1u) != 0u ||
        tg_load32(bytes + 8) == tg_load32((const uint8_t *)&station->mac + 2)) {
        return false;
    }

    const uint32_t udp_bytes = tg_be16(bytes + 38);

    /* UDP fills the packet, as it usually does, and has at least its header (less wraps). */
    if ((uint16_t)(udp_bytes + 20u) != tg_be16(bytes + 16) || udp_bytes - 8u > rest_bytes) {
        return false;
    }
    /* No fragment, and UDP; between the two is the time to live. */
    if ((tg_load32(bytes + 20) & TG_WIRE32(0x3fff00ff)) != TG_WIRE32(TG_PROTO_UDP) ||
        tg_load32(bytes + 26) == tg_load32(bytes + 30)) {
        return false;
    }
    *word = (uint64_t)(TG_KIND_IP4 | TG_PROTO_UDP) << TG_KEY_KIND_SHIFT | tg_be32(bytes + 34);
    *network = bytes + HEADER;
    return true;
}

/* As tg_table_find over all shapes; a flow of the first one worth a probe is found in line. */
static inline struct tg_flow *tg_shortcut_find(const struct tg_flow_table *t, uint64_t key_word,
                                               const uint8_t *network)
{
    const struct tg_shape *shape = t->shapes;

    while ((shape->ports >> ((uint32_t)key_word & 31u) & 1u) == 0u) {
        shape++; /* the one behind the last stops here (I3) */
    }

    const uint64_t word = key_word & shape->mask;
    const uint32_t high = (uint32_t)(word * shape->multiplier >> 32);
    uint32_t entry = t->buckets[high >> t->shift];
    struct tg_flow *flow = tg_table_at(t, entry);

    while (TG_UNLIKELY(!tg_table_is_candidate(entry, high) || flow->word != word ||
                       flow->fields != shape->fields)) {
        entry = flow->next; /* best effort, where an empty bucket leads, has none */
        if (entry == 0u) {
            /* This shape again if it fixes addresses; the one behind the last fixes nothing. */
            shape += (shape->fields & TG_HOSTS) == 0u && shape->fields != 0u;
            return shape->fields == 0u ? t->flows : tg_table_find(t, shape, key_word, network);
        }
        flow = tg_table_at(t, entry);
    }
    return flow;
}

#endif

#endif
