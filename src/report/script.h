/* SPDX-License-Identifier: MIT
 *
 * script.h - what the scripts of all figures have in common.
 */
#ifndef TG_REPORT_SCRIPT_H
#define TG_REPORT_SCRIPT_H

#include "report/theme.h"

#include <stdbool.h>
#include <stdio.h>

/* A script that grows in memory. */
struct tg_script {
    FILE *out;
    char *text;
    size_t size;
    uint32_t width_px;
    uint32_t height_px;
    enum tg_theme theme;
};

/* Where a panel is, in pixels from the upper left. */
struct tg_script_box {
    uint32_t left;
    uint32_t right;
    uint32_t top;
    uint32_t bottom;
};

/* Start: a picture of this size, several plots in it.
 *
 * Context: task, likewise below.
 * Returns: 0, or -1 when out of memory. */
int tg_script_start(struct tg_script *s, uint32_t width_px, uint32_t height_px,
                    enum tg_theme theme);

/* A text in quotes that gnuplot takes as it is. */
void tg_script_text(const struct tg_script *s, const char *text);

/* The next plot lies here. */
void tg_script_place(const struct tg_script *s, const struct tg_script_box *box);

/* A text with its middle at this place, in the next plot. */
void tg_script_label(const struct tg_script *s, const char *text, uint32_t x_px, uint32_t y_px,
                     bool is_title);

/* A plot without axes, for a legend in the middle of the box: what follows are items of a `plot`
 * command. */
void tg_script_legend(const struct tg_script *s, const struct tg_script_box *box);

/* Run it, and free it.
 *
 * Returns: 0, *svg to be given to free(); or a negative enum tg_gnuplot_error. */
int tg_script_draw(struct tg_script *s, char **svg);

#endif
