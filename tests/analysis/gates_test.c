/* SPDX-License-Identifier: MIT
 *
 * gates_test.c - queues with gates of their own, calculated by hand: each term of the bounds shows.
 */
#include "analysis/analysis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { HIGH, LOW, BOTH };

/* Two queues, a gate each: 8 packets per 500 us, of 3 us, with a tick of 1 us. The higher one gets
 * a packet per millisecond and nothing else; the lower one whatever comes. In ns. */
struct node {
    struct tg_analysis_task task;
    struct tg_analysis_gate gates[BOTH];
    struct tg_analysis_queue queues[BOTH];
    struct tg_analysis_flow flows[BOTH];
    struct tg_analysis_input in;
};

static void make_node(struct node *n)
{
    const struct tg_analysis_gate gate = {.kind = TG_CURVE_DEFERRABLE,
                                          .budget = 8,
                                          .period = 500000,
                                          .interrupt = 1000,
                                          .packet = 2000,
                                          .tick = 1000};

    *n = (struct node){
        .task = {.name = "control",
                 .priority = 20,
                 .wcet = 300000,
                 .period = 1000000,
                 .deadline = 1000000},
        .gates = {gate, gate},
        .queues = {{.name = "high", .gate = HIGH, .rank = 1, .ring = 32, .isolated = true},
                   {.name = "low", .gate = LOW, .rank = 0, .ring = 32}},
        .flows = {{.name = "setpoint",
                   .priority = 21,
                   .cost = 20000,
                   .queue = HIGH,
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
                   .queue = LOW,
                   .kind = TG_CURVE_UNLIMITED,
                   .reserve = 32,
                   .deadline = TG_NO_BOUND}},
    };
    n->in = (struct tg_analysis_input){.unit = "ns",
                                       .tasks = &n->task,
                                       .n_tasks = 1,
                                       .gates = n->gates,
                                       .n_gates = BOTH,
                                       .queues = n->queues,
                                       .n_queues = BOTH,
                                       .flows = n->flows,
                                       .n_flows = BOTH};
}

static struct tg_queue_result queue_of(const struct node *n, size_t queue)
{
    struct tg_analysis_result r;

    assert_int_equal(tg_analyse(&n->in, &r), 0);
    const struct tg_queue_result q = r.queues[queue];
    tg_analysis_result_free(&r);
    return q;
}

static uint64_t acceptance_of(const struct node *n, size_t queue)
{
    return queue_of(n, queue).acceptance.value;
}

static uint64_t response(const struct node *n)
{
    struct tg_analysis_result r;

    assert_int_equal(tg_analyse(&n->in, &r), 0);
    const uint64_t bound = r.tasks[0].response.value;
    tg_analysis_result_free(&r);
    return bound;
}

/* A step that has begun, the packet itself, a tick of either gate, and one that comes early if the
 * step that has begun closes its gate. */
enum { OPEN = 3000 + 3000 + 2 * 1000 + 1000 };

/* Nobody waits for a refill. */
static void a_gate_that_is_never_spent(void **state)
{
    struct node n;

    (void)state;
    make_node(&n);
    assert_true(queue_of(&n, HIGH).never_closes);
    assert_int_equal(acceptance_of(&n, HIGH), OPEN);
    assert_int_equal(queue_of(&n, HIGH).ring_need, 1);
    assert_false(queue_of(&n, LOW).never_closes);
    n.gates[HIGH].kind = TG_CURVE_SPORADIC;
    assert_true(queue_of(&n, HIGH).never_closes);
}

/* Two packets can come within a period and the delay, so a budget of two is spent. */
static void a_gate_that_can_be_spent(void **state)
{
    struct node n;

    (void)state;
    make_node(&n);
    n.flows[0].every = 500000;
    n.gates[HIGH].budget = 3;
    assert_true(queue_of(&n, HIGH).never_closes);
    n.gates[HIGH].budget = 2;
    assert_false(queue_of(&n, HIGH).never_closes);
    /* W = P; as above, but that its own tick comes with the refill. Two packets are served. */
    assert_int_equal(acceptance_of(&n, HIGH), 500000 + OPEN + 3000);
}

/* As long as it is open, a delayed packet still is one more in the next period: a budget of 3 is
 * spent by two sources whose packets wait 5 us. */
static void delay_makes_it_spend_more(void **state)
{
    struct node n;

    (void)state;
    make_node(&n);
    n.flows[0].every = 505000;
    n.flows[0].jitter = 0;
    n.gates[HIGH].budget = 2; /* ceil(500000 / 505000) + 1, but for the delay */
    assert_false(queue_of(&n, HIGH).never_closes);
    n.gates[HIGH].budget = 3;
    assert_true(queue_of(&n, HIGH).never_closes);
}

