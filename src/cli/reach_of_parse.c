/* SPDX-License-Identifier: MIT
 *
 * reach_of_parse.c - how far into a frame did the parser look?
 */
#include "reach_of_parse.h"

enum {
    ETH_HEADER = 14,
    TAG = 4,
    ARP_FIXED = 6, /* types and lengths; the addresses behind are not looked at */
    IP4_HEADER = 20,
    IP6_HEADER = 40,
    IP6_OPTIONS_FIXED = 2, /* next header and length of the hop-by-hop header */
    UDP_FIXED = 6,         /* ports and length */
    TCP_FIXED = 14         /* up to the flags */
};

uint32_t tg_reach_of_parse(const struct tg_frame_key *key)
{
    switch (key->rule) {
    case TG_RULE_RUNT:
        return 0u;
    case TG_RULE_OWN_SOURCE:
        return 12u;
    case TG_RULE_TAG_CUT:
    case TG_RULE_THIRD_TAG:
    case TG_RULE_OVERSIZE:
        return ETH_HEADER + TAG * TG_TAGS_MAX;
    case TG_RULE_ARP:
        return key->l3_offset + (uint32_t)ARP_FIXED;
    case TG_RULE_IP4:
    case TG_RULE_IP4_LAND:
    case TG_RULE_IP4_FRAGMENT:
    case TG_RULE_IP4_OPTIONS:
        return key->l3_offset + (uint32_t)IP4_HEADER;
    case TG_RULE_IP6:
    case TG_RULE_IP6_LAND:
        return key->l3_offset + (uint32_t)IP6_HEADER;
    case TG_RULE_IP6_EXTENSION:
        return key->l3_offset + (uint32_t)(IP6_HEADER + IP6_OPTIONS_FIXED);
    case TG_RULE_UDP:
        return key->l4_offset + (uint32_t)UDP_FIXED;
    case TG_RULE_TCP:
        return key->l4_offset + (uint32_t)TCP_FIXED;
    case TG_RULE_CONTROL:
    case TG_RULE_PROTOCOL:
        return key->l4_offset; /* for MLD and IGMP with options this is beyond what was read */
    default:
        return key->l3_offset; /* LLC and other types */
    }
}
