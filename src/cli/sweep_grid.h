/* SPDX-License-Identifier: MIT
 *
 * sweep_grid.h - the cells of `tidegate sweep`: a system file with other numbers in it.
 */
#ifndef TG_CLI_SWEEP_GRID_H
#define TG_CLI_SWEEP_GRID_H

#include "system/edit.h"
#include "system/locate.h"
#include "system/system.h"

#define TG_GRID_AXES_MAX   4u
#define TG_GRID_CELLS_MAX  100000u
#define TG_GRID_PATH_BYTES 256u
#define TG_GRID_TEXT_BYTES 32u

/* One value that varies. Values are ns, packets a second, or plain. */
struct tg_grid_axis {
    char path[TG_GRID_PATH_BYTES];
    struct tg_located place;
    uint64_t from;
    uint64_t to;
    uint64_t step;   /* 0: see factor and n */
    uint64_t factor; /* 0: n values, as far apart from each other as whole numbers can be */
    uint32_t n;
};

struct tg_grid {
    const char *file; /* its path */
    char *directory;  /* of the file */
    char *text;
    size_t size_bytes;
    struct tg_system *system; /* as written, for names */
    struct tg_grid_axis axes[TG_GRID_AXES_MAX];
    uint32_t by_place[TG_GRID_AXES_MAX];
    uint32_t n_axes;
    uint32_t n_cells; /* the last axis goes fastest */
};

/* Read the file and what varies. varied: NULL ends the list.
 *
 * Context: main task; allocates; says on standard error what is wrong.
 * Returns: an enum tg_exit; tg_grid_close() is due in either case.
 * Cost:    O(size of the file * axes). */
int tg_grid_open(struct tg_grid *grid, const char *file, const char *const *varied);

/* Context: main task; an all-zero object is allowed. Cost: O(1). */
void tg_grid_close(struct tg_grid *grid);

/* The value of an axis in a cell.
 *
 * Context: any, likewise below. Cost: O(axes), likewise below. */
uint64_t tg_grid_value(const struct tg_grid *grid, uint32_t cell, uint32_t axis);

/* A value of an axis, to be read. */
const char *tg_grid_text(const struct tg_grid_axis *axis, uint64_t value,
                         char text[TG_GRID_TEXT_BYTES]);

/* " (ns)", " (pps)", or nothing. */
const char *tg_grid_unit(const struct tg_grid_axis *axis);

/* The system of a cell, through the loader.
 *
 * Context: task; allocates.
 * Returns: 0, *out to be given to tg_system_free(); -1 with *errors.
 * Cost:    as tg_system_parse(). */
TG_NODISCARD int tg_grid_system(const struct tg_grid *grid, uint32_t cell, struct tg_system **out,
                                struct tg_errors *errors);

#endif
