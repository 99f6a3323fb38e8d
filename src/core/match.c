/* SPDX-License-Identifier: MIT
 *
 * match.c - from a match as the user states it to the pattern that the table compares.
 */
#include "tidegate/flow.h"
#include <string.h>

enum {
    PROTO_TCP = 6,
    PROTO_UDP = 17,
    TYPE_IP4 = 0x0800,
    TYPE_IP6 = 0x86dd
};

#define PORTS (TG_FIELD_DST_PORT | TG_FIELD_SRC_PORT)
#define HOSTS (TG_FIELD_DST_HOST | TG_FIELD_SRC_HOST)
#define CASTS (TG_FIELD_BROADCAST | TG_FIELD_MULTICAST)
#define ALL   ((TG_FIELD_DST_PORT << 1) - 1u)

uint32_t tg_shape_rank(uint32_t fields)
{
    const uint32_t addressing = ((fields >> 10) & 1u) + ((fields >> 9) & 1u) + ((fields >> 8) & 1u) +
                                ((fields >> 7) & 1u);

    return addressing << 11 | fields;
}

uint64_t tg_shape_mask(uint32_t fields)
{
    uint64_t kind = 0u;
    uint64_t mask = 0u;

    if ((fields & TG_FIELD_PROTOCOL) != 0u) {
        kind = (fields & TG_FIELD_FAMILY) != 0u ? 0xffffu : 0xffffu & ~TG_KIND_IP6_BIT;
    } else if ((fields & TG_FIELD_TYPE) != 0u) {
        kind = (fields & TG_FIELD_FAMILY) != 0u ? 0xff00u : 0xffffu;
    }
    if ((fields & TG_FIELD_DST_PORT) != 0u) {
        mask |= 0xffffu;
    }
    if ((fields & TG_FIELD_SRC_PORT) != 0u) {
        mask |= UINT64_C(0xffff) << TG_KEY_SRC_PORT_SHIFT;
    }
    if ((fields & TG_FIELD_VLAN) != 0u) {
        mask |= UINT64_C(0x0fff) << TG_KEY_VLAN_SHIFT;
    }
    mask |= (fields & TG_FIELD_BROADCAST) != 0u ? TG_KEY_BROADCAST : 0u;
    mask |= (fields & TG_FIELD_MULTICAST) != 0u ? TG_KEY_GROUP : 0u;
    mask |= (fields & TG_FIELD_SYN) != 0u ? TG_KEY_SYN : 0u;
    return mask | kind << TG_KEY_KIND_SHIFT;
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
    return protocol == PROTO_TCP || (protocol == PROTO_UDP && (rest & TG_FIELD_SYN) == 0u);
}

static bool values_are_valid(const struct tg_match *m)
{
    if ((m->fields & TG_FIELD_VLAN) != 0u && (m->vlan < 1u || m->vlan > 4094u)) {
        return false;
    }
    if ((m->fields & (TG_FIELD_FAMILY | HOSTS)) != 0u && m->family != 4u && m->family != 6u) {
        return false;
    }
    if ((m->fields & TG_FIELD_TYPE) != 0u &&
        (m->type < 1536u || m->type == 0x8100u || m->type == 0x88a8u)) {
        return false;
    }
    /* "Anything but broadcast" alone would be a second best effort. */
    return (m->fields & ~(uint32_t)TG_FIELD_VLAN) != TG_FIELD_BROADCAST || m->broadcast;
}

/* Rule 14 hands no frame to matching whose next header is one of these. */
static bool is_never_matched(const struct tg_match *m)
{
    static const uint8_t extensions[] = {0, 43, 44, 50, 51, 60, 135, 139, 140};

    if ((m->fields & HOSTS) == HOSTS && memcmp(m->src_host, m->dst_host, sizeof m->src_host) == 0) {
        return true; /* rules 9 and 13 */
    }
    if ((m->fields & TG_FIELD_FAMILY) == 0u || m->family != 6u ||
        (m->fields & TG_FIELD_PROTOCOL) == 0u) {
        return false;
    }
    for (size_t i = 0u; i < sizeof extensions; i++) {
        if (m->protocol == extensions[i]) {
            return true;
        }
    }
    return false;
}
