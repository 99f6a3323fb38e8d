/* SPDX-License-Identifier: MIT
 *
 * server_properties.c - random servers under random clocks: never more than the demand bound in any
 * window, never less than was promised.
 */
#include "check_cmocka.h"
#include "demand.h"
#include "rng.h"
#include "tidegate/check.h"

#include <inttypes.h>

enum { RUNS = 20000, TAKES = 150, WINDOW_MAX = 8 };

/* One server, and what it was seen to do. */
struct run {
    struct rng rng;
    struct tg_server_config cfg;
    struct tg_server server;
    bool is_gate;
    bool is_by_tick;
    tg_ns lateness_ns; /* of the tick, at most */
    tg_ns window[WINDOW_MAX];
    tg_ns now_ns;
    tg_ns elapsed_ns;   /* the clock without its steps back */
    tg_ns tick_due_ns;  /* in elapsed time */
    bool has_stepped;   /* back */
    tg_ns stepped_ns;   /* elapsed time of the last such step */
    tg_ns at_ns[TAKES]; /* elapsed times of the admissions */
    uint32_t n;
};

static void start(struct run *r, uint64_t seed)
{
    static const enum tg_server_kind kinds[] = {TG_SERVER_DEFERRABLE, TG_SERVER_SPORADIC,
                                                TG_SERVER_POLLING};
    enum tg_refill refill;

    *r = (struct run){.n = 0u};
    rng_init_seed(&r->rng, seed);
    r->cfg.kind = kinds[rng_below(&r->rng, 3u)];
    r->cfg.budget_pkts = rng_between(&r->rng, 1u, WINDOW_MAX);
    r->cfg.period_ns = rng_between(&r->rng, 1000u, 5000u);
    r->cfg.window = r->cfg.kind == TG_SERVER_SPORADIC ? r->window : NULL;
    r->is_gate = r->cfg.kind == TG_SERVER_POLLING || rng_percent(&r->rng, 50u);
    r->is_by_tick =
        r->cfg.kind == TG_SERVER_POLLING ||
        (r->is_gate && r->cfg.kind == TG_SERVER_DEFERRABLE && rng_percent(&r->rng, 50u));
    r->lateness_ns = r->is_by_tick ? rng_below(&r->rng, 3000u) : 0u;
    r->now_ns = UINT64_C(1000000) + rng_below(&r->rng, 1000000u);
    refill = r->is_by_tick ? TG_REFILL_TICK : TG_REFILL_TIMESTAMP;
    assert_int_equal(r->is_gate ? tg_server_init_gate(&r->server, &r->cfg, refill, r->now_ns)
                                : tg_server_init(&r->server, &r->cfg, r->now_ns),
                     0);
    r->tick_due_ns = r->cfg.period_ns;
    if (r->cfg.kind == TG_SERVER_POLLING) {
        tg_server_forfeit(&r->server);
    }
}

static bool take(struct run *r)
{
    if (r->n == TAKES || !tg_server_take(&r->server, r->now_ns)) {
        return false;
    }
    r->at_ns[r->n++] = r->elapsed_ns;
    return true;
}

/* The handler runs when its relative timer is due, late by no more than was agreed. A polling
 * server is served then and only then: what the poll does not take is lost. */
static void tick(struct run *r)
{
    tg_server_tick(&r->server, r->now_ns);
    if (r->cfg.kind == TG_SERVER_POLLING) {
        for (uint32_t want = rng_below(&r->rng, WINDOW_MAX + 2u); want > 0u; want--) {
            (void)take(r);
        }
        tg_server_forfeit(&r->server);
    }
    r->tick_due_ns = r->elapsed_ns + (tg_server_next_ns(&r->server) - r->now_ns);
}

/* Move the clock: mostly on, at times back. The handler of a tick runs on the way. */
static void move_clock(struct run *r)
{
    const uint32_t how = rng_below(&r->rng, 100u);
    tg_ns step_ns = rng_below(&r->rng, how < 80u ? 400u : how < 95u ? 3000u : 30000u);

    if (how >= 98u && !r->is_by_tick) {
        r->now_ns -= rng_below(&r->rng, 20000u);
        r->has_stepped = true;
        r->stepped_ns = r->elapsed_ns;
        return;
    }
    while (r->is_by_tick && r->elapsed_ns + step_ns >= r->tick_due_ns) {
        tg_ns at_ns = r->tick_due_ns + rng_below(&r->rng, (uint32_t)r->lateness_ns + 1u);

        at_ns = at_ns < r->elapsed_ns ? r->elapsed_ns : at_ns;
        r->now_ns += at_ns - r->elapsed_ns;
        step_ns = r->elapsed_ns + step_ns > at_ns ? r->elapsed_ns + step_ns - at_ns : 0u;
        r->elapsed_ns = at_ns;
        tick(r);
    }
    r->now_ns += step_ns;
    r->elapsed_ns += step_ns;
}

