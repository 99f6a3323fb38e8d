/* SPDX-License-Identifier: MIT
 *
 * schedule_test.c - schedules worked out by hand, to the nanosecond. Times in the systems are
 * microseconds.
 */
#include "world.h"

/* A gate that never closes, one flow at 20, one at 6, floor 1. Where a switch costs nothing, a
 * thread that finds no work does not show. */
#define RECEIVE(more)                                                                              \
    "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 3 us, deferred: 10 us, "           \
    "section: 0 us, floor: 1, buffers: 64, mtu: 1500, lock: 0 us" more "}\n"
#define QUEUE "queues: [{name: q, ring: 8, gate: {packets: 1000, period: 100 ms}}]\n"
#define FLOWS                                                                                      \
    "flows:\n"                                                                                     \
    "  - {name: high, match: udp dst port 1, priority: 20, reserve: 8, budget: unlimited}\n"       \
    "  - {name: low, match: udp dst port 2, priority: 6, reserve: 8, budget: unlimited}\n"
#define BEST_EFFORT "best_effort: {priority: 0, budget: unlimited, reserve: 16}\n"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

enum { BEST = 0, HIGH = 1, LOW = 2 };

/* One interrupt preempts a task, the packet preempts it, too; every change of thread is a switch of
 * the thread that comes. After the packet the protocol task falls to its floor, and looks for
 * another one only when both tasks have ended. */
static void a_packet_preempts_a_task(void **state)
{
    struct world *const w =
        world_open("name: t\ncpu: {irq: 2 us, switch: 1 us}\n"
                   "tasks:\n"
                   "  - {name: fast, priority: 10, period: 1 ms, wcet: 100 us}\n"
                   "  - {name: slow, priority: 5, period: 1 ms, wcet: 200 us}\n" RECEIVE("")
                       QUEUE FLOWS BEST_EFFORT,
                   MS);

    (void)state;
    world_arrive(w, 50u * US, HIGH);
    world_log_cpu(w);
    world_log(w, TG_SIM_EVENT_PRIORITY);
    world_log(w, TG_SIM_EVENT_DONE);
    world_log(w, TG_SIM_EVENT_FINISH);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 fast\n"            /* switch to 1, then 49 of its 100 us */
                        "50000 irq q\n"       /* 2 + 3 us */
                        "55000 priority 20\n" /* enqueue and raise at the end of the step */
                        "55000 protocol\n"    /* switch to 56, then 10 us */
                        "66000 high done\n"
                        "66000 priority 1\n" /* lowered before the next is looked for */
                        "66000 fast\n"       /* switch to 67, then 51 us */
                        "118000 finish fast\n"
                        "118000 slow\n" /* switch to 119, then 200 us */
                        "319000 finish slow\n"
                        "319000 protocol\n" /* switch, finds nothing */
                        "320000 idle\n");
    assert_int_equal(w->results.tasks[0].worst_ns, 118u * US);
    assert_int_equal(w->results.tasks[1].worst_ns, 319u * US);
    assert_int_equal(w->results.flows[HIGH].latency.max, 16u * US);
    assert_int_equal(w->results.flows[HIGH].worst_acceptance_ns, 5u * US);
    assert_int_equal(w->results.flows[HIGH].worst_accepted_ns, 11u * US);
    assert_int_equal(w->results.switches, 5u);
    assert_int_equal(w->results.cpu_ns[TG_SIM_SHARE_INTERRUPTS], 5u * US);
    assert_int_equal(w->results.cpu_ns[TG_SIM_SHARE_PROTOCOL], 12u * US);
    assert_int_equal(w->results.cpu_ns[TG_SIM_SHARE_TASKS], 303u * US);
    assert_int_equal(w->results.cpu_ns[TG_SIM_SHARE_IDLE], 680u * US);
    world_close(w);
}

/* A packet once started is finished first, at the priority of the one that waits; then highest
 * first, and first come first served within a flow (R7). A task between the two priorities has to
 * wait. */
static void a_started_packet_is_finished_first(void **state)
{
    struct world *const w =
        world_open("name: t\ncpu: {irq: 1 us, switch: 0 us}\n"
                   "tasks: [{name: mid, priority: 10, period: 1 ms, wcet: 20 us}]\n" RECEIVE("")
                       QUEUE FLOWS BEST_EFFORT,
                   MS);
    const tg_ns mid_at_ns[] = {12u * US};

    (void)state;
    w->input.task_offsets_ns = mid_at_ns;
    world_arrive(w, 0u, LOW);
    world_arrive(w, 5u * US, LOW);
    world_arrive(w, 14u * US, HIGH);
    world_log_cpu(w);
    world_log(w, TG_SIM_EVENT_PRIORITY);
    world_log(w, TG_SIM_EVENT_DONE);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n"
                        "4000 priority 6\n"
                        "4000 protocol\n" /* low: 1 us of 10 */
                        "5000 irq q\n"
                        "9000 protocol\n" /* 3 us more */
                        "12000 mid\n"     /* 2 us of 20 */
                        "14000 irq q\n"
                        "18000 priority 20\n"
                        "18000 protocol\n" /* the other 6 us of the first low one */
                        "24000 low done\n"
                        "34000 high done\n" /* no change of priority in between: 20 to 20 */
                        "34000 priority 6\n"
                        "34000 mid\n" /* 18 us */
                        "52000 protocol\n"
                        "62000 low done\n"
                        "62000 priority 1\n"
                        "62000 idle\n");
    world_close(w);
}

