/* SPDX-License-Identifier: MIT
 *
 * tracks.c - a figure of what happened when.
 */
#include "tracks.h"
#include "gnuplot.h"
#include "script.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH_PX = 980,
    LEFT_PX = 120,
    RIGHT_PX = 20,
    LEGEND_PX = 76,
    TITLE_PX = 38,
    TRACK_PX = 22,
    BAR_PX = 14,
    AXIS_PX = 56, /* below the last panel */
    NAME_CHARACTERS = 14,
    PLOT_PX = WIDTH_PX - LEFT_PX - RIGHT_PX,
    UNSEEN_PER_FIGURE = 3 * PLOT_PX /* thirds of a pixel */
};

/* Marks stand in the middle of a track, releases at its foot. */
static const struct {
    int point;
    double size;
    double up;
    enum tg_look look;
    const char *name;
} signs[TG_TRACK_SIGNS] = {
    [TG_TRACK_ARRIVES] = {10, 0.7, 0.5, TG_LOOK_BLUE, "packet arrives"},
    [TG_TRACK_DONE] = {7, 0.6, 0.5, TG_LOOK_GREEN, "packet delivered"},
    [TG_TRACK_LOST] = {2, 0.8, 0.5, TG_LOOK_RED, "packet lost"},
    [TG_TRACK_RELEASE] = {8, 0.7, 0.1, TG_LOOK_ORANGE, "job released"},
    [TG_TRACK_MISSED] = {2, 1.2, 0.5, TG_LOOK_RED, "deadline missed"},
};

static const struct {
    enum tg_look look;
    const char *name;
} spans[] = {{TG_LOOK_RED, "interrupt"},
             {TG_LOOK_ORANGE, "tick, poll"},
             {TG_LOOK_BLUE, "protocol task"},
             {TG_LOOK_GREEN, "task"}};

enum { N_SPANS = sizeof spans / sizeof spans[0] };

/* ---- What is collected ----------------------------------------------------------------------- */

static void *grown(void *items, size_t n, size_t *room, size_t size)
{
    if (n < *room) {
        return items;
    }
    *room = *room != 0u ? 2u * *room : 64u;

    void *const more = realloc(items, *room * size);

    if (more == NULL) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    return more;
}

static tg_ns unseen_ns(const struct tg_track_figure *f)
{
    return (f->until_ns - f->from_ns) / UNSEEN_PER_FIGURE;
}

void tg_tracks_span(struct tg_track_figure *figure, uint32_t panel,
                    const struct tg_track_span *span)
{
    struct tg_track_panel *const p = &figure->panels[panel];
    const size_t last = p->last_span[span->track];
    struct tg_track_span s = *span;

    s.from_ns = s.from_ns > figure->from_ns ? s.from_ns : figure->from_ns;
    s.until_ns = s.until_ns < figure->until_ns ? s.until_ns : figure->until_ns;
    if (s.from_ns >= s.until_ns) {
        return;
    }
    if (last != 0u && p->spans[last - 1u].look == s.look &&
        s.from_ns - p->spans[last - 1u].until_ns <= unseen_ns(figure)) {
        p->spans[last - 1u].until_ns = s.until_ns;
        return;
    }
    p->spans = grown(p->spans, p->n_spans, &p->spans_room, sizeof p->spans[0]);
    p->spans[p->n_spans++] = s;
    p->last_span[s.track] = p->n_spans;
}

void tg_tracks_point(struct tg_track_figure *figure, uint32_t panel,
                     const struct tg_track_point *point)
{
    struct tg_track_panel *const p = &figure->panels[panel];
    size_t *const last = &p->last_point[point->track][point->sign];

    if (point->at_ns < figure->from_ns || point->at_ns >= figure->until_ns ||
        (*last != 0u && point->at_ns - p->points[*last - 1u].at_ns <= unseen_ns(figure))) {
        return;
    }
    p->points = grown(p->points, p->n_points, &p->points_room, sizeof p->points[0]);
    p->points[p->n_points++] = *point;
    *last = p->n_points;
}

