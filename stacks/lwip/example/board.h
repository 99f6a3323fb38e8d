/* SPDX-License-Identifier: MIT
 *
 * board.h - what the example asks of a board: its NIC, its clock, its tasks.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

struct netif;
struct pbuf;

/* A receive descriptor of the NIC. */
struct board_descriptor {
    uint8_t *data;
    volatile uint32_t len_bytes; /* 0: the NIC has it */
};

#define BOARD_RING 16u

extern struct board_descriptor board_ring[BOARD_RING];
extern void *const board_port; /* what the port's functions are given */

void board_start_nic(void);
void board_pend_receive(bool again); /* the receive interrupt once more, or not */
void board_signal(void);             /* from an interrupt: the network task goes on */
void board_wait(void);
struct pbuf *board_receive(void); /* the next frame, copied into a pbuf; NULL: none */
int8_t board_init_netif(struct netif *netif);
uint64_t board_now_ns(void);
uint64_t board_random(void);
_Noreturn void board_fail(void);

#endif
