/* SPDX-License-Identifier: MIT
 *
 * safety_test.c - no simulation of a random system exceeds what was proved of it.
 *
 * Each system is attacked at several of its tasks and flows, then one attack is improved step by
 * step. A system that fails is made smaller as long as it still fails, and printed as a file for
 * tests/analysis/found, whose files are attacked again each time.
 *
 * TG_SEED repeats a run; TG_SYSTEMS says how many systems.
 */
#include "safety_check.h"
#include "safety_system.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With sanitizers a run takes ten times as long. */
#ifdef __SANITIZE_ADDRESS__
#define SYSTEMS 600u
#else
#define SYSTEMS 3200u
#endif

#define ATTACKS     12u
#define STEPS       150u
#define MORE_STEPS  500u /* where a packet waits for several gates: they have to fit together */
#define SEEDS       20u  /* of attacks on each system that failed before */
#define REDUCTIONS  80u
#define REACHES_MAX 20000u

enum {
    PLAIN_TASKS,
    MODERATED_TASKS,
    DELIVERIES,
    ACCEPTANCES,
    OF_ONE_GATE,
    HELD = 2 * OF_ONE_GATE, /* acceptances of queues that a register holds back */
    KINDS
};

/* How near the best attack of each system came to the bound of its target. */
static struct {
    uint32_t ppm[KINDS][REACHES_MAX];
    uint32_t n[KINDS];
    uint32_t n_runs;
    uint32_t n_bounds; /* targets that have one */
    uint32_t n_targets;
} reached;

static void note(const struct attack *a, const struct world *w,
                 const struct tg_analysis_result *proven, uint32_t ppm)
{
    int kind = a->aim == ATTACK_DELIVERY   ? DELIVERIES
               : a->aim == ATTACK_RESPONSE ? PLAIN_TASKS
                                           : ACCEPTANCES;

    for (uint32_t k = 0u; k < w->system->n_queues && kind == PLAIN_TASKS; k++) {
        const struct tg_system_queue *const q = &w->system->queues[k];

        if (q->absolute_timer_ns != 0u || q->packet_timer_ns != 0u || q->moderation_pkts != 0u) {
            kind = MODERATED_TASKS;
        }
    }
    kind += w->system->n_gates > 1u ? OF_ONE_GATE : 0;
    if (w->input.policy == TG_SIM_COMBINED) {
        if (a->aim != ATTACK_ACCEPTANCE || proven->queues[a->target].held == 0u) {
            return; /* what waits does not show how tight the bounds of the others are */
        }
        kind = HELD;
    }
    reached.n_targets++;
    reached.n_bounds += ppm != 0u ? 1u : 0u;
    if (ppm != 0u && reached.n[kind] < REACHES_MAX) {
        reached.ppm[kind][reached.n[kind]++] = ppm;
    }
}

/* ---- One system ------------------------------------------------------------------------------ */

/* One attack; the violation that it brings about, if any. */
static const char *attack_once(const struct attack *a, struct world *w,
                               const struct tg_analysis_result *proven, uint32_t *ppm)
{
    attack_run(a, w);
    reached.n_runs++;
    *ppm = safety_reach_ppm(a, w, proven);
    return safety_violation(w, proven);
}

/* Improve an attack on its target. */
static const char *climb(struct attack *best, uint32_t best_ppm, struct world *w,
                         const struct tg_analysis_result *proven, struct rng *r)
{
    const bool is_hard = best->aim == ATTACK_DELIVERY && w->system->n_gates > 1u;

    for (uint32_t i = 0u; i < (is_hard ? MORE_STEPS : STEPS); i++) {
        struct attack a = *best;
        uint32_t ppm;

        attack_vary(&a, w, r);
        const char *const violation = attack_once(&a, w, proven, &ppm);

        if (violation != NULL) {
            return violation;
        }
        if (ppm >= best_ppm) {
            best_ppm = ppm;
            *best = a;
        }
    }
    note(best, w, proven, best_ppm);
    return NULL;
}

/* One target is attacked from several sides; others once, for what they may break. */
static const char *attack_all(struct world *w, const struct tg_analysis_result *proven,
                              struct rng *r)
{
    const uint32_t n = attack_targets(w->system);
    const uint32_t target = rng_below(r, n);
    struct attack best;
    uint32_t best_ppm = 0u;

    for (uint32_t i = 0u; i < ATTACKS; i++) {
        const bool is_aimed = i % 2u == 0u;
        struct attack a;
        uint32_t ppm;

        attack_draw(&a, w, proven, is_aimed ? target : rng_below(r, n), r);
        const char *const violation = attack_once(&a, w, proven, &ppm);

        if (violation != NULL) {
            return violation;
        }
        if (i == 0u || (is_aimed && ppm > best_ppm)) {
            best_ppm = ppm;
            best = a;
        }
    }
    return climb(&best, best_ppm, w, proven, r);
}

/* Prove and attack; the violation, if any. */
static const char *attack_text(const char *text, uint64_t seed)
{
    struct world *const w = world_open(text, 0u);
    struct tg_system_analysis lowered;
    struct tg_analysis_result proven;
    struct rng r;

    rng_init_seed(&r, seed);
    w->input.policy = seed % 2u == 0u ? TG_SIM_COMBINED : TG_SIM_TIDEGATE;
    assert_int_equal(
        tg_system_lower_analysis_with(w->system, w->input.policy == TG_SIM_COMBINED, &lowered), 0);
    assert_int_equal(tg_analyse(&lowered.input, &proven), 0);
    const char *const violation = attack_all(w, &proven, &r);

    tg_analysis_result_free(&proven);
    tg_system_analysis_free(&lowered);
    world_close(w);
    return violation;
}

