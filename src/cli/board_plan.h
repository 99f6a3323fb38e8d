/* SPDX-License-Identifier: MIT
 *
 * board_plan.h - a cell as the file that the firmware reads.
 */
#ifndef TG_CLI_BOARD_PLAN_H
#define TG_CLI_BOARD_PLAN_H

#include "board.h"

#define TG_BOARD_TICK_NS 10u

/* The UDP port that lwIP is to give to this flow. It gives a port once, however many flows have it.
 *
 * Context: any.
 * Returns: 0 if there is none, or another flow before it has it. */
uint32_t tg_board_port(const struct tg_system *system, const struct tg_system_flow *flow);

/* Write the plan into memory.
 *
 * Context: any task; allocates.
 * Returns: 0, *bytes to be given to free(); -1 with a sentence in text.
 * Cost:    O(arrivals). */
int tg_board_plan(const struct tg_board_cell *cell, char **bytes, size_t *size, char *text,
                  size_t text_size);

#endif
