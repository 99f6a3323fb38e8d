/* SPDX-License-Identifier: MIT
 *
 * cases.c - what port.h promises, case by case, and the whole path on top of it.
 */
#include "cases.h"
#include "check_cmocka.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)

/* Gates that never close, so that nothing but the case moves masks and timer. */
static const struct world_config QUIET = {
    .gates = {{.budget = {.kind = TG_SERVER_UNLIMITED}}, {.budget = {.kind = TG_SERVER_UNLIMITED}}},
    .gate_of = {0u, 1u},
    .frames_per_producer = UINT32_MAX};

static struct world *start(const struct world_config *cfg)
{
    struct world *const w = world_open(cfg);

    harness_start(w);
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        tg_rxq_link(w->rings[i].queue, true);
    }
    return w;
}

static void finish(struct world *w)
{
    harness_stop(w);
    world_close(w);
}

/* ---- Mutual exclusion ------------------------------------------------------------------------ */

#define ROUNDS 20000u

/* Not atomic, for the lock is to guard them. */
static struct {
    uint32_t contexts;
    uint32_t first;
    uint32_t second;
    bool is_torn;
} guarded;

static void enter_and_leave(struct world *w)
{
    uint32_t state = tg_port_lock(w->port);

    guarded.contexts++;
    tg_port_unlock(w->port, state);
    for (uint32_t i = 0u; i < ROUNDS; i++) {
        state = tg_port_lock(w->port);
        guarded.is_torn = guarded.is_torn || guarded.first != guarded.second;
        guarded.first++;
        guarded.second = guarded.first;
        tg_port_unlock(w->port, state);
    }
}

static void lock_excludes(void **test_state)
{
    struct world *const w = start(&QUIET);

    (void)test_state;
    memset(&guarded, 0, sizeof(guarded));
    harness_contend(w, enter_and_leave);
    assert_true(guarded.contexts >= 1u);
    assert_false(guarded.is_torn);
    assert_int_equal(guarded.first, guarded.contexts * ROUNDS);
    finish(w);
}

/* ---- The protocol task ----------------------------------------------------------------------- */

static uint32_t wanted_priority;

static bool has_wanted_priority(struct world *w)
{
    const uint32_t state = tg_port_lock(w->port);
    const bool has = harness_priority(w) == wanted_priority;

    tg_port_unlock(w->port, state);
    return has;
}

static void set_priority(struct world *w, uint32_t priority)
{
    const uint32_t state = tg_port_lock(w->port);

    tg_port_set_priority(w->port, priority);
    tg_port_unlock(w->port, state);
    wanted_priority = priority;
    if (tg_port_priority_kind(w->port) == TG_PORT_DIRECT) {
        assert_true(has_wanted_priority(w));
    } else {
        world_await(w, has_wanted_priority);
    }
}

static void priority_really_changes(void **test_state)
{
    struct world *const w = start(&QUIET);
    const uint32_t floor = w->protocol.floor;

    (void)test_state;
    wanted_priority = floor;
    assert_true(has_wanted_priority(w)); /* it starts there */
    for (uint32_t i = 0u; i < TG_PRIORITIES; i++) {
        if (i != floor) {
            set_priority(w, i);
            set_priority(w, floor);
        }
    }
    set_priority(w, TG_PRIORITIES - 1u);
    set_priority(w, floor); /* where the core believes it is */
    finish(w);
}

static void wake(struct world *w)
{
    const uint32_t state = tg_port_lock(w->port);

    tg_port_wake(w->port);
    tg_port_unlock(w->port, state);
}

static struct world *start_manual(void)
{
    struct world_config cfg = QUIET;

    cfg.is_manual = true;
    return start(&cfg);
}

static void wake_is_kept(void **test_state)
{
    struct world *const w = start_manual();

    (void)test_state;
    assert_false(harness_take_wake(w)); /* none before the first */
    wake(w);                            /* nobody waits yet */
    harness_pass(w, MS);
    assert_true(harness_take_wake(w));
    finish(w);
}

static void wake_is_idempotent(void **test_state)
{
    struct world *const w = start_manual();

    (void)test_state;
    for (uint32_t i = 0u; i < 3u; i++) {
        wake(w);
        wake(w);
        wake(w);
        assert_true(harness_take_wake(w));
        assert_false(harness_take_wake(w));
    }
    finish(w);
}

static bool has_processed_one(struct world *w)
{
    return atomic_load(&w->processed) >= 1u;
}

static void wake_runs_the_protocol_task(void **test_state)
{
    struct world *const w = start(&QUIET);

    (void)test_state;
    harness_pass(w, MS); /* it waits by now, or is about to */
    assert_true(world_produce(w, 0u));
    world_await(w, has_processed_one);
    finish(w);
}

/* ---- Receive interrupts ---------------------------------------------------------------------- */

static void mask(struct world *w, uint32_t times)
{
    const uint32_t state = tg_port_lock(w->port);

    for (uint32_t i = 0u; i < times; i++) {
        tg_port_mask(w->port, 0u);
    }
    tg_port_unlock(w->port, state);
}

