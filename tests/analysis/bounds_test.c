/* SPDX-License-Identifier: MIT
 *
 * bounds_test.c - what must hold between the bounds of related systems, over many random ones: more
 * work is never faster, less is never slower, a longer unit of time changes nothing, and every
 * bound is the sum of its parts. TG_SEED=n repeats a run.
 */
#include "systems.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ROUNDS = 4000 };

static struct tg_analysis_result analyse(const struct system *s)
{
    const struct tg_analysis_input in = system_input(s);
    struct tg_analysis_result r;
    char fault[200];

    if (tg_analyse(&in, &r) != 0) {
        (void)tg_analysis_input_check(&in, fault, sizeof fault);
        fail_msg("refused: %s", fault);
    }
    return r;
}

/* No response time and no delivery latency of `more` is below that of `less`. */
static void assert_no_faster(const struct system *s, const struct tg_analysis_result *less,
                             const struct tg_analysis_result *more, const char *what)
{
    for (size_t i = 0; i < s->n_tasks; i++) {
        if (more->tasks[i].response.value < less->tasks[i].response.value) {
            fail_msg("%s: response of task %zu falls from %llu to %llu", what, i,
                     (unsigned long long)less->tasks[i].response.value,
                     (unsigned long long)more->tasks[i].response.value);
        }
    }
    for (size_t i = 0; i < s->n_flows; i++) {
        if (more->flows[i].accepted.value < less->flows[i].accepted.value) {
            fail_msg("%s: latency of flow %zu falls from %llu to %llu", what, i,
                     (unsigned long long)less->flows[i].accepted.value,
                     (unsigned long long)more->flows[i].accepted.value);
        }
    }
}

/* Raise one number of the system; returns its name, NULL if the system has no such number. */
static const char *raise_one(struct system *s, uint64_t *r)
{
    struct tg_analysis_task *t = &s->tasks[random_between(r, 0, MAX_TASKS - 1)];
    struct tg_analysis_flow *f = &s->flows[random_between(r, 0, MAX_FLOWS - 1)];
    struct tg_analysis_gate *g = &s->gates[0];
    const uint64_t by = random_between(r, 1, 20);

    switch (random_between(r, 0, 11)) {
    case 0:
        t->wcet += by;
        return t->name == NULL ? NULL : "C";
    case 1:
        t->jitter += by;
        return t->name == NULL ? NULL : "J";
    case 2:
        t->blocking += by;
        return t->name == NULL ? NULL : "B";
    case 3:
        t->section += by;
        return t->name == NULL ? NULL : "np";
    case 4:
        f->cost += by;
        return f->name == NULL ? NULL : "c";
    case 5:
        f->section += by;
        return f->name == NULL ? NULL : "np of a flow";
    case 6:
        f->budget += f->kind == TG_CURVE_UNLIMITED ? 0 : 1;
        return f->name == NULL ? NULL : "q";
    case 7:
        g->budget += s->n_gates;
        return "Q";
    case 8:
        g->interrupt += s->n_gates;
        return "c_irq";
    case 9:
        g->packet += s->n_gates;
        return "c_pkt";
    case 10:
        g->tick += s->n_gates;
        return "c_tick";
    default:
        s->lock += by;
        return "lock";
    }
}

static void more_work_is_never_faster(void **state)
{
    uint64_t r = test_seed("more_work_is_never_faster");
    unsigned compared = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct system s;
        random_system(&s, &r, true, false);
        /* A wire gap holds the end of a busy window while the first refill moves on with Q and the
         * costs: what is pessimistic about acceptance shrinks. */
        s.gates[0].wire_gap = 0;
        struct system raised = s;
        const char *what = raise_one(&raised, &r);
        if (what == NULL) {
            continue;
        }
        struct tg_analysis_result less = analyse(&s);
        struct tg_analysis_result more = analyse(&raised);
        assert_no_faster(&s, &less, &more, what);
        compared++;
        tg_analysis_result_free(&less);
        tg_analysis_result_free(&more);
    }
    assert_true(compared > ROUNDS / 2);
}

