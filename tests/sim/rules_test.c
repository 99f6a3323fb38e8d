/* SPDX-License-Identifier: MIT
 *
 * rules_test.c - the contract between run-time and analysis, rules R1 to R10, on the simulated
 * machine. An interrupt costs 1 us to enter, a frame 2 us, the tick 1 us, protocol work 10 us, a
 * switch nothing.
 */
#include "world.h"

#include <stdio.h>

#define HEAD "name: t\ncpu: {irq: 1 us, switch: 0 us}\n"
#define RECEIVE(more)                                                                              \
    "receive: {station: 02:00:00:00:00:01, driver: 1 us, eager: 2 us, deferred: 10 us, "           \
    "section: 0 us, floor: 1, buffers: 64, mtu: 1500, lock: 0 us" more "}\n"
#define QUEUE(gate) "queues: [{name: q, ring: 8, gate: " gate "}]\n"
#define TWO_QUEUES(gate)                                                                           \
    "gate: " gate "\n"                                                                             \
    "queues:\n"                                                                                    \
    "  - {name: up, priorities: 20..31, ring: 4}\n"                                                \
    "  - {name: down, priorities: 0..19, ring: 8}\n"
#define FLOWS                                                                                      \
    "flows:\n"                                                                                     \
    "  - {name: high, match: udp dst port 1, priority: 20, reserve: 8, budget: unlimited}\n"       \
    "  - {name: low, match: udp dst port 2, priority: 6, reserve: 8, "                             \
    "budget: {packets: 2, period: 1 ms}}\n"
#define BEST_EFFORT "best_effort: {priority: 0, budget: unlimited, reserve: 3}\n"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

enum { BEST = 0, HIGH = 1, LOW = 2, MALFORMED = 3 };

/* R1: a frame costs one unit, whatever becomes of it, and so does an interrupt that finds nothing.
 * A step without a frame costs the interrupt alone. */
static void r1_every_step_takes_a_unit(void **state)
{
    struct world *const w = world_open(
        HEAD "tasks: []\n" RECEIVE("") QUEUE("{packets: 4, period: 1 ms}") FLOWS BEST_EFFORT, MS);

    (void)state;
    world_arrive(w, 0u, MALFORMED);
    world_arrive(w, 100u * US, WORLD_NOTHING);
    world_arrive(w, 200u * US, HIGH);
    world_arrive(w, 300u * US, WORLD_NOTHING);
    world_arrive(w, 400u * US, HIGH); /* no unit left */
    world_arrive(w, 401u * US, WORLD_NOTHING);
    world_log_cpu(w);
    world_log(w, TG_SIM_EVENT_POLLED);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n"
                        "3000 idle\n"
                        "100000 irq q\n"
                        "101000 idle\n"
                        "200000 irq q\n"
                        "203000 protocol\n"
                        "213000 idle\n"
                        "300000 irq q\n"
                        "301000 gate 0 polled\n"
                        "301000 idle\n"
                        "1000000 tick\n");
    assert_int_equal(w->results.queues[0].spurious, 2u);
    assert_int_equal(w->results.interrupts, 4u);
    assert_int_equal(w->results.flows[MALFORMED].malformed, 1u);
    assert_int_equal(w->results.flows[HIGH].in_flight, 1u);
    world_close(w);
}

/* One that comes while the last frame is handled is not forgotten. */
static void r1_a_late_interrupt_takes_a_unit(void **state)
{
    struct world *const w = world_open(
        HEAD "tasks: []\n" RECEIVE("") QUEUE("{packets: 4, period: 1 ms}") FLOWS BEST_EFFORT, MS);

    (void)state;
    world_arrive(w, 0u, HIGH);
    world_arrive(w, 2u * US, WORLD_NOTHING);
    world_log_cpu(w);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n" /* 3, and 1 */
                        "4000 protocol\n"
                        "14000 idle\n");
    assert_int_equal(w->results.queues[0].spurious, 1u);
    world_close(w);
}

/* R2: masked at the end of the step that takes the last unit; frames cost nothing then, and the NIC
 * drops what the ring does not hold. */
