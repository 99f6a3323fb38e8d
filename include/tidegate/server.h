/* SPDX-License-Identifier: MIT
 *
 * server.h - a budget of packets: deferrable, sporadic, polling or unlimited.
 *
 * Packets admitted in ANY half-open window of length D; j: lateness of a refill by tick, else 0:
 *
 *   kind         demand bound                          source
 *   deferrable   budget * (ceil((D + j) / period) + 1) Strosnider, Lehoczky, Sha, "The Deferrable
 *                                                      Server Algorithm", IEEE ToC 44(1), 1995
 *   polling      budget * ceil((D + j) / period)       Sprunt, Sha, Lehoczky, "Aperiodic Task
 *                                                      Scheduling for Hard-Real-Time Systems",
 *                                                      RTS 1(1), 1989
 *   sporadic     budget * ceil(D / period)             sliding window: budget + 1 admissions in a
 *                                                      row span at least a period (no premature
 *                                                      refill as in the POSIX definition,
 *                                                      Stanovich et al., RTAS 2010)
 *   unlimited    none
 */
#ifndef TIDEGATE_SERVER_H
#define TIDEGATE_SERVER_H

#include "tidegate/common.h"

#define TG_SERVER_BUDGET_MAX   1000000u
#define TG_SERVER_SPORADIC_MAX 64u
#define TG_PERIOD_MIN_NS       1000u
#define TG_PERIOD_MAX_NS       UINT64_C(3600000000000)

/* Zero is no kind: a forgotten budget is an error, never unlimited. */
enum tg_server_kind {
    TG_SERVER_DEFERRABLE = 1, /* unused budget is kept until the period ends */
    TG_SERVER_SPORADIC,       /* at most budget packets in any window of one period */
    TG_SERVER_POLLING,        /* gates only: served at refills, unused budget is lost */
    TG_SERVER_UNLIMITED
};

/* Who refills a deferrable or polling server. */
enum tg_refill {
    TG_REFILL_TIMESTAMP = 0, /* the clock of each take: no refill is ever late (R9) */
    TG_REFILL_TICK /* gates only: the tick handler, late by at most what delays that handler */
};

struct tg_server_config {
    enum tg_server_kind kind;

    /* Packets per period, 1..TG_SERVER_BUDGET_MAX (sporadic: ..TG_SERVER_SPORADIC_MAX). No default.
     * Unlimited: 0. */
    uint32_t budget_pkts;

    /* TG_PERIOD_MIN_NS..TG_PERIOD_MAX_NS. No default. Unlimited: 0. */
    tg_ns period_ns;

    /* Sporadic: storage for budget_pkts admission times, owned by the server from now on. Else
     * NULL. */
    tg_ns *window;
};

/* One server. The fields are private; the type is complete so that storage can be static.
 *
 *      deferrable                                    sporadic (budget 3)
 *      budget ┤■■■■  ■■■■■ ■■    ■■■■■
 *             └┴────┴┴─────┴─────┴─────▶ t           window[] = times of the last 3 admissions:
 *              refill after until_ns              the oldest must be a period old
 *
 * Invariants (check.h):
 *  I1  left_pkts <= budget_pkts (deferrable, polling)
 *  I2  at most budget_pkts are taken between two refills
 *  I3  refills are at least period_ns apart; on the grid of a gate they are start + k * period_ns
 *  I4  window[] is sorted in time from window[oldest] on, around its end */
struct tg_server {
    tg_ns until_ns;     /* last instant before the next refill */
    tg_ns fresh_ns;     /* the fast take holds while until_ns is nearer than this; 0: never */
    uint32_t left_pkts; /* 0 for the kinds that keep no count */
    uint32_t budget_pkts;
    tg_ns period_ns;
    uint64_t rate; /* on_grid: 2^64 / period_ns, so that no division is due later */
    tg_ns *window; /* sporadic: times of the last budget_pkts admissions */
    uint8_t kind;
    uint8_t oldest; /* index into window */
    bool on_grid;   /* refills stay on start + k * period_ns, also after idle time (gates) */
    bool by_tick;
};