/* Sections and interrupts-off parts at the start of a job, from the end of its switch on: a frame
 * waits until interrupts are on again; its packet waits until the section is over. */
static void sections_keep_others_out(void **state)
{
    struct world *const w =
        world_open("name: t\ncpu: {irq: 1 us, switch: 1 us}\n"
                   "tasks: [{name: rude, priority: 2, period: 1 ms, wcet: 60 us, irq_off: 10 us, "
                   "section: 30 us}]\n" RECEIVE("") QUEUE FLOWS BEST_EFFORT,
                   MS);

    (void)state;
    world_arrive(w, 4u * US, HIGH);
    world_expect(w, TG_SIM_TIDEGATE,
                 "0 rude\n"         /* switch to 1, interrupts off to 11 */
                 "11000 irq q\n"    /* 4 us */
                 "15000 rude\n"     /* 20 us more of the section */
                 "35000 protocol\n" /* 11 us */
                 "46000 rude\n"     /* switch to 47, 30 us */
                 "77000 protocol\n"
                 "78000 idle\n");
}

/* The protocol task's own section: the first part of each packet keeps a more urgent task out; the
 * flow's interrupts-off part keeps frames out, too. */
static void the_protocol_task_has_sections(void **state)
{
    struct world *const w = world_open(
        "name: t\ncpu: {irq: 1 us, switch: 0 us}\n"
        "tasks: [{name: urgent, priority: 31, period: 1 ms, wcet: 5 us}]\n"
        "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 3 us, deferred: 10 us, "
        "section: 4 us, floor: 1, buffers: 64, mtu: 1500, lock: 0 us}\n" QUEUE "flows:\n"
        "  - {name: high, match: udp dst port 1, priority: 20, reserve: 8, budget: unlimited, "
        "section: 7 us, irq_off: 6 us}\n" BEST_EFFORT,
        MS);
    const tg_ns urgent_at_ns[] = {6u * US};

    (void)state;
    w->input.task_offsets_ns = urgent_at_ns;
    world_log_cpu(w);
    world_arrive(w, 0u, BEST);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n"
                        "4000 protocol\n"
                        "8000 urgent\n"
                        "13000 protocol\n"
                        "19000 idle\n");
    w->n_arrivals = 0u;
    world_arrive(w, 0u, HIGH);
    world_arrive(w, 5u * US, HIGH);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n"
                        "4000 protocol\n" /* interrupts off to 10 */
                        "10000 irq q\n"
                        "14000 protocol\n" /* the last us of the section */
                        "15000 urgent\n"
                        "20000 protocol\n"
                        "33000 idle\n");
    world_close(w);
}

/* A caller holds the stack's lock for 8 us; the protocol task waits for it without a packet in hand
 * and lends its priority, so the task between the two cannot prolong the wait. */
static void the_lock_inherits(void **state)
{
    struct world *const w = world_open(
        "name: t\ncpu: {irq: 1 us, switch: 0 us}\n"
        "tasks:\n"
        "  - {name: mid, priority: 10, period: 1 ms, wcet: 20 us}\n"
        "  - {name: caller, priority: 2, period: 1 ms, wcet: 30 us, calls_stack: true}\n"
        "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 3 us, deferred: 10 us, "
        "section: 0 us, floor: 1, buffers: 64, mtu: 1500, lock: 8 us}\n" QUEUE FLOWS BEST_EFFORT,
        MS);
    const tg_ns at_ns[] = {3u * US, 0u};

    (void)state;
    w->input.task_offsets_ns = at_ns;
    world_arrive(w, 5u * US, HIGH);
    world_expect(w, TG_SIM_TIDEGATE,
                 "0 caller\n" /* 3 of the 8 us */
                 "3000 mid\n" /* 2 of 20 */
                 "5000 irq q\n"
                 "9000 caller\n" /* at 20, 5 us: the protocol task found the lock taken */
                 "14000 protocol\n"
                 "24000 mid\n"
                 "42000 caller\n" /* 22 us at its own priority */
                 "64000 idle\n");
}

