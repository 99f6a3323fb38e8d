/* SPDX-License-Identifier: MIT
 *
 * board.c - the way to main, memory map, clock, alarm, idling, UART.
 */
#include "board.h"
#include "gic.h"
#include "kernel.h"
#include "mmu.h"

#include <stdlib.h>

/* Virtual timer (ARM Architecture Reference Manual, ARMv7-A, DDI 0406C, B8). */
#define TIMER_ON 1u

/* UART (PL011, DDI 0183). */
#define UART(offset) (*(volatile uint32_t *)(BOARD_UART0 + (offset)))
#define UART_DATA    UART(0x00u)
#define UART_FLAGS   UART(0x18u)
#define FLAGS_FULL   0x20u

uint64_t board_ticks(void)
{
    uint32_t low;
    uint32_t high;

    __asm volatile("isb\n\tmrrc p15, 1, %0, %1, c14"
                   : "=r"(low), "=r"(high)::"memory"); /* CNTVCT */
    return (uint64_t)high << 32 | low;
}

uint32_t board_tick_hz(void)
{
    return BOARD_TICK_HZ;
}

static void set_timer(uint32_t control)
{
    __asm volatile("mcr p15, 0, %0, c14, c3, 1\n\tisb" ::"r"(control) : "memory"); /* CNTV_CTL */
}

void board_alarm(uint64_t at_ticks)
{
    set_timer(0u);
    if (at_ticks != UINT64_MAX) {
        __asm volatile("mcrr p15, 3, %0, %1, c14" /* CNTV_CVAL */
                       ::"r"((uint32_t)at_ticks),
                       "r"((uint32_t)(at_ticks >> 32)));
        set_timer(TIMER_ON);
    }
}

static void take_alarm(void *context)
{
    (void)context;
    set_timer(0u);
    kernel_alarm();
}

_Noreturn void board_idle(void)
{
    for (;;) {
        __asm volatile("wfi");
    }
}

void board_uart_put(char c)
{
    while ((UART_FLAGS & FLAGS_FULL) != 0u) {
    }
    UART_DATA = (uint8_t)c;
}

/* NULL lies in section 0, which is not there. Memory of devices on the PCI bus is normal memory, as
 * frames stand at any address; their registers are not: pci.c maps those on top. */
static const struct mmu_region REGIONS[] = {
    {0x080u, 0x11u, MMU_DEVICE}, /* GIC, UART */
    {0x100u, 8u, MMU_DEVICE},    /* registers on the PCI bus */
    {0x108u, 8u, MMU_UNCACHED},  /* memory on the PCI bus */
    {0x3f0u, 1u, MMU_DEVICE},    /* configuration space of PCI */
    {0x400u, 128u, MMU_CACHED},  /* RAM */
};

extern int main(void);

/* Called by start.S with interrupts masked; they stay so until the kernel starts. */
_Noreturn void board_main(void);

_Noreturn void board_main(void)
{
    uint32_t hz;

    mmu_init(REGIONS, sizeof(REGIONS) / sizeof(REGIONS[0]));
    gic_init();
    __asm volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(hz)); /* CNTFRQ */
    if (hz != BOARD_TICK_HZ) {
        kernel_panic("the clock is not that of board.h", NULL);
    }
    gic_enable(BOARD_LINE_CLOCK, BOARD_LEVEL_CLOCK, take_alarm, NULL);
    exit(main());
}
