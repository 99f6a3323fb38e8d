/* SPDX-License-Identifier: MIT
 *
 * theme.c - the colours of pictures.
 */
#include "theme.h"

const char *tg_theme_colour(enum tg_theme theme, enum tg_look look)
{
    static const char *const colours[TG_THEMES][TG_LOOKS] = {
        {"#d55e00", "#0072b2", "#b0578a", "#009e73", "#d08a00", "#56b4e9", "#1b1f24"},
        {"#ff8542", "#56b4e9", "#dd8fbb", "#1fc796", "#f0b429", "#a6dcf5", "#e4e7eb"},
    };

    return colours[theme][look];
}

const char *tg_theme_ink(enum tg_theme theme)
{
    return theme == TG_THEME_LIGHT ? "#1b1f24" : "#e4e7eb";
}

const char *tg_theme_faint(enum tg_theme theme)
{
    return theme == TG_THEME_LIGHT ? "#d4d9df" : "#3f464f";
}
