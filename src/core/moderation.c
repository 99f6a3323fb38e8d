/* SPDX-License-Identifier: MIT
 *
 * moderation.c - one interrupt for several packets.
 */
#include "tidegate/moderation.h"

int tg_moderation_init(struct tg_moderation *m, const struct tg_moderation_config *cfg)
{
    if (cfg->absolute_ns > TG_MODERATION_MAX_NS || cfg->packet_ns > TG_MODERATION_MAX_NS ||
        cfg->packets > TG_MODERATION_PKTS_MAX) {
        return TG_ERR_RANGE;
    }
    *m = (struct tg_moderation){.cfg = *cfg};
    if (cfg->absolute_ns == 0u && cfg->packet_ns == 0u && cfg->packets == 0u) {
        m->cfg.packets = 1u;
    }
    return 0;
}

static enum tg_moderation_cause raise(struct tg_moderation *m, enum tg_moderation_cause cause)
{
    m->waiting_pkts = 0u;
    m->is_raised = true;
    return cause;
}

enum tg_moderation_cause tg_moderation_timer(struct tg_moderation *m, tg_ns now_ns)
{
    if (m->waiting_pkts == 0u) {
        return TG_MODERATION_NONE;
    }
    /* A clock that stepped back makes the differences wrap: due, so that no packet is forgotten. */
    if (m->cfg.absolute_ns != 0u && now_ns - m->first_ns >= m->cfg.absolute_ns) {
        return raise(m, TG_MODERATION_ABSOLUTE);
    }
    if (m->cfg.packet_ns != 0u && now_ns - m->last_ns >= m->cfg.packet_ns) {
        return raise(m, TG_MODERATION_PACKET);
    }
    return TG_MODERATION_NONE;
}

enum tg_moderation_cause tg_moderation_arrive(struct tg_moderation *m, tg_ns now_ns)
{
    if (m->is_raised) {
        return TG_MODERATION_NONE;
    }
    TG_ASSERT(m->cfg.packets == 0u || m->waiting_pkts < m->cfg.packets); /* I2 */
    if (m->waiting_pkts + 1u == m->cfg.packets) {
        return raise(m, TG_MODERATION_COUNTER);
    }
    if (m->waiting_pkts == 0u) {
        m->first_ns = now_ns;
    } else {
        const enum tg_moderation_cause cause = tg_moderation_timer(m, now_ns);

        if (cause != TG_MODERATION_NONE) {
            return cause;
        }
    }
    m->last_ns = now_ns;
    if (m->waiting_pkts < TG_MODERATION_PKTS_MAX) { /* no counter goes on from there */
        m->waiting_pkts++;
    }
    return TG_MODERATION_NONE;
}

void tg_moderation_acknowledge(struct tg_moderation *m)
{
    m->waiting_pkts = 0u;
    m->is_raised = false;
}

tg_ns tg_moderation_due_ns(const struct tg_moderation *m)
{
    if (m->waiting_pkts == 0u) {
        return TG_MODERATION_NEVER;
    }
    const tg_ns absolute_ns =
        m->cfg.absolute_ns != 0u ? m->first_ns + m->cfg.absolute_ns : TG_MODERATION_NEVER;
    const tg_ns packet_ns =
        m->cfg.packet_ns != 0u ? m->last_ns + m->cfg.packet_ns : TG_MODERATION_NEVER;

    return absolute_ns < packet_ns ? absolute_ns : packet_ns;
}
