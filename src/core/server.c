/* SPDX-License-Identifier: MIT
 *
 * server.c - a budget of packets: deferrable, sporadic, polling or unlimited.
 */
#include "tidegate/server.h"

static bool config_is_valid(const struct tg_server_config *cfg)
{
    if (cfg->kind == TG_SERVER_UNLIMITED) {
        return cfg->budget_pkts == 0u && cfg->period_ns == 0u && cfg->window == NULL;
    }
    if (cfg->kind < TG_SERVER_DEFERRABLE || cfg->kind > TG_SERVER_POLLING) {
        return false;
    }
    if (cfg->period_ns < TG_PERIOD_MIN_NS || cfg->period_ns > TG_PERIOD_MAX_NS) {
        return false;
    }

    const bool is_sporadic = cfg->kind == TG_SERVER_SPORADIC;
    const uint32_t most_pkts = is_sporadic ? TG_SERVER_SPORADIC_MAX : TG_SERVER_BUDGET_MAX;

    return cfg->budget_pkts >= 1u && cfg->budget_pkts <= most_pkts &&
           is_sporadic == (cfg->window != NULL);
}

static void start(struct tg_server *s, const struct tg_server_config *cfg, tg_ns now_ns)
{
    *s = (struct tg_server){
        .until_ns = now_ns + cfg->period_ns - 1u,
        .fresh_ns = cfg->period_ns,
        .left_pkts = cfg->budget_pkts,
        .budget_pkts = cfg->budget_pkts,
        .period_ns = cfg->period_ns,
        .window = cfg->window,
        .kind = (uint8_t)cfg->kind,
    };
    if (cfg->kind == TG_SERVER_UNLIMITED || cfg->kind == TG_SERVER_SPORADIC) {
        s->fresh_ns = 0u; /* they keep no count: every take is a slow one */
        s->left_pkts = 0u;
    }
    for (uint32_t i = 0u; cfg->window != NULL && i < cfg->budget_pkts; i++) {
        cfg->window[i] =
            now_ns - cfg->period_ns; /* may wrap: ages are differences, which wrap back */
    }
}

int tg_server_init(struct tg_server *s, const struct tg_server_config *cfg, tg_ns now_ns)
{
    if (!config_is_valid(cfg) || cfg->kind == TG_SERVER_POLLING) {
        return TG_ERR_RANGE;
    }
    start(s, cfg, now_ns);
    return 0;
}

/* 2^64 / period_ns, rounded down, by shift and subtract: a 64-bit division is a library call that
 * bare targets lack. 0 for a kind without a period. */
static uint64_t rate_of(tg_ns period_ns)
{
    uint64_t rate = 0u;
    tg_ns rest_ns = 1u;

    for (uint32_t bit = 0u; bit < 64u && period_ns != 0u; bit++) {
        rest_ns <<= 1; /* periods are far from 2^63 */
        rate <<= 1;
        if (rest_ns >= period_ns) {
            rest_ns -= period_ns;
            rate++;
        }
    }
    return rate;
}

int tg_server_init_gate(struct tg_server *s, const struct tg_server_config *cfg,
                        enum tg_refill refill, tg_ns now_ns)
{
    const bool has_refills = cfg->kind == TG_SERVER_DEFERRABLE || cfg->kind == TG_SERVER_POLLING;

    if (!config_is_valid(cfg) || (refill == TG_REFILL_TICK && !has_refills)) {
        return TG_ERR_RANGE;
    }
    start(s, cfg, now_ns);
    s->on_grid = true;
    s->rate = rate_of(cfg->period_ns);
    s->by_tick = refill == TG_REFILL_TICK || cfg->kind == TG_SERVER_POLLING;
    if (s->by_tick) {
        s->fresh_ns = UINT64_MAX;
    }
    return 0;
}

