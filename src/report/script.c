/* SPDX-License-Identifier: MIT
 *
 * script.c - what the scripts of all figures have in common.
 */
#define _POSIX_C_SOURCE 200809L
#include "script.h"
#include "gnuplot.h"

#include <stdlib.h>

int tg_script_start(struct tg_script *s, uint32_t width_px, uint32_t height_px, enum tg_theme theme)
{
    *s = (struct tg_script){.width_px = width_px, .height_px = height_px, .theme = theme};
    s->out = open_memstream(&s->text, &s->size);
    if (s->out == NULL) {
        return -1;
    }
    fprintf(s->out,
            "set encoding utf8\n"
            "set terminal svg noenhanced size %u,%u font 'sans-serif,13' linewidth 1\n"
            "set multiplot\n"
            "set border 3 linecolor rgb '%s'\n"
            "set xtics nomirror textcolor rgb '%s'\nset ytics nomirror textcolor rgb '%s'\n"
            "set key textcolor rgb '%s'\n"
            "set style line 100 linecolor rgb '%s' linewidth 1\n",
            width_px, height_px, tg_theme_ink(theme), tg_theme_ink(theme), tg_theme_ink(theme),
            tg_theme_ink(theme), tg_theme_faint(theme));
    return 0;
}

void tg_script_text(const struct tg_script *s, const char *text)
{
    fputc('\'', s->out);
    for (; *text != '\0'; text++) {
        fputs(*text == '\'' ? "''" : "", s->out);
        if (*text != '\'') {
            fputc(*text, s->out);
        }
    }
    fputc('\'', s->out);
}

void tg_script_label(const struct tg_script *s, const char *text, uint32_t x_px, uint32_t y_px,
                     bool is_title)
{
    fputs("set label ", s->out);
    tg_script_text(s, text);
    fprintf(s->out, " at screen %.6f, screen %.6f center font '%s' textcolor rgb '%s'\n",
            (double)x_px / s->width_px, 1.0 - (double)y_px / s->height_px,
            is_title ? "sans-serif,15" : "sans-serif,13", tg_theme_ink(s->theme));
}

/* gnuplot counts from the lower left, in parts of the whole. */
void tg_script_place(const struct tg_script *s, const struct tg_script_box *box)
{
    const double width = s->width_px;
    const double height = s->height_px;

    fprintf(s->out,
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
            "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
            box->left / width, box->right / width, 1.0 - box->top / height,
            1.0 - box->bottom / height);
}

void tg_script_legend(const struct tg_script *s, const struct tg_script_box *box)
{
    tg_script_place(s, box);
    fputs("unset border\nunset tics\nunset ylabel\nunset grid\nunset logscale\n"
          "set key center center horizontal Left reverse samplen 3 width 3\n"
          "plot [0:1][0:1] ",
          s->out);
}

int tg_script_draw(struct tg_script *s, char **svg)
{
    fputs("unset multiplot\n", s->out);

    const int err = fclose(s->out) == 0 ? tg_gnuplot_run(s->text, svg) : TG_GNUPLOT_ERR_SYSTEM;

    free(s->text);
    return err;
}
