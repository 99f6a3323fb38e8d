/* SPDX-License-Identifier: MIT
 *
 * analysis_speed.c - how long one analysis takes, over the size of the system. Prints a table on
 * standard output: tasks, flows, priorities, microseconds (best of several), demand per item.
 *
 * The systems are the same on every machine: a generator with a fixed seed, tasks that take half of
 * the CPU, flows whose budgets can take a fifth, two queues behind one gate, one of them isolated.
 */
#include "analysis/analysis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct system {
    struct tg_analysis_input in;
    struct tg_analysis_task *tasks;
    struct tg_analysis_flow *flows;
    struct tg_analysis_gate gate;
    struct tg_analysis_queue queues[2];
};

/* xorshift64* (Vigna 2016). */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static uint64_t between(uint64_t *state, uint64_t low, uint64_t high)
{
    return low + (next_random(state) >> 11) % (high - low + 1);
}

/* 1 ms to 1 s, each factor of ten as likely as the others. */
static uint64_t random_period_ns(uint64_t *state)
{
    uint64_t period = between(state, 1000, 9999);

    for (uint64_t tens = between(state, 0, 2); tens > 0; tens--) {
        period *= 10;
    }
    return period * 1000;
}

static void make_tasks(struct system *s, uint64_t n, int32_t priorities, uint64_t *state)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t period = random_period_ns(state);
        s->tasks[i] = (struct tg_analysis_task){
            .name = "task",
            .priority = (int32_t)(i % (uint64_t)priorities),
            .wcet = 1 + period / 2 / n,
            .period = period,
            .deadline = period,
            .jitter = between(state, 0, period / 10),
        };
    }
}

static void make_flows(struct system *s, uint64_t n, int32_t priorities, uint64_t *state)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t every = random_period_ns(state);
        const uint64_t budget = between(state, 2, 8);
        s->flows[i] = (struct tg_analysis_flow){
            .name = "flow",
            .priority = (int32_t)(i % (uint64_t)priorities),
            .cost = 1 + every / 5 / n,
            .queue = i % 2,
            .kind = TG_CURVE_DEFERRABLE,
            .budget = budget,
            .period = every * budget,
            .reserve = TG_NO_BOUND,
            .has_source = true,
            .every = 2 * every,
            .burst = 1,
            .deadline = i % 2 == 0 ? every : TG_NO_BOUND,
        };
    }
    s->flows[0].kind = TG_CURVE_UNLIMITED; /* best effort */
    s->flows[0].priority = -1;
    s->flows[0].budget = 0;
    s->flows[0].period = 0;
    s->flows[0].reserve = 32;
    s->flows[0].queue = 1;
    s->flows[0].deadline = TG_NO_BOUND;
}

static void make_system(struct system *s, uint64_t tasks, uint64_t flows, int32_t priorities)
{
    uint64_t state = 88172645463325252u;

    *s = (struct system){0};
    s->tasks = calloc(tasks, sizeof *s->tasks);
    s->flows = calloc(flows, sizeof *s->flows);
    if (s->tasks == NULL || s->flows == NULL) {
        abort();
    }
    make_tasks(s, tasks, priorities, &state);
    make_flows(s, flows, priorities, &state);
    s->gate = (struct tg_analysis_gate){.kind = TG_CURVE_DEFERRABLE,
                                        .budget = 32 + flows,
                                        .period = (32 + flows) * 20000,
                                        .interrupt = 1000,
                                        .packet = 2000,
                                        .tick = 1000};
    s->queues[0] =
        (struct tg_analysis_queue){.name = "own", .rank = 1, .ring = 4 * flows, .isolated = true};
    s->queues[1] = (struct tg_analysis_queue){.name = "rest", .rank = 0, .ring = 64};
    s->in = (struct tg_analysis_input){.unit = "ns",
                                       .tasks = s->tasks,
                                       .n_tasks = tasks,
                                       .gates = &s->gate,
                                       .n_gates = 1,
                                       .queues = s->queues,
                                       .n_queues = 2,
                                       .flows = s->flows,
                                       .n_flows = flows};
}

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t best_time_ns(const struct tg_analysis_input *in, unsigned runs, size_t *bounded)
{
    uint64_t best = UINT64_MAX;

    for (unsigned run = 0; run < runs; run++) {
        struct tg_analysis_result result;
        const uint64_t begin = now_ns();
        if (tg_analyse(in, &result) != 0) {
            abort();
        }
        const uint64_t took = now_ns() - begin;
        best = took < best ? took : best;
        *bounded = 0;
        for (size_t i = 0; i < in->n_tasks; i++) {
            *bounded += result.tasks[i].response.value != TG_NO_BOUND;
        }
        for (size_t i = 0; i < in->n_flows; i++) {
            *bounded += result.flows[i].accepted.value != TG_NO_BOUND;
        }
        tg_analysis_result_free(&result);
    }
    return best;
}

int main(void)
{
    static const struct {
        uint64_t tasks;
        uint64_t flows;
    } sizes[] = {{8, 16},    {16, 32},   {32, 64},   {64, 128},
                 {125, 250}, {250, 250}, {500, 500}, {1000, 1000}};

    (void)printf("# tasks flows priorities bounded time_us\n");
    for (int distinct = 0; distinct <= 1; distinct++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            const int32_t priorities = distinct ? (int32_t)sizes[i].tasks : 32;
            struct system s;
            size_t bounded;
            make_system(&s, sizes[i].tasks, sizes[i].flows, priorities);
            const uint64_t took = best_time_ns(&s.in, sizes[i].tasks > 200 ? 3 : 20, &bounded);
            (void)printf("%5" PRIu64 " %5" PRIu64 " %5" PRId32 " %5zu %9" PRIu64 ".%" PRIu64 "\n",
                         sizes[i].tasks, sizes[i].flows, priorities, bounded, took / 1000,
                         took % 1000 / 100);
            free(s.tasks);
            free(s.flows);
        }
    }
    return 0;
}