/* 8 packets at the end of a period, 8 at the start of the next, and an early tick with each. */
static void a_higher_queue_that_is_flooded(void **state)
{
    struct node n;

    (void)state;
    make_node(&n);
    n.queues[LOW].rank = 2;
    assert_int_equal(acceptance_of(&n, HIGH), OPEN + 16 * 3000 + 2 * 1000);
    n.queues[LOW].rank =
        1; /* equals wait for each other; neither closes while the other is polled */
    assert_int_equal(acceptance_of(&n, HIGH), OPEN - 1000 + 16 * 3000);
}

/* Polls cost no interrupt. The budget may be kept until the next refill while the other gate is
 * polled. Only the gate that interrupts has early ticks. */
static void a_higher_queue_that_is_polled(void **state)
{
    struct node n;

    (void)state;
    make_node(&n);
    n.queues[LOW].rank = 2;
    n.gates[LOW].kind = TG_CURVE_POLLING;
    assert_int_equal(acceptance_of(&n, HIGH), OPEN + 16 * 2000);
}

/* The other way round, flooded below: for each refill of its own it waits for the packets of the
 * higher queue that come in the service time or came before and still wait: two in
 * OPEN + 24000 + 50000 + OPEN, since they are 60 us apart. */
static void a_higher_queue_that_conforms(void **state)
{
    struct node n;

    (void)state;
    make_node(&n);
    n.gates[HIGH].budget = 32;
    n.flows[0].every = 60000;
    n.flows[0].jitter = 52000;
    assert_true(queue_of(&n, HIGH).never_closes);
    const uint64_t high = acceptance_of(&n, HIGH);
    /* Jitter 52 us: two packets in its own OPEN + 3000. */
    assert_int_equal(high, OPEN + 3000);
    /* 32 descriptors by 8 a refill: the fourth refill. 8 packets, and of the higher queue those
     * within 39 us, 12 us before and 52 us of jitter: 2. Early ticks come no oftener than packets
     * of the gate that closes. */
    assert_int_equal(acceptance_of(&n, LOW), 4 * 500000 + OPEN + 7 * 3000 + 2 * (3000 + 1000));
    n.flows[0].jitter = 22000; /* 38 us and 12 us and 22 us: still two, but not without those 12 */
    assert_int_equal(acceptance_of(&n, HIGH), OPEN);
    assert_int_equal(acceptance_of(&n, LOW), 4 * 500000 + OPEN + 7 * 3000 + 2 * (3000 + 1000));
}

/* What moderation has held back comes all at once: 150 us of packets that are 60 us apart. */
static void an_equal_of_the_gate_that_is_moderated(void **state)
{
    struct node n;

    (void)state;
    make_node(&n);
    n.in.n_gates = 1;
    n.gates[HIGH].budget = 32;
    n.queues[LOW].gate = HIGH;
    n.queues[LOW].isolated = true;
    n.queues[LOW].rank = 2;
    n.queues[LOW].absolute_timer = 150000;
    n.flows[LOW] = n.flows[HIGH];
    n.flows[LOW].queue = LOW;
    n.flows[LOW].every = 60000;
    n.flows[LOW].jitter = 0;
    assert_true(queue_of(&n, HIGH).never_closes);
    /* A step that has begun, the packet, its tick; ceil((150 + 16) / 60) of the others. */
    assert_int_equal(acceptance_of(&n, HIGH), 3000 + 3000 + 1000 + 3 * 3000);
}

/* Two gates cost what both cost, and a tick more for each time that the higher one closes while the
 * other is polled: twice in a window shorter than the first batch and a period, 521 us. */
static void tasks_pay_for_all_gates(void **state)
{
    struct node n;

    (void)state;
    make_node(&n);
    n.in.n_flows = 0;
    assert_int_equal(response(&n), 300000 + 2 * (16 * 3000 + 1000) + 2 * 1000);
    n.gates[LOW].kind = TG_CURVE_POLLING; /* a refill is a poll: once in the window */
    assert_int_equal(response(&n), 300000 + (16 * 3000 + 1000) + 2 * 1000 + (8 * 2000 + 1000));
}

/* One interrupt in 1 ms, and one that was latched. With a register that can hold it back it may
 * come for each packet. */
static void moderation_saves_interrupts(void **state)
{
    struct node n;

    (void)state;
    make_node(&n);
    n.in.n_flows = 0;
    n.queues[HIGH].absolute_timer = 1000000;
    n.queues[LOW].absolute_timer = 1000000;
    assert_int_equal(response(&n), 300000 + 2 * (16 * 2000 + 2 * 1000 + 1000) + 2 * 1000);
    n.in.has_register = true;
    assert_int_equal(response(&n), 300000 + 2 * (16 * 3000 + 1000) + 2 * 1000);
}

