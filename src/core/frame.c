/* SPDX-License-Identifier: MIT
 *
 * frame.c - from the bytes of one Ethernet frame to a class and a key.
 */
#include "bytes.h"
#include "protocols.h"
#include "tidegate/frame.h"

enum {
    ETH_HEADER = 14,
    TAG = 4,
    IP4_HEADER = 20,
    IP6_HEADER = 40,
    ARP_BODY = 28,
    UDP_HEADER = 8,
    TCP_HEADER = 20
};

uint64_t tg_mac(const uint8_t address[6])
{
    return tg_load16(address) | (uint64_t)tg_load32(address + 2) << 16;
}

static inline enum tg_frame_class decide(struct tg_frame_key *key, enum tg_frame_rule rule,
                                         enum tg_frame_class class)
{
    key->rule = (uint8_t)rule;
    return class;
}

static inline enum tg_frame_class parse_tcp(struct tg_frame_key *key, const uint8_t *l4,
                                            uint32_t len_bytes)
{
    if (len_bytes < TCP_HEADER) {
        return decide(key, TG_RULE_TCP, TG_FRAME_MALFORMED);
    }
    const uint32_t offset_bytes = 4u * (l4[12] >> 4);

    if (offset_bytes < TCP_HEADER || offset_bytes > len_bytes) {
        return decide(key, TG_RULE_TCP, TG_FRAME_MALFORMED);
    }
    if ((l4[13] & 0x12u) == 0x02u) { /* SYN, and not ACK */
        key->word |= TG_KEY_SYN;
    }
    key->word |= tg_be32(l4);
    return decide(key, TG_RULE_TCP, TG_FRAME_MATCH);
}

/* Rules 15 to 18: len_bytes of IP payload stand at l4. kind is the key's kind without the
 * protocol. */
static inline enum tg_frame_class parse_transport(struct tg_frame_key *key, uint32_t kind,
                                                  uint32_t protocol, const uint8_t *l4,
                                                  uint32_t len_bytes)
{
    key->word |= (uint64_t)(kind | protocol) << TG_KEY_KIND_SHIFT;
    key->l4_len_bytes = (uint16_t)len_bytes;

    if (TG_LIKELY(protocol == TG_PROTO_UDP)) {
        if (len_bytes < UDP_HEADER) {
            return decide(key, TG_RULE_UDP, TG_FRAME_MALFORMED);
        }
        const uint32_t udp_len_bytes = tg_be16(l4 + 4);

        if (udp_len_bytes < UDP_HEADER || udp_len_bytes > len_bytes) {
            return decide(key, TG_RULE_UDP, TG_FRAME_MALFORMED);
        }
        key->word |= tg_be32(l4);
        return decide(key, TG_RULE_UDP, TG_FRAME_MATCH);
    }
    if (protocol == TG_PROTO_TCP) {
        return parse_tcp(key, l4, len_bytes);
    }

    const bool is_ip4 = kind == TG_KIND_IP4;

    if (is_ip4 ? protocol == TG_PROTO_ICMP || protocol == TG_PROTO_IGMP
               : protocol == TG_PROTO_ICMP6) {
        return decide(key, TG_RULE_CONTROL,
                      len_bytes < (is_ip4 ? 8u : 4u) ? TG_FRAME_MALFORMED : TG_FRAME_MATCH);
    }
    return decide(key, TG_RULE_PROTOCOL, TG_FRAME_MATCH);
}

