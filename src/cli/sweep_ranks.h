/* SPDX-License-Identifier: MIT
 *
 * sweep_ranks.h - who computes the cells of a grid: processes here, or the ranks of `mpirun`.
 *
 * Cell i is worker (i - first) mod n's, so that whoever collects knows whom to ask for the next
 * row, and the output does not depend on who is faster. A row travels as text, with 'r' before it;
 * a failure as 'e', the digit of its enum tg_exit, and a sentence.
 */
#ifndef TG_CLI_SWEEP_RANKS_H
#define TG_CLI_SWEEP_RANKS_H

#include "sweep_cell.h"

/* The row of a cell as it travels, with the line feed; to be given to free(). NULL: no memory. */
char *tg_ranks_message(const struct tg_cell_work *work, uint32_t cell);

/* What is done with each row, in order. Returns an enum tg_exit; not HOLDS ends it all. */
typedef int tg_ranks_take(void *ctx, const char *row);

/* What a message says is done, or printed.
 *
 * Context: main task.
 * Returns: an enum tg_exit. */
int tg_ranks_receive(const char *message, tg_ranks_take *take, void *ctx);

/* All cells from first on, by so many processes.
 *
 * Context: main task; forks.
 * Returns: an enum tg_exit.
 * Cost:    tg_cell_row() of each, divided by jobs. */
int tg_ranks_fork(const struct tg_cell_work *work, uint32_t first, uint32_t jobs,
                  tg_ranks_take *take, void *ctx);

/* What `tidegate-mpi` adds. */
struct tg_ranks {
    uint32_t rank;
    uint32_t n;

    /* Rank 0 tells all others the first cell and which grid it is; then *status is the worst of all
     * ranks. Returns false where all was in order, but the grid is not that of rank 0. */
    bool (*agree)(int *status, uint32_t *first, uint64_t grid);

    /* As tg_ranks_fork(); on ranks other than 0 nothing is taken. */
    int (*run)(const struct tg_cell_work *work, uint32_t first, tg_ranks_take *take, void *ctx);
};

/* NULL: this is no rank. */
extern const struct tg_ranks *tg_ranks_mpi;

#endif