/* What the protocol task waits with is lent anew when a more urgent packet arrives meanwhile. */
static void the_lock_inherits_what_comes_later(void **state)
{
    struct world *const w = world_open(
        "name: t\ncpu: {irq: 1 us, switch: 0 us}\n"
        "tasks:\n"
        "  - {name: mid, priority: 10, period: 1 ms, wcet: 20 us}\n"
        "  - {name: caller, priority: 2, period: 1 ms, wcet: 30 us, calls_stack: true}\n"
        "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 3 us, deferred: 10 us, "
        "section: 0 us, floor: 1, buffers: 64, mtu: 1500, lock: 25 us}\n" QUEUE FLOWS BEST_EFFORT,
        MS);
    const tg_ns at_ns[] = {10u * US, 0u};

    (void)state;
    w->input.task_offsets_ns = at_ns;
    world_arrive(w, 0u, LOW);
    world_arrive(w, 12u * US, HIGH);
    world_log_cpu(w);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n"
                        "4000 protocol\n" /* the caller has not begun: no lock is held */
                        "10000 mid\n"
                        "12000 irq q\n"
                        "16000 protocol\n" /* low to its end at 20, then high */
                        "30000 mid\n"
                        "48000 caller\n"
                        "78000 idle\n");

    /* Now the caller has the lock when the packets come. */
    w->n_arrivals = 0u;
    world_arrive(w, 5u * US, LOW);
    world_arrive(w, 14u * US, HIGH);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 caller\n" /* 5 of 25 us with the lock */
                        "5000 irq q\n"
                        "9000 caller\n" /* at 6; 1 us more */
                        "10000 mid\n"   /* 4 of 20 us */
                        "14000 irq q\n"
                        "18000 caller\n"   /* at 20; the other 19 us */
                        "37000 protocol\n" /* high */
                        "47000 mid\n"
                        "63000 protocol\n" /* low */
                        "73000 caller\n"
                        "78000 idle\n");
    world_close(w);
}

/* A switch that is preempted starts anew: 3 us, of which one is lost. */
static void a_preempted_switch_starts_anew(void **state)
{
    struct world *const w =
        world_open("name: t\ncpu: {irq: 1 us, switch: 3 us}\n"
                   "tasks:\n"
                   "  - {name: over, priority: 12, period: 1 ms, wcet: 5 us}\n"
                   "  - {name: under, priority: 11, period: 1 ms, wcet: 7 us}\n" RECEIVE("")
                       QUEUE FLOWS BEST_EFFORT,
                   MS);
    const tg_ns at_ns[] = {1u * US, 0u};

    (void)state;
    w->input.task_offsets_ns = at_ns;
    world_expect(w, TG_SIM_TIDEGATE,
                 "0 under\n"
                 "1000 over\n"  /* 3 + 5 */
                 "9000 under\n" /* 3 + 7 */
                 "19000 idle\n");
}

/* The other way round: a packet in processing has the lock, an urgent caller lends its priority to
 * it. */
static void a_caller_waits_for_a_packet(void **state)
{
    struct world *const w = world_open(
        "name: t\ncpu: {irq: 1 us, switch: 0 us}\n"
        "tasks:\n"
        "  - {name: mid, priority: 10, period: 1 ms, wcet: 20 us}\n"
        "  - {name: caller, priority: 30, period: 1 ms, wcet: 30 us, calls_stack: true}\n"
        "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 3 us, deferred: 10 us, "
        "section: 0 us, floor: 1, buffers: 64, mtu: 1500, lock: 8 us}\n" QUEUE FLOWS BEST_EFFORT,
        MS);
    const tg_ns at_ns[] = {6u * US, 8u * US};

    (void)state;
    w->input.task_offsets_ns = at_ns;
    world_arrive(w, 0u, LOW);
    world_expect(w, TG_SIM_TIDEGATE,
                 "0 irq q\n"
                 "4000 protocol\n" /* 2 us of 10 */
                 "6000 mid\n"
                 "8000 protocol\n" /* at 30: the other 8 us */
                 "16000 caller\n"
                 "46000 mid\n"
                 "64000 idle\n");
}

/* A flow's receiver gets each packet and frees its buffer; the packet is delivered when its job
 * ends. */
