/* SPDX-License-Identifier: MIT
 *
 * demand.c - the demand bounds of server.h, over every window of what was admitted.
 */
#include "demand.h"

static tg_ns ceil_div(tg_ns a, tg_ns b)
{
    return a / b + (a % b != 0u);
}

/* Most admissions in a half-open window of this length. */
static uint64_t bound(const struct tg_server_config *cfg, tg_ns lateness_ns, tg_ns length_ns)
{
    switch (cfg->kind) {
    case TG_SERVER_DEFERRABLE:
        return cfg->budget_pkts * (ceil_div(length_ns + lateness_ns, cfg->period_ns) + 1u);
    case TG_SERVER_POLLING:
        return cfg->budget_pkts * ceil_div(length_ns + lateness_ns, cfg->period_ns);
    case TG_SERVER_SPORADIC:
        return cfg->budget_pkts * ceil_div(length_ns, cfg->period_ns);
    default:
        return UINT64_MAX;
    }
}

uint32_t demand_exceeded(const struct tg_server_config *cfg, tg_ns lateness_ns, const tg_ns *at_ns,
                         uint32_t n)
{
    for (uint32_t first = 0u; first < n; first++) {
        for (uint32_t last = first; last < n; last++) {
            /* The shortest half-open window that holds both ends is one longer than their
             * distance. */
            const tg_ns length_ns = at_ns[last] - at_ns[first] + 1u;

            if (last - first + 1u > bound(cfg, lateness_ns, length_ns)) {
                return last - first + 1u;
            }
        }
    }
    return 0u;
}
