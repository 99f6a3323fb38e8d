/* SPDX-License-Identifier: MIT
 *
 * gnuplot.h - what gnuplot draws from a script.
 */
#ifndef TG_REPORT_GNUPLOT_H
#define TG_REPORT_GNUPLOT_H

#include <stddef.h>

/* What is installed where it is missing (Debian). */
#define TG_GNUPLOT_PACKAGE "gnuplot-nox"

enum tg_gnuplot_error {
    TG_GNUPLOT_ERR_MISSING = -1, /* there is no gnuplot */
    TG_GNUPLOT_ERR_FAILED = -2,  /* it ended with an error, and said why on standard error */
    TG_GNUPLOT_ERR_SYSTEM = -3   /* no process, no temporary file, or no memory */
};

/* Run a script, without the settings of the user.
 *
 * Context: task; waits for a child process.
 * Returns: 0, *output is all it wrote, to be given to free(); or a negative enum tg_gnuplot_error,
 *          *output is then NULL.
 * Cost:    tens of milliseconds. */
int tg_gnuplot_run(const char *script, char **output);

#endif
