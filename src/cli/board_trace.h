/* SPDX-License-Identifier: MIT
 *
 * board_trace.h - the trace that the lab's firmware wrote, as `tidegate run --trace` shows it.
 */
#ifndef TG_CLI_BOARD_TRACE_H
#define TG_CLI_BOARD_TRACE_H

#include "run_trace.h"

#include <stdio.h>

/* Show the events of a run between tg_run_trace_begin and tg_run_trace_end. They come from outside:
 * all of them make sense, or the first that does not is an error.
 *
 * Context: any.
 * Returns: 0; -1 with "RECORD: sentence" in text, what came before has been shown.
 * Cost:    O(events). */
int tg_board_trace(FILE *in, const struct tg_system *system, struct tg_run_trace *out, char *text,
                   size_t text_size);

#endif
