/* SPDX-License-Identifier: MIT
 *
 * lab_calibrate.c - the costs of a system file on this board: nobody has to guess them.
 *
 *     irq       the way from an interrupt into its handler and back
 *     eager     the longest receive interrupt of all outcomes, without irq; typical: that of a
 *               packet which the protocol task takes while it is busy, of all kinds of frames
 *     driver    that of the stock driver, without irq
 *     switch    half of what a job of a task costs beside its own work
 *     deferred  what a packet that wakes the protocol task costs with no stack at all, without two
 *               switches and its interrupt
 *     tick      what a gate costs that closes and opens again
 *     section   threads are held back by masked interrupts only: as long as the longest interrupt
 *     lock      as deferred
 */
#include "lab.h"

#include <stdlib.h>

#define PERIOD_NS UINT64_C(1000000)
#define PERIODS   200u

enum { CELL_NOTHING, CELL_JOBS, CELL_PACKETS, CELL_CLOSING, CELLS };

/* One packet a millisecond, away from refills. */
#define PACKETS "      - {frames: udp dst port 5001, every: 1 ms, from: 500 us}\n"

static const struct {
    const char *gate;
    const char *traffic;
    bool has_task;
} CELLS_OF[CELLS] = {[CELL_NOTHING] = {"unlimited", "", false},
                     [CELL_JOBS] = {"unlimited", "", true},
                     [CELL_PACKETS] = {"unlimited", PACKETS, false},
                     [CELL_CLOSING] = {"{packets: 1, period: 700 us}", PACKETS, false}};

struct measure {
    struct tg_board_cell cells[CELLS];
    struct tg_system *systems[CELLS];
    uint64_t left[CELLS]; /* instructions of the worker */
    uint64_t jobs;
    uint64_t wcet_ns;
};

static int run(struct tg_lab *lab, struct measure *m)
{
    const struct tg_lab_costs costs = {.eager_ns = 1u, .deferred_ns = 1u};

    for (size_t i = 0u; i < CELLS; i++) {
        const struct tg_lab_setup setup = {.costs = &costs,
                                           .gate = CELLS_OF[i].gate,
                                           .high = "unlimited",
                                           .low = "unlimited",
                                           .rest = "unlimited",
                                           .traffic = CELLS_OF[i].traffic,
                                           .floor = 2u,
                                           .for_ns = PERIODS * PERIOD_NS,
                                           .has_task = CELLS_OF[i].has_task};

        m->systems[i] = tg_lab_system(&setup);
        m->cells[i] = (struct tg_board_cell){.system = m->systems[i],
                                             .scenario = &m->systems[i]->scenarios[0],
                                             .policy = LAB_TIDEGATE,
                                             .shift = LAB_SHIFT_RATES,
                                             .worker_priority = LAB_PRIORITY_IDLE};
    }
    int status = tg_board_run(&lab->board, "lab", m->cells, CELLS);

    for (size_t i = 0u; i < CELLS && status == TG_EXIT_HOLDS; i++) {
        struct tg_board_result r;

        status = tg_board_read(&m->cells[i], "lab", &r);
        if (status == TG_EXIT_HOLDS) {
            m->left[i] = r.worker;
            m->jobs = i == CELL_JOBS ? r.tasks[0].finished : m->jobs;
            tg_board_free(&r);
        }
    }
    m->wcet_ns = m->systems[CELL_JOBS]->tasks[0].wcet_ns;
    return status;
}

static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 1u;
}

/* Instructions that n events of a cell took, each, rounded up. */
static uint64_t each(const struct measure *m, size_t cell, uint64_t n)
{
    return n != 0u ? (above(m->left[CELL_NOTHING], m->left[cell]) + n - 1u) / n : 0u;
}

/* What was measured, as costs; longest or typical interrupts. */
static struct tg_lab_costs costs_of(const struct measure *m, const struct tg_lab_paths *paths,
                                    bool is_typical)
{
    const uint64_t job = each(m, CELL_JOBS, m->jobs) - (m->wcet_ns >> LAB_SHIFT_RATES);
    const uint64_t packet = each(m, CELL_PACKETS, PERIODS);
    const uint64_t change = (job + 1u) / 2u;
    const uint64_t eager = is_typical ? paths->typical : paths->longest;
    const uint64_t deferred = above(packet, paths->waking + 2u * change);

    return (struct tg_lab_costs){.irq_ns = paths->irq << LAB_SHIFT_RATES,
                                 .switch_ns = change << LAB_SHIFT_RATES,
                                 .driver_ns = above(paths->stock, paths->irq) << LAB_SHIFT_RATES,
                                 .eager_ns = above(eager, paths->irq) << LAB_SHIFT_RATES,
                                 .deferred_ns = deferred << LAB_SHIFT_RATES,
                                 .section_ns = paths->longest << LAB_SHIFT_RATES,
                                 .lock_ns = deferred << LAB_SHIFT_RATES,
                                 .tick_ns = above(each(m, CELL_CLOSING, PERIODS), packet)
                                            << LAB_SHIFT_RATES};
}

int tg_lab_calibrate(struct tg_lab *lab)
{
    struct measure m = {.jobs = 0u};
    struct tg_lab_paths paths;
    int status = tg_lab_measure_paths(lab, &paths);

    if (status == TG_EXIT_HOLDS) {
        status = run(lab, &m);
    }
    if (status == TG_EXIT_HOLDS) {
        lab->costs = costs_of(&m, &paths, false);
        lab->typical = costs_of(&m, &paths, true);
    }
    for (size_t i = 0u; i < CELLS; i++) {
        tg_system_free(m.systems[i]);
    }
    return status;
}