static void a_receiver_takes_the_packets(void **state)
{
    struct world *const w = world_open(
        "name: t\ncpu: {irq: 1 us, switch: 0 us}\ntasks: []\n" RECEIVE("") QUEUE
        "flows: [{name: high, match: udp dst port 1, priority: 20, reserve: 8, budget: unlimited, "
        "receiver: {priority: 4, wcet: 7 us}, every: 15 us, deadline: 25 us}]\n" BEST_EFFORT,
        MS);

    (void)state;
    world_arrive(w, 0u, HIGH);
    world_arrive(w, 15u * US, HIGH);
    world_log_cpu(w);
    world_log(w, TG_SIM_EVENT_RECEIVED);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n"
                        "4000 protocol\n"
                        "14000 receiver\n" /* the protocol task is at its floor, below it */
                        "15000 irq q\n"
                        "19000 protocol\n"
                        "29000 receiver\n" /* 6 us more */
                        "35000 high received\n"
                        "42000 high received\n"
                        "42000 idle\n");
    assert_int_equal(w->results.flows[HIGH].latency.max, 35u * US);
    assert_int_equal(w->results.flows[HIGH].worst_protocol_ns, 14u * US);
    assert_int_equal(w->results.flows[HIGH].worst_receiver_ns, 31u * US);
    assert_int_equal(w->results.flows[HIGH].most_held_pkts, 2u);
    assert_int_equal(w->results.flows[HIGH].most_backlog_pkts, 1u);
    assert_int_equal(w->results.flows[HIGH].late, 2u);
    world_close(w);
}

/* Equals run first come first served; one that runs is not preempted by another one of its
 * priority. */
static void equals_take_turns(void **state)
{
    struct world *const w =
        world_open("name: t\ncpu: {irq: 1 us, switch: 0 us}\n"
                   "tasks:\n"
                   "  - {name: a, priority: 20, period: 1 ms, wcet: 20 us}\n"
                   "  - {name: b, priority: 20, period: 1 ms, wcet: 20 us}\n" RECEIVE("")
                       QUEUE FLOWS BEST_EFFORT,
                   MS);
    const tg_ns at_ns[] = {8u * US, 5u * US};

    (void)state;
    w->input.task_offsets_ns = at_ns;
    world_arrive(w, 2u * US, HIGH);
    world_expect(w, TG_SIM_TIDEGATE,
                 "0 idle\n"
                 "2000 irq q\n"
                 "6000 b\n" /* ready since 5, the packet since 6 */
                 "26000 protocol\n"
                 "36000 a\n"
                 "56000 idle\n");
}

/* A job that is late delays the next one; both are counted, and so is the one that never ends. */
static void late_jobs_are_counted(void **state)
{
    struct world *const w = world_open(
        "name: t\ncpu: {irq: 1 us, switch: 0 us}\n"
        "tasks:\n"
        "  - {name: hog, priority: 9, period: 1 ms, wcet: 170 us}\n"
        "  - {name: late, priority: 5, period: 100 us, wcet: 60 us, deadline: 90 us}\n" RECEIVE("")
            QUEUE FLOWS BEST_EFFORT,
        390u * US);

    (void)state;
    world_log(w, TG_SIM_EVENT_FINISH);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "170000 finish hog\n"
                        "230000 finish late late\n"
                        "290000 finish late late\n"
                        "350000 finish late late\n"); /* of 200, due at 290 */
    assert_int_equal(w->results.tasks[1].jobs, 4u);
    assert_int_equal(w->results.tasks[1].unfinished, 1u); /* of 300, due at 390: the end */
    assert_int_equal(w->results.tasks[1].misses, 4u);
    assert_int_equal(w->results.tasks[1].worst_ns, 230u * US);
    assert_true(w->results.has_missed);
    world_close(w);
}

/* A time server takes its capacity once per period, switches included. */
static void a_server_takes_its_capacity(void **state)
{
    struct world *const w =
        world_open("name: t\ncpu: {irq: 1 us, switch: 1 us}\n"
                   "tasks: [{name: task, priority: 5, period: 1 ms, wcet: 50 us}]\n"
                   "servers: [{name: shell, kind: periodic, priority: 9, capacity: 10 us, period: "
                   "40 us}]\n" RECEIVE("") QUEUE FLOWS BEST_EFFORT,
                   100u * US);

    (void)state;
    world_expect(w, TG_SIM_TIDEGATE,
                 "0 server\n" /* 1 + 8 us, and 1 us to go back */
                 "9000 task\n"
                 "40000 server\n"
                 "49000 task\n"
                 "70000 idle\n"
                 "80000 server\n"
                 "89000 idle\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_preempts_a_task),
        cmocka_unit_test(a_started_packet_is_finished_first),
        cmocka_unit_test(sections_keep_others_out),
        cmocka_unit_test(the_protocol_task_has_sections),
        cmocka_unit_test(the_lock_inherits),
        cmocka_unit_test(the_lock_inherits_what_comes_later),
        cmocka_unit_test(a_preempted_switch_starts_anew),
        cmocka_unit_test(a_caller_waits_for_a_packet),
        cmocka_unit_test(a_receiver_takes_the_packets),
        cmocka_unit_test(equals_take_turns),
        cmocka_unit_test(late_jobs_are_counted),
        cmocka_unit_test(a_server_takes_its_capacity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