/* A refill by tick waits for a step or for another gate's tick, whichever is longer. */
static void a_refill_waits_for_another_tick(void **state)
{
    struct node n;

    (void)state;
    make_node(&n);
    n.gates[LOW].tick = 40000;
    n.gates[HIGH].refilled_by_tick = true;
    n.gates[HIGH].budget = 1;
    /* W = P + 40 + 1 us; a step, the packet, its own tick, one of the other gate, one early. */
    assert_int_equal(acceptance_of(&n, HIGH), 541000 + 3000 + 3000 + 1000 + 40000 + 40000);
}

/* Each gate lets through its own packets: those of one flow need not leave room for the other's. */
static void flows_wait_at_their_own_gate(void **state)
{
    struct node n;
    struct tg_analysis_result r;

    (void)state;
    make_node(&n);
    n.flows[0].kind = TG_CURVE_UNLIMITED;
    n.flows[0].budget = 0;
    n.flows[0].period = 0;
    n.flows[0].cost = 2000;
    n.flows[1].priority = 21;
    n.flows[1].cost = 3000;
    n.task.wcet = 1;
    assert_int_equal(tg_analyse(&n.in, &r), 0);
    /* 16 packets of the dear flow and no more, though the other gate would let through as many. */
    assert_int_equal(r.tasks[0].response.parts.flows, 16 * 2000 + 16 * 3000);
    tg_analysis_result_free(&r);
}

/* ---- A register with the running priority ---------------------------------------------------- */

/* The one gate of a queue that is held back while control runs. */
static void make_held_node(struct node *n)
{
    make_node(n);
    n->in.n_gates = 1;
    n->in.n_queues = 1;
    n->in.n_flows = 1;
    n->in.has_register = true;
    n->queues[HIGH].priority_max = 20;
}

/* Control and the setpoints' protocol work, with a full gate in each period: two batches and a tick
 * in 500 us. Three packets of the flow at the ends of its periods: 2 * 3. */
enum { BUSY = 300000 + 16 * 3000 + 1000 + 6 * 20000 };

static void a_queue_that_is_held_back(void **state)
{
    struct node n;

    (void)state;
    make_held_node(&n);
    assert_int_equal(queue_of(&n, HIGH).held, BUSY);
    assert_true(queue_of(&n, HIGH).never_closes);
    assert_int_equal(acceptance_of(&n, HIGH), BUSY);
    assert_int_equal(queue_of(&n, HIGH).acceptance_nominal.value, BUSY);
    n.queues[HIGH].absolute_timer = 100000;
    assert_int_equal(acceptance_of(&n, HIGH), 100000 + BUSY);
    n.in.irq_off = 7000;
    assert_int_equal(acceptance_of(&n, HIGH), 100000 + BUSY + 7000);
    n.queues[HIGH].priority_max = 22; /* the flow is less urgent than that, too */
    assert_int_equal(queue_of(&n, HIGH).held, 0);
    n.in.has_register = false;
    n.queues[HIGH].priority_max = 20;
    assert_int_equal(queue_of(&n, HIGH).held, 0);
}

/* Only what is at the top of the range or above holds it back. */
static void what_runs_within_the_range_holds_nothing_back(void **state)
{
    struct node n;

    (void)state;
    make_held_node(&n);
    n.queues[HIGH].priority_max = 21;
    assert_int_equal(queue_of(&n, HIGH).held, 16 * 3000 + 1000 + 6 * 20000);
}

/* A gate that can be spent: what the register holds back comes before the first refill that
 * counts. */
static void a_held_gate_that_can_be_spent(void **state)
{
    struct node n;

    (void)state;
    make_held_node(&n);
    n.gates[HIGH].budget = 1;
    const uint64_t held = queue_of(&n, HIGH).held;
    /* Two units in 500 us, and two packets more of the flow's six than they let in. */
    assert_int_equal(held, 300000 + 2 * 3000 + 1000 + 2 * 20000);
    assert_false(queue_of(&n, HIGH).never_closes);
    /* A refill, a step that has begun, the packet, the tick. */
    assert_int_equal(acceptance_of(&n, HIGH), held + 500000 + 3000 + 3000 + 1000);
}

/* A queue that nothing holds back, served after one of its gate that control does. */
static void a_class_is_held_back_together(void **state)
{
    struct node n;

    (void)state;
    make_held_node(&n);
    n.in.n_queues = 2;
    n.queues[LOW].gate = HIGH;
    n.queues[LOW].isolated = true;
    n.queues[LOW].priority_max = 31;
    assert_int_equal(queue_of(&n, LOW).held, BUSY);
    n.queues[LOW].rank = 2; /* served before */
    assert_int_equal(queue_of(&n, LOW).held, 0);
    assert_int_equal(queue_of(&n, HIGH).held, BUSY);
}