static void r2_the_last_unit_masks(void **state)
{
    struct world *const w = world_open(
        HEAD "tasks: []\n" RECEIVE("") QUEUE("{packets: 2, period: 1 ms}") FLOWS BEST_EFFORT, MS);

    (void)state;
    for (uint32_t i = 0u; i < 12u; i++) {
        world_arrive(w, i * US, HIGH);
    }
    world_log_cpu(w);
    world_log(w, TG_SIM_EVENT_LOST);
    world_log(w, TG_SIM_EVENT_POLLED);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n" /* 1 + 2, and 2 for the one that came meanwhile */
                        "5000 gate 0 polled\n"
                        "5000 protocol\n"
                        "10000 high lost\n" /* two are gone, those of 2..9 us fill the ring */
                        "11000 high lost\n"
                        "25000 idle\n"
                        "1000000 tick\n");
    assert_int_equal(w->results.queues[0].most_filled_pkts, 8u);
    assert_int_equal(w->results.cpu_ns[TG_SIM_SHARE_INTERRUPTS], 5u * US);
    assert_int_equal(w->results.mode_changes, 1u);
    world_close(w);
}

/* R3: each refill polls, the queue of the highest rank first, one unit per frame, without entering
 * interrupts; back to interrupts only when the rings are empty with budget left. */
static void r3_refills_poll(void **state)
{
    struct world *const w = world_open(
        HEAD "tasks: []\n" RECEIVE("") TWO_QUEUES("{packets: 3, period: 100 us}") FLOWS BEST_EFFORT,
        400u * US);

    (void)state;
    for (uint32_t i = 0u; i < 7u; i++) {
        world_arrive(w, 0u, BEST);
    }
    world_arrive(w, 50u * US, HIGH);
    world_arrive(w, 60u * US, HIGH);
    world_log_cpu(w);
    world_log(w, TG_SIM_EVENT_POLLED);
    world_log(w, TG_SIM_EVENT_VERDICT);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq down\n"
                        "3000 best passed\n"
                        "5000 best passed\n"
                        "7000 gate 0 polled\n"
                        "7000 best passed\n"
                        "7000 protocol\n"
                        "37000 idle\n"
                        "100000 tick\n"
                        "101000 poll up\n"
                        "103000 high passed\n"
                        "105000 high passed\n"
                        "105000 poll down\n"
                        "107000 best passed\n"
                        "107000 protocol\n"
                        "137000 idle\n"
                        "200000 tick\n"
                        "201000 poll down\n"
                        "203000 best passed\n"
                        "205000 best passed\n"
                        "207000 best passed\n" /* the ring is empty, and so is the budget */
                        "207000 protocol\n"
                        "237000 idle\n"
                        "300000 tick\n"
                        "301000 gate 0 open\n"
                        "301000 idle\n"
                        "400000 tick\n"); /* its timer was still running */
    assert_int_equal(w->results.polled, 6u);
    world_close(w);
}

/* R4, R5: after every frame the queue of the highest rank is served next; its interrupt is entered
 * at that boundary, and the one that it displaced goes on without being entered again. */
static void r4_r5_higher_ranks_come_in_between(void **state)
{
    struct world *const w = world_open(
        HEAD "tasks: []\n" RECEIVE("") TWO_QUEUES("{packets: 100, period: 1 ms}") FLOWS BEST_EFFORT,
        MS);

    (void)state;
    world_arrive(w, 0u, LOW);
    world_arrive(w, 0u, LOW);
    world_arrive(w, 0u, BEST);
    world_arrive(w, 4u * US, HIGH); /* within the second step */
    world_log_cpu(w);
    world_log(w, TG_SIM_EVENT_VERDICT);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq down\n"
                        "3000 low passed\n"
                        "5000 low passed\n"
                        "5000 irq up\n" /* 1 + 2 */
                        "8000 high passed\n"
                        "8000 irq down\n" /* 2 */
                        "10000 best passed\n"
                        "10000 protocol\n"
                        "50000 idle\n");
    assert_int_equal(w->results.interrupts, 2u);
    world_close(w);
}

/* R5: a queue that is masked while it was displaced is entered anew when it interrupts again. */
static void r5_a_masked_queue_is_entered_anew(void **state)
{
    struct world *const w = world_open(
        HEAD "tasks: []\n" RECEIVE("") TWO_QUEUES("{packets: 2, period: 100 us}") FLOWS BEST_EFFORT,
        280u * US);

    (void)state;
    world_arrive(w, 0u, LOW);
    world_arrive(w, 0u, LOW);
    world_arrive(w, 1u * US,
                 HIGH); /* takes the second unit, and down is masked with a frame left */
    world_arrive(w, 250u * US, BEST); /* the gate is open again since 200 */
    world_log(w, TG_SIM_EVENT_VERDICT);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "3000 low passed\n"
                        "6000 high passed\n"
                        "103000 low passed\n"
                        "253000 best passed\n");
    assert_int_equal(w->results.interrupts, 3u);
    world_close(w);
}

