/* SPDX-License-Identifier: MIT
 *
 * curve.h - how much a server or a source lets through in ANY window of a given length (section 3).
 */
#ifndef TG_ANALYSIS_CURVE_H
#define TG_ANALYSIS_CURVE_H

#include "analysis/num.h"
#include "analysis/share.h"

struct tg_curve {
    enum tg_curve_kind kind;
    uint64_t budget;
    uint64_t period;
    uint64_t lateness; /* [j] of a refill; deferrable and polling */
};

/* Units admitted in a half-open window of length span; none in an empty one. */
uint64_t tg_curve_units(const struct tg_curve *curve, uint64_t span);

/* Shortest window in which at least n >= 1 units can be admitted. */
uint64_t tg_curve_first(const struct tg_curve *curve, uint64_t n);

/* Long-run units per time. */
struct tg_share_range tg_curve_rate(const struct tg_curve *curve);

/* Packets of a source that conforms, in a window of length span:
 * burst * ceil((span + jitter) / every). TG_NO_BOUND if every is 0 or jitter TG_NO_BOUND. */
static inline uint64_t tg_arrivals(uint64_t burst, uint64_t every, uint64_t jitter, uint64_t span)
{
    if (every == 0 || jitter == TG_NO_BOUND) {
        return TG_NO_BOUND;
    }
    return tg_mul(burst, tg_ceil_div(tg_add(span, jitter), every));
}

/* Shortest window in which a source that conforms can send n >= 1 packets; 1 if nothing is
 * known. */
static inline uint64_t tg_arrivals_first(uint64_t burst, uint64_t every, uint64_t jitter,
                                         uint64_t n)
{
    if (every == 0 || burst == 0 || jitter == TG_NO_BOUND) {
        return 1;
    }
    return tg_sub(tg_mul(tg_ceil_div(n, burst) - 1, every), jitter) + 1;
}

/* CPU time of a time server in a busy window that starts at 0 and has length span >= 1
 * (Strosnider, Lehoczky, Sha; Liu, eq. 7.1; Bernat, Burns 1999). */
uint64_t tg_time_server_demand(const struct tg_analysis_server *server, uint64_t span);

#endif
