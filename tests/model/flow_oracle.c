/* SPDX-License-Identifier: MIT
 *
 * flow_oracle.c - which match takes a frame, slowly.
 */
#include "flow_oracle.h"

#include <string.h>

#define PORTS (TG_FIELD_DST_PORT | TG_FIELD_SRC_PORT)
#define HOSTS (TG_FIELD_DST_HOST | TG_FIELD_SRC_HOST)

static uint8_t family_of(const struct frame_spec *f)
{
    return f->family != 0u ? f->family : f->type == 0u ? 4u : 0u;
}

static uint8_t protocol_of(const struct frame_spec *f)
{
    return f->protocol != 0u ? f->protocol : PROTO_UDP;
}

static uint16_t vlan_of(const struct frame_spec *f)
{
    const uint16_t tci = f->is_stripped ? f->stripped_tci : f->n_tags != 0u ? f->tags[0].tci : 0u;

    return tci & 0x0fffu;
}

static bool fixes(const struct tg_match *m, uint32_t field)
{
    return (m->fields & field) != 0u;
}

/* How many of these fields are fixed. */
static uint32_t count_fixed(const struct tg_match *m, uint32_t fields)
{
    uint32_t n = 0u;

    for (uint32_t field = 1u; field <= fields; field <<= 1) {
        n += (fields & field) != 0u && fixes(m, field) ? 1u : 0u;
    }
    return n;
}

static bool is_family_type(const struct tg_match *m)
{
    return fixes(m, TG_FIELD_TYPE) && (m->type == TYPE_IP4 || m->type == TYPE_IP6);
}

/* The family that the match asks for in any way, or 0. */
static uint8_t wanted_family(const struct tg_match *m)
{
    if (is_family_type(m)) {
        return m->type == TYPE_IP4 ? 4u : 6u;
    }
    return fixes(m, TG_FIELD_FAMILY | HOSTS) ? m->family : 0u;
}

static bool takes_link_layer(const struct tg_match *m, const struct frame_spec *f)
{
    if (fixes(m, TG_FIELD_VLAN) && m->vlan != vlan_of(f)) {
        return false;
    }
    if (fixes(m, TG_FIELD_BROADCAST) && m->broadcast != (f->cast == CAST_BROADCAST)) {
        return false;
    }
    if (fixes(m, TG_FIELD_MULTICAST) && f->cast == CAST_UNICAST) {
        return false; /* the broadcast address is a group address */
    }
    return !fixes(m, TG_FIELD_TYPE) || is_family_type(m) || m->type == f->type;
}

static bool takes_transport(const struct tg_match *m, const struct frame_spec *f)
{
    const uint32_t host_bytes = family_of(f) == 6u ? 16u : 4u;

    if (fixes(m, TG_FIELD_PROTOCOL) && (family_of(f) == 0u || m->protocol != protocol_of(f))) {
        return false;
    }
    if (fixes(m, TG_FIELD_DST_PORT) && m->dst_port != f->dst_port) {
        return false;
    }
    if (fixes(m, TG_FIELD_SRC_PORT) && m->src_port != f->src_port) {
        return false;
    }
    if (fixes(m, TG_FIELD_SRC_HOST) && memcmp(m->src_host, f->src_host, host_bytes) != 0) {
        return false;
    }
    if (fixes(m, TG_FIELD_DST_HOST) && memcmp(m->dst_host, f->dst_host, host_bytes) != 0) {
        return false;
    }
    return !fixes(m, TG_FIELD_SYN) || (f->tcp_flags & (TCP_SYN | TCP_ACK)) == TCP_SYN;
}

bool oracle_takes(const struct tg_match *m, const struct frame_spec *f)
{
    const uint8_t family = wanted_family(m);

    return takes_link_layer(m, f) && (family == 0u || family == family_of(f)) &&
           takes_transport(m, f);
}

/* One after the other, what decides between two matches. */
static uint32_t criterion(const struct tg_match *m, uint32_t number)
{
    switch (number) {
    case 0:
        return count_fixed(m, PORTS | HOSTS);
    case 1:
        return fixes(m, TG_FIELD_DST_PORT);
    case 2:
        return fixes(m, TG_FIELD_SRC_PORT);
    case 3:
        return fixes(m, TG_FIELD_SRC_HOST);
    case 4:
        return fixes(m, TG_FIELD_DST_HOST);
    case 5:
        return fixes(m, TG_FIELD_SYN);
    case 6:
        return fixes(m, TG_FIELD_PROTOCOL);
    case 7:
        return fixes(m, TG_FIELD_TYPE);
    case 8:
        return fixes(m, TG_FIELD_BROADCAST);
    case 9:
        return fixes(m, TG_FIELD_MULTICAST);
    case 10:
        return fixes(m, TG_FIELD_VLAN);
    default:
        return wanted_family(m) != 0u;
    }
}

