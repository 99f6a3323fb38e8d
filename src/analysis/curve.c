/* SPDX-License-Identifier: MIT
 *
 * curve.c - server curves.
 */
#include "analysis/curve.h"

uint64_t tg_curve_units(const struct tg_curve *curve, uint64_t span)
{
    if (span == 0) {
        return 0;
    }
    switch (curve->kind) {
    case TG_CURVE_DEFERRABLE: {
        /* A window meets at most ceil + 1 periods: a budget at the end of one, one at the start of
         * the next, back to back. */
        const uint64_t periods = tg_ceil_div(tg_add(span, curve->lateness), curve->period);
        return tg_mul(curve->budget, tg_add(periods, 1));
    }
    case TG_CURVE_POLLING:
        return tg_mul(curve->budget, tg_ceil_div(tg_add(span, curve->lateness), curve->period));
    case TG_CURVE_SPORADIC:
    case TG_CURVE_PERIODIC:
        return tg_mul(curve->budget, tg_ceil_div(span, curve->period));
    case TG_CURVE_TOKEN:
        return tg_add(curve->budget, tg_mul_div(curve->budget, span, curve->period, false));
    case TG_CURVE_UNLIMITED:
        break;
    }
    return TG_NO_BOUND;
}

/* Shortest window that meets so many periods (at least 1 if it is not empty). */
static uint64_t first_with(uint64_t periods, const struct tg_curve *curve)
{
    return tg_add(tg_sub(tg_mul(tg_sub(periods, 1), curve->period), curve->lateness), 1);
}

uint64_t tg_curve_first(const struct tg_curve *curve, uint64_t n)
{
    switch (curve->kind) {
    case TG_CURVE_DEFERRABLE:
        return first_with(tg_ceil_div(n, curve->budget) - 1, curve);
    case TG_CURVE_POLLING:
        return first_with(tg_ceil_div(n, curve->budget), curve);
    case TG_CURVE_SPORADIC:
    case TG_CURVE_PERIODIC:
        return tg_add(tg_mul(tg_ceil_div(n, curve->budget) - 1, curve->period), 1);
    case TG_CURVE_TOKEN:
        return tg_max(1, tg_mul_div(tg_sub(n, curve->budget), curve->period, curve->budget, true));
    case TG_CURVE_UNLIMITED:
        break;
    }
    return 1;
}

struct tg_share_range tg_curve_rate(const struct tg_curve *curve)
{
    if (curve->kind == TG_CURVE_UNLIMITED) {
        return (struct tg_share_range){TG_SHARE_FULL, TG_SHARE_FULL};
    }
    return tg_share_of(curve->budget, curve->period);
}

uint64_t tg_time_server_demand(const struct tg_analysis_server *server, uint64_t span)
{
    const uint64_t capacity = server->capacity;

    switch (server->kind) {
    case TG_CURVE_DEFERRABLE: {
        /* As a periodic task with release jitter period - capacity. */
        const uint64_t later = tg_ceil_div(tg_sub(span, capacity), server->period);
        return tg_mul(capacity, tg_add(later, 1));
    }
    case TG_CURVE_TOKEN:
        return tg_add(capacity, tg_mul_div(capacity, span, server->period, true));
    default:
        return tg_mul(capacity, tg_ceil_div(span, server->period));
    }
}