static void less_work_is_never_slower(void **state)
{
    uint64_t r = test_seed("less_work_is_never_slower");

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct system s;
        random_system(&s, &r, true, true);
        if (s.n_tasks == 0) {
            continue;
        }
        struct system fewer = s;
        fewer.n_tasks--; /* the last one: indices stay */
        struct tg_analysis_result less = analyse(&fewer);
        struct tg_analysis_result more = analyse(&s);
        assert_no_faster(&fewer, &less, &more, "a task is removed");
        tg_analysis_result_free(&less);
        tg_analysis_result_free(&more);
    }
}

static void scale(struct system *s, uint64_t k)
{
    for (size_t i = 0; i < s->n_tasks; i++) {
        struct tg_analysis_task *t = &s->tasks[i];
        t->wcet *= k;
        t->period *= k;
        t->deadline *= k;
        t->jitter *= k;
        t->blocking *= k;
        t->section *= k;
        t->irq_off *= k;
    }
    for (size_t i = 0; i < s->n_servers; i++) {
        s->servers[i].capacity *= k;
        s->servers[i].period *= k;
    }
    for (size_t i = 0; i < s->n_gates; i++) {
        struct tg_analysis_gate *g = &s->gates[i];
        g->period *= k;
        g->interrupt *= k;
        g->packet *= k;
        g->tick *= k;
        g->wire_gap *= k;
    }
    for (size_t i = 0; i < s->n_queues; i++) {
        s->queues[i].absolute_timer *= k;
        s->queues[i].packet_timer *= k;
    }
    for (size_t i = 0; i < s->n_flows; i++) {
        struct tg_analysis_flow *f = &s->flows[i];
        f->cost *= k;
        f->section *= k;
        f->irq_off *= k;
        f->period *= k;
        f->every *= k;
        f->jitter *= k;
        f->deadline = f->deadline == TG_NO_BOUND ? TG_NO_BOUND : f->deadline * k;
        f->receiver_wcet *= k;
    }
    s->irq_off *= k;
    s->lock *= k;
}

static void assert_scaled(uint64_t before, uint64_t after, uint64_t k)
{
    assert_int_equal(after, before == TG_NO_BOUND ? TG_NO_BOUND : before * k);
}

static void assert_flow_scaled(const struct tg_flow_result *before,
                               const struct tg_flow_result *after, uint64_t k)
{
    assert_scaled(before->accepted.value, after->accepted.value, k);
    assert_scaled(before->accepted_receiver.value, after->accepted_receiver.value, k);
    assert_scaled(before->conforming.value, after->conforming.value, k);
    assert_scaled(before->conforming_receiver.value, after->conforming_receiver.value, k);
    assert_scaled(before->nominal.value, after->nominal.value, k);
    assert_int_equal(before->budget_need, after->budget_need);
    assert_int_equal(before->backlog, after->backlog);
    assert_int_equal(before->reserve_need, after->reserve_need);
    assert_int_equal(before->lossless, after->lossless);
    assert_int_equal(before->met, after->met);
}

static void the_unit_of_time_does_not_matter(void **state)
{
    uint64_t r = test_seed("the_unit_of_time_does_not_matter");

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct system s;
        random_system(&s, &r, false, true);
        struct system scaled = s;
        const uint64_t k = random_between(&r, 2, 1000);
        scale(&scaled, k);
        struct tg_analysis_result before = analyse(&s);
        struct tg_analysis_result after = analyse(&scaled);
        for (size_t i = 0; i < s.n_tasks; i++) {
            assert_scaled(before.tasks[i].response.value, after.tasks[i].response.value, k);
            assert_scaled(before.tasks[i].from_release, after.tasks[i].from_release, k);
        }
        for (size_t i = 0; i < s.n_flows; i++) {
            assert_flow_scaled(&before.flows[i], &after.flows[i], k);
        }
        for (size_t i = 0; i < s.n_queues; i++) {
            assert_scaled(before.queues[i].acceptance.value, after.queues[i].acceptance.value, k);
            assert_int_equal(before.queues[i].ring_need, after.queues[i].ring_need);
        }
        assert_int_equal(before.ok, after.ok);
        tg_analysis_result_free(&before);
        tg_analysis_result_free(&after);
    }
}