/* Upper half of a * b. */
static uint64_t multiply_high(uint64_t a, uint64_t b)
{
    const uint64_t a0 = (uint32_t)a;
    const uint64_t a1 = a >> 32;
    const uint64_t b0 = (uint32_t)b;
    const uint64_t b1 = b >> 32;
    const uint64_t upper = a1 * b0 + (a0 * b0 >> 32);
    const uint64_t lower = a0 * b1 + (uint32_t)upper;

    return a1 * b1 + (upper >> 32) + (lower >> 32);
}

/* How far into its period late_ns reaches. The product lacks at most 2 of the quotient. */
static tg_ns into_period_ns(const struct tg_server *s, tg_ns late_ns)
{
    tg_ns ns = late_ns - multiply_high(late_ns, s->rate) * s->period_ns;

    while (ns >= s->period_ns) {
        ns -= s->period_ns;
    }
    return ns;
}

static void refill_if_due(struct tg_server *s, tg_ns now_ns)
{
    tg_ns start_ns = now_ns; /* of the period that begins */

    if (now_ns <= s->until_ns) {
        if (s->until_ns - now_ns < s->period_ns) {
            return;
        }
        /* The clock stepped back: never wait longer than one period (rule 8). No refill here, else
         * every step back would be a free budget. */
    } else {
        const tg_ns late_ns = now_ns - s->until_ns - 1u;

        s->left_pkts = s->budget_pkts;
        if (late_ns < s->period_ns) {
            start_ns -= late_ns;
        } else if (s->on_grid) {
            start_ns -= into_period_ns(s, late_ns);
        } /* else unused periods do not add up: start anew (I3) */
    }
    s->until_ns = start_ns + s->period_ns - 1u;
}

static bool is_future(tg_ns at_ns, tg_ns now_ns)
{
    return now_ns - at_ns > UINT64_MAX / 2u; /* ages are differences, see start() */
}

static TG_NOINLINE bool sporadic_left(struct tg_server *s, tg_ns now_ns)
{
    const uint32_t newest = (s->oldest == 0u ? s->budget_pkts : s->oldest) - 1u;

    if (TG_UNLIKELY(is_future(s->window[newest], now_ns))) {
        /* The clock stepped back. An admission of the future was made by now at the latest, so to
         * date it now is safe, and nothing waits longer than one period (rule 8). */
        for (uint32_t i = 0u; i < s->budget_pkts; i++) {
            if (is_future(s->window[i], now_ns)) {
                s->window[i] = now_ns;
            }
        }
    }
    return now_ns - s->window[s->oldest] >= s->period_ns;
}

bool tg_server_left(struct tg_server *s, tg_ns now_ns)
{
    if (s->kind == TG_SERVER_UNLIMITED) {
        return true;
    }
    if (s->kind == TG_SERVER_SPORADIC) {
        return sporadic_left(s, now_ns);
    }
    if (!s->by_tick) {
        refill_if_due(s, now_ns);
    }
    return s->left_pkts != 0u;
}

bool tg_server_take_slow(struct tg_server *s, tg_ns now_ns)
{
    if (!tg_server_left(s, now_ns)) {
        return false;
    }
    if (s->kind == TG_SERVER_SPORADIC) {
        s->window[s->oldest] = now_ns;
        s->oldest = s->oldest + 1u == s->budget_pkts ? 0u : (uint8_t)(s->oldest + 1u);
    } else if (s->kind != TG_SERVER_UNLIMITED) {
        s->left_pkts--;
    }
    return true;
}

tg_ns tg_server_next_ns(const struct tg_server *s)
{
    if (s->kind == TG_SERVER_SPORADIC) {
        return s->window[s->oldest] + s->period_ns;
    }
    return s->until_ns + 1u;
}

void tg_server_tick(struct tg_server *s, tg_ns now_ns)
{
    if (s->by_tick) {
        refill_if_due(s, now_ns);
    }
}

void tg_server_forfeit(struct tg_server *s)
{
    s->left_pkts = 0u;
}
