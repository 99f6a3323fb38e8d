/* SPDX-License-Identifier: MIT
 *
 * systems.c - random systems.
 */
#include "systems.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const task_names[MAX_TASKS] = {"t0", "t1", "t2", "t3", "t4", "t5"};
static const char *const flow_names[MAX_FLOWS] = {"f0", "f1", "f2", "f3", "f4", "f5"};
static const char *const queue_names[MAX_QUEUES] = {"q0", "q1", "q2"};

/* xorshift64* (Vigna 2016). */
uint64_t random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

uint64_t random_between(uint64_t *state, uint64_t low, uint64_t high)
{
    return low + (random_next(state) >> 11) % (high - low + 1);
}

bool random_chance(uint64_t *state, unsigned percent)
{
    return random_between(state, 0, 99) < percent;
}

uint64_t test_seed(const char *test)
{
    const char *text = getenv("TG_SEED");
    const uint64_t seed = text == NULL ? 20261201 : strtoull(text, NULL, 10);

    (void)printf("%s: TG_SEED=%" PRIu64 "\n", test, seed);
    return seed == 0 ? 1 : seed; /* the generator must not start at 0 */
}

struct tg_analysis_input system_input(const struct system *s)
{
    return (struct tg_analysis_input){.unit = "tick",
                                      .tasks = s->tasks,
                                      .n_tasks = s->n_tasks,
                                      .servers = s->servers,
                                      .n_servers = s->n_servers,
                                      .gates = s->gates,
                                      .n_gates = s->n_gates,
                                      .queues = s->queues,
                                      .n_queues = s->n_queues,
                                      .flows = s->flows,
                                      .n_flows = s->n_flows,
                                      .irq_off = s->irq_off,
                                      .lock = s->lock,
                                      .discrete_blocking = s->discrete_blocking};
}

static int32_t random_priority(uint64_t *r)
{
    return (int32_t)random_between(r, 0, 9);
}

static enum tg_curve_kind random_kind(uint64_t *r, bool tokens)
{
    static const enum tg_curve_kind kinds[] = {TG_CURVE_DEFERRABLE, TG_CURVE_DEFERRABLE,
                                               TG_CURVE_SPORADIC, TG_CURVE_TOKEN};
    return kinds[random_between(r, 0, tokens ? 3 : 2)];
}

static void random_task(struct tg_analysis_task *t, uint64_t *r, size_t n)
{
    const uint64_t period = random_between(r, 30, 3000);
    const uint64_t wcet = 1 + period * random_between(r, 2, 90) / 100 / n;

    *t = (struct tg_analysis_task){.priority = random_priority(r),
                                   .wcet = wcet,
                                   .period = period,
                                   .deadline = random_between(r, wcet, 3 * period)};
    t->jitter = random_chance(r, 30) ? random_between(r, 0, period) : 0;
    t->blocking = random_chance(r, 20) ? random_between(r, 0, 50) : 0;
    t->section = random_chance(r, 30) ? random_between(r, 0, wcet) : 0;
    t->irq_off = random_chance(r, 20) ? random_between(r, 0, 20) : 0;
    t->calls_stack = random_chance(r, 20);
}

