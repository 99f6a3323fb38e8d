/* SPDX-License-Identifier: MIT
 *
 * random_input.c - random frames and random matches.
 */
#include "random_input.h"
#include "flow_oracle.h"

#include <string.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

enum { MUTATIONS_MAX = 4 };

const uint8_t HOST_A[16] = {10, 0, 0, 1};
const uint8_t HOST_B[16] = {10, 0, 0, 2};

static const uint16_t TYPES[] = {TYPE_IP4, TYPE_IP4, TYPE_IP6, TYPE_IP6, TYPE_ARP,
                                 TYPE_PTP, TYPE_TAG, 0u,       46u,      1500u,
                                 1501u,    1535u,    1536u,    0x88a8u,  0xffffu};
const uint8_t RANDOM_PROTOCOL[RANDOM_PROTOCOLS] = {
    PROTO_UDP, PROTO_UDP, PROTO_TCP, PROTO_TCP, PROTO_ICMP, PROTO_IGMP, PROTO_ICMP6,
    0,         4,         41,        43,        44,         47,         50,
    51,        59,        60,        135,       139,        140,        255};

/* Half of them are those that matches name. */
static uint16_t random_port(struct rng *r)
{
    return (uint16_t)(rng_percent(r, 50u) ? rng_below(r, 2u) : rng_next(r));
}

static struct frame_spec random_spec(struct rng *r)
{
    struct frame_spec s = {.cast = (enum frame_cast)rng_below(r, 3u),
                           .own_source = rng_percent(r, 2u),
                           .n_tags = rng_percent(r, 60u) ? 0u : rng_below(r, 4u),
                           .is_stripped = rng_percent(r, 15u),
                           .stripped_tci = (uint16_t)rng_next(r),
                           .protocol = RANDOM_PROTOCOL[rng_below(r, RANDOM_PROTOCOLS)],
                           .tcp_flags = (uint8_t)rng_next(r),
                           .src_port = random_port(r),
                           .dst_port = random_port(r),
                           .payload_bytes = (uint16_t)rng_below(r, 64u)};

    s.type = TYPES[rng_below(r, COUNT(TYPES))];
    s.family = s.type == TYPE_IP4 ? 4u : s.type == TYPE_IP6 ? 6u : 0u;
    if (rng_percent(r, 10u)) {
        s.options_bytes = (uint8_t)(4u * rng_below(r, 11u));
    }
    if (rng_percent(r, 20u)) {
        s.padding_bytes = (uint16_t)rng_below(r, 30u);
    }
    if (rng_percent(r, 3u)) { /* around the longest frame */
        s.payload_bytes = (uint16_t)rng_between(r, 1440u, 1530u);
    }
    for (uint32_t i = 0u; i < s.n_tags; i++) {
        s.tags[i].type = rng_percent(r, 50u) ? TYPE_TAG : TYPE_SERVICE_TAG;
        s.tags[i].tci = rng_percent(r, 50u) ? RANDOM_VLAN : (uint16_t)rng_next(r);
    }
    if (rng_percent(r, 50u)) {
        memcpy(s.src_host, rng_percent(r, 50u) ? HOST_A : HOST_B, sizeof s.src_host);
        memcpy(s.dst_host, rng_percent(r, 50u) ? HOST_A : HOST_B, sizeof s.dst_host);
    }
    return s;
}

/* A byte of a header becomes a neighbour of itself, a limit, or anything. */
static void mutate_byte(struct rng *r, struct frame *f)
{
    uint32_t at = rng_below(r, 70u);

    if (rng_percent(r, 60u)) { /* where the lengths and kinds stand */
        at = f->l3 + rng_below(r, 12u);
    } else if (rng_percent(r, 50u)) {
        at = f->l4 + rng_below(r, 14u);
    }
    if (at >= f->len_bytes) {
        return;
    }
    switch (rng_below(r, 4u)) {
    case 0u:
        f->bytes[at]++;
        break;
    case 1u:
        f->bytes[at]--;
        break;
    case 2u:
        f->bytes[at] = rng_percent(r, 50u) ? 0x00u : 0xffu;
        break;
    default:
        f->bytes[at] = (uint8_t)rng_next(r);
        break;
    }
}

/* Addresses alike: all of them, or all but one byte. */
static void mutate_addresses(struct rng *r, struct frame *f)
{
    const uint32_t n_bytes = f->bytes[f->l3] >> 4 == 6u ? 16u : 4u;
    const uint32_t src = f->l3 + (n_bytes == 16u ? 8u : 12u);

    if (src + 2u * n_bytes > f->len_bytes) {
        return;
    }
    memcpy(f->bytes + src, f->bytes + src + n_bytes, n_bytes);
    if (rng_percent(r, 50u)) {
        f->bytes[src + rng_below(r, n_bytes)] ^= 1u;
    }
}

