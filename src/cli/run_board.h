/* SPDX-License-Identifier: MIT
 *
 * run_board.h - `tidegate run FILE --on zynq` or `virt`.
 */
#ifndef TG_CLI_RUN_BOARD_H
#define TG_CLI_RUN_BOARD_H

#include "board.h"
#include "command.h"

/* Context: main task. Returns: an enum tg_exit. */
int tg_run_on_board(const struct tg_arguments *arguments, enum tg_board_kind kind);

#endif