/* Two gates: between two frames of a poll the queue of the higher rank comes first, whichever way
 * it is served. */
static void ranks_hold_across_gates(void **state)
{
    static const char queues[] =
        "queues:\n"
        "  - {name: up, priorities: 20..31, ring: 4, gate: {packets: 1, period: 100 us}}\n"
        "  - {name: down, priorities: 0..19, ring: 8, gate: {packets: 1, period: 60 us}}\n";
    char text[2048];

    (void)state;
    (void)snprintf(text, sizeof text, HEAD "tasks: []\n" RECEIVE("") "%s" FLOWS BEST_EFFORT,
                   queues);

    struct world *const w = world_open(text, 130u * US);

    world_arrive(w, 0u, HIGH);        /* up is polled from 3 on */
    world_arrive(w, 50u * US, HIGH);  /* waits for 100 */
    world_arrive(w, 100u * US, BEST); /* down interrupts, but the poll of up comes first */
    world_arrive(w, 110u * US, BEST); /* waits for 120 */
    world_arrive(w, 120u * US, BEST);
    world_expect(w, TG_SIM_TIDEGATE,
                 "0 irq up\n"
                 "3000 protocol\n"
                 "13000 idle\n"
                 "100000 tick\n"
                 "101000 poll up\n"
                 "103000 irq down\n" /* its only unit */
                 "106000 protocol\n"
                 "120000 tick\n"
                 "121000 poll down\n"
                 "123000 protocol\n");
}

/* R4 within a poll: a frame that comes during a step does not take that step's unit from the frame
 *    that the
 * step has begun with. */
static void r4_a_poll_step_keeps_its_frame(void **state)
{
    struct world *const w = world_open(
        HEAD "tasks: []\n" RECEIVE("") TWO_QUEUES("{packets: 2, period: 100 us}") FLOWS BEST_EFFORT,
        150u * US);

    (void)state;
    world_arrive(w, 0u, LOW);
    world_arrive(w, 0u, LOW);
    world_arrive(w, 0u, BEST);
    world_arrive(w, 102u * US, HIGH); /* within the first polled step, 101 to 103 */
    world_log(w, TG_SIM_EVENT_VERDICT);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "3000 low passed\n"
                        "5000 low passed\n"
                        "103000 best passed\n"
                        "105000 high passed\n");
    world_close(w);
}

/* R6: what the flow's budget or reserve refuses costs the step, and nothing beyond it. */
static void r6_a_refused_frame_costs_a_step(void **state)
{
    struct world *const w = world_open(
        HEAD "tasks: []\n" RECEIVE("") QUEUE("{packets: 100, period: 1 ms}") FLOWS BEST_EFFORT, MS);

    (void)state;
    for (uint32_t i = 0u; i < 3u; i++) {
        world_arrive(w, 0u, LOW);
    }
    for (uint32_t i = 0u; i < 5u; i++) {
        world_arrive(w, 0u, BEST);
    }
    world_log(w, TG_SIM_EVENT_VERDICT);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "3000 low passed\n"
                        "5000 low passed\n"
                        "7000 low budget\n"
                        "9000 best passed\n"
                        "11000 best passed\n"
                        "13000 best passed\n"
                        "15000 best no buffer\n"
                        "17000 best no buffer\n");
    assert_int_equal(w->results.cpu_ns[TG_SIM_SHARE_INTERRUPTS], 17u * US);
    assert_int_equal(w->results.cpu_ns[TG_SIM_SHARE_PROTOCOL], 50u * US);
    world_close(w);
}

/* R7: the priority is that of the most urgent packet that waits or is in processing, lowered before
 * the next is taken: a task at 10 runs between a packet at 20 and one at 6. */
