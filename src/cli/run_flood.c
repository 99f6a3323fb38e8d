/* SPDX-License-Identifier: MIT
 *
 * run_flood.c - the floods of a scenario, and the same floods at another rate.
 */
#include "run_flood.h"

#define NS_PER_S UINT64_C(1000000000)

bool tg_flood_is(const struct tg_system_traffic *traffic)
{
    return traffic->flow < 0;
}

bool tg_flood_any(const struct tg_system_scenario *scenario)
{
    for (size_t i = 0u; i < scenario->n_traffic; i++) {
        if (tg_flood_is(&scenario->traffic[i])) {
            return true;
        }
    }
    return false;
}

tg_ns tg_flood_start_ns(const struct tg_system_scenario *scenario)
{
    tg_ns start_ns = UINT64_MAX;

    for (size_t i = 0u; i < scenario->n_traffic; i++) {
        const struct tg_system_traffic *const t = &scenario->traffic[i];

        if (tg_flood_is(t) && t->from_ns < start_ns) {
            start_ns = t->from_ns;
        }
    }
    return start_ns != UINT64_MAX ? start_ns : 0u;
}

static bool can_scale(const struct tg_system_traffic *t)
{
    return tg_flood_is(t) && t->kind != TG_TRAFFIC_CAPTURE;
}

static uint64_t rate_of(const struct tg_system_traffic *t)
{
    return t->kind == TG_TRAFFIC_PERIODIC ? t->burst_pkts * NS_PER_S / t->every_ns
                                          : t->rate_pps * t->burst_pkts;
}

uint64_t tg_flood_rate_pps(const struct tg_system_scenario *scenario)
{
    uint64_t rate_pps = 0u;

    for (size_t i = 0u; i < scenario->n_traffic; i++) {
        rate_pps += can_scale(&scenario->traffic[i]) ? rate_of(&scenario->traffic[i]) : 0u;
    }
    return rate_pps;
}

/* value * numerator / denominator, rounded, at least 1; the product may need more than 64 bits. */
static uint64_t in_proportion(uint64_t value, uint64_t numerator, uint64_t denominator)
{
    const double scaled = (double)value * ((double)numerator / (double)denominator);

    return scaled > 1.0 ? (uint64_t)(scaled + 0.5) : 1u;
}

void tg_flood_scale(const struct tg_system_scenario *scenario, uint64_t rate_pps,
                    struct tg_system_traffic *traffic, struct tg_system_scenario *out)
{
    const uint64_t own_pps = tg_flood_rate_pps(scenario);

    *out = *scenario;
    out->traffic = traffic;
    for (size_t i = 0u; i < scenario->n_traffic; i++) {
        traffic[i] = scenario->traffic[i];
        if (!can_scale(&traffic[i])) {
            continue;
        }
        if (traffic[i].kind == TG_TRAFFIC_PERIODIC) {
            traffic[i].every_ns = in_proportion(traffic[i].every_ns, own_pps, rate_pps);
        } else {
            traffic[i].rate_pps = in_proportion(traffic[i].rate_pps, rate_pps, own_pps);
        }
    }
}
