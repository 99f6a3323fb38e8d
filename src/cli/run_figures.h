/* SPDX-License-Identifier: MIT
 *
 * run_figures.h - the figures of a report: from results to pictures with captions.
 */
#ifndef TG_CLI_RUN_FIGURES_H
#define TG_CLI_RUN_FIGURES_H

#include "run_sweep.h"
#include "run_timeline.h"

/* Where the CPU's time goes, over the rate of the flood.
 *
 * Context: task; starts gnuplot, likewise below.
 * Returns: 0, or a negative enum tg_gnuplot_error, likewise below.
 * Cost:    twice tg_gnuplot_run, likewise below. */
int tg_figure_cpu(const struct tg_run_result *r, const struct tg_sweep *sweep, FILE *out);

/* Deadlines met and packets delivered, over the rate of the flood. */
int tg_figure_delivery(const struct tg_run_result *r, const struct tg_sweep *sweep, FILE *out);

/* Interrupts, the most urgent task and the most urgent flow, over the rate of the flood. */
int tg_figure_cost(const struct tg_run_result *r, const struct tg_sweep *sweep, FILE *out);

/* How long packets took. Nothing if none was delivered. */
int tg_figure_latency(const struct tg_run_result *r, FILE *out);

/* The first milliseconds of the flood, or of the scenario if it has none. */
int tg_figure_timeline(const struct tg_run_result *r, const struct tg_timeline *timeline,
                       FILE *out);

#endif
