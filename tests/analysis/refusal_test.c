/* SPDX-License-Identifier: MIT
 *
 * refusal_test.c - what has no bound, or a bound and no guarantee, says why, in a sentence that
 * names what to change.
 */
#include "analysis/analysis.h"

#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* A control task, a setpoint flow with a deadline, best effort; one gated queue. In ns. */
struct plant {
    struct tg_analysis_task tasks[2];
    struct tg_analysis_gate gates[2];
    struct tg_analysis_queue queues[2];
    struct tg_analysis_flow flows[2];
    struct tg_analysis_input in;
};

static void make_plant(struct plant *p)
{
    *p = (struct plant){
        .tasks = {{.name = "control",
                   .priority = 20,
                   .wcet = 300000,
                   .period = 1000000,
                   .deadline = 1000000},
                  {.name = "logger",
                   .priority = 4,
                   .wcet = 4000000,
                   .period = 20000000,
                   .deadline = 20000000}},
        .gates = {{.kind = TG_CURVE_DEFERRABLE,
                   .budget = 32,
                   .period = 500000,
                   .interrupt = 1000,
                   .packet = 2000,
                   .tick = 1000}},
        .queues = {{.name = "all", .rank = 1, .ring = 32, .isolated = true},
                   {.name = "rest", .rank = 0, .ring = 32}},
        .flows = {{.name = "setpoint",
                   .priority = 21,
                   .cost = 20000,
                   .queue = 0,
                   .kind = TG_CURVE_DEFERRABLE,
                   .budget = 3,
                   .period = 1000000,
                   .reserve = 6,
                   .has_source = true,
                   .every = 1000000,
                   .jitter = 50000,
                   .burst = 1,
                   .deadline = 2000000},
                  {.name = "rest",
                   .priority = 0,
                   .cost = 20000,
                   .queue = 1,
                   .kind = TG_CURVE_UNLIMITED,
                   .reserve = 32,
                   .deadline = TG_NO_BOUND}},
    };
    p->in = (struct tg_analysis_input){.unit = "ns",
                                       .tasks = p->tasks,
                                       .n_tasks = 2,
                                       .gates = p->gates,
                                       .n_gates = 1,
                                       .queues = p->queues,
                                       .n_queues = 2,
                                       .flows = p->flows,
                                       .n_flows = 2};
}

static struct tg_analysis_result analyse(const struct plant *p)
{
    struct tg_analysis_result r;
    assert_int_equal(tg_analyse(&p->in, &r), 0);
    return r;
}

static void assert_sentence(const struct plant *p, const struct tg_why *why, const char *expected)
{
    char text[256];

    (void)tg_why_sentence(&p->in, why, text, sizeof text);
    assert_string_equal(text, expected);
}

static void the_plant_holds(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    struct tg_analysis_result r = analyse(&p);
    assert_true(r.ok);
    assert_true(r.flows[0].lossless);
    assert_true(r.flows[0].conforming.value <= p.flows[0].deadline);
    tg_analysis_result_free(&r);
}

static void no_gate(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.gates[0].kind = TG_CURVE_UNLIMITED;
    p.gates[0].budget = 0;
    p.gates[0].period = 0;
    struct tg_analysis_result r = analyse(&p);
    assert_false(r.ok);
    assert_int_equal(r.tasks[0].response.value, TG_NO_BOUND);
    assert_false(r.tasks[0].met);
    assert_int_equal(r.tasks[0].slack, INT64_MIN);
    assert_sentence(&p, &r.tasks[0].why,
                    "interrupts can take all of the CPU: no gate is set on queue all");
    assert_int_equal(r.queues[0].acceptance.value, TG_NO_BOUND);
    tg_analysis_result_free(&r);
}

static void no_budget(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.in.n_gates = 0;
    p.in.n_queues = 0;
    p.flows[0].queue = p.flows[1].queue = TG_NOBODY;
    p.flows[1].priority = 10;
    struct tg_analysis_result r = analyse(&p);
    assert_int_not_equal(r.tasks[0].response.value, TG_NO_BOUND);
    assert_int_equal(r.tasks[1].response.value, TG_NO_BOUND);
    assert_sentence(&p, &r.tasks[1].why,
                    "packets of flow rest are limited neither by a budget nor by a gate");
    tg_analysis_result_free(&r);
}

