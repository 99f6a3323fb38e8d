/* SPDX-License-Identifier: MIT
 *
 * moderation_test.c - when an interrupt is raised: by the book, against a model over random
 * operations, and never later or more often than the header says.
 */
#include "check_cmocka.h"
#include "rng.h"
#include "tidegate/moderation.h"

#define US         UINT64_C(1000)
#define NO_BOUND   UINT64_MAX
#define RUNS       20000u
#define OPERATIONS 200u

static struct tg_moderation started(tg_ns absolute_ns, tg_ns packet_ns, uint32_t packets)
{
    const struct tg_moderation_config cfg = {
        .absolute_ns = absolute_ns, .packet_ns = packet_ns, .packets = packets};
    struct tg_moderation m;

    assert_int_equal(tg_moderation_init(&m, &cfg), 0);
    return m;
}

/* ---- By the book ----------------------------------------------------------------------------- */

static void without_moderation_each_packet_raises(void **state)
{
    struct tg_moderation m = started(0u, 0u, 0u);

    (void)state;
    assert_int_equal(tg_moderation_due_ns(&m), TG_MODERATION_NEVER);
    assert_int_equal(tg_moderation_arrive(&m, 5u), TG_MODERATION_COUNTER);
    assert_true(m.is_raised);
    assert_int_equal(tg_moderation_arrive(&m, 6u), TG_MODERATION_NONE);
    tg_moderation_acknowledge(&m);
    assert_false(m.is_raised);
    assert_int_equal(tg_moderation_arrive(&m, 6u), TG_MODERATION_COUNTER);
}

static void the_absolute_timer_is_not_restarted(void **state)
{
    struct tg_moderation m = started(50u * US, 0u, 0u);

    (void)state;
    assert_int_equal(tg_moderation_arrive(&m, 10u * US), TG_MODERATION_NONE);
    assert_int_equal(tg_moderation_arrive(&m, 40u * US), TG_MODERATION_NONE);
    assert_int_equal(tg_moderation_due_ns(&m), 60u * US);
    assert_int_equal(tg_moderation_timer(&m, 60u * US - 1u), TG_MODERATION_NONE);
    assert_int_equal(tg_moderation_timer(&m, 60u * US), TG_MODERATION_ABSOLUTE);
    assert_int_equal(tg_moderation_due_ns(&m), TG_MODERATION_NEVER);
    assert_int_equal(tg_moderation_timer(&m, 200u * US), TG_MODERATION_NONE);
}

static void the_packet_timer_is_restarted(void **state)
{
    struct tg_moderation m = started(0u, 50u * US, 0u);

    (void)state;
    assert_int_equal(tg_moderation_arrive(&m, 10u * US), TG_MODERATION_NONE);
    assert_int_equal(tg_moderation_arrive(&m, 40u * US), TG_MODERATION_NONE);
    assert_int_equal(tg_moderation_due_ns(&m), 90u * US);
    assert_int_equal(tg_moderation_timer(&m, 90u * US - 1u), TG_MODERATION_NONE);
    assert_int_equal(tg_moderation_timer(&m, 90u * US), TG_MODERATION_PACKET);
}

static void the_counter_counts_packets_that_wait(void **state)
{
    struct tg_moderation m = started(0u, 0u, 3u);

    (void)state;
    for (uint32_t round = 0u; round < 2u; round++) {
        assert_int_equal(tg_moderation_arrive(&m, 1u), TG_MODERATION_NONE);
        assert_int_equal(tg_moderation_arrive(&m, 1u), TG_MODERATION_NONE);
        assert_int_equal(tg_moderation_due_ns(&m), TG_MODERATION_NEVER);
        assert_int_equal(tg_moderation_arrive(&m, 1u), TG_MODERATION_COUNTER);
        /* Comes before the acknowledgement: whoever acknowledges finds it. */
        assert_int_equal(tg_moderation_arrive(&m, 2u), TG_MODERATION_NONE);
        tg_moderation_acknowledge(&m);
    }
}