static void polls_are_not_held_back(void **state)
{
    struct node n;

    (void)state;
    make_held_node(&n);
    n.gates[HIGH].kind = TG_CURVE_POLLING;
    assert_int_equal(queue_of(&n, HIGH).held, 0);
}

/* What runs there can take all of the CPU: then there is no bound, and the reason is that. */
static void a_queue_that_is_held_back_for_ever(void **state)
{
    struct node n;

    (void)state;
    make_held_node(&n);
    n.task.wcet = 1000000;
    assert_int_equal(acceptance_of(&n, HIGH), TG_NO_BOUND);
    assert_int_equal(queue_of(&n, HIGH).acceptance.why.code, TG_WHY_OVERLOAD);
    assert_int_equal(queue_of(&n, HIGH).acceptance.why.priority, 20);
    assert_int_equal(queue_of(&n, HIGH).acceptance_nominal.why.code, TG_WHY_OVERLOAD);
    assert_int_equal(queue_of(&n, HIGH).why.code, TG_WHY_OVERLOAD);
}

/* ---- A task that polls ----------------------------------------------------------------------- */

/* Above it a gate that is spent stays so until the window ends: 7 packets of 8 in each of 2 budgets
 * and one more, and a tick that comes early when the gate closes, once. A sliding window, of which
 * there is one, has no other tick than that of its end. */
static void above_a_polling_task(void **state)
{
    struct node n;

    (void)state;
    make_node(&n);
    n.in.n_flows = 0;
    for (size_t i = 0; i < BOTH; i++) {
        n.gates[i].polled_by_task = true;
        n.gates[i].poll_priority = 10;
    }
    assert_int_equal(response(&n), 300000 + 2 * (15 * 3000 + 1000 + 1000));
    n.gates[LOW].kind = TG_CURVE_SPORADIC;
    assert_int_equal(response(&n), 300000 + (15 * 3000 + 2000) + (8 * 3000 + 2000));
    /* Nothing is polled but what the task had begun. It never closes. */
    n.gates[LOW].kind = TG_CURVE_POLLING;
    assert_int_equal(response(&n), 300000 + (15 * 3000 + 2000) + (2000 + 1000));
}

/* It comes too late for some refills: a budget each busy window and the refill after that. */
static void a_polling_task_that_misses_refills(void **state)
{
    struct node n;

    (void)state;
    make_held_node(&n);
    n.in.has_register = false;
    n.gates[HIGH].polled_by_task = true;
    n.gates[HIGH].poll_priority = 10;
    n.gates[HIGH].budget = 1;
    n.flows[0].every = 10000000;
    n.flows[0].burst = 2;
    n.flows[0].jitter = 0;
    n.task.period = 2000000;
    n.task.wcet = 600000;
    /* Its busy window: control, three units in 600 us, two ticks, three packets. */
    const uint64_t busy = 600000 + 3 * 3000 + 2 * 1000 + 3 * 20000;
    /* Two packets, so two budgets. */
    assert_int_equal(acceptance_of(&n, HIGH), 2 * (500000 + busy) + busy);
    n.task.wcet = 300000; /* in time for each */
    assert_true(acceptance_of(&n, HIGH) < 2 * 500000 + 500000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gate_that_is_never_spent),
        cmocka_unit_test(a_gate_that_can_be_spent),
        cmocka_unit_test(delay_makes_it_spend_more),
        cmocka_unit_test(a_higher_queue_that_is_flooded),
        cmocka_unit_test(a_higher_queue_that_is_polled),
        cmocka_unit_test(a_higher_queue_that_conforms),
        cmocka_unit_test(an_equal_of_the_gate_that_is_moderated),
        cmocka_unit_test(tasks_pay_for_all_gates),
        cmocka_unit_test(moderation_saves_interrupts),
        cmocka_unit_test(a_refill_waits_for_another_tick),
        cmocka_unit_test(flows_wait_at_their_own_gate),
        cmocka_unit_test(a_queue_that_is_held_back),
        cmocka_unit_test(what_runs_within_the_range_holds_nothing_back),
        cmocka_unit_test(a_held_gate_that_can_be_spent),
        cmocka_unit_test(a_class_is_held_back_together),
        cmocka_unit_test(polls_are_not_held_back),
        cmocka_unit_test(a_queue_that_is_held_back_for_ever),
        cmocka_unit_test(above_a_polling_task),
        cmocka_unit_test(a_polling_task_that_misses_refills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
