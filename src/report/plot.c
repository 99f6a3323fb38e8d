/* SPDX-License-Identifier: MIT
 *
 * plot.c - figures: panels of lines or stacked areas.
 */
#include "plot.h"
#include "gnuplot.h"
#include "script.h"

#include <math.h>

enum {
    COLUMNS = 2,
    PANEL_WIDTH_PX = 490,
    PANEL_HEIGHT_PX = 300,
    LEGEND_PX = 40,
    /* From the edge of a panel to its axes. */
    LEFT_PX = 72,
    RIGHT_PX = 24,
    TOP_PX = 64, /* title, names of marks */
    BOTTOM_PX = 54,
    MARK_PX = 14 /* height of the name of a mark */
};

/* Dash and point of each look; thick lines go first, so that thin ones on top of them leave them
 * visible. */
static const struct {
    const char *dash;
    int point;
    double width;
} lines[TG_LOOKS] = {
    [TG_LOOK_RED] = {"'-'", 5, 1.8},      [TG_LOOK_BLUE] = {"'.'", 7, 1.8},
    [TG_LOOK_PURPLE] = {"'-.'", 9, 1.8},  [TG_LOOK_GREEN] = {"1", 6, 4.0},
    [TG_LOOK_ORANGE] = {"'_ '", 11, 1.8}, [TG_LOOK_CYAN] = {"'_. '", 13, 1.8},
    [TG_LOOK_INK] = {"1", 4, 2.4},
};

static void put_look(const struct tg_script *s, enum tg_plot_form form, enum tg_look look)
{
    const char *const colour = tg_theme_colour(s->theme, look);

    if (form == TG_PLOT_AREAS) {
        fprintf(s->out, "filledcurves fillstyle solid 0.85 noborder linecolor rgb '%s'", colour);
        return;
    }
    fprintf(s->out, "%s linecolor rgb '%s' linewidth %.1f dashtype %s",
            form == TG_PLOT_LINES ? "linespoints" : "lines", colour, lines[look].width,
            lines[look].dash);
    if (form == TG_PLOT_LINES) {
        fprintf(s->out, " pointtype %d pointsize 0.6", lines[look].point);
    }
}

static void put_legend(const struct tg_script *s, const struct tg_plot_figure *f)
{
    const struct tg_script_box box = {
        .left = LEFT_PX, .right = s->width_px - RIGHT_PX, .top = 0, .bottom = LEGEND_PX};

    tg_script_legend(s, &box);
    for (size_t i = 0u; i < f->n_legend; i++) {
        fputs(i != 0u ? ", NaN with " : "NaN with ", s->out);
        put_look(s, f->form, f->legend[i].look);
        fputs(" title ", s->out);
        tg_script_text(s, f->legend[i].name);
    }
    fputs("\nunset key\nset border 3\nset xtics nomirror\nset ytics nomirror\n", s->out);
}

static void put_data(const struct tg_script *s, const struct tg_plot_panel *p, bool is_stacked)
{
    for (size_t i = 0u; i < p->n_series; i++) {
        const struct tg_plot_series *const series = &p->series[i];

        fprintf(s->out, "$s%zu << END\n", i);
        for (size_t k = 0u; k < series->n; k++) {
            double below = 0.0;

            for (size_t j = 0u; is_stacked && j < i; j++) {
                below += p->series[j].y[k];
            }
            fprintf(s->out, "%.9g %.9g %.9g\n", series->x[k], below, below + series->y[k]);
        }
        fputs("END\n", s->out);
    }
}

/* The name of a mark stays over its axis. */
static const char *alignment(const struct tg_plot_figure *f, double x)
{
    const double part = f->x_min > 0.0 ? log(x / f->x_min) / log(f->x_max / f->x_min)
                                       : (x - f->x_min) / (f->x_max - f->x_min);

    return part > 0.9 ? "right" : part < 0.1 ? "left" : "center";
}

static void put_marks(const struct tg_script *s, const struct tg_plot_figure *f,
                      const struct tg_plot_panel *p, const struct tg_script_box *box)
{
    for (size_t i = 0u; i < p->n_marks; i++) {
        fprintf(s->out,
                "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead front linecolor rgb '%s' "
                "linewidth 1 dashtype '. '\n"
                "set label ",
                p->marks[i].x, p->marks[i].x, tg_theme_ink(s->theme));
        tg_script_text(s, p->marks[i].text);
        fprintf(s->out, " at first %.9g, screen %.6f %s font 'sans-serif,11' textcolor rgb '%s'\n",
                p->marks[i].x, 1.0 - ((double)box->top - 8.0 - (double)i * MARK_PX) / s->height_px,
                alignment(f, p->marks[i].x), tg_theme_ink(s->theme));
    }
}