static void the_first_of_them_raises(void **state)
{
    struct tg_moderation m = started(50u * US, 20u * US, 4u);

    (void)state;
    for (uint32_t i = 0u; i < 3u; i++) {
        assert_int_equal(tg_moderation_arrive(&m, i), TG_MODERATION_NONE);
    }
    assert_int_equal(tg_moderation_arrive(&m, 3u), TG_MODERATION_COUNTER);
    tg_moderation_acknowledge(&m);
    (void)tg_moderation_arrive(&m, 0u);
    assert_int_equal(tg_moderation_due_ns(&m), 20u * US);
    assert_int_equal(tg_moderation_timer(&m, 20u * US), TG_MODERATION_PACKET);
    tg_moderation_acknowledge(&m);
    (void)tg_moderation_arrive(&m, 0u);
    (void)tg_moderation_arrive(&m, 19u * US);
    (void)tg_moderation_arrive(&m, 38u * US);
    assert_int_equal(tg_moderation_due_ns(&m), 50u * US);
    assert_int_equal(tg_moderation_timer(&m, 50u * US), TG_MODERATION_ABSOLUTE);
}

/* A receiver that polls was never told, and leaves nothing that an interrupt would be for. */
static void an_acknowledgement_forgets_what_waits(void **state)
{
    struct tg_moderation m = started(50u * US, 0u, 2u);

    (void)state;
    (void)tg_moderation_arrive(&m, 0u);
    tg_moderation_acknowledge(&m);
    assert_int_equal(tg_moderation_due_ns(&m), TG_MODERATION_NEVER);
    assert_int_equal(tg_moderation_timer(&m, 50u * US), TG_MODERATION_NONE);
    assert_int_equal(tg_moderation_arrive(&m, 60u * US), TG_MODERATION_NONE);
    assert_int_equal(tg_moderation_due_ns(&m), 110u * US);
}

/* Whoever serves the timer may be late; a packet that comes meanwhile shows it. */
static void a_packet_finds_a_timer_that_is_overdue(void **state)
{
    struct tg_moderation m = started(0u, 20u * US, 0u);

    (void)state;
    (void)tg_moderation_arrive(&m, 0u);
    assert_int_equal(tg_moderation_arrive(&m, 19u * US), TG_MODERATION_NONE);
    assert_int_equal(tg_moderation_arrive(&m, 39u * US), TG_MODERATION_PACKET);
    m = started(50u * US, 0u, 0u);
    (void)tg_moderation_arrive(&m, 0u);
    assert_int_equal(tg_moderation_arrive(&m, 51u * US), TG_MODERATION_ABSOLUTE);
}

static void a_clock_that_steps_back_forgets_no_packet(void **state)
{
    struct tg_moderation m = started(50u * US, 0u, 0u);

    (void)state;
    (void)tg_moderation_arrive(&m, 1000u * US);
    assert_int_equal(tg_moderation_timer(&m, 10u * US), TG_MODERATION_ABSOLUTE);
    m = started(0u, 20u * US, 0u);
    (void)tg_moderation_arrive(&m, 1000u * US);
    assert_int_equal(tg_moderation_arrive(&m, 10u * US), TG_MODERATION_PACKET);
}

/* Packets without end and no counter: the count ends, it does not start anew. */
static void the_count_does_not_overflow(void **state)
{
    struct tg_moderation m = started(50u * US, 0u, 0u);

    (void)state;
    for (uint32_t i = 0u; i < TG_MODERATION_PKTS_MAX + 3u; i++) {
        assert_int_equal(tg_moderation_arrive(&m, i / 2u), TG_MODERATION_NONE);
    }
    assert_int_equal(m.waiting_pkts, TG_MODERATION_PKTS_MAX);
    assert_int_equal(tg_moderation_due_ns(&m), 50u * US);
    assert_int_equal(tg_moderation_timer(&m, 50u * US), TG_MODERATION_ABSOLUTE);
}