/* A bound is the sum of its parts; no bound has a reason, and a bound has none. Counts bounds. */
static unsigned assert_adds_up(const struct tg_bound *b, bool applies)
{
    const struct tg_breakdown *p = &b->parts;

    if (b->value == TG_NO_BOUND) {
        assert_true(b->why.code != TG_WHY_NONE || !applies);
        return 0;
    }
    assert_int_equal(b->why.code, TG_WHY_NONE);
    assert_int_equal(b->value, p->reception + p->blocking + p->own + p->tasks + p->interrupts +
                                   p->flows + p->jitter - p->elapsed);
    return 1;
}

static void assert_blocking_adds_up(const struct tg_blocking *b)
{
    assert_int_equal(b->total, b->packet + b->section + b->lock + b->resource);
    assert_int_equal(b->packet > 0, b->packet_flow != TG_NOBODY);
    assert_int_equal(b->section > 0,
                     (b->section_flow != TG_NOBODY) != (b->section_task != TG_NOBODY));
}

static void every_bound_is_the_sum_of_its_parts(void **state)
{
    uint64_t r = test_seed("every_bound_is_the_sum_of_its_parts");
    unsigned bounds = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct system s;
        random_system(&s, &r, true, true);
        struct tg_analysis_result result = analyse(&s);
        for (size_t i = 0; i < s.n_tasks; i++) {
            bounds += assert_adds_up(&result.tasks[i].response, true);
            assert_blocking_adds_up(&result.tasks[i].blocking);
        }
        for (size_t i = 0; i < s.n_flows; i++) {
            const struct tg_flow_result *f = &result.flows[i];
            const bool receiver = s.flows[i].has_receiver;
            bounds += assert_adds_up(&f->accepted, true);
            bounds += assert_adds_up(&f->conforming, true);
            bounds += assert_adds_up(&f->nominal, true);
            bounds += assert_adds_up(&f->accepted_receiver, receiver);
            bounds += assert_adds_up(&f->conforming_receiver, receiver);
            assert_blocking_adds_up(&f->blocking);
            assert_true(f->met || f->why.code != TG_WHY_NONE);
            assert_int_equal(f->lossless, f->loss.code == TG_WHY_NONE);
        }
        tg_analysis_result_free(&result);
    }
    assert_true(bounds > 4 * ROUNDS);
}

/* Every verdict is what its numbers say. */
static void verdicts_follow_from_bounds(void **state)
{
    uint64_t r = test_seed("verdicts_follow_from_bounds");
    unsigned met = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct system s;
        random_system(&s, &r, true, true);
        struct tg_analysis_result result = analyse(&s);
        bool ok = true;
        for (size_t i = 0; i < s.n_tasks; i++) {
            assert_int_equal(result.tasks[i].met,
                             result.tasks[i].response.value <= s.tasks[i].deadline);
            assert_true(result.tasks[i].from_release <= result.tasks[i].response.value);
            ok = ok && result.tasks[i].met;
        }
        for (size_t i = 0; i < s.n_flows; i++) {
            const struct tg_analysis_flow *f = &s.flows[i];
            const struct tg_flow_result *got = &result.flows[i];
            ok = ok && got->met;
            if (f->deadline != TG_NO_BOUND && got->met) {
                assert_true(got->lossless);
                assert_true(got->conforming.value <= f->deadline);
                assert_true(f->kind == TG_CURVE_UNLIMITED || got->budget_need <= f->budget);
                met++;
            }
        }
        assert_int_equal(ok, result.ok);
        tg_analysis_result_free(&result);
    }
    assert_true(met > 20);
}

/* Times near the largest, budgets near the largest: a bound is still a bound or there is none. What
 * would wrap shows as a response below the work itself. */
static void huge_numbers_do_not_wrap(void **state)
{
    uint64_t r = test_seed("huge_numbers_do_not_wrap");

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct system s;
        random_system(&s, &r, true, true);
        const uint64_t k = UINT64_C(1) << random_between(&r, 30, 45);
        scale(&s, k);
        for (size_t i = 0; i < s.n_flows; i++) {
            s.flows[i].budget = s.flows[i].budget == 0 ? 0 : TG_ANALYSIS_BUDGET_MAX;
        }
        struct tg_analysis_result result = analyse(&s);
        for (size_t i = 0; i < s.n_tasks; i++) {
            const struct tg_task_result *t = &result.tasks[i];
            assert_true(t->response.value >= s.tasks[i].wcet + t->blocking.total);
            (void)assert_adds_up(&t->response, true);
        }
        for (size_t i = 0; i < s.n_flows; i++) {
            assert_true(result.flows[i].accepted.value >= s.flows[i].cost);
            (void)assert_adds_up(&result.flows[i].accepted, true);
        }
        tg_analysis_result_free(&result);
    }
}

