/* SPDX-License-Identifier: MIT
 *
 * frame_build.c - from a match to the bytes of a frame that it takes: Ethernet, tag, ARP or IP,
 * transport. Header layouts: IEEE 802.3 and 802.1Q, RFC 826, 791, 8200, 768, 9293, 792, 4443, 2236;
 * checksum: RFC 1071.
 */
#include "system/frame_build.h"
#include "core/protocols.h"

#include <string.h>

#define ETHERNET_BYTES     14u
#define TAG_BYTES          4u
#define ARP_BYTES          28u
#define IP4_BYTES          20u
#define IP6_BYTES          40u
#define ETHERNET_MIN_BYTES 60u     /* of a frame, without its check sequence */
#define DISCARD_PORT       9u      /* where a match leaves the port open, RFC 863 */
#define TYPE_LOCAL         0x88b5u /* and the type: IEEE 802 local experimental */

#define TCP_SYN 0x02u
#define TCP_ACK 0x10u

/* A frame while it is written. */
struct build {
    const struct tg_match *match;
    const struct tg_frame_ends *ends;
    enum tg_system_form form;
    uint32_t payload_bytes;
    uint8_t *bytes;
    uint32_t n;  /* written so far */
    uint32_t l3; /* offset of the IP header */
    uint32_t l4;
    bool is_ip6;
    uint8_t protocol;
};

static bool fixes(const struct build *b, uint32_t field)
{
    return (b->match->fields & field) != 0u;
}

static void put8(struct build *b, uint32_t x)
{
    b->bytes[b->n++] = (uint8_t)x;
}

static void put16(struct build *b, uint32_t x)
{
    put8(b, x >> 8);
    put8(b, x);
}

static void put32(struct build *b, uint32_t x)
{
    put16(b, x >> 16);
    put16(b, x);
}

static void put_zeros(struct build *b, uint32_t n)
{
    memset(b->bytes + b->n, 0, n);
    b->n += n;
}

static void set16(struct build *b, uint32_t at, uint32_t x)
{
    b->bytes[at] = (uint8_t)(x >> 8);
    b->bytes[at + 1u] = (uint8_t)x;
}

/* ---- Checksums ------------------------------------------------------------------------------- */

static uint32_t sum(const struct build *b, uint32_t from, uint32_t to, uint32_t so_far)
{
    for (uint32_t i = from; i < to; i++) {
        so_far += (i - from) % 2u == 0u ? (uint32_t)b->bytes[i] << 8 : b->bytes[i];
    }
    return so_far; /* of at most 64 KiB: no carry is lost in 32 bits */
}

static uint32_t fold(uint32_t s)
{
    s = (s & 0xffffu) + (s >> 16);
    s = (s & 0xffffu) + (s >> 16);
    return ~s & 0xffffu;
}

/* Over the addresses, the protocol, the length, and everything from the transport header on. */
static uint32_t transport_sum(const struct build *b)
{
    const uint32_t addresses = b->is_ip6 ? b->l3 + 8u : b->l3 + 12u;
    const uint32_t addresses_end = addresses + (b->is_ip6 ? 32u : 8u);

    return fold(sum(b, b->l4, b->n,
                    sum(b, addresses, addresses_end, (uint32_t)b->protocol + (b->n - b->l4))));
}

/* ---- Link layer ------------------------------------------------------------------------------ */

/* tg_mac() backwards: it takes the bytes as they lie in memory. */
static void put_station(struct build *b)
{
    static const uint8_t unknown[6] = {0x02, 0, 0, 0, 0, 1};
    const uint64_t mac =
        b->ends->station_mac == TG_MAC_NONE ? tg_mac(unknown) : b->ends->station_mac;
    const uint32_t head = (uint32_t)mac;
    const uint16_t rest = (uint16_t)(mac >> 32);

    memcpy(b->bytes + b->n, &head, sizeof head);
    memcpy(b->bytes + b->n + sizeof head, &rest, sizeof rest);
    b->n += 6u;
}

