/* SPDX-License-Identifier: MIT
 *
 * test_frame.c - the bytes of a frame from its fields.
 */
#include "test_frame.h"
#include "tidegate/frame.h"

#include <string.h>

const uint8_t STATION_MAC[6] = {0x02, 0x00, 0x00, 0x00, 0x00, 0x01};
const uint8_t PEER_MAC[6] = {0x02, 0x00, 0x00, 0x00, 0x00, 0x02};

static void put8(struct frame *f, uint32_t x)
{
    f->bytes[f->len_bytes++] = (uint8_t)x;
}

static void put16(struct frame *f, uint32_t x)
{
    put8(f, x >> 8);
    put8(f, x);
}

static void put_bytes(struct frame *f, const uint8_t *bytes, uint32_t n_bytes)
{
    memcpy(f->bytes + f->len_bytes, bytes, n_bytes);
    f->len_bytes += n_bytes;
}

static void put_zeros(struct frame *f, uint32_t n_bytes)
{
    memset(f->bytes + f->len_bytes, 0, n_bytes);
    f->len_bytes += n_bytes;
}

static void put_ethernet(struct frame *f, const struct frame_spec *s)
{
    static const uint8_t multicast[6] = {0x01, 0x00, 0x5e, 0x00, 0x00, 0x01};
    static const uint8_t broadcast[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const uint8_t *const dst = s->cast == CAST_BROADCAST   ? broadcast
                               : s->cast == CAST_MULTICAST ? multicast
                                                           : STATION_MAC;

    put_bytes(f, dst, 6u);
    put_bytes(f, s->own_source ? STATION_MAC : PEER_MAC, 6u);
    for (uint32_t i = 0u; i < s->n_tags; i++) {
        put16(f, s->tags[i].type != 0u ? s->tags[i].type : TYPE_TAG);
        put16(f, s->tags[i].tci);
    }
}

static void put_host(struct frame *f, const uint8_t host[16], uint32_t n_bytes, uint8_t ordinary)
{
    static const uint8_t none[16] = {0};
    const uint32_t at = f->len_bytes;

    put_bytes(f, host, n_bytes);
    if (memcmp(host, none, sizeof none) == 0) {
        f->bytes[at] = n_bytes == 4u ? 192 : 0x20;
        f->bytes[at + n_bytes - 1u] = ordinary;
    }
}

static uint32_t transport_bytes(uint8_t protocol)
{
    switch (protocol) {
    case PROTO_TCP:
        return 20u;
    case PROTO_UDP:
    case PROTO_ICMP:
    case PROTO_IGMP:
    case PROTO_ICMP6:
        return 8u;
    default:
        return 0u;
    }
}

static void put_ip4(struct frame *f, const struct frame_spec *s, uint8_t protocol)
{
    const uint32_t header_bytes = 20u + s->options_bytes;

    put8(f, 0x40u | header_bytes / 4u);
    put8(f, 0u);
    put16(f, header_bytes + transport_bytes(protocol) + s->payload_bytes);
    put16(f, 1u); /* identification */
    put16(f, 0u); /* no fragment */
    put8(f, 64u);
    put8(f, protocol);
    put16(f, 0u); /* the parser leaves the checksum to the NIC or the stack */
    put_host(f, s->src_host, 4u, 2u);
    put_host(f, s->dst_host, 4u, 1u);
    memset(f->bytes + f->len_bytes, 1, s->options_bytes);
    f->len_bytes += s->options_bytes;
}

static void put_ip6(struct frame *f, const struct frame_spec *s, uint8_t protocol)
{
    put16(f, 0x6000u);
    put16(f, 0u);
    put16(f, transport_bytes(protocol) + s->payload_bytes);
    put8(f, protocol);
    put8(f, 64u);
    put_host(f, s->src_host, 16u, 2u);
    put_host(f, s->dst_host, 16u, 1u);
}

static void put_transport(struct frame *f, const struct frame_spec *s, uint8_t protocol)
{
    if (protocol != PROTO_UDP && protocol != PROTO_TCP) {
        put_zeros(f, transport_bytes(protocol));
        return;
    }
    put16(f, s->src_port);
    put16(f, s->dst_port);
    if (protocol == PROTO_UDP) {
        put16(f, 8u + s->payload_bytes);
        put16(f, 0u);
        return;
    }
    put_zeros(f, 8u);
    put8(f, 5u << 4); /* data offset */
    put8(f, s->tcp_flags);
    put_zeros(f, 6u);
}

static void put_arp(struct frame *f)
{
    static const uint8_t request[8] = {0x00, 0x01, 0x08, 0x00, 0x06, 0x04, 0x00, 0x01};

    put_bytes(f, request, sizeof request);
    put_zeros(f, 20u);
}

struct frame frame_build(const struct frame_spec *s)
{
    struct frame f = {.tci = s->is_stripped ? s->stripped_tci : TG_TCI_NONE};
    const uint8_t family = s->family != 0u ? s->family : s->type == 0u ? 4u : 0u;
    const uint8_t protocol = s->protocol != 0u ? s->protocol : PROTO_UDP;

    put_ethernet(&f, s);
    put16(&f, s->type != 0u ? s->type : family == 6u ? TYPE_IP6 : TYPE_IP4);
    f.l3 = f.len_bytes;
    if (family == 4u) {
        put_ip4(&f, s, protocol);
    } else if (family == 6u) {
        put_ip6(&f, s, protocol);
    } else if (s->type == TYPE_ARP) {
        put_arp(&f);
    }
    f.l4 = f.len_bytes;
    if (family != 0u) {
        put_transport(&f, s, protocol);
    }
    put_zeros(&f, s->payload_bytes);
    put_zeros(&f, s->padding_bytes);
    return f;
}

struct frame frame_udp(uint16_t dst_port)
{
    return frame_build(&(struct frame_spec){.dst_port = dst_port});
}

struct frame frame_other(void)
{
    return frame_build(&(struct frame_spec){.protocol = PROTO_ICMP});
}

struct frame frame_malformed(void)
{
    struct frame f = frame_udp(1u);

    f.bytes[f.l3 + 2u] = 0xffu; /* total length */
    return f;
}