static void what_is_out_of_range_is_refused(void **state)
{
    const struct tg_moderation_config most = {.absolute_ns = TG_MODERATION_MAX_NS,
                                              .packet_ns = TG_MODERATION_MAX_NS,
                                              .packets = TG_MODERATION_PKTS_MAX};
    struct tg_moderation_config bad[] = {most, most, most};
    struct tg_moderation m = started(1u, 2u, 3u);

    (void)state;
    bad[0].absolute_ns++;
    bad[1].packet_ns++;
    bad[2].packets++;
    for (uint32_t i = 0u; i < 3u; i++) {
        assert_int_equal(tg_moderation_init(&m, &bad[i]), TG_ERR_RANGE);
        assert_int_equal(m.cfg.absolute_ns, 1u);
        assert_int_equal(m.cfg.packets, 3u);
    }
    assert_int_equal(tg_moderation_init(&m, &most), 0);
}

/* ---- Against a model ------------------------------------------------------------------------- */

/* The arrival times of all that waits, and what follows from them. */
struct model {
    struct tg_moderation_config cfg;
    tg_ns at_ns[OPERATIONS];
    uint32_t n;
    bool is_raised;
};

static enum tg_moderation_cause model_raise(struct model *o, enum tg_moderation_cause cause)
{
    o->n = 0u;
    o->is_raised = true;
    return cause;
}

static enum tg_moderation_cause model_timer(struct model *o, tg_ns now_ns)
{
    if (o->n == 0u) {
        return TG_MODERATION_NONE;
    }
    if (o->cfg.absolute_ns != 0u && now_ns >= o->at_ns[0] + o->cfg.absolute_ns) {
        return model_raise(o, TG_MODERATION_ABSOLUTE);
    }
    if (o->cfg.packet_ns != 0u && now_ns >= o->at_ns[o->n - 1u] + o->cfg.packet_ns) {
        return model_raise(o, TG_MODERATION_PACKET);
    }
    return TG_MODERATION_NONE;
}

static enum tg_moderation_cause model_arrive(struct model *o, tg_ns now_ns)
{
    const bool is_off = o->cfg.absolute_ns == 0u && o->cfg.packet_ns == 0u && o->cfg.packets == 0u;

    if (o->is_raised) {
        return TG_MODERATION_NONE;
    }
    if (is_off || o->n + 1u == o->cfg.packets) {
        return model_raise(o, TG_MODERATION_COUNTER);
    }
    const enum tg_moderation_cause cause = model_timer(o, now_ns);

    if (cause == TG_MODERATION_NONE) {
        o->at_ns[o->n++] = now_ns;
    }
    return cause;
}

static tg_ns model_due_ns(const struct model *o)
{
    tg_ns due_ns = TG_MODERATION_NEVER;

    if (o->n != 0u && o->cfg.absolute_ns != 0u) {
        due_ns = o->at_ns[0] + o->cfg.absolute_ns;
    }
    if (o->n != 0u && o->cfg.packet_ns != 0u && o->at_ns[o->n - 1u] + o->cfg.packet_ns < due_ns) {
        due_ns = o->at_ns[o->n - 1u] + o->cfg.packet_ns;
    }
    return due_ns;
}

static struct tg_moderation_config random_config(struct rng *rng)
{
    struct tg_moderation_config cfg = {.packets = 0u};

    cfg.absolute_ns = rng_percent(rng, 50u) ? rng_between(rng, 1u, 400u) : 0u;
    cfg.packet_ns = rng_percent(rng, 50u) ? rng_between(rng, 1u, 100u) : 0u;
    cfg.packets = rng_percent(rng, 50u) ? rng_between(rng, 1u, 12u) : 0u;
    return cfg;
}