/* A packet that the gate lets through at 1250 waits for the dear one that used the gate at 0:
 * 1554 + 2 * 4 + 12 - 1250. To the letter of 7.1 it is only looked at as if it came at 0. */
static void a_late_packet_waits_for_what_came_before(void **state)
{
    struct system s = {
        .gates = {{.kind = TG_CURVE_SPORADIC, .budget = 1, .period = 1250, .packet = 4}},
        .queues = {{.name = "q0", .ring = 1}},
        .flows = {{.name = "dear",
                   .priority = 2,
                   .cost = 1554,
                   .kind = TG_CURVE_SPORADIC,
                   .budget = 1,
                   .period = 14609,
                   .reserve = 1,
                   .deadline = TG_NO_BOUND},
                  {.name = "late",
                   .priority = 1,
                   .cost = 12,
                   .kind = TG_CURVE_SPORADIC,
                   .budget = 1,
                   .period = 9269,
                   .reserve = 1,
                   .deadline = TG_NO_BOUND}},
        .n_gates = 1,
        .n_queues = 1,
        .n_flows = 2};
    struct tg_analysis_input in = system_input(&s);
    struct tg_analysis_result r;

    (void)state;
    assert_int_equal(tg_analyse(&in, &r), 0);
    assert_int_equal(r.flows[1].accepted.value, 324);
    tg_analysis_result_free(&r);
    in.as_published = true;
    assert_int_equal(tg_analyse(&in, &r), 0);
    assert_int_equal(r.flows[1].accepted.value, 16);
    tg_analysis_result_free(&r);
}

/* What is tighter than the published text: polls cost no interrupt, and nobody waits for a refill
 * of a gate that never closes. */
static bool is_known_better(const struct system *s, const struct tg_analysis_result *safe)
{
    bool is_better = false;

    for (size_t g = 0; g < s->n_gates; g++) {
        is_better = is_better || s->gates[g].kind == TG_CURVE_POLLING;
    }
    for (size_t k = 0; k < s->n_queues; k++) {
        is_better = is_better || safe->queues[k].never_closes;
    }
    return is_better;
}

static void published_bounds_are_never_above(void **state)
{
    uint64_t r = test_seed("published_bounds_are_never_above");
    unsigned below = 0;
    unsigned tighter = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct system s;
        struct tg_analysis_result published;
        random_system(&s, &r, true, true);
        struct tg_analysis_input in = system_input(&s);
        in.as_published = true;
        assert_int_equal(tg_analyse(&in, &published), 0);
        struct tg_analysis_result safe = analyse(&s);
        const bool is_tighter = is_known_better(&s, &safe);
        tighter += is_tighter;
        for (size_t i = 0; i < s.n_tasks; i++) {
            assert_true(safe.tasks[i].response.value <= published.tasks[i].response.value);
            assert_true(is_tighter ||
                        published.tasks[i].response.value == safe.tasks[i].response.value);
        }
        for (size_t i = 0; i < s.n_flows && !is_tighter; i++) {
            assert_true(published.flows[i].accepted.value <= safe.flows[i].accepted.value);
            assert_true(published.flows[i].conforming.value <= safe.flows[i].conforming.value);
            below += published.flows[i].accepted.value < safe.flows[i].accepted.value;
        }
        tg_analysis_result_free(&published);
        tg_analysis_result_free(&safe);
    }
    assert_true(below > 0);
    assert_true(tighter > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_work_is_never_faster),
        cmocka_unit_test(less_work_is_never_slower),
        cmocka_unit_test(the_unit_of_time_does_not_matter),
        cmocka_unit_test(every_bound_is_the_sum_of_its_parts),
        cmocka_unit_test(verdicts_follow_from_bounds),
        cmocka_unit_test(huge_numbers_do_not_wrap),
        cmocka_unit_test(a_late_packet_waits_for_what_came_before),
        cmocka_unit_test(published_bounds_are_never_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