static void unmask(struct world *w, uint32_t times)
{
    const uint32_t state = tg_port_lock(w->port);

    for (uint32_t i = 0u; i < times; i++) {
        tg_port_unmask(w->port, 0u);
    }
    tg_port_unlock(w->port, state);
}

/* Producer i belongs to queue i. */
static void produce(struct world *w, uint32_t queue, uint32_t n)
{
    for (uint32_t i = 0u; i < n; i++) {
        assert_true(world_produce(w, queue));
    }
}

static uint64_t wanted_received;

static bool has_received_wanted(struct world *w)
{
    return world_received(w) >= wanted_received;
}

/* These, and no more. */
static void await_received(struct world *w, uint64_t n)
{
    wanted_received = n;
    world_await(w, has_received_wanted);
    assert_int_equal(world_received(w), n);
}

static void masks_from_the_start(void **test_state)
{
    struct world *const w = world_open(&QUIET);

    (void)test_state;
    harness_start(w);
    produce(w, 0u, 2u);
    harness_pass(w, 20u * MS);
    assert_int_equal(world_received(w), 0);
    tg_rxq_link(w->rings[0].queue, true); /* now the core unmasks */
    await_received(w, 2u);
    tg_rxq_link(w->rings[1].queue, true);
    finish(w);
}

static void mask_holds_one_queue_back(void **test_state)
{
    struct world *const w = start(&QUIET);

    (void)test_state;
    mask(w, 2u); /* twice is as good as once */
    produce(w, 0u, 3u);
    produce(w, 1u, 3u);
    await_received(w, 3u); /* the other queue is free */
    harness_pass(w, 20u * MS);
    assert_int_equal(world_received(w), 3);
    unmask(w, 2u); /* so is this: once is enough, and the frames are found without a new edge */
    await_received(w, 6u);
    unmask(w, 1u);
    produce(w, 0u, 1u);
    await_received(w, 7u);
    finish(w);
}

/* Frames that come before, while and after a queue is masked: none is stranded. */
static void no_frame_is_stranded(void **test_state)
{
    struct world *const w = start(&QUIET);

    (void)test_state;
    for (uint32_t i = 1u; i <= 200u; i++) {
        produce(w, 0u, 1u);
        mask(w, 1u);
        produce(w, 0u, 1u);
        unmask(w, 1u);
        produce(w, 0u, 1u);
        await_received(w, (uint64_t)i * 3u);
    }
    finish(w);
}

/* ---- Time ------------------------------------------------------------------------------------ */

static uint32_t wanted_ticks;

static bool has_ticked(struct world *w)
{
    (void)w;
    return world_ticks() >= wanted_ticks;
}

static void timer_start(struct world *w, tg_ns first_ns, tg_ns second_ns)
{
    const uint32_t state = tg_port_lock(w->port);

    wanted_ticks = world_ticks() + 1u;
    tg_port_timer_start(w->port, first_ns);
    tg_port_timer_start(w->port, second_ns); /* replaces the first */
    tg_port_unlock(w->port, state);
}

static void timer_is_replaced_by_a_sooner_one(void **test_state)
{
    struct world *const w = start(&QUIET);

    (void)test_state;
    timer_start(w, 3600000u * MS, MS);
    world_await(w, has_ticked);
    harness_pass(w, 20u * MS);
    assert_int_equal(world_ticks(), wanted_ticks); /* once: it is one-shot */
    finish(w);
}

static void timer_is_replaced_by_a_later_one(void **test_state)
{
    struct world *const w = start(&QUIET);

    (void)test_state;
    timer_start(w, MS, 3600000u * MS);
    harness_pass(w, 20u * MS);
    assert_int_equal(world_ticks(), wanted_ticks - 1u);
    timer_start(w, 3600000u * MS, 0u); /* at once */
    world_await(w, has_ticked);
    finish(w);
}

/* A polling gate never interrupts: only the timer, and polling after it, can bring the frames. */
static void timer_leads_to_polling(void **test_state)
{
    const struct world_config cfg = {
        .gates = {{.budget = {.kind = TG_SERVER_POLLING, .budget_pkts = 4u, .period_ns = MS}},
                  {.budget = {.kind = TG_SERVER_UNLIMITED}}},
        .gate_of = {0u, 1u},
        .frames_per_producer = UINT32_MAX};
    struct world *const w = start(&cfg);

    (void)test_state;
    produce(w, 0u, 10u);
    await_received(w, 10u);
    finish(w);
}

/* ---- Diagnosis ------------------------------------------------------------------------------- */

