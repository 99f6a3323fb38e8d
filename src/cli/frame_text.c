/* SPDX-License-Identifier: MIT
 *
 * frame_text.c - a frame in words, as far as the core decoded it.
 */
#define _POSIX_C_SOURCE 200809L
#include "frame_text.h"

#include "core/protocols.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>

#define ETH_HEADER  14u
#define MAC_FORMAT  "%02x:%02x:%02x:%02x:%02x:%02x"
#define MAC_ARGS(m) (m)[0], (m)[1], (m)[2], (m)[3], (m)[4], (m)[5]

static uint32_t kind_of(const struct tg_frame_key *key)
{
    return (uint32_t)(key->word >> TG_KEY_KIND_SHIFT) & 0xffffu;
}

static void describe_link(const struct tg_frame_key *key, const uint8_t *bytes, uint32_t n_bytes,
                          char *text)
{
    const uint32_t vlan = (uint32_t)(key->word >> TG_KEY_VLAN_SHIFT) & 0x0fffu;
    char tag[32] = "";

    if (n_bytes < ETH_HEADER) {
        return;
    }
    if (vlan != 0u) {
        (void)snprintf(tag, sizeof tag, " vlan %u", vlan);
    }
    (void)snprintf(text, TG_FRAME_TEXT_BYTES, MAC_FORMAT " > " MAC_FORMAT "%s", MAC_ARGS(bytes + 6),
                   MAC_ARGS(bytes), tag);
}

static void describe_addresses(const struct tg_frame_key *key, const uint8_t *bytes, char *text)
{
    const bool is_ip6 = key->address_bytes == 16u;
    const int family = is_ip6 ? AF_INET6 : AF_INET;
    char src[INET6_ADDRSTRLEN] = "";
    char dst[INET6_ADDRSTRLEN] = "";

    (void)inet_ntop(family, bytes + key->src_offset, src, sizeof src);
    (void)inet_ntop(family, bytes + key->src_offset + key->address_bytes, dst, sizeof dst);
    (void)snprintf(text, TG_FRAME_TEXT_BYTES, "%s %s > %s", is_ip6 ? "IPv6" : "IPv4", src, dst);
}

static void describe_network(const struct tg_frame_key *key, const uint8_t *bytes, uint32_t n_bytes,
                             char *text)
{
    const char *name = NULL;

    switch (key->rule) {
    case TG_RULE_ARP:
        name = "ARP";
        break;
    case TG_RULE_LLC:
        name = "LLC";
        break;
    case TG_RULE_IP4:
    case TG_RULE_IP4_LAND:
    case TG_RULE_IP4_FRAGMENT:
    case TG_RULE_IP4_OPTIONS:
        name = "IPv4";
        break;
    case TG_RULE_IP6:
    case TG_RULE_IP6_LAND:
    case TG_RULE_IP6_EXTENSION:
        name = "IPv6";
        break;
    default:
        break;
    }
    if (name != NULL) {
        (void)snprintf(text, TG_FRAME_TEXT_BYTES, "%s", name);
    } else if (key->rule == TG_RULE_TYPE) {
        (void)snprintf(text, TG_FRAME_TEXT_BYTES, "type 0x%04x", kind_of(key));
    } else if (key->address_bytes != 0u &&
               key->src_offset + 2u * (uint32_t)key->address_bytes <= n_bytes) {
        describe_addresses(key, bytes, text);
    }
}

static const char *protocol_name(const struct tg_frame_key *key, uint32_t protocol)
{
    switch (protocol) {
    case TG_PROTO_UDP:
        return "UDP";
    case TG_PROTO_TCP:
        return "TCP";
    case TG_PROTO_ICMP:
        return key->address_bytes == 4u ? "ICMP" : NULL;
    case TG_PROTO_IGMP:
        return key->address_bytes == 4u ? "IGMP" : NULL;
    case TG_PROTO_ICMP6:
        return key->address_bytes == 16u ? "ICMPv6" : NULL;
    default:
        return NULL;
    }
}

static void describe_transport(const struct tg_frame_key *key, uint32_t n_bytes, char *text)
{
    const uint32_t protocol = kind_of(key) & 0xffu;
    const char *const name = protocol_name(key, protocol);
    const uint32_t ports = (uint32_t)key->word;
    const bool has_ports = protocol == TG_PROTO_UDP || protocol == TG_PROTO_TCP;

    if (key->address_bytes == 0u) {
        return;
    }
    if (name == NULL) {
        (void)snprintf(text, TG_FRAME_TEXT_BYTES, "protocol %u", protocol);
    } else if (has_ports && key->l4_len_bytes >= 4u && key->l4_offset + 4u <= n_bytes) {
        (void)snprintf(text, TG_FRAME_TEXT_BYTES, "%s %" PRIu32 " > %" PRIu32 "%s", name,
                       ports >> 16, ports & 0xffffu,
                       (key->word & TG_KEY_SYN) != 0u ? " connection request" : "");
    } else {
        (void)snprintf(text, TG_FRAME_TEXT_BYTES, "%s", name);
    }
}

void tg_frame_describe(const struct tg_frame_key *key, const uint8_t *bytes, uint32_t n_bytes,
                       struct tg_frame_text *out)
{
    out->link[0] = '\0';
    out->network[0] = '\0';
    out->transport[0] = '\0';
    describe_link(key, bytes, n_bytes, out->link);
    describe_network(key, bytes, n_bytes, out->network);
    describe_transport(key, n_bytes, out->transport);
}
