/* SPDX-License-Identifier: MIT
 *
 * tracks.h - a figure of what happened when: one panel per run, in it one track per runner, all
 * over one axis of time.
 */
#ifndef TG_REPORT_TRACKS_H
#define TG_REPORT_TRACKS_H

#include "report/theme.h"
#include "tidegate/common.h"

#include <stddef.h>

enum tg_track_sign {
    TG_TRACK_ARRIVES, /* a packet; open triangle */
    TG_TRACK_DONE,    /* a packet; filled circle */
    TG_TRACK_LOST,    /* a packet; cross */
    TG_TRACK_RELEASE, /* of a job; open triangle */
    TG_TRACK_MISSED,  /* a deadline passes; cross */
    TG_TRACK_SIGNS
};

#define TG_TRACKS_MAX       16u
#define TG_TRACK_PANELS_MAX 8u

/* Somebody has the CPU. */
struct tg_track_span {
    tg_ns from_ns;
    tg_ns until_ns;
    uint32_t track;
    enum tg_look look;
};

struct tg_track_point {
    tg_ns at_ns;
    uint32_t track;
    enum tg_track_sign sign;
};

struct tg_track_panel {
    const char *title;
    struct tg_track_span *spans;
    size_t n_spans;
    size_t spans_room;
    size_t last_span[TG_TRACKS_MAX]; /* of each track, counted from 1; 0: none */
    struct tg_track_point *points;
    size_t n_points;
    size_t points_room;
    size_t last_point[TG_TRACKS_MAX][TG_TRACK_SIGNS]; /* likewise */
};

struct tg_track_figure {
    tg_ns from_ns;
    tg_ns until_ns;
    tg_ns zero_ns; /* what the axis counts from */
    const char *x_label;
    const char *tracks[TG_TRACKS_MAX]; /* names, from top to bottom, the same in each panel */
    uint32_t n_tracks;
    struct tg_track_panel panels[TG_TRACK_PANELS_MAX];
    uint32_t n_panels;
};

/* Add to a panel, in order of time; what is outside of the figure's time is cut or left out.
 * Neighbours that are closer than anybody could see become one, so memory does not depend on how
 * much happens.
 *
 * Context: task; allocates; ends the program with exit status 3 when there is no memory.
 * Cost:    O(1). */
void tg_tracks_span(struct tg_track_figure *figure, uint32_t panel,
                    const struct tg_track_span *span);

/* Likewise. */
void tg_tracks_point(struct tg_track_figure *figure, uint32_t panel,
                     const struct tg_track_point *point);

/* Draw it.
 *
 * Context: task; starts gnuplot.
 * Returns: 0, *svg to be given to free(); or a negative enum tg_gnuplot_error.
 * Cost:    as tg_gnuplot_run. */
int tg_tracks_draw(const struct tg_track_figure *figure, enum tg_theme theme, char **svg);

/* Context: task; an all-zero object is allowed.
 * Cost:    O(1). */
void tg_tracks_free(struct tg_track_figure *figure);

#endif