static void overload(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.tasks[1].wcet = 15000000;
    struct tg_analysis_result r = analyse(&p);
    assert_true(r.tasks[0].met);
    assert_int_equal(r.tasks[1].response.value, TG_NO_BOUND);
    /* 0.3 + 0.75; 32 * 3 us + 1 us of 500 us; 3 packets of 20 us a millisecond */
    assert_sentence(&p, &r.tasks[1].why,
                    "work at priority 4 and above can take all of the CPU: tasks 105.0 %, "
                    "receive interrupts 19.4 %, packets 6.0 %");
    tg_analysis_result_free(&r);
}

/* Each queue with a gate of its own, 8 packets per 500 us. */
static void make_two_gates(struct plant *p)
{
    make_plant(p);
    p->gates[0].budget = 8;
    p->gates[1] = p->gates[0];
    p->queues[1].gate = 1;
    p->in.n_gates = 2;
}

static void higher_gates_can_take_all(void **state)
{
    struct plant p;

    (void)state;
    make_two_gates(&p);
    p.queues[1].rank = 2;
    p.queues[0].isolated = false;
    p.gates[1].budget = 80;
    struct tg_analysis_result r = analyse(&p);
    assert_int_equal(r.queues[0].acceptance.value, TG_NO_BOUND);
    assert_sentence(&p, &r.queues[0].acceptance.why,
                    "a full budget of the gate of queue all (8 packets) takes 755 us with those "
                    "served before it, longer than its period");
    tg_analysis_result_free(&r);
}

/* A kind without common refills has a bound only as long as it is not spent. */
static void sporadic_gate_of_its_own(void **state)
{
    struct plant p;

    (void)state;
    make_two_gates(&p);
    p.gates[0].kind = TG_CURVE_SPORADIC;
    struct tg_analysis_result r = analyse(&p);
    assert_true(r.queues[0].never_closes);
    assert_true(r.flows[0].met);
    tg_analysis_result_free(&r);

    p.queues[0].isolated = false;
    r = analyse(&p);
    assert_int_equal(r.queues[0].acceptance.value, TG_NO_BOUND);
    assert_int_equal(r.queues[0].acceptance.why.code, TG_WHY_GATE_KIND);
    tg_analysis_result_free(&r);
}

static void gate_kinds(void **state)
{
    static const enum tg_curve_kind refused[] = {TG_CURVE_SPORADIC, TG_CURVE_TOKEN};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct plant p;
        make_plant(&p);
        p.gates[0].kind = refused[i];
        struct tg_analysis_result r = analyse(&p);
        assert_int_not_equal(r.tasks[0].response.value, TG_NO_BOUND);
        assert_int_equal(r.queues[0].acceptance.value, TG_NO_BOUND);
        assert_int_equal(r.queues[0].acceptance_nominal.value, TG_NO_BOUND);
        assert_false(r.flows[0].met);
        assert_sentence(&p, &r.flows[0].why,
                        "how long a packet waits in the NIC is derived only for a deferrable or "
                        "polling gate, and for a sporadic one that is never spent");
        tg_analysis_result_free(&r);
    }
}

/* A single ring that a flood can fill: there is a number, but never a guarantee. */
static void shared_ring(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.queues[0].isolated = false;
    p.flows[1].queue = 0;
    p.in.n_queues = 1;
    struct tg_analysis_result r = analyse(&p);
    assert_int_not_equal(r.flows[0].conforming.value, TG_NO_BOUND);
    assert_false(r.queues[0].lossless);
    assert_false(r.flows[0].lossless);
    assert_false(r.flows[0].met);
    assert_false(r.ok);
    assert_true(r.tasks[0].met && r.tasks[1].met);
    assert_sentence(&p, &r.flows[0].why,
                    "queue all can be filled by a flood, so the NIC may drop any packet of it");
    tg_analysis_result_free(&r);
}

static void queue_above_is_flooded(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.queues[1].rank = 1; /* equal ranks count as higher */
    struct tg_analysis_result r = analyse(&p);
    assert_int_equal(r.queues[0].acceptance.value, TG_NO_BOUND);
    assert_sentence(&p, &r.flows[0].why,
                    "a flood can fill queue rest, which is served no later than this one");
    tg_analysis_result_free(&r);
}

