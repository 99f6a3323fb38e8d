/* SPDX-License-Identifier: MIT
 *
 * match.c - from a match as the user states it to the pattern that the table compares.
 */
#include "tidegate/flow.h"
#include "bytes.h"
#include "protocols.h"

#define PORTS (TG_FIELD_DST_PORT | TG_FIELD_SRC_PORT)
#define HOSTS (TG_FIELD_DST_HOST | TG_FIELD_SRC_HOST)
#define CASTS (TG_FIELD_BROADCAST | TG_FIELD_MULTICAST)
#define ALL   ((TG_FIELD_DST_PORT << 1) - 1u)

uint32_t tg_shape_rank(uint32_t fields)
{
    const uint32_t addressing =
        ((fields >> 10) & 1u) + ((fields >> 9) & 1u) + ((fields >> 8) & 1u) + ((fields >> 7) & 1u);

    return addressing << 11 | fields;
}

uint64_t tg_shape_mask(uint32_t fields)
{
    uint32_t high =
        0u; /* the halves are put together once: 64-bit shifts are dear on small cores */
    uint32_t low = 0u;

    if ((fields & TG_FIELD_PROTOCOL) != 0u) {
        high = (fields & TG_FIELD_FAMILY) != 0u ? 0xffffu : 0xffffu & ~TG_KIND_IP6_BIT;
    } else if ((fields & TG_FIELD_TYPE) != 0u) {
        high = (fields & TG_FIELD_FAMILY) != 0u ? 0xff00u : 0xffffu;
    }
    if ((fields & TG_FIELD_DST_PORT) != 0u) {
        low |= 0xffffu;
    }
    if ((fields & TG_FIELD_SRC_PORT) != 0u) {
        low |= 0xffff0000u;
    }
    if ((fields & TG_FIELD_VLAN) != 0u) {
        high |= 0x0fffu << (TG_KEY_VLAN_SHIFT - 32u);
    }
    high |= (fields & TG_FIELD_BROADCAST) != 0u ? (uint32_t)(TG_KEY_BROADCAST >> 32) : 0u;
    high |= (fields & TG_FIELD_MULTICAST) != 0u ? (uint32_t)(TG_KEY_GROUP >> 32) : 0u;
    high |= (fields & TG_FIELD_SYN) != 0u ? (uint32_t)(TG_KEY_SYN >> 32) : 0u;
    return (uint64_t)high << 32 | low;
}

/* Which fields may be fixed together, see struct tg_match. */
static bool shape_is_allowed(uint32_t fields, uint32_t protocol)
{
    const uint32_t rest = fields & ~(CASTS | TG_FIELD_VLAN);

    if ((fields & ~ALL) != 0u || (fields & CASTS) == CASTS) {
        return false;
    }
    if (rest == 0u) {
        return (fields & CASTS) != 0u;
    }
    if (rest == TG_FIELD_TYPE || rest == (TG_FIELD_PROTOCOL | TG_FIELD_FAMILY)) {
        return true;
    }
    if ((rest & TG_FIELD_TYPE) != 0u || (rest & TG_FIELD_PROTOCOL) == 0u || (rest & PORTS) == 0u) {
        return false;
    }
    return protocol == TG_PROTO_TCP || (protocol == TG_PROTO_UDP && (rest & TG_FIELD_SYN) == 0u);
}

static bool values_are_valid(const struct tg_match *m)
{
    if ((m->fields & TG_FIELD_VLAN) != 0u && (m->vlan < 1u || m->vlan > 4094u)) {
        return false;
    }
    if ((m->fields & (TG_FIELD_FAMILY | HOSTS)) != 0u && m->family != 4u && m->family != 6u) {
        return false;
    }
    if ((m->fields & TG_FIELD_TYPE) != 0u && (m->type < TG_TYPE_MIN || tg_is_tag(m->type))) {
        return false;
    }
    /* "Anything but broadcast" alone would be a second best effort. */
    return (m->fields & ~(uint32_t)TG_FIELD_VLAN) != TG_FIELD_BROADCAST || m->broadcast;
}

static uint32_t kind_of(const struct tg_match *m, uint32_t fields, uint32_t family)
{
    if ((fields & TG_FIELD_PROTOCOL) != 0u) {
        return family | m->protocol;
    }
    return (fields & TG_FIELD_FAMILY) != 0u ? family : m->type; /* masked out where not fixed */
}

static uint32_t low_half(const struct tg_match *m)
{
    return (uint32_t)m->src_port << TG_KEY_SRC_PORT_SHIFT | m->dst_port;
}

static uint32_t high_half(const struct tg_match *m, uint32_t kind)
{
    const uint64_t flags = (m->broadcast ? TG_KEY_BROADCAST : 0u) | TG_KEY_GROUP | TG_KEY_SYN;

    return (uint32_t)(flags >> 32) | (uint32_t)m->vlan << (TG_KEY_VLAN_SHIFT - 32u) | kind;
}

/* Returns the bits in which both hosts, as far as they are fixed, differ. */
static uint32_t load_hosts(const struct tg_match *m, uint32_t words, struct tg_hosts *out)
{
    uint32_t difference = 0u;

    for (uint32_t i = 0u; i < 4u; i++) {
        const bool is_used = i < words;

        out->src[i] =
            is_used && (m->fields & TG_FIELD_SRC_HOST) ? tg_load32(m->src_host + 4u * i) : 0u;
        out->dst[i] =
            is_used && (m->fields & TG_FIELD_DST_HOST) ? tg_load32(m->dst_host + 4u * i) : 0u;
        difference |= out->src[i] ^ out->dst[i];
    }
    return difference;
}

int tg_match_compile(const struct tg_match *match, struct tg_pattern *out)
{
    uint32_t fields = match->fields;
    uint32_t family = match->family == 6u ? TG_KIND_IP6 : TG_KIND_IP4;
    struct tg_hosts hosts;

    if (!shape_is_allowed(fields, match->protocol) || !values_are_valid(match)) {
        return TG_ERR_RANGE;
    }
    if ((fields & HOSTS) != 0u) {
        fields |= TG_FIELD_FAMILY;
    }
    if ((fields & TG_FIELD_TYPE) != 0u &&
        (match->type == TG_TYPE_IP4 || match->type == TG_TYPE_IP6)) {
        fields |= TG_FIELD_FAMILY;
        family = match->type == TG_TYPE_IP6 ? TG_KIND_IP6 : TG_KIND_IP4;
    }
    if (load_hosts(match, family == TG_KIND_IP6 ? 4u : 1u, &hosts) == 0u &&
        (fields & HOSTS) == HOSTS) {
        return TG_ERR_UNREACHABLE; /* rules 9 and 13 */
    }
    if ((fields & TG_FIELD_PROTOCOL) != 0u && (fields & TG_FIELD_FAMILY) != 0u &&
        family == TG_KIND_IP6 && tg_is_ip6_extension(match->protocol)) {
        return TG_ERR_UNREACHABLE; /* rule 14 */
    }

    const uint32_t high = high_half(match, kind_of(match, fields, family));

    out->word = ((uint64_t)high << 32 | low_half(match)) & tg_shape_mask(fields);
    out->hosts = hosts;
    out->fields = (uint16_t)fields;
    return 0;
}