static void any_operations_in_any_order(void **state)
{
    struct rng seeds;

    (void)state;
    rng_init(&seeds, "moderation, any operations");
    for (uint32_t run = 0u; run < RUNS; run++) {
        struct rng rng;

        rng_init_seed(&rng, rng_next(&seeds));

        struct model model = {.cfg = random_config(&rng)};
        struct tg_moderation m =
            started(model.cfg.absolute_ns, model.cfg.packet_ns, model.cfg.packets);
        tg_ns now_ns = rng_below(&rng, 1000u);

        for (uint32_t i = 0u; i < OPERATIONS; i++) {
            now_ns += rng_percent(&rng, 30u) ? 0u : rng_below(&rng, 60u);
            if (rng_percent(&rng, 60u)) {
                assert_int_equal(tg_moderation_arrive(&m, now_ns), model_arrive(&model, now_ns));
            } else if (rng_percent(&rng, 60u)) {
                assert_int_equal(tg_moderation_timer(&m, now_ns), model_timer(&model, now_ns));
            } else {
                tg_moderation_acknowledge(&m);
                model.n = 0u;
                model.is_raised = false;
            }
            assert_int_equal(m.is_raised, model.is_raised);
            assert_int_equal(m.waiting_pkts, model.n); /* I1 */
            assert_int_equal(tg_moderation_due_ns(&m), model_due_ns(&model));
            if (model.n != 0u) {
                assert_int_equal(m.first_ns, model.at_ns[0]); /* I3 */
                assert_int_equal(m.last_ns, model.at_ns[model.n - 1u]);
            }
        }
    }
}

/* ---- What the header promises ---------------------------------------------------------------- */

static tg_ns longest_wait_ns(const struct tg_moderation_config *cfg)
{
    tg_ns longest_ns = NO_BOUND;

    if (cfg->packets == 1u ||
        (cfg->absolute_ns == 0u && cfg->packet_ns == 0u && cfg->packets == 0u)) {
        return 0u;
    }
    if (cfg->absolute_ns != 0u) {
        longest_ns = cfg->absolute_ns;
    }
    if (cfg->packets != 0u && cfg->packet_ns != 0u &&
        (cfg->packets - 1u) * cfg->packet_ns < longest_ns) {
        longest_ns = (cfg->packets - 1u) * cfg->packet_ns;
    }
    return longest_ns;
}

static uint64_t most_interrupts(const struct tg_moderation_config *cfg, tg_ns window_ns,
                                uint64_t packets)
{
    tg_ns timer_ns = cfg->absolute_ns;
    uint64_t most = 0u;

    if (cfg->packet_ns != 0u && (timer_ns == 0u || cfg->packet_ns < timer_ns)) {
        timer_ns = cfg->packet_ns;
    }
    if (timer_ns == 0u && cfg->packets == 0u) {
        return packets;
    }
    if (timer_ns != 0u) {
        most += (window_ns + timer_ns - 1u) / timer_ns;
    }
    if (cfg->packets != 0u) {
        most += (packets + cfg->packets - 1u) / cfg->packets;
    }
    return most;
}

/* A run with a timer that is never late: when packets came, and when interrupts were raised. */
struct history {
    struct tg_moderation m;
    tg_ns arrivals_ns[OPERATIONS];
    tg_ns raised_ns[OPERATIONS];
    uint32_t n_arrivals;
    uint32_t n_raised;
    uint32_t first_waiting; /* index into arrivals_ns */
    tg_ns longest_ns;
};

static void note(struct history *h, enum tg_moderation_cause cause, tg_ns now_ns)
{
    if (cause == TG_MODERATION_NONE) {
        return;
    }
    h->raised_ns[h->n_raised++] = now_ns;
    if (now_ns - h->arrivals_ns[h->first_waiting] > h->longest_ns) {
        h->longest_ns = now_ns - h->arrivals_ns[h->first_waiting];
    }
}

/* Let the timer run up to now_ns. */
static void pass(struct history *h, tg_ns now_ns)
{
    const tg_ns due_ns = tg_moderation_due_ns(&h->m);

    if (due_ns <= now_ns) {
        const enum tg_moderation_cause cause = tg_moderation_timer(&h->m, due_ns);

        assert_int_not_equal(cause, TG_MODERATION_NONE); /* due is due */
        note(h, cause, due_ns);
    }
}

static void acknowledge(struct history *h)
{
    tg_moderation_acknowledge(&h->m);
    h->first_waiting = h->n_arrivals;
}

static void arrive(struct history *h, tg_ns now_ns)
{
    h->arrivals_ns[h->n_arrivals++] = now_ns;
    note(h, tg_moderation_arrive(&h->m, now_ns), now_ns);
}