void tg_tracks_free(struct tg_track_figure *figure)
{
    for (uint32_t i = 0u; i < TG_TRACK_PANELS_MAX; i++) {
        free(figure->panels[i].spans);
        free(figure->panels[i].points);
    }
    memset(figure, 0, sizeof *figure);
}

/* ---- The script ------------------------------------------------------------------------------ */

/* A bar is a thick line: that is one element of the picture for all bars of a colour. */
static void put_bar(const struct tg_script *s, enum tg_look look)
{
    fprintf(s->out, "lines linewidth %d linecolor rgb '%s'", BAR_PX,
            tg_theme_colour(s->theme, look));
}

static void put_point(const struct tg_script *s, enum tg_track_sign sign)
{
    fprintf(s->out, "points pointtype %d pointsize %.1f linewidth 1.5 linecolor rgb '%s'",
            signs[sign].point, signs[sign].size,
            sign == TG_TRACK_ARRIVES || sign == TG_TRACK_RELEASE
                ? tg_theme_ink(s->theme)
                : tg_theme_colour(s->theme, signs[sign].look));
}

static void put_legend(const struct tg_script *s)
{
    const struct tg_script_box box = {
        .left = 10, .right = WIDTH_PX - RIGHT_PX, .top = 0, .bottom = LEGEND_PX};

    tg_script_legend(s, &box);
    for (size_t i = 0u; i < N_SPANS; i++) {
        fputs("NaN with ", s->out);
        put_bar(s, spans[i].look);
        fprintf(s->out, " title '%s', ", spans[i].name);
    }
    for (uint32_t sign = 0u; sign < TG_TRACK_SIGNS; sign++) {
        fputs("NaN with ", s->out);
        put_point(s, (enum tg_track_sign)sign);
        fprintf(s->out, " title '%s'%s", signs[sign].name,
                sign + 1u < TG_TRACK_SIGNS ? ", " : "\n");
    }
    fputs("unset key\nset border 1\nset xtics nomirror\n", s->out);
}

static double ms_of(const struct tg_track_figure *f, tg_ns at_ns)
{
    return ((double)at_ns - (double)f->zero_ns) / 1e6;
}

/* As wide as it lasts, but never too thin to be seen. */
static void put_span(const struct tg_script *s, const struct tg_track_figure *f,
                     const struct tg_track_span *span)
{
    const double y = (double)(f->n_tracks - span->track) - 0.5;
    const double from_ms = ms_of(f, span->from_ns);
    const double until_ms = ms_of(f, span->until_ns);
    const double least_ms = (double)(f->until_ns - f->from_ns) / 1e6 / PLOT_PX * 0.8;

    fprintf(s->out, "%.6f %.1f\n%.6f %.1f\n\n", from_ms, y,
            until_ms - from_ms > least_ms ? until_ms : from_ms + least_ms, y);
}

/* A block that is empty draws nothing: gnuplot warns of those without any line. */
static void put_data(const struct tg_script *s, const struct tg_track_figure *f,
                     const struct tg_track_panel *p)
{
    for (size_t i = 0u; i < N_SPANS; i++) {
        fprintf(s->out, "$b%zu << END\nNaN NaN\n", i);
        for (size_t k = 0u; k < p->n_spans; k++) {
            if (p->spans[k].look == spans[i].look) {
                put_span(s, f, &p->spans[k]);
            }
        }
        fputs("END\n", s->out);
    }
    for (uint32_t sign = 0u; sign < TG_TRACK_SIGNS; sign++) {
        fprintf(s->out, "$p%u << END\nNaN NaN\n", sign);
        for (size_t i = 0u; i < p->n_points; i++) {
            if ((uint32_t)p->points[i].sign == sign) {
                fprintf(s->out, "%.6f %.2f\n", ms_of(f, p->points[i].at_ns),
                        (double)(f->n_tracks - p->points[i].track) - 1.0 + signs[sign].up);
            }
        }
        fputs("END\n", s->out);
    }
}