/* Rules 8 to 11. */
static inline enum tg_frame_class parse_ip4(struct tg_frame_key *key, const uint8_t *bytes,
                                            uint32_t offset, uint32_t present_bytes)
{
    const uint8_t *const ip = bytes + offset;

    if (present_bytes < IP4_HEADER) {
        return decide(key, TG_RULE_IP4, TG_FRAME_MALFORMED);
    }
    const bool has_options = ip[0] != 0x45u; /* or it is no header at all */
    uint32_t header_bytes = IP4_HEADER;
    const uint32_t total_bytes = tg_be16(ip + 2);

    if (TG_UNLIKELY(has_options)) {
        header_bytes = 4u * (ip[0] & 0xfu);
        if (ip[0] >> 4 != 4u || header_bytes < IP4_HEADER) {
            return decide(key, TG_RULE_IP4, TG_FRAME_MALFORMED);
        }
    }
    if (total_bytes < header_bytes || total_bytes > present_bytes) {
        return decide(key, TG_RULE_IP4, TG_FRAME_MALFORMED);
    }
    if (tg_load32(ip + 12) == tg_load32(ip + 16)) {
        return decide(key, TG_RULE_IP4_LAND, TG_FRAME_MALFORMED);
    }
    if ((tg_load16(ip + 6) & TG_WIRE16(0x3fff)) != 0u) { /* more fragments, or an offset */
        return decide(key, TG_RULE_IP4_FRAGMENT, TG_FRAME_BEST_EFFORT);
    }
    if (TG_UNLIKELY(has_options)) {
        if (ip[9] != TG_PROTO_IGMP) {
            return decide(key, TG_RULE_IP4_OPTIONS, TG_FRAME_BEST_EFFORT);
        }
    }
    key->address_bytes = 4u;
    key->src_offset = (uint8_t)(offset + 12u);
    key->l4_offset = (uint16_t)(offset + header_bytes);
    return parse_transport(key, TG_KIND_IP4, ip[9], ip + header_bytes, total_bytes - header_bytes);
}

/* Rules 12 to 14. */
static inline enum tg_frame_class parse_ip6(struct tg_frame_key *key, const uint8_t *bytes,
                                            uint32_t offset, uint32_t present_bytes)
{
    const uint8_t *const ip = bytes + offset;

    if (present_bytes < IP6_HEADER || ip[0] >> 4 != 6u) {
        return decide(key, TG_RULE_IP6, TG_FRAME_MALFORMED);
    }
    uint32_t payload_bytes = tg_be16(ip + 4);

    if (payload_bytes > present_bytes - IP6_HEADER) {
        return decide(key, TG_RULE_IP6, TG_FRAME_MALFORMED);
    }
    if (tg_load32(ip + 8) == tg_load32(ip + 24) && tg_load32(ip + 12) == tg_load32(ip + 28) &&
        tg_load32(ip + 16) == tg_load32(ip + 32) && tg_load32(ip + 20) == tg_load32(ip + 36)) {
        return decide(key, TG_RULE_IP6_LAND, TG_FRAME_MALFORMED);
    }

    const uint8_t *l4 = ip + IP6_HEADER;
    uint32_t next = ip[6];

    if (next != TG_PROTO_UDP && tg_is_ip6_extension(next)) {
        if (payload_bytes < 8u) {
            return decide(key, TG_RULE_IP6_EXTENSION, TG_FRAME_MALFORMED);
        }
        if (next != TG_PROTO_HOP_BY_HOP || l4[0] != TG_PROTO_ICMP6 || l4[1] != 0u) {
            return decide(key, TG_RULE_IP6_EXTENSION, TG_FRAME_BEST_EFFORT);
        }
        next = TG_PROTO_ICMP6;
        l4 += 8;
        payload_bytes -= 8u;
    }
    key->address_bytes = 16u;
    key->src_offset = (uint8_t)(offset + 8u);
    key->l4_offset = (uint16_t)(l4 - bytes);
    return parse_transport(key, TG_KIND_IP6, next, l4, payload_bytes);
}

/* Rule 7. */
static inline enum tg_frame_class parse_arp(struct tg_frame_key *key, const uint8_t *body,
                                            uint32_t present_bytes)
{
    static const uint8_t ethernet_ip4[6] = {0x00, 0x01, 0x08, 0x00, 0x06, 0x04};

    if (present_bytes < ARP_BODY || tg_load32(body) != tg_load32(ethernet_ip4) ||
        tg_load16(body + 4) != tg_load16(ethernet_ip4 + 4)) {
        return decide(key, TG_RULE_ARP, TG_FRAME_MALFORMED);
    }
    key->word |= (uint64_t)TG_TYPE_ARP << TG_KEY_KIND_SHIFT;
    return decide(key, TG_RULE_ARP, TG_FRAME_MATCH);
}

