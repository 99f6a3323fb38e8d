/* SPDX-License-Identifier: MIT
 *
 * sweep_report.c - a page about a sweep: what was varied, and maps of what came out.
 */
#include "sweep_report.h"
#include "command.h"

#include "report/gnuplot.h"
#include "report/heat.h"
#include "report/html.h"
#include "report/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAPS_MAX 16u

_Static_assert(TG_GRID_TEXT_BYTES <= TG_HEAT_LABEL_BYTES, "a value is a label");

static int cannot_draw(int err)
{
    (void)tg_command_misuse(&tg_command_sweep, "--report %s",
                            err == TG_GNUPLOT_ERR_MISSING
                                ? "needs gnuplot: install the Debian package " TG_GNUPLOT_PACKAGE
                            : err == TG_GNUPLOT_ERR_FAILED ? "gnuplot failed"
                                                           : "gnuplot cannot be started");
    return TG_EXIT_LACKS;
}

int tg_sweep_report_can(void)
{
    char *output;
    const int err = tg_gnuplot_run("exit\n", &output);

    free(output);
    return err != 0 ? cannot_draw(err) : TG_EXIT_HOLDS;
}

/* ---- Maps ------------------------------------------------------------------------------------ */

static int draw(const struct tg_heat *map, const char *alt, FILE *out)
{
    char *svg[TG_THEMES] = {NULL, NULL};
    int err = 0;

    for (uint32_t t = 0u; t < TG_THEMES && err == 0; t++) {
        err = tg_heat_draw(map, (enum tg_theme)t, &svg[t]);
    }
    if (err == 0) {
        fputs("<figure>\n", out);
        tg_html_picture(out, svg[TG_THEME_LIGHT], svg[TG_THEME_DARK], alt);
        fputs("</figure>\n", out);
    }
    free(svg[TG_THEME_LIGHT]);
    free(svg[TG_THEME_DARK]);
    return err;
}

static void name_axis(const struct tg_grid *grid, uint32_t cell, uint32_t axis, uint32_t n,
                      struct tg_heat_name *labels)
{
    uint32_t stride = 1u;

    for (uint32_t i = grid->n_axes; --i > axis;) {
        stride *= grid->axes[i].n;
    }
    for (uint32_t k = 0u; k < n; k++) {
        (void)tg_grid_text(&grid->axes[axis], tg_grid_value(grid, cell + k * stride, axis),
                           labels[k].text);
    }
}

/* What is the same in all of a map. */
static void put_fixed(const struct tg_grid *grid, uint32_t cell, FILE *out)
{
    if (grid->n_axes <= 2u) {
        return;
    }
    fputs("<h3>", out);
    for (uint32_t i = 0u; i + 2u < grid->n_axes; i++) {
        char text[TG_HEAT_LABEL_BYTES];

        fputs(i != 0u ? ", " : "", out);
        tg_html_text(out, grid->axes[i].path);
        fprintf(out, " = %s", tg_grid_text(&grid->axes[i], tg_grid_value(grid, cell, i), text));
    }
    fputs("</h3>\n", out);
}

/* What a map shows. */
struct measure {
    char label[TG_SYSTEM_NAME_MAX_BYTES + 64u];
    bool is_time; /* in ns */
    bool is_more_better;
};

static struct measure measure_of(const struct tg_cell_work *work)
{
    struct measure m = {.label = "deadlines missed"};

    if (work->map != NULL) {
        const char *const unit = strstr(work->map, " (ns)"); /* the scale of colours has its own */
        const size_t length = unit != NULL ? (size_t)(unit - work->map) : strlen(work->map);

        m.is_time = unit != NULL;
        (void)snprintf(m.label, sizeof m.label, "%.*s", (int)length, work->map);
    } else if (!work->is_run) {
        m = (struct measure){.label = "worst slack", .is_time = true, .is_more_better = true};
    }
    return m;
}

/* The last two axes; a map of one row if there is one. */
static int put_map(const struct tg_sweep_output *o, uint32_t cell, FILE *out)
{
    const struct tg_grid *const grid = o->work->grid;
    const uint32_t x = grid->n_axes - 1u;
    const bool is_flat = grid->n_axes == 1u;
    const struct measure measure = measure_of(o->work);
    const struct tg_sweep_row *const best = tg_sweep_best(o);
    struct tg_heat map = {.x_label = grid->axes[x].path,
                          .y_label = is_flat ? "" : grid->axes[x - 1u].path,
                          .z_label = measure.label,
                          .z_format = measure.is_time ? "%.0s %cs" : "%.0s%c",
                          .is_more_better = measure.is_more_better,
                          .is_whole = !measure.is_time,
                          .n_x = grid->axes[x].n,
                          .n_y = is_flat ? 1u : grid->axes[x - 1u].n};
    struct tg_heat_cell *const cells = calloc((size_t)map.n_x * map.n_y, sizeof *cells);
    struct tg_heat_name *const labels = calloc(map.n_x + map.n_y, sizeof *labels);
    int err = TG_GNUPLOT_ERR_SYSTEM;

    if (cells != NULL && labels != NULL) {
        for (uint32_t i = 0u; i < map.n_x * map.n_y; i++) {
            const struct tg_sweep_row *const row = &o->rows[cell + i];

            cells[i].is_good = row->verdict == TG_CELL_HOLDS;
            cells[i].has_value = row->figure != TG_SWEEP_NO_FIGURE;
            cells[i].is_best = row == best;
            cells[i].value = (double)row->figure * (measure.is_time ? 1e-9 : 1.0);
        }
        name_axis(grid, cell, x, map.n_x, labels);
        if (!is_flat) {
            name_axis(grid, cell, x - 1u, map.n_y, labels + map.n_x);
        }
        map.cells = cells;
        map.x_names = labels;
        map.y_names = labels + map.n_x;
        put_fixed(grid, cell, out);
        err = draw(&map, "Map of the cells: those that do not hold have a cross", out);
    }
    free(cells);
    free(labels);
    return err;
}