static void put_destination(struct build *b)
{
    if (fixes(b, TG_FIELD_BROADCAST) && b->match->broadcast) {
        put16(b, 0xffffu);
        put32(b, 0xffffffffu);
    } else if (fixes(b, TG_FIELD_MULTICAST)) {
        put16(b, b->is_ip6 ? 0x3333u : 0x0100u); /* groups of IPv6 and of IPv4 */
        put32(b, b->is_ip6 ? 0x00000001u : 0x5e010101u);
    } else {
        put_station(b);
    }
}

/* Never the station's own address: the core takes that for a loop (rule 2). */
static void put_source(struct build *b)
{
    const uint32_t at = b->n;

    put16(b, 0x0254u);
    put32(b, b->ends->variant);
    if (tg_mac(b->bytes + at) == b->ends->station_mac) {
        b->bytes[at] ^= 0x08u;
    }
}

static void put_ethernet(struct build *b, uint32_t type)
{
    put_destination(b);
    put_source(b);
    if (fixes(b, TG_FIELD_VLAN)) {
        put16(b, TG_TYPE_TAG);
        put16(b, b->match->vlan);
    }
    put16(b, type);
}

/* ---- Addresses ------------------------------------------------------------------------------- */

static void put_host4(struct build *b, uint32_t field, const uint8_t fixed[16], uint32_t otherwise)
{
    if (fixes(b, field)) {
        memcpy(b->bytes + b->n, fixed, 4u);
        b->n += 4u;
    } else {
        put32(b, otherwise);
    }
}

static void put_host6(struct build *b, uint32_t field, const uint8_t fixed[16], uint32_t group,
                      uint32_t otherwise)
{
    if (fixes(b, field)) {
        memcpy(b->bytes + b->n, fixed, 16u);
        b->n += 16u;
    } else {
        put32(b, group);
        put32(b, 0u);
        put32(b, 0u);
        put32(b, otherwise);
    }
}

static uint32_t destination4(const struct build *b)
{
    if (fixes(b, TG_FIELD_BROADCAST) && b->match->broadcast) {
        return 0xffffffffu;
    }
    return fixes(b, TG_FIELD_MULTICAST) ? 0xef010101u  /* 239.1.1.1 */
                                        : 0xc0000201u; /* 192.0.2.1 */
}

/* Source and destination that are the same are malformed (rules 9 and 13): one that the match
 *        leaves open
 * gives way. */
static void part_hosts(struct build *b, uint32_t source, uint32_t bytes)
{
    uint8_t *const open =
        b->bytes + (fixes(b, TG_FIELD_SRC_HOST) ? source + bytes : source) + bytes - 1u;

    if (memcmp(b->bytes + source, b->bytes + source + bytes, bytes) == 0) {
        *open ^= 0x40u;
    }
}

/* ---- Network layer --------------------------------------------------------------------------- */

static void put_ip4(struct build *b)
{
    put16(b, 0x4500u);
    put16(b, 0u); /* total length, see finish_ip() */
    put16(b, b->ends->variant & 0xffffu);
    put16(b, b->form == TG_FORM_FRAGMENT ? 0x2000u : 0u); /* more fragments */
    put8(b, 64u);
    put8(b, b->protocol);
    put16(b, 0u); /* checksum */
    put_host4(b, TG_FIELD_SRC_HOST, b->match->src_host,
              0x0a000000u | (b->ends->variant & 0xffffffu));
    put_host4(b, TG_FIELD_DST_HOST, b->match->dst_host, destination4(b));
    part_hosts(b, b->l3 + 12u, 4u);
}