/* What is neither IPv4 nor IPv6 behind its tags. */
static inline enum tg_frame_class parse_other(struct tg_frame_key *key, uint32_t type,
                                              const uint8_t *body, uint32_t present_bytes)
{
    if (type == TG_TYPE_ARP) {
        return parse_arp(key, body, present_bytes);
    }
    if (type <= 1500u) {
        return decide(key, TG_RULE_LLC, TG_FRAME_BEST_EFFORT);
    }
    if (type < TG_TYPE_MIN) {
        return decide(key, TG_RULE_TYPE_GAP, TG_FRAME_MALFORMED);
    }
    key->word |= (uint64_t)type << TG_KEY_KIND_SHIFT;
    return decide(key, TG_RULE_TYPE, TG_FRAME_MATCH);
}

static inline void outermost_tag(struct tg_frame_key *key, uint32_t tci)
{
    key->word |= (uint64_t)(tci & 0x0fffu) << TG_KEY_VLAN_SHIFT;
    key->pcp = (uint8_t)((tci >> 13) & 7u);
}

/* Rules 2 to 4: walk over the tags. Returns 0 and the offset behind the type field, or the rule
 * that holds. */
static inline uint32_t parse_tags(struct tg_frame_key *key, const uint8_t *bytes,
                                  uint32_t len_bytes, uint32_t tags, uint32_t *offset)
{
    while (tg_is_tag(tg_be16(bytes + *offset - 2u))) {
        if (tags == TG_TAGS_MAX) {
            return TG_RULE_THIRD_TAG;
        }
        if (len_bytes - *offset < TAG) {
            return TG_RULE_TAG_CUT;
        }
        if (tags == 0u) {
            outermost_tag(key, tg_be16(bytes + *offset));
        }
        *offset += TAG;
        tags++;
    }
    return 0u;
}

enum tg_frame_class tg_frame_parse(const struct tg_station *station, const uint8_t *bytes,
                                   uint32_t len_bytes, uint32_t tci, struct tg_frame_key *key)
{
    uint32_t offset = ETH_HEADER;

    *key = (struct tg_frame_key){0};
    if (len_bytes < ETH_HEADER) {
        return decide(key, TG_RULE_RUNT, TG_FRAME_MALFORMED);
    }
    /* The last four bytes alone tell most stations apart. */
    if (TG_UNLIKELY(tg_load32(bytes + 8) == (uint32_t)(station->mac >> 16))) {
        if (tg_load16(bytes + 6) == (uint16_t)station->mac) {
            return decide(key, TG_RULE_OWN_SOURCE, TG_FRAME_MALFORMED);
        }
    }
    if ((bytes[0] & 1u) != 0u) {
        const bool is_broadcast =
            tg_load32(bytes) == 0xffffffffu && tg_load16(bytes + 4) == 0xffffu;

        key->word = is_broadcast ? TG_KEY_GROUP | TG_KEY_BROADCAST : TG_KEY_GROUP;
    }
    if (TG_UNLIKELY(tci != TG_TCI_NONE)) {
        outermost_tag(key, tci);
    }
    if (TG_UNLIKELY(tg_load16(bytes + 12) != TG_WIRE16(TG_TYPE_IP4))) {
        const uint32_t rule = parse_tags(key, bytes, len_bytes, tci != TG_TCI_NONE, &offset);

        if (rule != 0u) {
            return decide(key, (enum tg_frame_rule)rule,
                          rule == TG_RULE_THIRD_TAG ? TG_FRAME_BEST_EFFORT : TG_FRAME_MALFORMED);
        }
    }

    const uint32_t present_bytes = len_bytes - offset;
    const uint16_t type = tg_load16(bytes + offset - 2u);

    if (present_bytes > station->mtu_bytes) {
        return decide(key, TG_RULE_OVERSIZE, TG_FRAME_MALFORMED);
    }
    key->l3_offset = (uint16_t)offset;
    if (TG_LIKELY(type == TG_WIRE16(TG_TYPE_IP4))) {
        return parse_ip4(key, bytes, offset, present_bytes);
    }
    if (type == TG_WIRE16(TG_TYPE_IP6)) {
        return parse_ip6(key, bytes, offset, present_bytes);
    }
    return parse_other(key, TG_WIRE16(type), bytes + offset, present_bytes);
}