/* ---- A system that fails --------------------------------------------------------------------- */

static bool is_good(const char *text)
{
    static struct tg_errors errors;
    struct tg_system *system = NULL;

    tg_errors_init(&errors);
    if (tg_system_parse(text, strlen(text), NULL, &system, &errors) != 0) {
        return false;
    }
    tg_system_free(system);
    return true;
}

/* The same kind of failure need not stay, only that there is one. */
static void shrink(struct made_system *m, uint64_t seed)
{
    char text[MADE_TEXT_BYTES];
    char before[MADE_TEXT_BYTES];
    uint32_t budget = REDUCTIONS;
    bool is_smaller = true;

    while (is_smaller && budget > 0u) {
        is_smaller = false;
        struct made_system less = *m;

        for (uint32_t step = 0u; made_reduce(&less, step) && budget > 0u; step++) {
            made_print(m, before);
            made_print(&less, text);
            if (strcmp(text, before) != 0) {
                budget--;
                if (is_good(text) && attack_text(text, seed) != NULL) {
                    *m = less;
                    is_smaller = true;
                }
            }
            less = *m;
        }
    }
}

static void report(struct made_system *m, uint64_t seed, const char *violation)
{
    char text[MADE_TEXT_BYTES];

    (void)printf("%s\n", violation);
    shrink(m, seed);
    made_print(m, text);
    violation = attack_text(text, seed);
    (void)printf("for tests/analysis/found/NAME.yaml:\n# %s\n%s", violation, text);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static uint32_t systems(void)
{
    const char *const text = getenv("TG_SYSTEMS");

    return text == NULL ? SYSTEMS : (uint32_t)strtoul(text, NULL, 10);
}

static void no_run_exceeds_a_bound(void **state)
{
    const uint32_t n = systems();
    char text[MADE_TEXT_BYTES];
    struct made_system m;
    struct rng r;

    (void)state;
    memset(&reached, 0, sizeof reached);
    rng_init(&r, "no_run_exceeds_a_bound");
    for (uint32_t i = 0u; i < n; i++) {
        const uint64_t seed = rng_next(&r);

        made_random(&m, &r);
        made_print(&m, text);
        const char *const violation = attack_text(text, seed);

        if (violation != NULL) {
            report(&m, seed, violation);
            fail_msg("system %u", i);
        }
    }
    (void)printf("%u systems, %u runs; %u of %u targets have a bound\n", n, reached.n_runs,
                 reached.n_bounds, reached.n_targets);
}

static char *slurp(const char *path)
{
    FILE *const f = fopen(path, "r");
    char *const text = calloc(1u, MADE_TEXT_BYTES);

    assert_non_null(f);
    assert_non_null(text);
    assert_in_range(fread(text, 1u, MADE_TEXT_BYTES - 1u, f), 1u, MADE_TEXT_BYTES - 2u);
    assert_int_equal(fclose(f), 0);
    return text;
}

static void what_was_found_stays_fixed(void **state)
{
    glob_t found;

    (void)state;
    if (glob("found/*.yaml", 0, NULL, &found) != 0) {
        found.gl_pathc = 0u; /* nothing was ever found */
    }
    for (size_t i = 0u; i < found.gl_pathc; i++) {
        char *const text = slurp(found.gl_pathv[i]);
        for (uint64_t seed = 1u; seed <= SEEDS; seed++) {
            const char *const violation = attack_text(text, seed);

            if (violation != NULL) {
                fail_msg("%s: %s", found.gl_pathv[i], violation);
            }
        }
        free(text);
    }
    globfree(&found);
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* How tight the bounds are, as far as these attacks can tell. A figure, not a verdict. */
static void print_reached(const char *what, int kind, uint32_t goal_ppm)
{
    uint32_t *const ppm = reached.ppm[kind];
    const uint32_t n = reached.n[kind];
    uint64_t sum = 0u;

    if (n == 0u) {
        return;
    }
    for (uint32_t i = 0u; i < n; i++) {
        sum += ppm[i];
    }
    qsort(ppm, n, sizeof *ppm, by_value);
    const uint32_t median = ppm[n / 2u];

    (void)printf("%-28s %5u targets: median %.3f (goal %.2f: %s), mean %.3f, most %.3f\n", what, n,
                 median / 1e6, goal_ppm / 1e6, median >= goal_ppm ? "met" : "not met",
                 (double)sum / n / 1e6, ppm[n - 1u] / 1e6);
}

static int print_tightness(void **state)
{
    (void)state;
    (void)printf("observed / bound:\n");
    print_reached("tasks without moderation", PLAIN_TASKS, 800000u);
    print_reached("tasks with moderation", MODERATED_TASKS, 650000u);
    print_reached("acceptance to delivery", DELIVERIES, 450000u);
    print_reached("arrival to acceptance", ACCEPTANCES, 500000u);
    (void)printf("several gates:\n");
    print_reached("tasks without moderation", OF_ONE_GATE + PLAIN_TASKS, 500000u);
    print_reached("tasks with moderation", OF_ONE_GATE + MODERATED_TASKS, 500000u);
    print_reached("acceptance to delivery", OF_ONE_GATE + DELIVERIES, 450000u);
    print_reached("arrival to acceptance", OF_ONE_GATE + ACCEPTANCES, 500000u);
    print_reached("held back by a register", HELD, 500000u);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_found_stays_fixed),
        cmocka_unit_test_teardown(no_run_exceeds_a_bound, print_tightness),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
