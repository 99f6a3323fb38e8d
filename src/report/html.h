/* SPDX-License-Identifier: MIT
 *
 * html.h - one page that needs nothing but itself: styles and pictures are in it.
 */
#ifndef TG_REPORT_HTML_H
#define TG_REPORT_HTML_H

#include <stddef.h>
#include <stdio.h>

/* A text, with what HTML would take for its own replaced.
 *
 * Context: any task, likewise below.
 * Cost:    O(length), likewise below. */
void tg_html_text(FILE *out, const char *text);

/* Everything before the first heading, light or dark as the reader's system is. */
void tg_html_start(FILE *out, const char *title);

void tg_html_end(FILE *out);

/* A picture in two colourings, SVG each, inside the page. alt says what it shows to who cannot see
 * it. */
void tg_html_picture(FILE *out, const char *light_svg, const char *dark_svg, const char *alt);

#endif
