/* SPDX-License-Identifier: MIT
 *
 * wild_frames.c - frames of every kind, and matches that such frames have a chance to meet.
 */
#include "wild_frames.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const uint16_t ports[] = {0u, 9u, 53u, 502u, 5000u, 65535u};
static const uint16_t vlans[] = {1u, 5u, 100u, 2048u, 4094u};
static const uint16_t types[] = {TYPE_ARP, TYPE_PTP, 0x0600, 0x88cc, 0x9100, 0xffff};
static const uint8_t protocols[] = {PROTO_ICMP, PROTO_IGMP, PROTO_TCP, PROTO_UDP, PROTO_ICMP6,
                                    4u,         47u,        41u,       255u};
static const uint8_t extensions[] = {0u, 43u, 44u, 50u, 51u, 60u, 135u, 139u, 140u};

static uint16_t pick_port(struct rng *r)
{
    return ports[rng_below(r, COUNT(ports))];
}

/* One of three hosts of the family. */
static void pick_host(struct rng *r, uint32_t family, uint8_t host[16])
{
    static const uint8_t prefix[2][8] = {{10, 0, 0}, {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 7}};
    const uint32_t bytes = family == 6u ? 16u : 4u;

    memset(host, 0, 16u);
    memcpy(host, prefix[family == 6u], family == 6u ? 8u : 3u);
    host[bytes - 1u] = (uint8_t)(1u + rng_below(r, 3u));
}

bool wild_is_shape(uint32_t fields)
{
    struct tg_pattern pattern;
    struct tg_match m = {.fields = (uint16_t)fields,
                         .vlan = 1u,
                         .type = TYPE_PTP,
                         .protocol = PROTO_TCP,
                         .family = 4u,
                         .broadcast = true,
                         .src_host = {1u}};

    if ((fields & TG_FIELD_TYPE) != 0u && (fields & TG_FIELD_FAMILY) != 0u) {
        m.fields &= (uint16_t)~TG_FIELD_FAMILY; /* it is the core that adds it */
        m.type = TYPE_IP4;
    }
    return tg_match_compile(&m, &pattern) == 0 && pattern.fields == fields;
}

struct tg_match wild_match(struct rng *r, uint32_t fields)
{
    const bool is_whole_family = (fields & TG_FIELD_TYPE) != 0u && (fields & TG_FIELD_FAMILY) != 0u;
    const bool has_ports = (fields & (TG_FIELD_DST_PORT | TG_FIELD_SRC_PORT)) != 0u;
    struct tg_pattern pattern;
    struct tg_match m;

    do {
        m = (struct tg_match){.fields = (uint16_t)fields,
                              .vlan = vlans[rng_below(r, COUNT(vlans))],
                              .type = types[rng_below(r, COUNT(types))],
                              .dst_port = pick_port(r),
                              .src_port = pick_port(r),
                              .protocol = protocols[rng_below(r, COUNT(protocols))],
                              .family = rng_percent(r, 50u) ? 4u : 6u,
                              .broadcast = rng_percent(r, 50u)};
        if (has_ports) {
            m.protocol =
                (fields & TG_FIELD_SYN) != 0u || rng_percent(r, 50u) ? PROTO_TCP : PROTO_UDP;
        }
        if (is_whole_family) {
            m.type = m.family == 6u ? TYPE_IP6 : TYPE_IP4;
            m.fields &= (uint16_t)~TG_FIELD_FAMILY;
        }
        pick_host(r, m.family, m.src_host);
        pick_host(r, m.family, m.dst_host);
    } while (tg_match_compile(&m, &pattern) != 0);
    return m;
}

static void pick_tags(struct rng *r, struct frame_spec *s)
{
    s->n_tags = rng_percent(r, 50u) ? 0u : rng_between(r, 1u, rng_percent(r, 90u) ? 2u : 3u);
    for (uint32_t i = 0u; i < s->n_tags; i++) {
        const uint16_t vid = rng_percent(r, 20u) ? 0u : vlans[rng_below(r, COUNT(vlans))];

        s->tags[i].type = rng_percent(r, 30u) ? TYPE_SERVICE_TAG : TYPE_TAG;
        s->tags[i].tci = (uint16_t)(vid | rng_below(r, 16u) << 12);
    }
}

static struct frame_spec pick_spec(struct rng *r)
{
    struct frame_spec s = {.cast = (enum frame_cast)rng_below(r, 3u),
                           .protocol = protocols[rng_below(r, COUNT(protocols))],
                           .tcp_flags = (uint8_t)rng_below(r, 256u),
                           .src_port = pick_port(r),
                           .dst_port = pick_port(r),
                           .payload_bytes = (uint16_t)rng_below(r, 40u)};

    pick_tags(r, &s);
    if (rng_percent(r, 25u)) {
        s.type = types[rng_below(r, COUNT(types))];
        s.payload_bytes = (uint16_t)rng_below(r, 60u);
    } else {
        s.family = rng_percent(r, 50u) ? 4u : 6u;
        pick_host(r, s.family, s.src_host);
        pick_host(r, s.family, s.dst_host);
        s.padding_bytes = (uint16_t)(rng_percent(r, 30u) ? rng_below(r, 30u) : 0u);
    }
    if (s.family == 4u && rng_percent(r, 10u)) {
        s.options_bytes = (uint8_t)(4u * rng_between(r, 1u, 10u));
    }
    return s;
}

