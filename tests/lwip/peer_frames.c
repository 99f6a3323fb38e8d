/* SPDX-License-Identifier: MIT
 *
 * peer_frames.c - frames of the peer, with checksums.
 */
#include "peer_frames.h"

#include <string.h>

const uint8_t STATION_HOST[4] = {192, 0, 2, 1};
const uint8_t PEER_HOST[4] = {192, 0, 2, 2};

static uint16_t get16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void set16(uint8_t *bytes, uint32_t x)
{
    bytes[0] = (uint8_t)(x >> 8);
    bytes[1] = (uint8_t)x;
}

/* RFC 1071. */
static uint32_t add(uint32_t sum, const uint8_t *bytes, uint32_t n_bytes)
{
    for (uint32_t i = 0u; i < n_bytes; i++) {
        sum += (i & 1u) == 0u ? (uint32_t)bytes[i] << 8 : bytes[i];
    }
    return sum;
}

static uint32_t fold(uint32_t sum)
{
    sum = (sum >> 16) + (sum & 0xffffu);
    sum += sum >> 16;
    return ~sum & 0xffffu;
}

static void seal_transport(uint8_t *ip, uint32_t header_bytes, uint32_t len_bytes)
{
    static const uint8_t where[] = {
        [PROTO_ICMP] = 2, [PROTO_IGMP] = 2, [PROTO_TCP] = 16, [PROTO_UDP] = 6};
    const uint32_t protocol = ip[9];
    const uint32_t at = protocol < sizeof where ? where[protocol] : 0u;
    uint8_t *const l4 = ip + header_bytes;
    const uint32_t l4_bytes = len_bytes - header_bytes;

    if (at == 0u || l4_bytes < at + 2u) {
        return;
    }
    const bool has_pseudo_header = protocol == PROTO_TCP || protocol == PROTO_UDP;
    const uint32_t pseudo = has_pseudo_header ? add(protocol + l4_bytes, ip + 12, 8u) : 0u;

    set16(l4 + at, 0u);
    set16(l4 + at, fold(add(pseudo, l4, l4_bytes)));
}

void peer_seal(struct frame *f)
{
    uint32_t l3 = 14u;

    while (l3 + 4u < f->len_bytes && get16(f->bytes + l3 - 2u) == TYPE_TAG) {
        l3 += 4u;
    }
    uint8_t *const ip = f->bytes + l3;

    if (f->len_bytes < l3 + 20u || get16(ip - 2) != TYPE_IP4) {
        return;
    }
    const uint32_t header_bytes = 4u * (ip[0] & 15u);
    const uint32_t len_bytes = get16(ip + 2);

    if (header_bytes < 20u || len_bytes < header_bytes || l3 + len_bytes > f->len_bytes) {
        return;
    }
    set16(ip + 10, 0u);
    set16(ip + 10, fold(add(0u, ip, header_bytes)));
    if ((get16(ip + 6) & 0x3fffu) == 0u) { /* the checksum of a fragment is that of the whole */
        seal_transport(ip, header_bytes, len_bytes);
    }
}

struct frame peer_frame(struct frame_spec spec)
{
    memcpy(spec.src_host, PEER_HOST, 4u);
    memcpy(spec.dst_host, STATION_HOST, 4u);
    spec.family = 4u;
    return frame_build(&spec);
}

struct frame peer_udp(uint16_t src_port, uint16_t dst_port, uint16_t payload_bytes)
{
    struct frame f = peer_frame((struct frame_spec){.protocol = PROTO_UDP,
                                                    .src_port = src_port,
                                                    .dst_port = dst_port,
                                                    .payload_bytes = payload_bytes});

    peer_seal(&f);
    return f;
}
