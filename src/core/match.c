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

static bool is_same_host(const uint8_t a[16], const uint8_t b[16])
{
    uint32_t difference = 0u;

    for (uint32_t i = 0u; i < 16u; i++) {
        difference |= (uint32_t)(a[i] ^ b[i]);
    }
    return difference == 0u;
}

/* What the rules of frame.h never hand to matching. */
static bool is_never_matched(const struct tg_match *m)
{
    if ((m->fields & HOSTS) == HOSTS && is_same_host(m->src_host, m->dst_host)) {
        return true; /* rules 9 and 13 */
    }
    return (m->fields & TG_FIELD_PROTOCOL) != 0u && (m->fields & TG_FIELD_FAMILY) != 0u &&
           m->family == 6u && tg_is_ip6_extension(m->protocol); /* rule 14 */
}

static uint32_t kind_of(const struct tg_match *m)
{
    const uint32_t family = m->family == 6u ? TG_KIND_IP6 : TG_KIND_IP4;

    if ((m->fields & TG_FIELD_PROTOCOL) != 0u) {
        return family | m->protocol;
    }
    if ((m->fields & TG_FIELD_TYPE) != 0u) {
        return (m->fields & TG_FIELD_FAMILY) != 0u ? family : m->type;
    }
    return 0u;
}

static void load_host(uint32_t words[4], const uint8_t bytes[16], uint32_t n_words)
{
    for (uint32_t i = 0u; i < n_words; i++) {
        words[i] = tg_load32(bytes + 4u * i);
    }
}

int tg_match_compile(const struct tg_match *match, struct tg_pattern *out)
{
    struct tg_match m = *match;

    if (!shape_is_allowed(m.fields, m.protocol) || !values_are_valid(&m)) {
        return TG_ERR_RANGE;
    }
    if (is_never_matched(&m)) {
        return TG_ERR_UNREACHABLE;
    }
    if ((m.fields & HOSTS) != 0u) {
        m.fields |= TG_FIELD_FAMILY;
    }
    if ((m.fields & TG_FIELD_TYPE) != 0u && (m.type == TG_TYPE_IP4 || m.type == TG_TYPE_IP6)) {
        m.fields |= TG_FIELD_FAMILY;
        m.family = m.type == TG_TYPE_IP6 ? 6u : 4u;
    }

    const uint32_t host_words = m.family == 6u ? 4u : 1u;
    const uint64_t flags = (m.broadcast ? TG_KEY_BROADCAST : 0u) | TG_KEY_GROUP | TG_KEY_SYN;
    const uint32_t high =
        (uint32_t)(flags >> 32) | (uint32_t)m.vlan << (TG_KEY_VLAN_SHIFT - 32u) | kind_of(&m);
    const uint32_t low = (uint32_t)m.src_port << TG_KEY_SRC_PORT_SHIFT | m.dst_port;

    *out = (struct tg_pattern){.fields = m.fields};
    out->word = ((uint64_t)high << 32 | low) & tg_shape_mask(m.fields);
    if ((m.fields & TG_FIELD_SRC_HOST) != 0u) {
        load_host(out->hosts.src, m.src_host, host_words);
    }
    if ((m.fields & TG_FIELD_DST_HOST) != 0u) {
        load_host(out->hosts.dst, m.dst_host, host_words);
    }
    return 0;
}
