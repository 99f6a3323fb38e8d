/* SPDX-License-Identifier: MIT
 *
 * lab_calibrate.c - the costs of a system file on this board: nobody has to guess them.
 *
 *     irq       the way from an interrupt into its handler and back
 *     eager     the bound of the receive interrupt that the compiled code gives for any frame, and
 *               what the file's kinds of matches add, without irq; typical: the mean of the
 *               frames of a scenario, each accepted while there is no other
 *     refused   the longest interrupt measured that refuses the frame; typical: likewise refused
 *     driver    that of the stock driver, without irq
 *     switch    half of what a job of a task costs beside its own work
 *     deferred  what a packet that wakes the protocol task costs until lwIP has given it to its
 *               receiver, without two switches and its interrupt: the largest datagram, typical:
 *               the smallest
 *     tick      what a gate costs that closes and opens again; typical: a refill that finds
 *               nothing, without what it takes to close
 *     section   threads are held back by masked interrupts only: as long as the longest interrupt;
 *               typical: none, the simulator has these interrupts
 *     lock      what an application does with lwIP's lock: it sends the largest datagram
 */
#include "lab.h"

#include <stdlib.h>

#define PERIOD_NS UINT64_C(1000000)
#define PERIODS   200u
#define REFILLS   400u /* of a gate that is polled all the time */

enum {
    CELL_NOTHING,
    CELL_JOBS,
    CELL_PACKETS,
    CELL_CLOSING,
    CELL_REFILLS,
    CELL_LWIP, /* does nothing, but for its timers */
    CELL_LWIP_SHORT,
    CELL_LWIP_LONG,
    CELL_LWIP_SENDS,
    CELLS
};

/* One packet a millisecond, away from refills. */
#define PACKETS "      - {frames: udp dst port 5001, every: 1 ms, from: 500 us}\n"
#define TO_LWIP(length)                                                                            \
    "      - frames: udp dst port 5001 and src host 10.0.0.2 and dst host 10.0.0.1\n"              \
    "        every: 1 ms\n        from: 500 us\n        length: " length "\n"

#define UNLIMITED "unlimited"

static const struct {
    const char *gate;
    const char *traffic;
    bool has_task;
    enum lab_stack stack;
    tg_ns send_ns;
} CELLS_OF[CELLS] = {
    [CELL_NOTHING] = {UNLIMITED, "", false, LAB_STACK_NONE, 0u},
    [CELL_JOBS] = {UNLIMITED, "", true, LAB_STACK_NONE, 0u},
    [CELL_PACKETS] = {UNLIMITED, PACKETS, false, LAB_STACK_NONE, 0u},
    [CELL_CLOSING] = {"{packets: 1, period: 700 us}", PACKETS, false, LAB_STACK_NONE, 0u},
    [CELL_REFILLS] = {"{packets: 1, period: 500 us, kind: polling}", "", false, LAB_STACK_NONE, 0u},
    [CELL_LWIP] = {UNLIMITED, "", false, LAB_STACK_LWIP, 0u},
    [CELL_LWIP_SHORT] = {UNLIMITED, TO_LWIP("18"), false, LAB_STACK_LWIP, 0u},
    [CELL_LWIP_LONG] = {UNLIMITED, TO_LWIP("1472"), false, LAB_STACK_LWIP, 0u},
    [CELL_LWIP_SENDS] = {UNLIMITED, "", false, LAB_STACK_LWIP, PERIOD_NS},
};

struct measure {
    struct tg_board_cell cells[CELLS];
    struct tg_system *systems[CELLS];
    uint64_t left[CELLS]; /* instructions of the worker */
    uint64_t jobs;
    uint64_t wcet_ns;
};

static int run(struct tg_lab *lab, struct measure *m)
{
    const struct tg_lab_costs costs = {.eager_ns = 1u, .refused_ns = 1u, .deferred_ns = 1u};

    for (size_t i = 0u; i < CELLS; i++) {
        const struct tg_lab_setup setup = {.costs = &costs,
                                           .gate = CELLS_OF[i].gate,
                                           .high = UNLIMITED,
                                           .low = UNLIMITED,
                                           .rest = UNLIMITED,
                                           .traffic = CELLS_OF[i].traffic,
                                           .floor = 2u,
                                           .for_ns = PERIODS * PERIOD_NS,
                                           .has_task = CELLS_OF[i].has_task,
                                           .matches_of = lab->system};

        m->systems[i] = tg_lab_system(&setup);
        m->cells[i] = (struct tg_board_cell){.system = m->systems[i],
                                             .scenario = &m->systems[i]->scenarios[0],
                                             .policy = LAB_TIDEGATE,
                                             .stack = CELLS_OF[i].stack,
                                             .send_ns = CELLS_OF[i].send_ns,
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

/* Instructions that n events of a cell took beyond what another cell does, each, rounded up. */
static uint64_t each(const struct measure *m, size_t cell, size_t without, uint64_t n)
{
    return n != 0u ? (above(m->left[without], m->left[cell]) + n - 1u) / n : 0u;
}

static tg_ns in_ns(uint64_t instructions)
{
    return instructions << LAB_SHIFT_RATES;
}

static void take_costs(struct tg_lab *lab, const struct measure *m,
                       const struct tg_lab_paths *paths)
{
    const uint64_t job =
        above(each(m, CELL_JOBS, CELL_NOTHING, m->jobs), m->wcet_ns >> LAB_SHIFT_RATES);
    const uint64_t change = (job + 1u) / 2u;
    const uint64_t around = paths->waking + 2u * change; /* of what a packet takes: not deferred */
    const uint64_t packet = each(m, CELL_PACKETS, CELL_NOTHING, PERIODS);
    const uint64_t tick = above(each(m, CELL_CLOSING, CELL_NOTHING, PERIODS), packet);

    lab->way_ns = in_ns(above(packet, around));
    lab->costs = (struct tg_lab_costs){
        .irq_ns = in_ns(paths->irq),
        .switch_ns = in_ns(change),
        .driver_ns = in_ns(above(paths->stock, paths->irq)),
        .eager_ns = in_ns(above(paths->longest, paths->irq)),
        .refused_ns = in_ns(above(paths->refused, paths->irq)),
        .deferred_ns = in_ns(above(each(m, CELL_LWIP_LONG, CELL_LWIP, PERIODS), around)),
        .section_ns = in_ns(paths->longest),
        .lock_ns = in_ns(above(each(m, CELL_LWIP_SENDS, CELL_LWIP, PERIODS), 2u * change)),
        .tick_ns = in_ns(tick)};
    lab->typical = lab->costs;
    lab->typical.section_ns = 0u;
    lab->typical.tick_ns = in_ns(each(m, CELL_REFILLS, CELL_NOTHING, REFILLS));
    lab->typical.deferred_ns = in_ns(above(each(m, CELL_LWIP_SHORT, CELL_LWIP, PERIODS), around));
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
        take_costs(lab, &m, &paths);
    }
    if (status == TG_EXIT_HOLDS && lab->scenario != NULL) {
        uint64_t accepted;
        uint64_t refused;

        status = tg_lab_measure_scenario(lab, &accepted, &refused);
        lab->typical.eager_ns = in_ns(above(accepted, paths.irq));
        lab->typical.refused_ns = in_ns(above(refused, paths.irq));
    }
    for (size_t i = 0u; i < CELLS; i++) {
        tg_system_free(m.systems[i]);
    }
    return status;
}
