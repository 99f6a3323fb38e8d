/* SPDX-License-Identifier: MIT
 *
 * uart.c - the first UART, output only. Not for measured runs: how long it waits for room depends
 * on who reads.
 */
#include "board.h"

#define UART(offset)  (*(volatile uint32_t *)(BOARD_UART0 + (offset)))
#define UART_CONTROL  UART(0x00u)
#define UART_STATUS   UART(0x2cu)
#define UART_FIFO     UART(0x30u)
#define CONTROL_TX_ON 0x10u
#define STATUS_FULL   0x10u

void board_uart_put(char c)
{
    UART_CONTROL = CONTROL_TX_ON;
    while ((UART_STATUS & STATUS_FULL) != 0u) {
    }
    UART_FIFO = (uint8_t)c;
}
