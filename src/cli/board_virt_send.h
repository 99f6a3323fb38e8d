/* SPDX-License-Identifier: MIT
 *
 * board_virt_send.h - the frames of a scenario on a real network.
 */
#ifndef TG_CLI_BOARD_VIRT_SEND_H
#define TG_CLI_BOARD_VIRT_SEND_H

#include "board.h"

#include <signal.h>

/* Send all frames of the cell's scenario, each at its time or as soon as possible after it, and
 * say in it when that was (src/lab/plan.h). When we fall behind, what repeats the frame before it
 * is left out: a flood is thinner then, and the others' frames are all sent. Ends with the
 * scenario's time, a little later, or when *is_stopped is set.
 *
 * Context: main task. interface: an Ethernet interface.
 * Units:   ahead_ns: this host's CLOCK_MONOTONIC minus the board's clock.
 * Returns: 0, and cell->sent counts; -1 with a sentence in text. */
int tg_virt_send(const char *interface, struct tg_board_cell *cell, tg_ns ahead_ns,
                 const volatile sig_atomic_t *is_stopped, char *text, size_t size);

#endif