/* What follows an IPv6 header reads as a hop-by-hop header before ICMPv6. */
static void mutate_extension(struct rng *r, struct frame *f)
{
    if (f->l4 + 8u > f->len_bytes || f->bytes[f->l3] >> 4 != 6u) {
        return;
    }
    f->bytes[f->l3 + 6u] = 0u;
    f->bytes[f->l4] = PROTO_ICMP6;
    f->bytes[f->l4 + 1u] = rng_percent(r, 70u) ? 0 : 1;
}

/* Cut off; often the IP header says so, and the cut is then for the next header to find. */
static void cut(struct rng *r, struct frame *f)
{
    const bool is_ip6 = f->bytes[f->l3] >> 4 == 6u;
    const uint32_t header_bytes = is_ip6 ? 40u : 20u;

    f->len_bytes = rng_below(r, f->len_bytes + 1u);
    if (f->len_bytes < f->l3 + header_bytes || rng_percent(r, 30u)) {
        return;
    }
    const uint32_t length = f->len_bytes - f->l3 - (is_ip6 ? 40u : 0u);

    f->bytes[f->l3 + (is_ip6 ? 4u : 2u)] = (uint8_t)(length >> 8);
    f->bytes[f->l3 + (is_ip6 ? 5u : 3u)] = (uint8_t)length;
}

static void bend(struct rng *r, struct frame *f)
{
    for (uint32_t n = rng_below(r, MUTATIONS_MAX); n > 0u; n--) {
        mutate_byte(r, f);
    }
    if (rng_percent(r, 5u)) {
        mutate_addresses(r, f);
    }
    if (rng_percent(r, 5u)) {
        mutate_extension(r, f);
    }
    if (rng_percent(r, 25u)) {
        cut(r, f);
    }
    if (rng_percent(r, 5u)) { /* noise behind the addresses and the type */
        for (uint32_t i = 14u; i < f->len_bytes; i++) {
            f->bytes[i] = (uint8_t)rng_next(r);
        }
    }
}

struct frame random_frame(struct rng *r)
{
    const struct frame_spec spec = random_spec(r);
    struct frame f = frame_build(&spec);

    bend(r, &f);
    return f;
}

struct frame random_udp(struct rng *r)
{
    const struct frame_spec spec = {
        .cast = rng_percent(r, 90u) ? CAST_UNICAST : (enum frame_cast)rng_below(r, 3u),
        .is_stripped = rng_percent(r, 10u),
        .stripped_tci = rng_percent(r, 50u) ? RANDOM_VLAN : 0u,
        .src_port = random_port(r),
        .dst_port = random_port(r),
        .payload_bytes =
            (uint16_t)(rng_percent(r, 95u) ? rng_below(r, 30u) : rng_between(r, 1465u, 1480u)),
        .padding_bytes = (uint16_t)(rng_percent(r, 80u) ? 0u : rng_below(r, 10u))};
    struct frame f = frame_build(&spec);

    if (rng_percent(r, 50u)) {
        bend(r, &f);
    }
    return f;
}

struct tg_match random_match(struct rng *r)
{
    static const uint16_t types[] = {TYPE_ARP, TYPE_PTP, TYPE_IP4, TYPE_IP6};
    static const uint8_t protocols[] = {PROTO_UDP, PROTO_TCP};
    struct tg_match m;

    do {
        m = (struct tg_match){.fields = (uint16_t)rng_below(r, TG_FIELD_DST_PORT << 1),
                              .vlan = RANDOM_VLAN,
                              .type = types[rng_below(r, 4u)],
                              .dst_port = (uint16_t)rng_below(r, 2u),
                              .src_port = (uint16_t)rng_below(r, 2u),
                              .protocol = protocols[rng_below(r, 2u)],
                              .family = rng_percent(r, 50u) ? 4u : 6u,
                              .broadcast = rng_percent(r, 50u)};
        if (rng_percent(r, 50u)) {
            m.fields &= (uint16_t) ~(TG_FIELD_VLAN | TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST);
        }
        memcpy(m.src_host, rng_percent(r, 50u) ? HOST_A : HOST_B, sizeof m.src_host);
        memcpy(m.dst_host, rng_percent(r, 50u) ? HOST_A : HOST_B, sizeof m.dst_host);
    } while (!oracle_is_legal(m.fields, m.protocol, m.broadcast));
    return m;
}