/* Names as long as the margin is wide; whole characters of UTF-8. */
static void put_name(const struct tg_script *s, const char *name)
{
    char text[5u * NAME_CHARACTERS + 4u];
    size_t length = 0u;
    size_t characters = 0u;

    while (name[length] != '\0' &&
           (characters < NAME_CHARACTERS || ((unsigned char)name[length] & 0xc0u) == 0x80u)) {
        text[length] = name[length];
        length++;
        characters += ((unsigned char)name[length] & 0xc0u) != 0x80u;
    }
    (void)snprintf(text + length, sizeof text - length, "%s", name[length] != '\0' ? "\u2026" : "");
    tg_script_text(s, text);
}

static void put_axes(const struct tg_script *s, const struct tg_track_figure *f, bool is_last)
{
    fprintf(s->out, "set xrange [%.6f:%.6f]\nset yrange [0:%u]\n", ms_of(f, f->from_ns),
            ms_of(f, f->until_ns), f->n_tracks);
    fputs("unset ytics\nset ytics scale 0 (", s->out);
    for (size_t i = 0u; i < f->n_tracks; i++) {
        fputs(i != 0u ? ", " : "", s->out);
        put_name(s, f->tracks[i]);
        fprintf(s->out, " %.1f", (double)(f->n_tracks - i) - 0.5);
    }
    fprintf(s->out, ")\nset grid xtics back linestyle 100\nset format x '%s'\n",
            is_last ? "%g" : "");
    for (size_t i = 1u; i < f->n_tracks; i++) {
        fprintf(s->out,
                "set arrow from graph 0, first %zu to graph 1, first %zu nohead back "
                "linestyle 100\n",
                i, i);
    }
    fprintf(s->out,
            "set arrow from 0, graph 0 to 0, graph 1 nohead linecolor rgb '%s' dashtype '. '\n",
            tg_theme_ink(s->theme));
}

static void put_panel(const struct tg_script *s, const struct tg_track_figure *f, size_t index)
{
    const struct tg_track_panel *const p = &f->panels[index];
    const uint32_t height = TITLE_PX + (uint32_t)f->n_tracks * TRACK_PX;
    const uint32_t top = LEGEND_PX + (uint32_t)index * height + TITLE_PX;
    const struct tg_script_box box = {.left = LEFT_PX,
                                      .right = WIDTH_PX - RIGHT_PX,
                                      .top = top,
                                      .bottom = top + (uint32_t)f->n_tracks * TRACK_PX};

    put_data(s, f, p);
    tg_script_place(s, &box);
    put_axes(s, f, index + 1u == f->n_panels);
    tg_script_label(s, p->title, (LEFT_PX + WIDTH_PX - RIGHT_PX) / 2, top - 14u, true);
    if (index + 1u == f->n_panels) {
        tg_script_label(s, f->x_label, (LEFT_PX + WIDTH_PX - RIGHT_PX) / 2,
                        box.bottom + AXIS_PX - 14u, false);
    }
    fputs("plot ", s->out);
    for (size_t i = 0u; i < N_SPANS; i++) {
        fprintf(s->out, "$b%zu using 1:2 with ", i);
        put_bar(s, spans[i].look);
        fputs(", ", s->out);
    }
    for (uint32_t sign = 0u; sign < TG_TRACK_SIGNS; sign++) {
        fprintf(s->out, "$p%u using 1:2 with ", sign);
        put_point(s, (enum tg_track_sign)sign);
        fputs(sign + 1u < TG_TRACK_SIGNS ? ", " : "\n", s->out);
    }
    fputs("unset arrow\nunset label\n", s->out);
}

int tg_tracks_draw(const struct tg_track_figure *figure, enum tg_theme theme, char **svg)
{
    const uint32_t panel = TITLE_PX + (uint32_t)figure->n_tracks * TRACK_PX;
    struct tg_script s;

    *svg = NULL;
    if (tg_script_start(&s, WIDTH_PX, LEGEND_PX + (uint32_t)figure->n_panels * panel + AXIS_PX,
                        theme) != 0) {
        return TG_GNUPLOT_ERR_SYSTEM;
    }
    put_legend(&s);
    for (uint32_t i = 0u; i < figure->n_panels; i++) {
        put_panel(&s, figure, i);
    }
    return tg_script_draw(&s, svg);
}