static void moderation_for_ever(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.queues[0].packets = 8; /* a counter alone */
    struct tg_analysis_result r = analyse(&p);
    assert_int_equal(r.queues[0].acceptance.value, TG_NO_BOUND);
    assert_sentence(&p, &r.flows[0].why,
                    "the moderation of queue all can hold a packet for ever: it has no absolute "
                    "timer");
    tg_analysis_result_free(&r);
}

static void source_not_stated(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.flows[0].has_source = false;
    struct tg_analysis_result r = analyse(&p);
    assert_int_equal(r.flows[0].conforming.value, TG_NO_BOUND);
    assert_false(r.flows[0].met);
    assert_sentence(&p, &r.flows[0].why,
                    "flow setpoint does not say what its source sends (every, burst)");
    tg_analysis_result_free(&r);
}

static void gate_too_slow(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.gates[0].budget = 170; /* 170 * 3 us > 500 us */
    struct tg_analysis_result r = analyse(&p);
    assert_false(r.ok);
    assert_int_equal(r.queues[0].acceptance.value, TG_NO_BOUND);
    assert_sentence(&p, &r.queues[0].acceptance.why,
                    "a full budget of the gate (170 packets) takes 515 us, longer than its period");
    tg_analysis_result_free(&r);
}

static void class_overload(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.flows[0].every = 15000; /* 33.3 packets in 500 us against 32 */
    p.flows[0].jitter = 0;
    struct tg_analysis_result r = analyse(&p);
    assert_int_equal(r.queues[0].acceptance.value, TG_NO_BOUND);
    assert_sentence(&p, &r.queues[0].acceptance.why,
                    "queue all and those above it receive more than the gate lets through");
    tg_analysis_result_free(&r);
}

/* A budget of one packet per nominal period loses conforming ones (section 9.1). */
static void budget_too_small(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.flows[0].budget = 1;
    struct tg_analysis_result r = analyse(&p);
    assert_int_equal(r.flows[0].budget_need, 2);
    assert_false(r.flows[0].met);
    assert_sentence(&p, &r.flows[0].why,
                    "the budget of flow setpoint refuses conforming packets: it needs 2 per period "
                    "and has 1");
    tg_analysis_result_free(&r);
}

static void ring_too_small(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.queues[0].ring = 0;
    struct tg_analysis_result r = analyse(&p);
    assert_false(r.flows[0].met);
    assert_sentence(&p, &r.flows[0].why, "the ring of queue all needs 1 descriptors and has 0");
    tg_analysis_result_free(&r);
}

static void reserve_too_small(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.flows[0].reserve = 0;
    struct tg_analysis_result r = analyse(&p);
    assert_false(r.flows[0].met);
    assert_sentence(&p, &r.flows[0].why,
                    "the reserve of flow setpoint refuses conforming packets: it needs 1 buffers "
                    "and has 0");
    tg_analysis_result_free(&r);
}

static void deadline_missed(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.tasks[0].deadline = 400000;
    struct tg_analysis_result r = analyse(&p);
    const struct tg_task_result *t = &r.tasks[0];
    assert_false(t->met);
    assert_int_equal(t->slack, 400000 - (int64_t)t->response.value);
    assert_int_equal(t->why.code, TG_WHY_DEADLINE);
    /* 20 best effort, 300 own, 96 packets of 3 us and 2 ticks, 6 setpoints of 20 us */
    assert_sentence(&p, &t->why, "the bound 730 us is later than the deadline 400 us");
    tg_analysis_result_free(&r);
}

/* The receiver's job counts against the deadline of its flow. */
static void receiver_misses(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.flows[0].reserve = TG_NO_BOUND;
    p.flows[0].has_receiver = true;
    p.flows[0].receiver_priority = 3;
    p.flows[0].receiver_wcet = 100000;
    struct tg_analysis_result r = analyse(&p);
    assert_true(r.flows[0].conforming.value <= p.flows[0].deadline);
    assert_true(r.flows[0].conforming_receiver.value > p.flows[0].deadline);
    assert_false(r.flows[0].met);
    assert_int_equal(r.flows[0].why.code, TG_WHY_DEADLINE);
    tg_analysis_result_free(&r);
}

