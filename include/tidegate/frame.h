/* SPDX-License-Identifier: MIT
 *
 * frame.h - from the bytes of one Ethernet frame to a class and a key.
 *
 * Total: every input gets a class, nothing beyond len bytes is read, and the only loop is the one
 * over tags (at most 2), so the cost has a constant bound. A length is compared before it is
 * trusted.
 */
#ifndef TIDEGATE_FRAME_H
#define TIDEGATE_FRAME_H

#include "tidegate/common.h"

#define TG_TAGS_MAX 2u

/* No byte at or beyond this offset is ever read: two tags, IPv4 with options (or IPv6 with one
 * hop-by-hop header) and a TCP header. This is the "head" of a buffer for cache maintenance. */
#define TG_FRAME_HEAD_BYTES 128u

/* In place of a stripped tag control word: the NIC stripped none. */
#define TG_TCI_NONE 0x10000u

enum tg_frame_class {
    TG_FRAME_MALFORMED,
    TG_FRAME_BEST_EFFORT, /* well formed, but never handed to flow matching */
    TG_FRAME_MATCH        /* handed to flow matching: the key is complete */
};

/* Which rule decided. The first that holds wins, in the order of this list; "else" marks the class
 * of what the rule lets through to matching. Bytes present may exceed the IP length (Ethernet
 * padding). */
enum tg_frame_rule {
    TG_RULE_RUNT = 1,          /*  1  len < 14: malformed */
    TG_RULE_OWN_SOURCE = 2,    /*  2  source address is the station's own: malformed */
    TG_RULE_TAG_CUT = 3,       /*  3  0x8100 or 0x88a8 with the tag cut off: malformed */
    TG_RULE_THIRD_TAG = 4,     /*  4  a third tag (a stripped one counts): best effort */
    TG_RULE_OVERSIZE = 20,     /*  4a len > MTU + 14 + 4 per tag in the bytes: malformed */
    TG_RULE_LLC = 5,           /*  5  type <= 1500: best effort */
    TG_RULE_TYPE_GAP = 6,      /*  6  type 1501..1535: malformed */
    TG_RULE_ARP = 7,           /*  7  ARP, cut or not Ethernet/IPv4: malformed, else match */
    TG_RULE_IP4 = 8,           /*  8  IPv4 with an impossible header or length: malformed */
    TG_RULE_IP4_LAND = 9,      /*  9  IPv4 source = destination: malformed */
    TG_RULE_IP4_FRAGMENT = 10, /* 10  IPv4 fragment, the first one included: best effort */
    TG_RULE_IP4_OPTIONS = 11,  /* 11  IPv4 options, except before IGMP: best effort */
    TG_RULE_IP6 = 12,          /* 12  IPv6 with an impossible header or length: malformed */
    TG_RULE_IP6_LAND = 13,     /* 13  IPv6 source = destination: malformed */
    /* 14  IPv6 extension header: cut: malformed; one hop-by-hop header of 8 bytes before ICMPv6
     *     (MLD): goes on as ICMPv6; else best effort */
    TG_RULE_IP6_EXTENSION = 14,
    TG_RULE_UDP = 15, /* 15  UDP, cut or with an impossible length: malformed, else match */
    TG_RULE_TCP = 16, /* 16  TCP, cut or with an impossible data offset: malformed, else match */
    TG_RULE_CONTROL = 17,  /* 17  ICMP and IGMP < 8 bytes, ICMPv6 < 4: malformed, else match */
    TG_RULE_PROTOCOL = 18, /* 18  any other IP protocol, tunnels too: match by protocol only */
    TG_RULE_TYPE = 19      /* 19  any other type field: match by type only */
};

/* What is known of the receiving station. */
struct tg_station {
    uint64_t mac;       /* from tg_mac(), or TG_MAC_NONE: then rule 2 never holds */
    uint32_t mtu_bytes; /* largest IP packet, 68..65521 */
};

#define TG_MAC_NONE UINT64_MAX

/* The fields that a match can fix, all but addresses, in one word:
 *
 *      63  62  61  60  59        48 47        32 31        16 15         0
 *     ┌───┬───┬───┬───┬────────────┬────────────┬────────────┬────────────┐
 *     │ 0 │syn│grp│bc │  VLAN id   │    kind    │source port │ dest. port │
 *     └───┴───┴───┴───┴────────────┴────────────┴────────────┴────────────┘
 *
 * kind: the type field; for IPv4 0x0400 | protocol, for IPv6 0x0500 | next header (no type field
 * lies in 0x0400..0x05ff after rules 5 and 6). grp: destination is a group address; bc: the
 * broadcast address; syn: TCP with SYN and without ACK. VLAN id of the outermost tag, 0 when
 * untagged or priority-tagged. */
#define TG_KEY_SRC_PORT_SHIFT 16u
#define TG_KEY_KIND_SHIFT     32u
#define TG_KEY_VLAN_SHIFT     48u
#define TG_KEY_BROADCAST      (UINT64_C(1) << 60)
#define TG_KEY_GROUP          (UINT64_C(1) << 61)
#define TG_KEY_SYN            (UINT64_C(1) << 62)
#define TG_KIND_IP4           0x0400u
#define TG_KIND_IP6           0x0500u
#define TG_KIND_IP6_BIT       0x0100u

struct tg_frame_key {
    uint64_t word;         /* see above */
    uint16_t l3_offset;    /* of the network header, or what follows the type; from rule 5 on */
    uint16_t l4_offset;    /* of the transport header; valid for rules 15 to 18 */
    uint16_t l4_len_bytes; /* of the IP payload from l4_offset on, without padding; as l4_offset */
    uint8_t rule;          /* enum tg_frame_rule */
    uint8_t address_bytes; /* 4 or 16: IP addresses are present; else 0 */
    uint8_t src_offset;    /* of the source address; the destination address follows it */
    uint8_t pcp;           /* priority bits of the outermost tag, 0 when there is none */
};

/* The station's address as rule 2 compares it.
 *
 * Context: any.
 * Cost:    O(1). */
uint64_t tg_mac(const uint8_t address[6]);

/* Classify one frame.
 *
 * Context: any; touches nothing but its arguments.
 * Units:   len_bytes without preamble and frame check sequence, 0..65535; tci: the tag control word
 *          that the NIC stripped, taken as the outermost tag, or TG_TCI_NONE.
 * Returns: the class; *key as far as its comment says, key->rule always.
 * Cost:    O(1): at most 2 rounds over tags; reads at most the first TG_FRAME_HEAD_BYTES. */
enum tg_frame_class tg_frame_parse(const struct tg_station *station, const uint8_t *bytes,
                                   uint32_t len_bytes, uint32_t tci, struct tg_frame_key *key);

#endif
