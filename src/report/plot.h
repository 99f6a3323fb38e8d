/* SPDX-License-Identifier: MIT
 *
 * plot.h - figures: panels of lines or stacked areas over one kind of axis, with one legend for
 * all.
 */
#ifndef TG_REPORT_PLOT_H
#define TG_REPORT_PLOT_H

#include "report/theme.h"

#include <stdbool.h>
#include <stddef.h>

#define TG_PLOT_SERIES_MAX 8u
#define TG_PLOT_MARKS_MAX  3u

enum tg_plot_form {
    TG_PLOT_LINES, /* from point to point, each point shown */
    TG_PLOT_STEPS, /* distributions */
    TG_PLOT_AREAS  /* each series stands on the one before; the rest up to the top stays empty */
};

struct tg_plot_series {
    enum tg_look look;
    const double *x;
    const double *y;
    size_t n;
};

/* A vertical line. */
struct tg_plot_mark {
    double x;
    const char *text;
};

struct tg_plot_panel {
    const char *title;
    const char *y_label;
    struct tg_plot_series series[TG_PLOT_SERIES_MAX];
    size_t n_series;
    struct tg_plot_mark marks[TG_PLOT_MARKS_MAX];
    size_t n_marks;
    double y_max;          /* 0: as the values need it */
    const char *y_format;  /* of gnuplot; NULL: of plain numbers */
    bool is_y_logarithmic; /* all values are > 0, and the axis begins where they do */
};

struct tg_plot_legend {
    const char *name;
    enum tg_look look;
};

struct tg_plot_figure {
    enum tg_plot_form form;
    const char *x_label;
    const char *x_format; /* of gnuplot, as "%.0s %cs" */
    double x_min;         /* > 0: the axis is logarithmic */
    double x_max;
    const struct tg_plot_panel *panels;
    size_t n_panels;
    struct tg_plot_legend legend[TG_PLOT_SERIES_MAX];
    size_t n_legend;
};

/* Draw it.
 *
 * Context: task; starts gnuplot.
 * Returns: 0, *svg to be given to free(); or a negative enum tg_gnuplot_error.
 * Cost:    as tg_gnuplot_run. */
int tg_plot_draw(const struct tg_plot_figure *figure, enum tg_theme theme, char **svg);

#endif
