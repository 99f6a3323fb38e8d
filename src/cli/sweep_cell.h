/* SPDX-License-Identifier: MIT
 *
 * sweep_cell.h - what came out of one cell of a grid: a row of comma-separated values.
 */
#ifndef TG_CLI_SWEEP_CELL_H
#define TG_CLI_SWEEP_CELL_H

#include "sweep_grid.h"

#include "sim/sim.h"

#include <stdio.h>

enum tg_cell_verdict { TG_CELL_HOLDS, TG_CELL_FAILS, TG_CELL_INVALID, TG_CELL_VERDICTS };

/* What each cell does. */
struct tg_cell_work {
    const struct tg_grid *grid;
    const char *scenario; /* of run: only this one; NULL: all */
    const char *map;      /* title of the column that is of interest; NULL: the verdict's own */
    enum tg_sim_policy policy; /* of run */
    bool is_run;               /* else check */
};

/* As they stand in the column that follows the varied values. */
extern const char *const tg_cell_verdict_names[TG_CELL_VERDICTS];

/* The titles of the columns, one line.
 *
 * Context: task. Cost: O(tasks + flows). */
void tg_cell_titles(const struct tg_cell_work *work, FILE *out);

/* The row of a cell, one line. A cell that the loader refuses has a row that says why.
 *
 * Context: task; allocates.
 * Returns: an enum tg_exit: HOLDS if the row is complete; else a sentence is in text.
 * Cost:    one proof, or one simulation of each scenario. */
int tg_cell_row(const struct tg_cell_work *work, uint32_t cell, FILE *out, char *text, size_t size);

#endif