static void put_ip6(struct build *b)
{
    const uint32_t group = fixes(b, TG_FIELD_MULTICAST) ? 0xff020000u : 0x20010db9u;

    put32(b, 0x60000000u);
    put16(b, 0u); /* payload length, see finish_ip() */
    put8(b, b->protocol);
    put8(b, 64u);
    put_host6(b, TG_FIELD_SRC_HOST, b->match->src_host, 0x20010db8u, b->ends->variant);
    put_host6(b, TG_FIELD_DST_HOST, b->match->dst_host, group, 1u);
    part_hosts(b, b->l3 + 8u, 16u);
}

/* Lengths are known now. A malformed packet claims one byte more than there is (rules 8 and 12),
 * also after hardware has filled up a short frame. */
static void finish_ip(struct build *b)
{
    uint32_t end = b->n;

    if (b->form == TG_FORM_MALFORMED) {
        end = (b->n > ETHERNET_MIN_BYTES ? b->n : ETHERNET_MIN_BYTES) + 1u;
    }
    if (b->is_ip6) {
        set16(b, b->l3 + 4u, end - b->l4);
        return;
    }
    set16(b, b->l3 + 2u, end - b->l3);
    set16(b, b->l3 + 10u, fold(sum(b, b->l3, b->l4, 0u)));
}

/* ---- Transport layer ------------------------------------------------------------------------- */

static void put_ports(struct build *b)
{
    put16(b, fixes(b, TG_FIELD_SRC_PORT) ? b->match->src_port : 49152u + b->ends->variant % 16384u);
    put16(b, fixes(b, TG_FIELD_DST_PORT) ? b->match->dst_port : DISCARD_PORT);
}

static void put_udp(struct build *b)
{
    put_ports(b);
    put16(b, 8u + b->payload_bytes);
    put16(b, 0u);
    put_zeros(b, b->payload_bytes);

    const uint32_t checksum = transport_sum(b);
    set16(b, b->l4 + 6u, checksum != 0u ? checksum : 0xffffu); /* 0 says that there is none */
}

static void put_tcp(struct build *b)
{
    put_ports(b);
    put32(b, b->ends->variant);                 /* sequence number */
    put32(b, fixes(b, TG_FIELD_SYN) ? 0u : 1u); /* acknowledged */
    put8(b, 5u << 4);                           /* header length in words */
    put8(b, fixes(b, TG_FIELD_SYN) ? TCP_SYN : TCP_ACK);
    put16(b, 8192u); /* window */
    put32(b, 0u);    /* checksum, urgent pointer */
    put_zeros(b, b->payload_bytes);
    set16(b, b->l4 + 16u, transport_sum(b));
}

/* ICMP and ICMPv6 echo request, IGMP version 2 report. */
static void put_control(struct build *b)
{
    put8(b, b->protocol == TG_PROTO_ICMP ? 8u : b->protocol == TG_PROTO_IGMP ? 0x16u : 128u);
    put8(b, 0u);
    put16(b, 0u); /* checksum */
    put16(b, 0u);
    put16(b, b->ends->variant & 0xffffu);
    put_zeros(b, b->payload_bytes);
    set16(b, b->l4 + 2u,
          b->protocol == TG_PROTO_ICMP6 ? transport_sum(b) : fold(sum(b, b->l4, b->n, 0u)));
}

static bool is_control(const struct build *b)
{
    return b->is_ip6 ? b->protocol == TG_PROTO_ICMP6
                     : b->protocol == TG_PROTO_ICMP || b->protocol == TG_PROTO_IGMP;
}

static uint32_t transport_header_bytes(const struct build *b)
{
    return b->protocol == TG_PROTO_TCP                    ? 20u
           : b->protocol == TG_PROTO_UDP || is_control(b) ? 8u
                                                          : 0u;
}

/* ---- All ------------------------------------------------------------------------------------- */

