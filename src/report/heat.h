/* SPDX-License-Identifier: MIT
 *
 * heat.h - a map of cells: two values that vary, and what comes out as a colour. What is not good
 * has a cross, too.
 */
#ifndef TG_REPORT_HEAT_H
#define TG_REPORT_HEAT_H

#include "report/theme.h"

#include <stdbool.h>
#include <stddef.h>

#define TG_HEAT_LABEL_BYTES 32u

/* Of a value on an axis. */
struct tg_heat_name {
    char text[TG_HEAT_LABEL_BYTES];
};

struct tg_heat_cell {
    double value;
    bool has_value; /* else grey */
    bool is_good;
    bool is_best; /* a ring around it */
};

struct tg_heat {
    const char *x_label;
    const char *y_label;
    const char *z_label;
    const char *z_format; /* of gnuplot */
    const struct tg_heat_name *x_names;
    const struct tg_heat_name *y_names;
    const struct tg_heat_cell *cells; /* row after row, y = 0 first, which is at the bottom */
    uint32_t n_x;
    uint32_t n_y;
    bool is_more_better; /* 0 is the border; else 0 is the best */
    bool is_whole;       /* the values are whole numbers */
};

/* Draw it.
 *
 * Context: task; starts gnuplot.
 * Returns: 0, *svg to be given to free(); or a negative enum tg_gnuplot_error.
 * Cost:    O(cells), and as tg_gnuplot_run. */
int tg_heat_draw(const struct tg_heat *map, enum tg_theme theme, char **svg);

#endif
