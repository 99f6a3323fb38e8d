/* SPDX-License-Identifier: MIT
 *
 * heat.c - a map of cells.
 */
#include "heat.h"
#include "gnuplot.h"
#include "script.h"

enum {
    WIDTH_PX = 980,
    LEFT_PX = 110,
    RIGHT_PX = 130, /* the scale of colours and its numbers */
    TOP_PX = 48,
    BOTTOM_PX = 84,
    LEAST_PX = 60, /* height of the cells */
    MOST_PX = 480,
    ROW_PX = 40,
    NAMES_MOST = 12 /* on an axis */
};

static void put_names(const struct tg_script *s, char axis, const struct tg_heat_name *names,
                      uint32_t n)
{
    const uint32_t every = (n + NAMES_MOST - 1u) / NAMES_MOST;

    fprintf(s->out, "set %ctics nomirror scale 0 (", axis);
    for (uint32_t i = 0u; i < n; i += every) {
        fputs(i != 0u ? ", " : "", s->out);
        tg_script_text(s, names[i].text);
        fprintf(s->out, " %u", i);
    }
    fprintf(s->out, ") textcolor rgb '%s'\nset %crange [-0.5:%u.5]\n", tg_theme_ink(s->theme), axis,
            n - 1u);
}

static void put_cells(const struct tg_script *s, const struct tg_heat *map)
{
    const uint32_t n = map->n_x * map->n_y;

    fputs("$values << END\n", s->out);
    for (uint32_t i = 0u; i < n; i++) {
        if (map->cells[i].has_value) {
            fprintf(s->out, "%u %u %.9g\n", i % map->n_x, i / map->n_x, map->cells[i].value);
        }
    }
    /* Beyond the edge, so that no block is empty. */
    fputs("-9 -9 0\nEND\n$none << END\n-9 -9\n", s->out);
    for (uint32_t i = 0u; i < n; i++) {
        if (!map->cells[i].has_value) {
            fprintf(s->out, "%u %u\n", i % map->n_x, i / map->n_x);
        }
    }
    fputs("END\n$bad << END\n-9 -9\n", s->out);
    for (uint32_t i = 0u; i < n; i++) {
        if (!map->cells[i].is_good) {
            fprintf(s->out, "%u %u\n", i % map->n_x, i / map->n_x);
        }
    }
    fputs("END\n$best << END\n-9 -9\n", s->out);
    for (uint32_t i = 0u; i < n; i++) {
        if (map->cells[i].is_best) {
            fprintf(s->out, "%u %u\n", i % map->n_x, i / map->n_x);
        }
    }
    fputs("END\n", s->out);
}

/* Symmetric around zero where that is the border, so that its colour is always the same. */
static void put_colours(const struct tg_script *s, const struct tg_heat *map)
{
    const char *const good = tg_theme_colour(s->theme, TG_LOOK_GREEN);
    const char *const bad = tg_theme_colour(s->theme, TG_LOOK_RED);
    const char *const paper = s->theme == TG_THEME_LIGHT ? "#f4f1e6" : "#3a3a3a";
    double most = 0.0;

    for (uint32_t i = 0u; i < map->n_x * map->n_y; i++) {
        const double v = map->cells[i].value;

        if (map->cells[i].has_value && (v > most || -v > most)) {
            most = v > 0.0 ? v : -v;
        }
    }
    most = most > 0.0 ? most : 1.0;
    if (map->is_more_better) {
        fprintf(s->out, "set palette defined (-1 '%s', 0 '%s', 1 '%s')\nset cbrange [%.9g:%.9g]\n",
                bad, paper, good, -most, most);
    } else {
        fprintf(s->out, "set palette defined (0 '%s', 0.001 '%s', 1 '%s')\nset cbrange [0:%.9g]\n",
                good, paper, bad, most);
    }
    if (map->is_whole && most < 5.0) {
        fputs("set cbtics 1\n", s->out); /* they have no tenths */
    }
    fprintf(s->out, "set format cb '%s'\nset cbtics textcolor rgb '%s'\n", map->z_format,
            tg_theme_ink(s->theme));
}

static void put_map(const struct tg_script *s, const struct tg_heat *map)
{
    fputs("unset key\nset ylabel ", s->out);
    tg_script_text(s, map->y_label);
    fprintf(s->out, " textcolor rgb '%s'\nset xlabel ", tg_theme_ink(s->theme));
    tg_script_text(s, map->x_label);
    fprintf(
        s->out,
        " textcolor rgb '%s'\n"
        "plot $none using 1:2:(0.5):(0.5) with boxxyerror fillstyle solid noborder "
        "linecolor rgb '%s', "
        "$values using 1:2:(0.5):(0.5):3 with boxxyerror fillstyle solid noborder "
        "linecolor palette, "
        "$bad using 1:2 with points pointtype 2 pointsize %.1f linewidth 1.5 linecolor rgb "
        "'%s', "
        "$best using 1:2 with points pointtype 6 pointsize 1.6 linewidth 2 linecolor rgb '%s'\n",
        tg_theme_ink(s->theme), tg_theme_faint(s->theme),
        map->n_x > 60u || map->n_y > 30u ? 0.3 : 0.8, tg_theme_ink(s->theme),
        tg_theme_ink(s->theme));
}

int tg_heat_draw(const struct tg_heat *map, enum tg_theme theme, char **svg)
{
    const uint32_t wanted = map->n_y < MOST_PX / ROW_PX ? map->n_y * ROW_PX : MOST_PX;
    const uint32_t height = wanted > LEAST_PX ? wanted : LEAST_PX;
    const struct tg_script_box box = {
        .left = LEFT_PX, .right = WIDTH_PX - RIGHT_PX, .top = TOP_PX, .bottom = TOP_PX + height};
    struct tg_script s;

    *svg = NULL;
    if (tg_script_start(&s, WIDTH_PX, TOP_PX + height + BOTTOM_PX, theme) != 0) {
        return TG_GNUPLOT_ERR_SYSTEM;
    }
    tg_script_place(&s, &box);
    tg_script_label(&s, map->z_label, (box.left + box.right) / 2u, TOP_PX / 2u, true);
    put_names(&s, 'x', map->x_names, map->n_x);
    put_names(&s, 'y', map->y_names, map->n_y);
    if (map->y_label[0] == '\0') {
        fputs("unset ytics\n", s.out);
    }
    put_colours(&s, map);
    put_cells(&s, map);
    put_map(&s, map);
    return tg_script_draw(&s, svg);
}
