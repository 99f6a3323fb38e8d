/* SPDX-License-Identifier: MIT
 *
 * board.h - the Zynq-7000 as `qemu-system-arm -M xilinx-zynq-a9` has it: addresses, lines, levels,
 * and what the board does besides running the kernel.
 *
 * Source: Zynq-7000 SoC Technical Reference Manual (UG585).
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#define BOARD_GICC      UINT32_C(0xf8f00100)
#define BOARD_GICD      UINT32_C(0xf8f01000)
#define BOARD_GIC_LINES 96u

#define BOARD_CLOCK UINT32_C(0xf8f00200) /* global timer */
#define BOARD_UART0 UINT32_C(0xe0000000)
#define BOARD_GEM0  UINT32_C(0xe000b000)
#define BOARD_GEM1  UINT32_C(0xe000c000)

#define BOARD_LINE_CLOCK 27u /* global timer: the kernel's alarms */
#define BOARD_LINE_TIMER 29u /* private timer: the traffic generator */
#define BOARD_LINE_GEM0  54u
#define BOARD_LINE_GEM1  77u

/* Levels of interrupts, smaller is more urgent (gic.h). Level 1 is the kernel's. A mask that
 * follows the running thread (kernel_unify) must let levels 0 to 2 through. */
#define BOARD_LEVEL_GENERATOR 0u
#define BOARD_LEVEL_CLOCK     2u
#define BOARD_LEVEL_RECEIVE   16u /* and around it */

#define BOARD_TICK_HZ 100000000u /* of the global timer; QEMU's, and close to a real board's */
#define BOARD_TICK_NS 10u

/* Memory that caches leave alone, for descriptors that a device reads and writes. */
#define BOARD_UNCACHED __attribute__((section(".uncached"), aligned(64)))

#define BOARD_CACHE_LINE_BYTES 32u

/* Drop, or write back, the cache lines of this memory.
 *
 * Context: any.
 * Cost:    O(len_bytes / BOARD_CACHE_LINE_BYTES). */
void board_cache_invalidate(const void *data, uint32_t len_bytes);
void board_cache_clean(const void *data, uint32_t len_bytes);

/* The private timer calls handler once, so many ticks from now, on BOARD_LEVEL_GENERATOR.
 *
 * Context: any; handler: interrupt. */
void board_timer_init(void (*handler)(void *context), void *context);
void board_timer_start(uint32_t ticks);
void board_timer_stop(void);

/* One of the first UART's characters; waits for room.
 *
 * Context: any. */
void board_uart_put(char c);

/* ---- What the network takes (generator.h) ---------------------------------------------------- */

/* The timer behind board_ticks(), its low half: it never stands still.
 *
 * Context: any, likewise below. */
static inline uint32_t board_raw_ticks(void)
{
    return *(const volatile uint32_t *)BOARD_CLOCK;
}

/* board_ticks() has stood still for so many ticks. Before, the alarm is told of it: that takes time
 * of its own. Context: an interrupt above all others. */
void board_pause_alarm(uint32_t ticks);
void board_pause(uint32_t ticks);

/* All that it has stood still. */
uint32_t board_paused_ticks(void);

/* What an instruction takes; the emulator's all take the same. */
extern uint32_t board_instruction_ns;

/* Wait for an interruption of 40 instructions or more. Returns: ticks of the timer between two
 * looks around it, which are BOARD_GAP_INSTRUCTIONS apart without one. */
uint32_t board_next_gap(void);
#define BOARD_GAP_INSTRUCTIONS 5u

#endif
