/* SPDX-License-Identifier: MIT
 *
 * check_services.c - services that nobody can reach, and two at one port.
 */
#include "system/check.h"

#define PROTOCOL_TCP 6u
#define PROTOCOL_UDP 17u

bool tg_system_can_serve(const struct tg_match *match)
{
    const uint32_t needed = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT;

    return (match->fields & needed) == needed &&
           (match->protocol == PROTOCOL_TCP || match->protocol == PROTOCOL_UDP);
}

/* The flow before this one that has written another service for the same port, or this one. */
static size_t find_other(const struct tg_system *s, size_t flow)
{
    const struct tg_system_flow *const f = &s->flows[flow];
    size_t i = 0u;

    while (i < flow &&
           (s->flows[i].service == TG_SERVICE_NONE || s->flows[i].service == f->service ||
            s->flows[i].match.protocol != f->match.protocol ||
            s->flows[i].match.dst_port != f->match.dst_port)) {
        i++;
    }
    return i;
}

int tg_check_services(struct tg_reader *r, const struct tg_system *s)
{
    const struct tg_place file = tg_place_file(r);
    int err = 0;

    for (size_t i = 0u; i < s->n_flows; i++) {
        const struct tg_place place = tg_place_item(&file, "flows", i, s->flows[i].name);

        if (s->flows[i].service == TG_SERVICE_NONE) {
            continue;
        }
        if (!tg_system_can_serve(&s->flows[i].match)) {
            err = tg_place_refuse(&place, "service",
                                  "found with the match '%s'; allowed: only for a flow whose match "
                                  "names a destination port of UDP or TCP",
                                  s->flows[i].match_text);
            continue;
        }
        const size_t other = find_other(s, i);

        if (other != i) {
            err = tg_place_refuse(&place, "service",
                                  "found another one than at the same port of flow '%s' in line "
                                  "%u; allowed: one service at a port",
                                  s->flows[other].name, (unsigned)s->flows[other].at.line);
        }
    }
    return err;
}