static void events_are_stamped_and_in_order(void **test_state)
{
    struct world *const w = start(&QUIET);
    const uint32_t state = tg_port_lock(w->port);
    struct tg_event e;
    tg_ns at_ns = 0u;

    (void)test_state;
    for (uint32_t i = 0u; i < WORLD_EVENTS + 2u; i++) {
        tg_port_trace(w->port, TG_EVENT_DELIVER, 1000u + i, i);
    }
    for (uint32_t i = 0u; i < WORLD_EVENTS; i++) {
        assert_true(tg_trace_take(&w->trace, &e));
        assert_true(e.at_ns >= at_ns);
        assert_int_equal(e.kind, TG_EVENT_DELIVER);
        assert_int_equal(e.subject, 1000u + i);
        assert_int_equal(e.value, i);
        assert_int_equal(e.lost, 0);
        at_ns = e.at_ns;
    }
    tg_port_trace(w->port, TG_EVENT_LOWER, 0u, 0u);
    assert_true(tg_trace_take(&w->trace, &e));
    assert_int_equal(e.lost, 2); /* the two for which there was no room */
    tg_port_unlock(w->port, state);
    finish(w);
}

static void assert_names_the_place(void **test_state)
{
    char said[256];

    (void)test_state;
    assert_true(harness_assert(said, sizeof(said)));
    assert_non_null(strstr(said, "where.c:4711"));
}

/* ---- The whole path -------------------------------------------------------------------------- */

/* All frames of four producers who flood both queues, while flows come and go. */
static void flood(const struct world_config *cfg)
{
    struct world *const w = start(cfg);
    struct tg_snapshot s = {.flows = w->counted};

    world_await(w, world_is_drained);
    harness_stop(w);
    tg_rx_snapshot(&w->protocol, &s);
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        const uint32_t gate = cfg->gate_of[i];

        /* A gate with interrupts was spent at times: masks, timer and polling took part. */
        assert_true(cfg->gates[gate].budget.kind != TG_SERVER_DEFERRABLE || s.closed[gate] > 0u);
    }
    assert_true(atomic_load(&w->processed) > 0u);
    world_close(w);
}

static void path_with_a_gate_per_queue(void **test_state)
{
    const struct world_config cfg = {
        .gates =
            {{.budget = {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 4u, .period_ns = 2u * MS}},
             {.budget = {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 3u, .period_ns = MS},
              .refill = TG_REFILL_TICK}},
        .gate_of = {0u, 1u},
        .frames_per_producer = 500u,
        .produces = true};

    (void)test_state;
    flood(&cfg);
}

static void path_with_a_shared_gate(void **test_state)
{
    const struct world_config cfg = {
        .gates = {{.budget = {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 4u, .period_ns = MS}},
                  {.budget = {.kind = TG_SERVER_UNLIMITED}}},
        .gate_of = {0u, 0u},
        .frames_per_producer = 500u,
        .produces = true,
        .trace = true};

    (void)test_state;
    flood(&cfg);
}

static void path_by_polling(void **test_state)
{
    const struct world_config cfg = {
        .gates = {{.budget = {.kind = TG_SERVER_POLLING, .budget_pkts = 4u, .period_ns = MS}},
                  {.budget = {.kind = TG_SERVER_SPORADIC,
                              .budget_pkts = 4u,
                              .period_ns = MS,
                              .window = (tg_ns[4]){0}}}},
        .gate_of = {0u, 1u},
        .frames_per_producer = 500u,
        .produces = true};

    (void)test_state;
    flood(&cfg);
}

static void path_without_a_gate(void **test_state)
{
    struct world_config cfg = QUIET;

    (void)test_state;
    cfg.frames_per_producer = 4000u;
    cfg.produces = true;
    flood(&cfg);
}

static bool has_processed_many(struct world *w)
{
    return atomic_load(&w->processed) >= 500u;
}

/* What was accepted is processed, what was not stays in the rings, whatever goes on. */
static void stops_in_a_flood(void **test_state)
{
    struct world_config cfg = QUIET;

    (void)test_state;
    cfg.produces = true;
    struct world *const w = start(&cfg);

    world_await(w, has_processed_many);
    finish(w);
}

int conformance_run(const char *name)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(lock_excludes),
        cmocka_unit_test(priority_really_changes),
        cmocka_unit_test(wake_is_kept),
        cmocka_unit_test(wake_is_idempotent),
        cmocka_unit_test(wake_runs_the_protocol_task),
        cmocka_unit_test(masks_from_the_start),
        cmocka_unit_test(mask_holds_one_queue_back),
        cmocka_unit_test(no_frame_is_stranded),
        cmocka_unit_test(timer_is_replaced_by_a_sooner_one),
        cmocka_unit_test(timer_is_replaced_by_a_later_one),
        cmocka_unit_test(timer_leads_to_polling),
        cmocka_unit_test(events_are_stamped_and_in_order),
        cmocka_unit_test(assert_names_the_place),
        cmocka_unit_test(path_with_a_gate_per_queue),
        cmocka_unit_test(path_with_a_shared_gate),
        cmocka_unit_test(path_by_polling),
        cmocka_unit_test(path_without_a_gate),
        cmocka_unit_test(stops_in_a_flood),
    };

    /* Only the cases that the variable names (* is anything): how a mutant asks for one. */
    cmocka_set_test_filter(getenv("TG_CASE"));
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* a broken port may not live to flush */
    printf("port conformance: %s\n", name);
    return cmocka_run_group_tests_name(name, cases, NULL, NULL);
}
