/* SPDX-License-Identifier: MIT
 *
 * lab_scenario.c - what the frames of a scenario cost, each of them alone: nothing else runs, no
 * frame waits for another, no budget is refilled. What then comes of them together is left to
 * whoever compares.
 */
#include "lab.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLES   2000u
#define SAMPLE_NS UINT64_C(200000) /* time enough for a packet to be worked on */

/* Instant 0 of a run is a refill of the gate: it is waited for. */
#define GATE_NS UINT64_C(100000000)

#define WORK_NS     UINT64_C(1000)
#define FOR_EVER_NS UINT64_C(60000000000) /* longer than a run */

/* A copy of the file's system, changed; names and matches are the file's. */
struct alone {
    struct tg_system system;
    struct tg_system_flow *flows;
};

/* Nobody else: no tasks, no receivers; one queue, whose gate never closes. */
static void open_alone(struct alone *a, const struct tg_system *system)
{
    struct tg_system *const s = &a->system;

    *s = *system;
    a->flows = calloc(system->n_flows + 1u, sizeof *a->flows);
    if (a->flows == NULL) {
        fputs("tidegate lab: out of memory\n", stderr);
        exit(TG_EXIT_LACKS);
    }
    memcpy(a->flows, system->flows, system->n_flows * sizeof *a->flows);
    s->flows = a->flows;
    s->n_tasks = 0u;
    s->n_servers = 0u;
    s->n_queues = 1u;
    s->queues[0].priority_min = 0u;
    s->queues[0].priority_max = TG_PRIORITIES - 1u;
    s->best_effort.queue = 0u;
    s->n_gates = 1u;
    s->gates[0] = (struct tg_system_budget){
        .kind = TG_SERVER_DEFERRABLE, .packets = TG_SERVER_BUDGET_MAX, .period_ns = GATE_NS};
    s->receive.polled_by_task = false;
    s->receive.deferred_ns = WORK_NS;
    for (size_t i = 0u; i < s->n_flows; i++) {
        s->flows[i].queue = 0u;
        s->flows[i].receiver_wcet_ns = 0u;
        s->flows[i].section_ns = 0u;
        s->flows[i].irq_off_ns = 0u;
        s->flows[i].deferred_ns = WORK_NS;
    }
}

/* Budgets that last. */
static void accept_all(struct tg_system_budget *b)
{
    if (b->kind != TG_SERVER_UNLIMITED) {
        b->kind = TG_SERVER_DEFERRABLE;
        b->packets = TG_SERVER_BUDGET_MAX;
        b->period_ns = TG_PERIOD_MAX_NS;
    }
}

/* The first packet takes all of the budget, or without one the only buffer, for ever. */
static void refuse_all(struct tg_system_budget *b, tg_ns *deferred_ns, uint16_t *reserve_pkts)
{
    if (b->kind == TG_SERVER_UNLIMITED) {
        *deferred_ns = FOR_EVER_NS;
        *reserve_pkts = *reserve_pkts != 0u ? 1u : 0u;
        return;
    }
    b->kind = TG_SERVER_DEFERRABLE;
    b->packets = 1u;
    b->period_ns = TG_PERIOD_MAX_NS;
}

static void decide(struct alone *a, bool is_accepted)
{
    struct tg_system *const s = &a->system;

    for (size_t i = 0u; i < s->n_flows; i++) {
        struct tg_system_flow *const f = &s->flows[i];

        if (is_accepted) {
            accept_all(&f->budget);
        } else {
            refuse_all(&f->budget, &f->deferred_ns, &f->reserve_pkts);
        }
    }
    if (is_accepted) {
        accept_all(&s->best_effort.budget);
    } else {
        refuse_all(&s->best_effort.budget, &s->receive.deferred_ns, &s->best_effort.reserve_pkts);
    }
}

/* Rounded up; 0: there was none. */
static uint64_t mean(const struct tg_board_result *r)
{
    uint64_t n = 0u;
    uint64_t sum = 0u;

    for (size_t i = 0u; i < r->n_samples; i++) {
        n += r->samples[i].n;
        sum += r->samples[i].instructions * r->samples[i].n;
    }
    return n != 0u ? (sum + n - 1u) / n : 0u;
}

int tg_lab_measure_scenario(struct tg_lab *lab, uint64_t *accepted, uint64_t *refused)
{
    enum { ACCEPTED, REFUSED, CELLS };
    struct alone alone[CELLS];
    struct tg_board_cell cells[CELLS];
    uint64_t means[CELLS] = {0u, 0u};

    for (size_t i = 0u; i < CELLS; i++) {
        open_alone(&alone[i], lab->system);
        decide(&alone[i], i == ACCEPTED);
        cells[i] = (struct tg_board_cell){.system = &alone[i].system,
                                          .scenario = lab->scenario,
                                          .policy = LAB_TIDEGATE,
                                          .shift = LAB_SHIFT_EXACT,
                                          .worker_priority = LAB_PRIORITY_IDLE,
                                          .samples = SAMPLES,
                                          .sample_ns = SAMPLE_NS,
                                          .is_spread = true};
    }
    int status = tg_board_run(&lab->board, "lab", cells, CELLS);

    for (size_t i = 0u; i < CELLS && status == TG_EXIT_HOLDS; i++) {
        struct tg_board_result r;

        status = tg_board_read(&cells[i], "lab", &r);
        if (status == TG_EXIT_HOLDS) {
            means[i] = mean(&r);
            tg_board_free(&r);
        }
    }
    if (status == TG_EXIT_HOLDS && means[ACCEPTED] == 0u) {
        fprintf(stderr, "tidegate lab: scenario '%s' sends nothing that could be accepted\n",
                lab->scenario->name);
        status = TG_EXIT_USAGE;
    }
    *accepted = means[ACCEPTED];
    *refused = means[REFUSED];
    for (size_t i = 0u; i < CELLS; i++) {
        free(alone[i].flows);
    }
    return status;
}