static void r7_the_protocol_task_inherits(void **state)
{
    struct world *const w = world_open(
        HEAD "tasks: [{name: mid, priority: 10, period: 1 ms, wcet: 20 us}]\n" RECEIVE("")
            QUEUE("{packets: 100, period: 1 ms}") FLOWS BEST_EFFORT,
        MS);

    (void)state;
    world_arrive(w, 0u, BEST);
    world_arrive(w, 0u, LOW);
    world_arrive(w, 0u, HIGH);
    world_log_cpu(w);
    world_log(w, TG_SIM_EVENT_DONE);
    world_log(w, TG_SIM_EVENT_PRIORITY);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n"
                        "5000 priority 6\n"
                        "7000 priority 20\n"
                        "7000 protocol\n"
                        "17000 high done\n"
                        "17000 priority 6\n"
                        "17000 mid\n"
                        "37000 protocol\n"
                        "47000 low done\n"
                        "47000 priority 1\n" /* the floor; best effort is below it */
                        "57000 best done\n"
                        "57000 idle\n");
    world_close(w);
}

static tg_ns shuffled(void *ctx, uint32_t task, uint64_t job)
{
    static const tg_ns delays_ns[] = {250u * US, 10u * US, 0u};

    (void)ctx;
    assert_int_equal(task, 0u);
    return job < 3u ? delays_ns[job] : 0u;
}

/* R8: with a jitter beyond the period releases keep the order of their nominal arrivals, and
 * responses count from those. */
static void r8_releases_keep_their_order(void **state)
{
    struct world *const w = world_open(
        HEAD "tasks: [{name: late, priority: 5, period: 100 us, wcet: 10 us, jitter: 250 us, "
             "deadline: 1 "
             "ms}]\n" RECEIVE("") QUEUE("{packets: 100, period: 1 ms}") FLOWS BEST_EFFORT,
        400u * US);

    (void)state;
    w->input.release_delay = shuffled;
    world_log(w, TG_SIM_EVENT_RELEASE);
    world_log(w, TG_SIM_EVENT_FINISH);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "250000 release late\n"
                        "250000 release late\n"
                        "250000 release late\n"
                        "260000 finish late\n" /* of 0 */
                        "270000 finish late\n" /* of 100 */
                        "280000 finish late\n" /* of 200 */
                        "300000 release late\n"
                        "310000 finish late\n");
    assert_int_equal(w->results.tasks[0].worst_ns, 260u * US);
    world_close(w);
}

/* R9: refilled by timestamp, a step that starts at the refill takes a unit of the new period;
 * refilled by tick, only the tick brings one, but it comes first. */
static void r9_who_refills(void **state)
{
    static const char *const refills[] = {", refill: timestamp", ", refill: tick"};
    static const char *const logs[] = {"100000 high passed\n" /* entered at 97 */
                                       "102000 high passed\n"
                                       "104000 gate 0 polled\n"
                                       "104000 high passed\n",
                                       "100000 high passed\n"
                                       "103000 high passed\n"
                                       "105000 gate 0 polled\n"
                                       "105000 high passed\n"};
    static const uint64_t ticks[] = {0u, 1u};
    char text[2048];

    (void)state;
    for (uint32_t i = 0u; i < 2u; i++) {
        (void)snprintf(text, sizeof text,
                       HEAD "tasks: []\n" RECEIVE("%s") QUEUE("{packets: 2, period: 100 us}")
                           FLOWS BEST_EFFORT,
                       refills[i]);

        struct world *const w = world_open(text, 150u * US);

        for (uint32_t k = 0u; k < 3u; k++) {
            world_arrive(w, 97u * US, HIGH);
        }
        world_log(w, TG_SIM_EVENT_VERDICT);
        world_log(w, TG_SIM_EVENT_POLLED);
        world_run(w, TG_SIM_TIDEGATE);
        world_assert_log(w, logs[i]);
        assert_int_equal(w->results.ticks, ticks[i]);
        world_close(w);
    }
}

/* R10: nothing nests. The tick waits for the end of a step, then comes before the next one. */
static void r10_the_tick_waits_for_a_step(void **state)
{
    struct world *const w = world_open(HEAD "tasks: []\n" RECEIVE(", refill: tick")
                                           QUEUE("{packets: 6, period: 100 us}") FLOWS BEST_EFFORT,
                                       150u * US);

    (void)state;
    for (uint32_t i = 0u; i < 3u; i++) {
        world_arrive(w, 96u * US, BEST);
    }
    world_log_cpu(w);
    world_log(w, TG_SIM_EVENT_VERDICT);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 idle\n"
                        "96000 irq q\n"
                        "99000 best passed\n"
                        "101000 best passed\n"
                        "101000 tick\n"
                        "102000 irq q\n" /* goes on: not entered again */
                        "104000 best passed\n"
                        "104000 protocol\n"
                        "134000 idle\n");
    assert_int_equal(w->results.interrupts, 1u);
    world_close(w);
}

