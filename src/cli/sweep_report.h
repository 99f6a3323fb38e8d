/* SPDX-License-Identifier: MIT
 *
 * sweep_report.h - a page about a sweep.
 */
#ifndef TG_CLI_SWEEP_REPORT_H
#define TG_CLI_SWEEP_REPORT_H

#include "sweep_output.h"

/* Can figures be drawn here? Asked before the work, not after it.
 *
 * Context: main task; starts gnuplot. Returns: an enum tg_exit. Cost: as tg_gnuplot_run. */
int tg_sweep_report_can(void);

/* Write the page; all rows are there.
 *
 * Context: main task; starts gnuplot; says on standard error what is wrong.
 * Returns: an enum tg_exit.
 * Cost:    O(cells), and as tg_gnuplot_run for each figure. */
int tg_sweep_report(const struct tg_sweep_output *output, const char *path);

#endif
