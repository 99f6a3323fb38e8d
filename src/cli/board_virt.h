/* SPDX-License-Identifier: MIT
 *
 * board_virt.h - a system file on QEMU's virt machine with the priority NIC: three processes in a
 * network namespace of their own.
 *
 *     this one: frames of the scenario ─▶ tg0 ══ veth ══ tg1 ─▶ tidegate nic ─▶ QEMU: firmware
 *     clients: nsenter --net=/proc/PID/ns/net ─▶ tg0
 *
 * The namespace belongs to these processes and is gone with them. Time is that of the host: nothing
 * is kept from one run to the next.
 */
#ifndef TG_CLI_BOARD_VIRT_H
#define TG_CLI_BOARD_VIRT_H

#include "board.h"

/* Can the board run this file? It has a station, and rings and buffers that fit the NIC's memory.
 *
 * Returns: an enum tg_exit, after a message. */
int tg_virt_accepts(const char *path, const struct tg_system *system);

/* Run all cells, one after the other: set result, sent and lost_before of each. The calling process
 * is in the namespace from then on.
 *
 * Context: main task; forks. file: the system file, for the NIC.
 * Returns: an enum tg_exit, after a message; tg_virt_free is due in either case. */
int tg_virt_run(const struct tg_board *board, const char *command, const char *file,
                struct tg_board_cell *cells, size_t n);

/* Context: main task. */
void tg_virt_free(struct tg_board_cell *cells, size_t n);

#endif