static int put_maps(const struct tg_sweep_output *o, FILE *out)
{
    const struct tg_grid *const grid = o->work->grid;
    const uint32_t n = grid->n_axes;
    const uint32_t size = grid->axes[n - 1u].n * (n > 1u ? grid->axes[n - 2u].n : 1u);
    const uint32_t maps = grid->n_cells / size;
    int err = 0;

    fprintf(
        out,
        "<h2>What came out</h2>\n<p>%s A cross: the cell does not hold. Grey: there is no such "
        "figure, because no bound was found or the file is not valid with these values.</p>\n",
        o->work->map != NULL ? "One column of the rows: less is better, and a ring is around the "
                               "least value of a cell that holds."
        : o->work->is_run ? "Jobs past their deadline and late packets of conforming sources, in "
                            "all scenarios together."
                          : "The least slack of any task or flow: how much earlier than its "
                            "deadline it is proved to be done.");
    if (maps > MAPS_MAX) {
        fprintf(out, "<p>The first %u of %" PRIu32 " maps; all cells are in the rows.</p>\n",
                MAPS_MAX, maps);
    }
    for (uint32_t i = 0u; i < maps && i < MAPS_MAX && err == 0; i++) {
        err = put_map(o, i * size, out);
    }
    return err;
}

/* ---- The page -------------------------------------------------------------------------------- */

static void put_axes(const struct tg_grid *grid, FILE *out)
{
    static const struct tg_column columns[] = {{"value", NULL, TG_LEFT},
                                               {"from", NULL, TG_RIGHT},
                                               {"to", NULL, TG_RIGHT},
                                               {"values", NULL, TG_RIGHT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);
    char text[TG_HEAT_LABEL_BYTES];

    for (uint32_t i = 0u; i < grid->n_axes; i++) {
        const struct tg_grid_axis *const a = &grid->axes[i];

        tg_table_cell(t, TG_PLAIN, "%s", a->path);
        tg_table_cell(t, TG_PLAIN, "%s", tg_grid_text(a, a->from, text));
        tg_table_cell(t, TG_PLAIN, "%s",
                      tg_grid_text(a, tg_grid_value(grid, grid->n_cells - 1u, i), text));
        tg_table_count(t, TG_PLAIN, a->n);
    }
    tg_table_html(t, out);
    tg_table_free(t);
}

static void put_counts(const struct tg_sweep_output *o, FILE *out)
{
    uint32_t counts[TG_CELL_VERDICTS] = {0u};

    for (uint32_t i = 0u; i < o->n_rows; i++) {
        counts[o->rows[i].verdict]++;
    }
    fprintf(out,
            "<p>Of %" PRIu32 " cells, %" PRIu32 " hold, %" PRIu32 " do not, and %" PRIu32
            " are not valid.</p>\n",
            o->n_rows, counts[TG_CELL_HOLDS], counts[TG_CELL_FAILS], counts[TG_CELL_INVALID]);
}

static void put_best(const struct tg_sweep_output *o, FILE *out)
{
    char text[TG_SWEEP_BEST_BYTES];

    if (tg_sweep_best_text(o, text)) {
        fputs("<p>", out);
        tg_html_text(out, text);
        fputs("</p>\n", out);
    }
}

static int put_page(const struct tg_sweep_output *o, FILE *out)
{
    const struct tg_grid *const grid = o->work->grid;
    char title[TG_SYSTEM_NAME_MAX_BYTES + 32u];

    (void)snprintf(title, sizeof title, "%s with other numbers", grid->system->name);
    tg_html_start(out, title);
    fputs("<h1>", out);
    tg_html_text(out, title);
    fprintf(
        out,
        "</h1>\n<p class=\"soft\">Each cell went through <q>tidegate %s</q> of version " TG_VERSION
        ". This page is complete in itself.</p>\n<h2>What was varied</h2>\n",
        o->work->is_run ? "run" : "check");
    put_axes(grid, out);
    put_counts(o, out);

    put_best(o, out);

    const int err = put_maps(o, out);

    fputs("<details><summary>The system file</summary>\n<pre>", out);
    for (size_t i = 0u; i < grid->size_bytes; i++) {
        const char one[2] = {grid->text[i], '\0'};

        tg_html_text(out, one);
    }
    fputs("</pre></details>\n", out);
    tg_html_end(out);
    return err;
}

int tg_sweep_report(const struct tg_sweep_output *output, const char *path)
{
    FILE *const out = fopen(path, "wb");

    if (out == NULL) {
        return tg_command_misuse(&tg_command_sweep, "--report: %s: %s", path, strerror(errno));
    }
    const int err = put_page(output, out);
    const bool is_bad = ferror(out) != 0;

    if (fclose(out) != 0 || is_bad) {
        (void)tg_command_misuse(&tg_command_sweep, "--report: %s cannot be written", path);
        return TG_EXIT_LACKS;
    }
    return err != 0 ? cannot_draw(err) : TG_EXIT_HOLDS;
}