/* Every window that begins with one interrupt and ends with another. */
static void judge(const struct history *h, const struct tg_moderation_config *cfg)
{
    for (uint32_t i = 0u; i < h->n_raised; i++) {
        for (uint32_t k = i; k < h->n_raised; k++) {
            uint64_t packets = 0u;

            for (uint32_t a = 0u; a < h->n_arrivals; a++) {
                packets +=
                    h->arrivals_ns[a] >= h->raised_ns[i] && h->arrivals_ns[a] <= h->raised_ns[k];
            }
            assert_true(k - i + 1u <=
                        most_interrupts(cfg, h->raised_ns[k] - h->raised_ns[i] + 1u, packets));
        }
    }
    assert_true(h->longest_ns <= longest_wait_ns(cfg));
}

static void no_packet_waits_longer_and_no_interrupt_comes_too_often(void **state)
{
    struct rng seeds;

    (void)state;
    rng_init(&seeds, "moderation, promises");
    for (uint32_t run = 0u; run < RUNS / 10u; run++) {
        struct rng rng;

        rng_init_seed(&rng, rng_next(&seeds));

        const struct tg_moderation_config cfg = random_config(&rng);
        const uint32_t pause = rng_between(&rng, 1u, 200u);
        struct history h = {.m = started(cfg.absolute_ns, cfg.packet_ns, cfg.packets)};
        tg_ns now_ns = 0u;

        while (h.n_arrivals < OPERATIONS) {
            now_ns += rng_percent(&rng, 50u) ? 0u : rng_below(&rng, pause);
            pass(&h, now_ns);
            if (h.m.is_raised && rng_percent(&rng, 70u)) {
                acknowledge(&h);
            }
            arrive(&h, now_ns);
        }
        judge(&h, &cfg);
    }
}

/* A packet whenever none waits: the timers raise as often as they can. */
static void expect_timer(tg_ns absolute_ns, tg_ns packet_ns)
{
    enum { TIMES = 10 };
    const struct tg_moderation_config cfg = {.absolute_ns = absolute_ns, .packet_ns = packet_ns};
    const tg_ns timer_ns = absolute_ns != 0u ? absolute_ns : packet_ns;
    struct history h = {.m = started(absolute_ns, packet_ns, 0u)};

    for (tg_ns now_ns = 0u; now_ns < timer_ns * (TIMES + 1u); now_ns += timer_ns) {
        pass(&h, now_ns);
        acknowledge(&h);
        arrive(&h, now_ns);
    }
    /* From the first interrupt on. */
    assert_int_equal(h.n_raised, most_interrupts(&cfg, timer_ns * TIMES, h.n_arrivals));
    assert_int_equal(h.longest_ns, timer_ns);
}

static void the_bounds_are_reached(void **state)
{
    enum { COUNTER = 5, PACKETS = 23 };
    const struct tg_moderation_config cfg = {.packets = COUNTER};
    struct history h = {.m = started(0u, 0u, COUNTER)};

    (void)state;
    expect_timer(40u, 0u);
    expect_timer(0u, 7u);
    /* All but one wait when the window begins. */
    for (uint32_t i = 1u; i < COUNTER + PACKETS; i++) {
        arrive(&h, i);
        if (h.m.is_raised) {
            acknowledge(&h);
        }
    }
    assert_int_equal(h.n_raised, most_interrupts(&cfg, PACKETS, PACKETS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_moderation_each_packet_raises),
        cmocka_unit_test(the_absolute_timer_is_not_restarted),
        cmocka_unit_test(the_packet_timer_is_restarted),
        cmocka_unit_test(the_counter_counts_packets_that_wait),
        cmocka_unit_test(the_first_of_them_raises),
        cmocka_unit_test(an_acknowledgement_forgets_what_waits),
        cmocka_unit_test(a_packet_finds_a_timer_that_is_overdue),
        cmocka_unit_test(a_clock_that_steps_back_forgets_no_packet),
        cmocka_unit_test(the_count_does_not_overflow),
        cmocka_unit_test(what_is_out_of_range_is_refused),
        cmocka_unit_test(any_operations_in_any_order),
        cmocka_unit_test(no_packet_waits_longer_and_no_interrupt_comes_too_often),
        cmocka_unit_test(the_bounds_are_reached),
    };

    return cmocka_run_group_tests_name("moderation", tests, NULL, NULL);
}
