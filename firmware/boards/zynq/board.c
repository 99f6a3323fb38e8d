/* SPDX-License-Identifier: MIT
 *
 * board.c - the way to main, memory map, clock, alarm, idling.
 */
#include "board.h"
#include "gic.h"
#include "kernel.h"
#include "mmu.h"

#include <stdlib.h>

/* Global timer (Cortex-A9 MPCore TRM, DDI 0407, chapter 4). */
#define CLOCK(offset)   (*(volatile uint32_t *)(0xf8f00200u + (offset)))
#define CLOCK_LOW       CLOCK(0x00u)
#define CLOCK_HIGH      CLOCK(0x04u)
#define CLOCK_CONTROL   CLOCK(0x08u)
#define CLOCK_STATUS    CLOCK(0x0cu)
#define CLOCK_AT_LOW    CLOCK(0x10u)
#define CLOCK_AT_HIGH   CLOCK(0x14u)
#define CLOCK_ON        1u
#define CLOCK_COMPARE   2u
#define CLOCK_INTERRUPT 4u

/* Private timer, likewise. */
#define TIMER(offset)   (*(volatile uint32_t *)(0xf8f00600u + (offset)))
#define TIMER_LOAD      TIMER(0x00u)
#define TIMER_CONTROL   TIMER(0x08u)
#define TIMER_STATUS    TIMER(0x0cu)
#define TIMER_ON        1u
#define TIMER_INTERRUPT 4u

static struct {
    void (*handler)(void *context);
    void *context;
} timer;

uint64_t board_ticks(void)
{
    uint32_t high;
    uint32_t low;

    do {
        high = CLOCK_HIGH;
        low = CLOCK_LOW;
    } while (high != CLOCK_HIGH);
    return (uint64_t)high << 32 | low;
}

uint32_t board_tick_hz(void)
{
    return BOARD_TICK_HZ;
}

void board_alarm(uint64_t at_ticks)
{
    CLOCK_CONTROL = CLOCK_ON; /* no comparison with half a value */
    if (at_ticks != UINT64_MAX) {
        CLOCK_STATUS = 1u;
        CLOCK_AT_LOW = (uint32_t)at_ticks;
        CLOCK_AT_HIGH = (uint32_t)(at_ticks >> 32);
        CLOCK_CONTROL = CLOCK_ON | CLOCK_COMPARE | CLOCK_INTERRUPT;
    }
}

static void take_alarm(void *context)
{
    (void)context;
    CLOCK_CONTROL = CLOCK_ON;
    CLOCK_STATUS = 1u;
    kernel_alarm();
}

static void take_timer(void *context)
{
    (void)context;
    TIMER_STATUS = 1u;
    timer.handler(timer.context);
}

void board_timer_init(void (*handler)(void *context), void *context)
{
    timer.handler = handler;
    timer.context = context;
    TIMER_CONTROL = 0u;
    gic_enable(BOARD_LINE_TIMER, BOARD_LEVEL_GENERATOR, take_timer, NULL);
}

void board_timer_start(uint32_t ticks)
{
    TIMER_CONTROL = 0u;
    TIMER_STATUS = 1u;
    TIMER_LOAD = ticks;
    TIMER_CONTROL = TIMER_ON | TIMER_INTERRUPT;
}

void board_timer_stop(void)
{
    TIMER_CONTROL = 0u;
    TIMER_STATUS = 1u;
}

/* One block of straight code for the emulator; with WFI its time would depend on the host's. */
_Noreturn void board_idle(void)
{
    for (;;) {
        __asm volatile(".rept 500\n\tnop\n\t.endr");
    }
}

/* NULL lies in section 0, which is not there. */
static const struct mmu_region REGIONS[] = {
    {1u, 126u, MMU_CACHED},    /* RAM */
    {127u, 1u, MMU_UNCACHED},  /* board.ld's */
    {0xe00u, 3u, MMU_DEVICE},  /* UARTs, GEMs */
    {0xf80u, 16u, MMU_DEVICE}, /* system registers, timers, GIC */
};

extern int main(void);

/* Called by start.S with interrupts masked; they stay so until the kernel starts. */
_Noreturn void board_main(void);

_Noreturn void board_main(void)
{
    mmu_init(REGIONS, sizeof(REGIONS) / sizeof(REGIONS[0]));
    gic_init();
    CLOCK_CONTROL = CLOCK_ON;
    gic_enable(BOARD_LINE_CLOCK, BOARD_LEVEL_CLOCK, take_alarm, NULL);
    exit(main());
}
