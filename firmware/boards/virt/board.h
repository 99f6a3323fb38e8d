/* SPDX-License-Identifier: MIT
 *
 * board.h - the machine `virt` of QEMU with a Cortex-A15 and a GICv2: addresses, lines, levels. As
 * run.sh starts it: devices below 4 GiB, the clock at 100 MHz.
 *
 * Source: QEMU's hw/arm/virt.c has no manual; docs/system/arm/virt.rst names the devices, the
 * device tree that it makes (-machine dumpdtb=FILE) the addresses.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#define BOARD_GICD      UINT32_C(0x08000000)
#define BOARD_GICC      UINT32_C(0x08010000)
#define BOARD_GIC_LINES 160u

/* GICv2m: a device that writes the number of a line here pends it. */
#define BOARD_MSI            UINT32_C(0x08020040)
#define BOARD_MSI_FIRST_LINE 80u /* 64 of them */

#define BOARD_UART0 UINT32_C(0x09000000)

#define BOARD_PCI_CONFIG UINT32_C(0x3f000000) /* ECAM, bus 0 */
#define BOARD_PCI_MEMORY UINT32_C(0x10000000) /* for BARs; the first 16 MiB are used */

#define BOARD_LINE_CLOCK 27u /* virtual timer: the kernel's alarms */

/* Levels of interrupts, smaller is more urgent (gic.h). Level 1 is the kernel's. A mask that
 * follows the running thread (kernel_unify) must let levels 0 to 2 through. */
#define BOARD_LEVEL_CLOCK   2u
#define BOARD_LEVEL_RECEIVE 4u /* and larger ones: by rank of the queue */

#define BOARD_TICK_HZ 100000000u
#define BOARD_TICK_NS 10u

/* One of the UART's characters; waits for room.
 *
 * Context: any. */
void board_uart_put(char c);

#endif