/* R3 and R10 with a polling task: the tick wakes it, tasks above it run first, and a step of it
 *    keeps
 * everything out, since the core's lock is held for all of it. */
static void a_task_can_poll(void **state)
{
    struct world *const w = world_open(
        HEAD "tasks: [{name: over, priority: 12, period: 1 ms, wcet: 5 us}]\n" RECEIVE(
            ", poll_priority: 11") QUEUE("{packets: 2, period: 100 us}") FLOWS BEST_EFFORT,
        290u * US);
    const tg_ns over_at_ns[] = {102u * US};

    (void)state;
    w->input.task_offsets_ns = over_at_ns;
    for (uint32_t i = 0u; i < 4u; i++) {
        world_arrive(w, 0u, BEST);
    }
    world_log_cpu(w);
    world_log(w, TG_SIM_EVENT_VERDICT);
    world_log(w, TG_SIM_EVENT_POLLED);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n"
                        "3000 best passed\n"
                        "5000 gate 0 polled\n"
                        "5000 best passed\n"
                        "5000 protocol\n"
                        "25000 idle\n"
                        "100000 tick\n"
                        "101000 poller\n" /* over is released at 102, within the step */
                        "103000 best passed\n"
                        "103000 over\n"
                        "108000 poller\n"
                        "110000 best passed\n"
                        "110000 protocol\n"
                        "130000 idle\n"
                        "200000 tick\n"
                        "201000 gate 0 open\n"
                        "201000 idle\n");
    assert_int_equal(w->results.polled, 2u);
    assert_int_equal(w->results.cpu_ns[TG_SIM_SHARE_INTERRUPTS], (5u + 1u + 4u + 1u) * US);
    world_close(w);
}

/* A polling gate is never open: frames are served at refills, unused budget is lost. */
static void a_polling_gate_never_interrupts(void **state)
{
    struct world *const w =
        world_open(HEAD "tasks: []\n" RECEIVE("")
                       QUEUE("{kind: polling, packets: 2, period: 100 us}") FLOWS BEST_EFFORT,
                   350u * US);

    (void)state;
    world_arrive(w, 0u, HIGH);
    for (uint32_t i = 0u; i < 3u; i++) {
        world_arrive(w, 150u * US, HIGH);
    }
    world_log(w, TG_SIM_EVENT_VERDICT);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "103000 high passed\n"
                        "203000 high passed\n"
                        "205000 high passed\n"
                        "303000 high passed\n");
    assert_int_equal(w->results.interrupts, 0u);
    assert_int_equal(w->results.ticks, 3u);
    world_close(w);
}

#define REFUSED ", refused: 1500 ns"

/* What a frame costs depends on what becomes of it; 2 us accepted, 1.5 us for every other
 * verdict. */
static void refused_frames_cost_less(void **state)
{
    struct world *const w =
        world_open(HEAD "tasks: []\n" RECEIVE(REFUSED) QUEUE("unlimited") FLOWS BEST_EFFORT, MS);

    (void)state;
    world_arrive(w, 0u, LOW);
    world_arrive(w, 100u * US, LOW);
    world_arrive(w, 200u * US, LOW); /* over its budget of two */
    world_arrive(w, 300u * US, MALFORMED);
    for (uint32_t i = 0u; i < 4u; i++) {
        world_arrive(w, 400u * US, BEST); /* it has three buffers */
    }
    world_log_cpu(w);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n"
                        "3000 protocol\n"
                        "13000 idle\n"
                        "100000 irq q\n"
                        "103000 protocol\n"
                        "113000 idle\n"
                        "200000 irq q\n"
                        "202500 idle\n"
                        "300000 irq q\n"
                        "302500 idle\n"
                        "400000 irq q\n" /* 1, three times 2, 1.5 */
                        "408500 protocol\n"
                        "438500 idle\n");
    world_close(w);
}

static void unregistered_frames_cost_less(void **state)
{
    (void)state;
    struct world *const w = world_open(
        HEAD "tasks: []\n" RECEIVE(REFUSED) QUEUE("unlimited") FLOWS "unregistered: drop\n", MS);

    world_arrive(w, 0u, BEST);
    world_arrive(w, 100u * US, HIGH);
    world_log_cpu(w);
    world_run(w, TG_SIM_TIDEGATE);
    world_assert_log(w, "0 irq q\n"
                        "2500 idle\n"
                        "100000 irq q\n"
                        "103000 protocol\n"
                        "113000 idle\n");
    world_close(w);
}