/* Check and copy the configuration of a flow's server; it starts full. After idle time its period
 * restarts at the next take, which spares a division.
 *
 * Context: start-up, or a task that binds a flow.
 * Units:   now_ns in nanoseconds.
 * Returns: 0; TG_ERR_RANGE if a field is outside its range, the kind is polling, or storage is
 *          given where none is needed or missing where it is; then s and the storage are unchanged.
 * Cost:    O(budget) for sporadic, else O(1). */
TG_NODISCARD int tg_server_init(struct tg_server *s, const struct tg_server_config *cfg,
                                tg_ns now_ns);

/* The same for a gate: refills stay on the grid start + k * period, polling is allowed, and refill
 * says who refills (polling servers: always the tick).
 *
 * Context, units, returns, cost: as tg_server_init; TG_ERR_RANGE also if refill is
 * TG_REFILL_TICK for a kind that has no refills (sporadic, unlimited). */
TG_NODISCARD int tg_server_init_gate(struct tg_server *s, const struct tg_server_config *cfg,
                                     enum tg_refill refill, tg_ns now_ns);

/* tg_server_take where the clock has to be looked at closely: a refill is due, the clock stepped
 * back, or the kind keeps no count. Gives the same result as tg_server_take, always. */
bool tg_server_take_slow(struct tg_server *s, tg_ns now_ns);

/* True while nothing but the count decides about a take: no refill is due, the clock has not
 * stepped back, and the kind keeps a count.
 *
 * Context, units, cost: as tg_server_take. */
static inline bool tg_server_is_fresh(const struct tg_server *s, tg_ns now_ns)
{
    /* One comparison for "due" (the difference wraps) and for "the clock stepped back". */
    return s->until_ns - now_ns < s->fresh_ns;
}

/* Take one packet's worth of budget.
 *
 * Context: ISR or task; the caller holds the lock that guards s.
 * Units:   now_ns in nanoseconds. A clock that stepped back by more than a period puts the next
 *          refill one period after now_ns; it gives no budget, so the demand bound holds across the
 *          step.
 * Returns: true taken; false nothing left until tg_server_next_ns.
 * Cost:    O(1). No loop and no division, except: sporadic, one pass over the window when the clock
 *          stepped back. */
TG_NODISCARD TG_INLINE bool tg_server_take(struct tg_server *s, tg_ns now_ns)
{
    if (TG_UNLIKELY(!tg_server_is_fresh(s, now_ns))) {
        return tg_server_take_slow(s, now_ns);
    }
    TG_ASSERT(s->left_pkts <= s->budget_pkts); /* I1 */
    if (s->left_pkts == 0u) {
        return false;
    }
    s->left_pkts--;
    return true;
}

/* True while a take at now_ns would succeed. Refills what is due.
 *
 * Context, units, cost: as tg_server_take. */
TG_NODISCARD bool tg_server_left(struct tg_server *s, tg_ns now_ns);

/* The instant from which on a spent server has budget again: the next refill, or for a sporadic
 * server the oldest admission plus one period. Not for unlimited ones.
 *
 * Context: as tg_server_take.
 * Cost:    O(1). */
TG_NODISCARD tg_ns tg_server_next_ns(const struct tg_server *s);

/* Refill, if due, what TG_REFILL_TICK and polling servers leave to the tick handler.
 *
 * Context: tick handler; the caller holds the lock that guards s.
 * Cost:    as tg_server_take. */
void tg_server_tick(struct tg_server *s, tg_ns now_ns);

/* Give up what is left until the next refill: what makes a polling server one.
 *
 * Context: as tg_server_take.
 * Cost:    O(1). */
void tg_server_forfeit(struct tg_server *s);

#endif
