/* SPDX-License-Identifier: MIT
 *
 * sweep_output.h - the rows of a sweep, in a file that a killed sweep goes on with.
 *
 * The first line says which sweep it is: the program, the file and its captures by their hash, and
 * the grid. What stands behind the last complete row is cut off.
 */
#ifndef TG_CLI_SWEEP_OUTPUT_H
#define TG_CLI_SWEEP_OUTPUT_H

#include "sweep_cell.h"

#define TG_SWEEP_NO_FIGURE  INT64_MIN
#define TG_SWEEP_BEST_BYTES 2048u

struct tg_sweep_row {
    enum tg_cell_verdict verdict;
    int64_t figure; /* worst slack, or misses and late packets, or the column that the map is of;
                     * TG_SWEEP_NO_FIGURE */
};

struct tg_sweep_output {
    const struct tg_cell_work *work;
    const char *path; /* NULL: standard output */
    FILE *out;
    char *title; /* the first line */
    struct tg_sweep_row *rows;
    uint32_t n_rows;
    uint32_t map_field; /* fields from the verdict to the column of the map */
};

/* A number that differs with the file, its captures and the grid.
 *
 * Context: main task. Cost: O(size of the files). */
uint64_t tg_sweep_hash(const struct tg_cell_work *work);

/* Begin, or go on: n_rows says with which cell.
 *
 * Context: main task; says on standard error what is wrong.
 * Returns: an enum tg_exit; tg_sweep_output_close() is due in either case.
 * Cost:    O(size of what is there). */
int tg_sweep_output_open(struct tg_sweep_output *o, const struct tg_cell_work *work,
                         const char *path);

/* The next row; of type tg_ranks_take. */
int tg_sweep_output_take(void *ctx, const char *row);

/* Of the cells that hold the one with the least figure in the column that the map is of; of several
 * the first one.
 *
 * Context: task.
 * Returns: NULL if there is none, or no such column was asked for.
 * Cost:    O(cells). */
const struct tg_sweep_row *tg_sweep_best(const struct tg_sweep_output *o);

/* The same in words. Returns: false if no column was asked for. */
bool tg_sweep_best_text(const struct tg_sweep_output *o, char text[TG_SWEEP_BEST_BYTES]);

/* Returns: status, or TG_EXIT_LACKS if not all could be written. */
int tg_sweep_output_close(struct tg_sweep_output *o, int status);

#endif