/* Polled by the tick handler and by a task; a budget that comes back meanwhile is seen. */
static void refused_frames_cost_less_polled(void **state)
{
    static const char *const logs[] = {"0 irq q\n" /* two accepted */
                                       "5000 protocol\n"
                                       "25000 idle\n"
                                       "100000 tick\n"
                                       "101000 poll q\n" /* two refused */
                                       "104000 idle\n"
                                       "200000 tick\n"
                                       "201000 poll q\n"
                                       "202500 idle\n"
                                       "300000 tick\n" /* had been armed */
                                       "301000 idle\n"
                                       "1000000 irq q\n"
                                       "1003000 protocol\n"
                                       "1013000 idle\n",
                                       "0 irq q\n"
                                       "5000 protocol\n"
                                       "25000 idle\n"
                                       "100000 tick\n"
                                       "101000 poller\n"
                                       "104000 idle\n"
                                       "200000 tick\n"
                                       "201000 poller\n"
                                       "202500 idle\n"
                                       "300000 tick\n" /* had been armed */
                                       "301000 idle\n"
                                       "1000000 irq q\n"
                                       "1003000 protocol\n"
                                       "1013000 idle\n"};

    (void)state;
    for (size_t i = 0u; i < 2u; i++) {
        struct world *const w =
            i == 0u ? world_open(HEAD "tasks: []\n" RECEIVE(REFUSED)
                                     QUEUE("{packets: 2, period: 100 us}") FLOWS BEST_EFFORT,
                                 2u * MS)
                    : world_open(HEAD "tasks: []\n" RECEIVE(REFUSED ", poll_priority: 31")
                                     QUEUE("{packets: 2, period: 100 us}") FLOWS BEST_EFFORT,
                                 2u * MS);

        for (uint32_t k = 0u; k < 5u; k++) {
            world_arrive(w, 0u, LOW);
        }
        world_arrive(w, MS, LOW);
        world_log_cpu(w);
        world_run(w, TG_SIM_TIDEGATE);
        world_assert_log(w, logs[i]);
        world_close(w);
    }
}

/* A stock driver takes what it drops off its ring like the rest. */
static void stock_drivers_refuse_for_as_much(void **state)
{
    struct world *const w =
        world_open(HEAD "tasks: []\n" RECEIVE(REFUSED) QUEUE("unlimited") FLOWS BEST_EFFORT, MS);

    (void)state;
    for (uint32_t i = 0u; i < 60u; i++) { /* 56 buffers beside the ring */
        world_arrive(w, i * US, LOW);
    }
    world_run(w, TG_SIM_STOCK_LOW);
    assert_int_equal(w->results.cpu_ns[TG_SIM_SHARE_INTERRUPTS],
                     (w->results.interrupts + w->results.queues[0].received) * US);
    assert_true(w->results.queues[0].received >= 57u);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(r1_every_step_takes_a_unit),
        cmocka_unit_test(r1_a_late_interrupt_takes_a_unit),
        cmocka_unit_test(r2_the_last_unit_masks),
        cmocka_unit_test(r3_refills_poll),
        cmocka_unit_test(r4_r5_higher_ranks_come_in_between),
        cmocka_unit_test(r4_a_poll_step_keeps_its_frame),
        cmocka_unit_test(r5_a_masked_queue_is_entered_anew),
        cmocka_unit_test(ranks_hold_across_gates),
        cmocka_unit_test(r6_a_refused_frame_costs_a_step),
        cmocka_unit_test(r7_the_protocol_task_inherits),
        cmocka_unit_test(r8_releases_keep_their_order),
        cmocka_unit_test(r9_who_refills),
        cmocka_unit_test(r10_the_tick_waits_for_a_step),
        cmocka_unit_test(a_task_can_poll),
        cmocka_unit_test(a_polling_gate_never_interrupts),
        cmocka_unit_test(refused_frames_cost_less),
        cmocka_unit_test(unregistered_frames_cost_less),
        cmocka_unit_test(refused_frames_cost_less_polled),
        cmocka_unit_test(stock_drivers_refuse_for_as_much),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
