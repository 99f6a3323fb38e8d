/* SPDX-License-Identifier: MIT
 *
 * protocols.h - assigned numbers that both the frame parser and the matches know.
 */
#ifndef TG_CORE_PROTOCOLS_H
#define TG_CORE_PROTOCOLS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TG_TYPE_IP4 = 0x0800,
    TG_TYPE_ARP = 0x0806,
    TG_TYPE_IP6 = 0x86dd,
    TG_TYPE_TAG = 0x8100,         /* IEEE 802.1Q */
    TG_TYPE_SERVICE_TAG = 0x88a8, /* IEEE 802.1ad */
    TG_TYPE_MIN = 1536            /* smaller values are lengths */
};

enum {
    TG_PROTO_HOP_BY_HOP = 0,
    TG_PROTO_ICMP = 1,
    TG_PROTO_IGMP = 2,
    TG_PROTO_TCP = 6,
    TG_PROTO_UDP = 17,
    TG_PROTO_ICMP6 = 58
};

static inline bool tg_is_tag(uint32_t type)
{
    return type == TG_TYPE_TAG || type == TG_TYPE_SERVICE_TAG;
}

static inline bool tg_is_ip6_extension(uint32_t next_header)
{
    switch (next_header) {
    case TG_PROTO_HOP_BY_HOP:
    case 43:  /* routing */
    case 44:  /* fragment */
    case 50:  /* encapsulating security payload */
    case 51:  /* authentication */
    case 60:  /* destination options */
    case 135: /* mobility */
    case 139: /* host identity */
    case 140: /* shim6 */
        return true;
    default:
        return false;
    }
}

#endif