static void put_ip(struct build *b)
{
    put_ethernet(b, b->is_ip6 ? TG_TYPE_IP6 : TG_TYPE_IP4);
    b->l3 = b->n;
    if (b->is_ip6) {
        put_ip6(b);
    } else {
        put_ip4(b);
    }
    b->l4 = b->n;
    if (b->protocol == TG_PROTO_UDP) {
        put_udp(b);
    } else if (b->protocol == TG_PROTO_TCP) {
        put_tcp(b);
    } else if (is_control(b)) {
        put_control(b);
    } else {
        put_zeros(b, b->payload_bytes);
    }
    finish_ip(b);
}

static void put_arp(struct build *b)
{
    const bool is_broadcast = fixes(b, TG_FIELD_BROADCAST) && b->match->broadcast;
    uint32_t hardware = 1u; /* Ethernet */

    if (b->form == TG_FORM_MALFORMED) {
        hardware = 0u; /* rule 7 */
    }
    put_ethernet(b, TG_TYPE_ARP);
    put16(b, hardware);
    put16(b, TG_TYPE_IP4);
    put16(b, 0x0604u);                /* lengths of the addresses */
    put16(b, is_broadcast ? 1u : 2u); /* request, reply */
    put_source(b);
    put32(b, 0x0a000000u | (b->ends->variant & 0xffffffu));
    put_station(b);
    put32(b, 0xc0000201u);
    put_zeros(b, b->payload_bytes);
}

/* IP if the match says so; else 0 and the type field. */
static bool is_ip(const struct tg_match *m, uint32_t *type)
{
    *type = (m->fields & TG_FIELD_TYPE) != 0u ? m->type : TYPE_LOCAL;
    return (m->fields & TG_FIELD_PROTOCOL) != 0u || *type == TG_TYPE_IP4 || *type == TG_TYPE_IP6;
}

static uint32_t all_bytes(const struct build *b, uint32_t header_bytes)
{
    return ETHERNET_BYTES + (fixes(b, TG_FIELD_VLAN) ? TAG_BYTES : 0u) + header_bytes +
           b->payload_bytes;
}

int tg_frame_build(const struct tg_match *match, enum tg_system_form form,
                   const struct tg_frame_ends *ends, uint32_t length_bytes, uint32_t mtu_bytes,
                   uint8_t *bytes, uint32_t size_bytes)
{
    struct build b = {.match = match,
                      .ends = ends,
                      .form = form,
                      .payload_bytes = length_bytes,
                      .bytes = bytes,
                      .protocol = TG_PROTO_UDP};
    struct tg_pattern pattern;
    uint32_t type = 0u;
    const bool has_ip = is_ip(match, &type);
    const bool is_arp = type == TG_TYPE_ARP;
    uint32_t header_bytes = is_arp ? ARP_BYTES : 0u;

    if (tg_match_compile(match, &pattern) != 0) {
        return TG_ERR_UNREACHABLE;
    }
    if (has_ip) {
        b.is_ip6 = (match->fields & TG_FIELD_PROTOCOL) == 0u
                       ? type == TG_TYPE_IP6
                       : (pattern.fields & TG_FIELD_FAMILY) != 0u && match->family == 6u;
        b.protocol = (match->fields & TG_FIELD_PROTOCOL) != 0u ? match->protocol : TG_PROTO_UDP;
        header_bytes = (b.is_ip6 ? IP6_BYTES : IP4_BYTES) + transport_header_bytes(&b);
    }
    if ((form == TG_FORM_FRAGMENT && (!has_ip || b.is_ip6)) ||
        (form == TG_FORM_MALFORMED && !has_ip && !is_arp)) {
        return TG_ERR_UNREACHABLE;
    }
    if (length_bytes > mtu_bytes || header_bytes + length_bytes > mtu_bytes ||
        all_bytes(&b, header_bytes) > size_bytes) {
        return TG_ERR_RANGE;
    }
    if (has_ip) {
        put_ip(&b);
    } else if (is_arp) {
        put_arp(&b);
    } else {
        put_ethernet(&b, type);
        put_zeros(&b, length_bytes);
    }
    return (int)b.n;
}