/* Behind the IPv6 header: one extension header, most often the one of 8 bytes that MLD has. */
static void extend_ip6(struct rng *r, struct frame *f)
{
    const uint8_t next = f->bytes[f->l3 + 6u];
    const uint32_t payload_bytes = (uint32_t)f->bytes[f->l3 + 4u] << 8 | f->bytes[f->l3 + 5u];

    memmove(f->bytes + f->l4 + 8u, f->bytes + f->l4, f->len_bytes - f->l4);
    memset(f->bytes + f->l4, 0, 8u);
    f->bytes[f->l4] = next;
    f->bytes[f->l3 + 6u] = rng_percent(r, 60u) ? 0u : extensions[rng_below(r, COUNT(extensions))];
    f->bytes[f->l3 + 4u] = (uint8_t)((payload_bytes + 8u) >> 8);
    f->bytes[f->l3 + 5u] = (uint8_t)(payload_bytes + 8u);
    f->len_bytes += 8u;
}

static void maybe_bend(struct rng *r, struct frame *f, const struct frame_spec *s)
{
    if (s->family == 4u && rng_percent(r, 10u)) {
        f->bytes[f->l3 + 6u] = (uint8_t)rng_below(r, 256u); /* fragments, and the reserved bit */
    }
    if (s->family == 6u && rng_percent(r, s->protocol == PROTO_ICMP6 ? 50u : 15u)) {
        extend_ip6(r, f);
    }
    if (rng_percent(r, 25u)) {
        wild_mutate(r, f);
    }
}

struct frame wild_frame(struct rng *r)
{
    const struct frame_spec s = pick_spec(r);
    struct frame f = frame_build(&s);

    maybe_bend(r, &f, &s);
    return f;
}

/* Put what the match fixes into a frame that is otherwise wild. */
static void aim(const struct tg_match *m, struct frame_spec *s)
{
    const uint32_t fields = m->fields;

    if ((fields & TG_FIELD_VLAN) != 0u) {
        s->n_tags = s->n_tags == 0u || s->n_tags == 3u ? 1u : s->n_tags;
        s->tags[0].tci = (uint16_t)((s->tags[0].tci & 0xf000u) | m->vlan);
    }
    if ((fields & TG_FIELD_BROADCAST) != 0u) {
        s->cast = m->broadcast                ? CAST_BROADCAST
                  : s->cast == CAST_BROADCAST ? CAST_UNICAST
                                              : s->cast;
    }
    if ((fields & TG_FIELD_MULTICAST) != 0u && s->cast == CAST_UNICAST) {
        s->cast = CAST_MULTICAST;
    }
    if ((fields & TG_FIELD_DST_PORT) != 0u) {
        s->dst_port = m->dst_port;
    }
    if ((fields & TG_FIELD_SRC_PORT) != 0u) {
        s->src_port = m->src_port;
    }
    if ((fields & TG_FIELD_SRC_HOST) != 0u) {
        memcpy(s->src_host, m->src_host, sizeof s->src_host);
    }
    if ((fields & TG_FIELD_DST_HOST) != 0u) {
        memcpy(s->dst_host, m->dst_host, sizeof s->dst_host);
    }
    if ((fields & TG_FIELD_SYN) != 0u) {
        s->tcp_flags = (uint8_t)((s->tcp_flags & ~(unsigned)TCP_ACK) | TCP_SYN);
    }
}

struct frame wild_aimed_frame(struct rng *r, const struct tg_match *match)
{
    const bool is_type = (match->fields & TG_FIELD_TYPE) != 0u;
    const bool is_ip_type = is_type && (match->type == TYPE_IP4 || match->type == TYPE_IP6);
    const bool has_protocol = (match->fields & TG_FIELD_PROTOCOL) != 0u;
    struct frame_spec s;

    do {
        s = pick_spec(r);
        s.options_bytes = 0u;
        if (is_type && !is_ip_type) {
            s.type = match->type;
            s.family = 0u;
            s.payload_bytes = 46u;
        } else if (is_ip_type || has_protocol) {
            const uint32_t fixed = TG_FIELD_FAMILY | TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST;
            const uint8_t any = rng_percent(r, 50u) ? 4u : 6u;

            s.type = 0u;
            s.family = is_ip_type                      ? (match->type == TYPE_IP6 ? 6u : 4u)
                       : (match->fields & fixed) != 0u ? match->family
                                                       : any;
            pick_host(r, s.family, s.src_host);
            pick_host(r, s.family, s.dst_host);
        }
        s.protocol = has_protocol ? match->protocol : s.protocol;
        aim(match, &s);
    } while (memcmp(s.src_host, s.dst_host, sizeof s.src_host) == 0 && s.family != 0u);
    return frame_build(&s);
}

void wild_mutate(struct rng *r, struct frame *f)
{
    const uint32_t reach = f->len_bytes < 80u ? f->len_bytes : 80u;

    for (uint32_t n = rng_between(r, 1u, 3u); n != 0u && reach != 0u; n--) {
        f->bytes[rng_below(r, reach)] ^= (uint8_t)(1u << rng_below(r, 8u));
    }
    if (rng_percent(r, 15u)) {
        f->len_bytes = rng_below(r, f->len_bytes + 1u);
    } else if (rng_percent(r, 10u)) {
        memset(f->bytes + f->len_bytes, 0, 8u);
        f->len_bytes += 8u;
    }
}