static void put_axes(const struct tg_script *s, const struct tg_plot_figure *f,
                     const struct tg_plot_panel *p)
{
    char top[32];

    (void)snprintf(top, sizeof top, "%.9g", p->y_max);
    fprintf(s->out, "set xrange [%.9g:%.9g]\n", f->x_min, f->x_max);
    fputs(f->x_min > 0.0 ? "set logscale x\nset mxtics 10\n" : "unset logscale\n", s->out);
    fprintf(s->out, "set format x '%s'\n", f->x_format);
    if (p->is_y_logarithmic) {
        fputs("set logscale y\nset mytics 10\nset yrange [*:*]\n", s->out);
    } else {
        fprintf(s->out, "unset logscale y\nset mytics default\nset yrange [0:%s]\n",
                p->y_max > 0.0 ? top : "*");
    }
    fprintf(s->out, "set format y '%s'\n",
            p->y_format != NULL ? p->y_format
            : p->y_max > 0.0    ? "%g"
                                : "%.0s%c");
    /* On top of areas, behind lines. */
    fprintf(s->out, "set grid xtics ytics %s linestyle 100\n",
            f->form == TG_PLOT_AREAS ? "front" : "back");
    fputs("set ylabel ", s->out);
    tg_script_text(s, p->y_label);
    /* Numbers with a unit are longer. */
    fprintf(s->out, " offset %s,0 textcolor rgb '%s'\n", p->y_format != NULL ? "1.5" : "0.5",
            tg_theme_ink(s->theme));
}

static void put_series(const struct tg_script *s, const struct tg_plot_figure *f,
                       const struct tg_plot_panel *p)
{
    bool is_first = true;

    fputs("plot ", s->out);
    for (uint32_t pass = 0u; pass < 2u; pass++) {
        for (size_t i = 0u; i < p->n_series; i++) {
            const enum tg_look look = p->series[i].look;
            const bool is_thick = f->form != TG_PLOT_AREAS && lines[look].width > 2.0;

            if (is_thick == (pass == 0u)) {
                fprintf(s->out, "%s$s%zu using %s with ", is_first ? "" : ", ", i,
                        f->form == TG_PLOT_AREAS ? "1:2:3" : "1:3");
                put_look(s, f->form, look);
                is_first = false;
            }
        }
    }
    fputs("\nunset arrow\nunset label\n", s->out);
}

/* Titles stand in line, over the marks of any panel. */
static uint32_t most_marks(const struct tg_plot_figure *f)
{
    size_t most = 0u;

    for (size_t i = 0u; i < f->n_panels; i++) {
        most = f->panels[i].n_marks > most ? f->panels[i].n_marks : most;
    }
    return (uint32_t)most;
}

static void put_panel(const struct tg_script *s, const struct tg_plot_figure *f, size_t index)
{
    const struct tg_plot_panel *const p = &f->panels[index];
    const uint32_t left = (uint32_t)(index % COLUMNS) * PANEL_WIDTH_PX;
    const uint32_t top = LEGEND_PX + (uint32_t)(index / COLUMNS) * PANEL_HEIGHT_PX;
    const struct tg_script_box box = {.left = left + LEFT_PX,
                                      .right = left + PANEL_WIDTH_PX - RIGHT_PX,
                                      .top = top + TOP_PX,
                                      .bottom = top + PANEL_HEIGHT_PX - BOTTOM_PX};

    put_data(s, p, f->form == TG_PLOT_AREAS);
    tg_script_place(s, &box);
    put_axes(s, f, p);
    put_marks(s, f, p, &box);
    tg_script_label(s, p->title, (box.left + box.right) / 2u,
                    box.top - 16u - most_marks(f) * MARK_PX, true);
    tg_script_label(s, f->x_label, (box.left + box.right) / 2u, box.bottom + BOTTOM_PX - 14u,
                    false);
    put_series(s, f, p);
}

int tg_plot_draw(const struct tg_plot_figure *figure, enum tg_theme theme, char **svg)
{
    const uint32_t rows = (uint32_t)(figure->n_panels + COLUMNS - 1u) / COLUMNS;
    struct tg_script s;

    *svg = NULL;
    if (tg_script_start(&s, COLUMNS * PANEL_WIDTH_PX, LEGEND_PX + rows * PANEL_HEIGHT_PX, theme) !=
        0) {
        return TG_GNUPLOT_ERR_SYSTEM;
    }
    put_legend(&s, figure);
    for (size_t i = 0u; i < figure->n_panels; i++) {
        put_panel(&s, figure, i);
    }
    return tg_script_draw(&s, svg);
}