/* A packet in hand waits for the caller's lock, then is finished first: both, and only up to the
 * most urgent user of the stack. */
static void stack_lock_blocks(void **state)
{
    struct plant p;

    (void)state;
    make_plant(&p);
    p.in.lock = 8000;
    struct tg_analysis_result r = analyse(&p);
    assert_int_equal(r.tasks[0].blocking.lock, 8000);
    assert_int_equal(r.tasks[0].blocking.packet, 20000);
    assert_int_equal(r.tasks[0].blocking.packet_flow, 1);
    assert_int_equal(r.flows[0].blocking.total, 28000);
    tg_analysis_result_free(&r);

    p.flows[0].priority = 10;
    r = analyse(&p);
    assert_int_equal(r.tasks[0].blocking.total, 0); /* nothing of its level uses the stack */
    tg_analysis_result_free(&r);

    p.tasks[0].calls_stack = true;
    r = analyse(&p);
    assert_int_equal(r.tasks[0].blocking.total, 28000);
    tg_analysis_result_free(&r);
}

static void bad_input(void **state)
{
    struct plant p;
    struct tg_analysis_result r;
    char text[200];

    (void)state;
    make_plant(&p);
    p.tasks[1].period = 0;
    assert_int_equal(tg_analyse(&p.in, &r), TG_ANALYSIS_ERR_INPUT);
    assert_null(r.tasks);
    assert_int_equal(tg_analysis_input_check(&p.in, text, sizeof text), TG_ANALYSIS_ERR_INPUT);
    assert_string_equal(text, "task logger: execution time and period must be at least 1");

    make_plant(&p);
    p.flows[0].kind = 0; /* a forgotten budget is not unlimited */
    assert_int_equal(tg_analysis_input_check(&p.in, text, sizeof text), TG_ANALYSIS_ERR_INPUT);
    assert_string_equal(text, "flow setpoint: no kind of budget is set");

    make_plant(&p);
    p.queues[1].gate = 1;
    assert_int_equal(tg_analysis_input_check(&p.in, text, sizeof text), TG_ANALYSIS_ERR_INPUT);
    assert_string_equal(text, "queue rest: it has no gate (unlimited is a gate, too)");

    make_plant(&p);
    p.tasks[0].jitter = TG_ANALYSIS_TIME_MAX + 1;
    assert_int_equal(tg_analyse(&p.in, &r), TG_ANALYSIS_ERR_INPUT);

    make_plant(&p);
    p.flows[1].queue = 2;
    assert_int_equal(tg_analyse(&p.in, &r), TG_ANALYSIS_ERR_INPUT);
    tg_analysis_result_free(&r); /* allowed after a refusal */
}

static void sentences_are_cut_to_size(void **state)
{
    struct plant p;
    const struct tg_why why = {.code = TG_WHY_NO_GATE, .index = TG_NOBODY};
    char text[10];

    (void)state;
    make_plant(&p);
    assert_true(tg_why_sentence(&p.in, &why, text, sizeof text) > (int)sizeof text);
    assert_string_equal(text, "interrupt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plant_holds),
        cmocka_unit_test(no_gate),
        cmocka_unit_test(no_budget),
        cmocka_unit_test(overload),
        cmocka_unit_test(higher_gates_can_take_all),
        cmocka_unit_test(sporadic_gate_of_its_own),
        cmocka_unit_test(gate_kinds),
        cmocka_unit_test(shared_ring),
        cmocka_unit_test(queue_above_is_flooded),
        cmocka_unit_test(moderation_for_ever),
        cmocka_unit_test(source_not_stated),
        cmocka_unit_test(gate_too_slow),
        cmocka_unit_test(class_overload),
        cmocka_unit_test(budget_too_small),
        cmocka_unit_test(ring_too_small),
        cmocka_unit_test(reserve_too_small),
        cmocka_unit_test(deadline_missed),
        cmocka_unit_test(receiver_misses),
        cmocka_unit_test(stack_lock_blocks),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(sentences_are_cut_to_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