static void random_reception(struct system *s, uint64_t *r, bool tokens)
{
    struct tg_analysis_gate *g = &s->gates[0];
    const bool all_moderated = random_chance(r, 50);

    s->n_gates = 1;
    *g = (struct tg_analysis_gate){.kind = random_kind(r, tokens),
                                   .budget = random_between(r, 1, 12),
                                   .interrupt = random_between(r, 0, 8),
                                   .packet = random_between(r, 1, 8),
                                   .tick = random_between(r, 0, 5),
                                   .refilled_by_tick = random_chance(r, 30),
                                   .polled_by_task = random_chance(r, 30),
                                   .poll_priority = random_priority(r)};
    g->kind = random_chance(r, 15) ? TG_CURVE_POLLING : g->kind;
    g->period = 1 + g->budget * (g->interrupt + g->packet) * random_between(r, 12, 300) / 10;
    g->wire_gap = random_chance(r, 15) ? random_between(r, 5, 300) : 0;
    s->irq_off = random_chance(r, 20) ? random_between(r, 0, 30) : 0;
    s->n_queues = random_between(r, 1, MAX_QUEUES);
    for (size_t k = 0; k < s->n_queues; k++) {
        struct tg_analysis_queue *q = &s->queues[k];
        *q = (struct tg_analysis_queue){.name = queue_names[k],
                                        .rank = (int32_t)random_between(r, 0, 2),
                                        .ring = random_between(r, 1, 40),
                                        .isolated = random_chance(r, 60)};
        if (all_moderated || random_chance(r, 20)) {
            const uint64_t which = random_between(r, 1, 7);
            q->absolute_timer = (which & 1) != 0 ? random_between(r, 10, 500) : 0;
            q->packet_timer = (which & 2) != 0 ? random_between(r, 5, 200) : 0;
            q->packets = (which & 4) != 0 ? random_between(r, 1, 8) : 0;
        }
    }
}

static void random_flow(struct system *s, struct tg_analysis_flow *f, uint64_t *r, bool tokens,
                        bool trusted)
{
    const uint64_t cost = random_between(r, 1, 60);

    *f = (struct tg_analysis_flow){.priority = random_priority(r),
                                   .cost = cost,
                                   .queue = TG_NOBODY,
                                   .kind = TG_CURVE_UNLIMITED,
                                   .reserve = TG_NO_BOUND,
                                   .deadline = TG_NO_BOUND};
    if (s->n_queues > 0) {
        f->queue = random_between(r, 0, s->n_queues - 1);
    }
    if (random_chance(r, 85)) {
        f->kind = random_kind(r, tokens);
        f->budget = random_between(r, 1, 6);
        f->period = 1 + f->budget * cost * random_between(r, 3, 60);
    } else {
        f->reserve = random_between(r, 1, 20);
    }
    if (random_chance(r, 80)) {
        f->has_source = true;
        f->burst = random_between(r, 1, 3);
        f->every = f->burst * cost * random_between(r, 3, 80);
        f->jitter = random_chance(r, 60) ? random_between(r, 0, f->every) : 0;
        f->trusted = trusted && random_chance(r, 30);
        f->deadline = random_chance(r, 40) ? random_between(r, 100, 5000) : TG_NO_BOUND;
    }
    f->section = random_chance(r, 20) ? random_between(r, 0, cost) : 0;
    f->irq_off = random_chance(r, 10) ? random_between(r, 0, 20) : 0;
    if (random_chance(r, 30)) {
        f->has_receiver = true;
        f->receiver_priority = random_priority(r);
        f->receiver_wcet = random_between(r, 1, 40);
    }
}

void random_system(struct system *s, uint64_t *state, bool tokens, bool trusted)
{
    memset(s, 0, sizeof *s);
    s->n_tasks = random_between(state, 0, MAX_TASKS);
    for (size_t i = 0; i < s->n_tasks; i++) {
        random_task(&s->tasks[i], state, s->n_tasks);
        s->tasks[i].name = task_names[i];
    }
    if (random_chance(state, 90)) {
        random_reception(s, state, tokens);
    }
    s->n_flows = random_between(state, 0, MAX_FLOWS);
    for (size_t i = 0; i < s->n_flows; i++) {
        random_flow(s, &s->flows[i], state, tokens, trusted);
        s->flows[i].name = flow_names[i];
    }
    if (random_chance(state, 20)) {
        const uint64_t period = random_between(state, 50, 1000);
        s->n_servers = 1;
        s->servers[0] = (struct tg_analysis_server){
            .name = "s0",
            .kind = random_chance(state, 50) ? TG_CURVE_DEFERRABLE : TG_CURVE_POLLING,
            .priority = random_priority(state),
            .capacity = random_between(state, 1, 1 + period / 8),
            .period = period};
    }
    s->lock = random_chance(state, 20) ? random_between(state, 1, 30) : 0;
}
