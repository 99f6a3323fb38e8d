/* SPDX-License-Identifier: MIT
 *
 * theme.h - the colours of pictures, on light and on dark paper. Told apart by all kinds of colour
 * vision (M. Okabe, K. Ito, "Color Universal Design", 2008), and never the only sign: lines also
 * differ in dashes and points.
 */
#ifndef TG_REPORT_THEME_H
#define TG_REPORT_THEME_H

#include <stdint.h>

enum tg_theme { TG_THEME_LIGHT, TG_THEME_DARK, TG_THEMES };

/* A look: a colour, and for lines a dash and a point of its own. */
enum tg_look {
    TG_LOOK_RED,    /* vermilion */
    TG_LOOK_BLUE,   /* sky blue */
    TG_LOOK_PURPLE, /* reddish purple */
    TG_LOOK_GREEN,  /* bluish green; the thick one */
    TG_LOOK_ORANGE,
    TG_LOOK_CYAN,
    TG_LOOK_INK, /* that of texts */
    TG_LOOKS
};

/* "#rrggbb" of a look.
 *
 * Context: any, likewise below.
 * Cost:    O(1), likewise below. */
const char *tg_theme_colour(enum tg_theme theme, enum tg_look look);

/* Of text and axes. */
const char *tg_theme_ink(enum tg_theme theme);

/* Of what stays behind: grids, marks. */
const char *tg_theme_faint(enum tg_theme theme);

#endif