#define CRITERIA 12u

bool oracle_is_before(const struct tg_match *a, const struct tg_match *b)
{
    for (uint32_t i = 0u; i < CRITERIA; i++) {
        if (criterion(a, i) != criterion(b, i)) {
            return criterion(a, i) > criterion(b, i);
        }
    }
    return false;
}

bool oracle_is_same_shape(const struct tg_match *a, const struct tg_match *b)
{
    return !oracle_is_before(a, b) && !oracle_is_before(b, a);
}

static bool is_same_host(const struct tg_match *m, const uint8_t a[16], const uint8_t b[16])
{
    return memcmp(a, b, wanted_family(m) == 6u ? 16u : 4u) == 0;
}

bool oracle_is_same(const struct tg_match *a, const struct tg_match *b)
{
    if (!oracle_is_same_shape(a, b) || wanted_family(a) != wanted_family(b)) {
        return false;
    }
    return (!fixes(a, TG_FIELD_PROTOCOL) || a->protocol == b->protocol) &&
           (!fixes(a, TG_FIELD_TYPE) || a->type == b->type) &&
           (!fixes(a, TG_FIELD_DST_PORT) || a->dst_port == b->dst_port) &&
           (!fixes(a, TG_FIELD_SRC_PORT) || a->src_port == b->src_port) &&
           (!fixes(a, TG_FIELD_SRC_HOST) || is_same_host(a, a->src_host, b->src_host)) &&
           (!fixes(a, TG_FIELD_DST_HOST) || is_same_host(a, a->dst_host, b->dst_host)) &&
           (!fixes(a, TG_FIELD_VLAN) || a->vlan == b->vlan) &&
           (!fixes(a, TG_FIELD_BROADCAST) || a->broadcast == b->broadcast);
}

uint32_t oracle_winner(const struct tg_match *const *matches, uint32_t n,
                       const struct frame_spec *f)
{
    uint32_t winner = ORACLE_NONE;

    for (uint32_t i = 0u; i < n; i++) {
        if (oracle_takes(matches[i], f) &&
            (winner == ORACLE_NONE || oracle_is_before(matches[i], matches[winner]))) {
            winner = i;
        }
    }
    return winner;
}

/* Every legal combination is one line of the table in flow.h plus what may be added to it. */
static bool is_listed(uint32_t fields, uint8_t protocol)
{
    static const uint32_t ports[] = {TG_FIELD_DST_PORT, TG_FIELD_SRC_PORT, PORTS};
    static const uint32_t hosts[] = {0u, TG_FIELD_SRC_HOST, TG_FIELD_DST_HOST, HOSTS};
    static const uint32_t families[] = {0u, TG_FIELD_FAMILY};
    static const uint32_t syns[] = {0u, TG_FIELD_SYN};

    if (fields == TG_FIELD_TYPE || fields == (TG_FIELD_PROTOCOL | TG_FIELD_FAMILY)) {
        return true;
    }
    for (uint32_t i = 0u; i < 3u * 4u * 2u * 2u; i++) {
        const uint32_t syn = syns[i / 24u];

        if (fields == (TG_FIELD_PROTOCOL | ports[i % 3u] | hosts[i / 3u % 4u] |
                       families[i / 12u % 2u] | syn) &&
            (protocol == PROTO_TCP || (protocol == PROTO_UDP && syn == 0u))) {
            return true;
        }
    }
    return false;
}

bool oracle_is_legal(uint32_t fields, uint8_t protocol, bool broadcast)
{
    static const uint32_t casts[] = {0u, TG_FIELD_BROADCAST, TG_FIELD_MULTICAST};
    static const uint32_t vlans[] = {0u, TG_FIELD_VLAN};

    for (uint32_t i = 0u; i < 6u; i++) {
        const uint32_t added = casts[i % 3u] | vlans[i / 3u];

        if ((fields & added) == added && is_listed(fields & ~added, protocol)) {
            return true;
        }
        if (fields == added && casts[i % 3u] != 0u &&
            (broadcast || casts[i % 3u] == TG_FIELD_MULTICAST)) {
            return true;
        }
    }
    return false;
}
