/* SPDX-License-Identifier: MIT
 *
 * lab_system.h - the system of the lab's experiments: an urgent flow, one that is flooded, and
 * whatever an experiment varies.
 */
#ifndef TG_CLI_LAB_SYSTEM_H
#define TG_CLI_LAB_SYSTEM_H

#include "system/system.h"

#include <stdbool.h>

/* Between the urgent flow (20) and the flooded one (4), as in the published evaluation. */
#define LAB_WORKER_PRIORITY 12u

/* Index of flows in results; 0 is best effort. */
enum { LAB_FLOW_HIGH = 1, LAB_FLOW_LOW };

/* Costs of the board, in ns; see lab_calibrate.h. */
struct tg_lab_costs {
    tg_ns irq_ns;
    tg_ns switch_ns;
    tg_ns driver_ns;
    tg_ns eager_ns;
    tg_ns refused_ns;
    tg_ns deferred_ns;
    tg_ns section_ns;
    tg_ns lock_ns;
    tg_ns tick_ns;
};

/* Budgets as a system file has them, as "{packets: 3, period: 2 ms}" or "unlimited". traffic: lines
 * of the one scenario's list, each "      - {...}\n". */
struct tg_lab_setup {
    const struct tg_lab_costs *costs;
    const char *gate;
    const char *high;
    const char *low;
    const char *rest;
    const char *traffic;
    uint32_t floor;
    tg_ns for_ns;
    bool has_task; /* the critical one */

    /* NULL, or a system with whose kinds of matches frames are looked up, too. What they take has
     * the budget of best effort. */
    const struct tg_system *matches_of;
};

/* Build it.
 *
 * Context: any task; allocates. An experiment that is no system ends the program (status 3): that
 *          is a fault of this program. So do matches_of that the experiments cannot have beside
 *          their own, or that take frames which are for the lab's own flows (status 2).
 * Returns: to be given to tg_system_free().
 * Cost:    O(its text). */
struct tg_system *tg_lab_system(const struct tg_lab_setup *setup);

/* The part of a system file with these costs. */
void tg_lab_write_costs(const struct tg_lab_costs *costs, FILE *out);

#endif