/* A refusal is only right if a whole budget was taken within the last period, lateness included. A
 * step back may cost up to one more period (rule 8). */
static bool refusal_is_right(const struct run *r)
{
    const tg_ns reach_ns = r->cfg.period_ns + r->lateness_ns;
    uint32_t recent = 0u;

    if (r->has_stepped && r->elapsed_ns - r->stepped_ns < reach_ns) {
        return true;
    }
    for (uint32_t i = 0u; i < r->n; i++) {
        recent += r->elapsed_ns - r->at_ns[i] <= reach_ns;
    }
    return recent >= r->cfg.budget_pkts || r->cfg.kind == TG_SERVER_POLLING;
}

static const char *one_run(struct run *r)
{
    while (r->n < TAKES && r->elapsed_ns < 200u * r->cfg.period_ns) {
        const bool was_left = tg_server_left(&r->server, r->now_ns);

        if (take(r)) {
            if (!was_left) {
                return "taken although nothing was left";
            }
        } else if (was_left || !refusal_is_right(r)) {
            return "refused although budget was left";
        } else if (tg_server_next_ns(&r->server) - r->now_ns > r->cfg.period_ns && !r->is_by_tick) {
            return "the next refill is more than a period away";
        }
        if (tg_server_check(&r->server) != NULL) {
            return tg_server_check(&r->server);
        }
        if (rng_percent(&r->rng, 60u)) {
            move_clock(r);
        }
    }
    return demand_exceeded(&r->cfg, r->lateness_ns, r->at_ns, r->n) != 0u
               ? "more was admitted than the demand bound"
               : NULL;
}

/* Design section 3 (server), rules 7 and 8, R9: the demand bound of each kind holds in EVERY
 * window. */
static void demand_bounds_hold(void **state)
{
    struct rng rng;

    (void)state;
    rng_init(&rng, "demand_bounds_hold");
    for (uint32_t i = 0u; i < RUNS; i++) {
        static struct run r;
        const uint64_t seed = rng_next(&rng);

        start(&r, seed);
        const char *const wrong = one_run(&r);

        if (wrong != NULL) {
            fail_msg("run %u (seed %" PRIu64 ", kind %d, gate %d, by tick %d): %s", i, seed,
                     (int)r.cfg.kind, r.is_gate, r.is_by_tick, wrong);
        }
    }
}

/* The check itself must be able to fail: one admission more breaks each bound. */
static void the_demand_check_can_fail(void **state)
{
    const struct tg_server_config deferrable = {
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = 2u, .period_ns = 1000u};
    const struct tg_server_config polling = {
        .kind = TG_SERVER_POLLING, .budget_pkts = 2u, .period_ns = 1000u};
    const struct tg_server_config sporadic = {
        .kind = TG_SERVER_SPORADIC, .budget_pkts = 2u, .period_ns = 1000u};
    const tg_ns back_to_back_ns[5] = {999u, 999u, 1000u, 1000u, 1998u};
    const tg_ns three_in_a_period_ns[3] = {0u, 1u, 999u};

    (void)state;
    assert_int_equal(demand_exceeded(&deferrable, 0u, back_to_back_ns, 4u), 0u);
    assert_int_equal(demand_exceeded(&deferrable, 0u, back_to_back_ns, 5u), 5u);
    assert_int_equal(demand_exceeded(&deferrable, 1u, back_to_back_ns, 5u), 0u);
    assert_int_equal(demand_exceeded(&polling, 0u, back_to_back_ns, 4u), 3u);
    assert_int_equal(demand_exceeded(&sporadic, 0u, three_in_a_period_ns, 3u), 3u);
    assert_int_equal(demand_exceeded(&sporadic, 0u, three_in_a_period_ns, 2u), 0u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demand_bounds_hold),
        cmocka_unit_test(the_demand_check_can_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
