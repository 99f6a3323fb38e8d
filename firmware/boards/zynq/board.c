/* SPDX-License-Identifier: MIT
 *
 * board.c - the way to main, memory map, clock, alarm, idling.
 */
#include "board.h"
#include "arch.h"
#include "gic.h"
#include "kernel.h"
#include "mmu.h"

#include <stdlib.h>

/* Global timer (Cortex-A9 MPCore TRM, DDI 0407, chapter 4). */
#define CLOCK(offset)   (*(volatile uint32_t *)(BOARD_CLOCK + (offset)))
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

static struct {
    uint64_t alarm_at; /* of board_ticks(); UINT64_MAX: none */
    volatile uint32_t paused_ticks;
} clock = {.alarm_at = UINT64_MAX};

uint32_t board_instruction_ns;

uint64_t board_ticks(void)
{
    uint32_t paused;
    uint32_t high;
    uint32_t low;

    do {
        paused = clock.paused_ticks;
        high = CLOCK_HIGH;
        low = CLOCK_LOW;
    } while (high != CLOCK_HIGH || paused != clock.paused_ticks);
    return ((uint64_t)high << 32 | low) - paused;
}

uint32_t board_tick_hz(void)
{
    return BOARD_TICK_HZ;
}

/* The alarm, on the timer that does not pause. */
static void set_alarm(uint32_t paused_ticks)
{
    CLOCK_CONTROL = CLOCK_ON; /* no comparison with half a value */
    if (clock.alarm_at != UINT64_MAX) {
        const uint64_t at = clock.alarm_at + paused_ticks;

        CLOCK_STATUS = 1u;
        CLOCK_AT_LOW = (uint32_t)at;
        CLOCK_AT_HIGH = (uint32_t)(at >> 32);
        CLOCK_CONTROL = CLOCK_ON | CLOCK_COMPARE | CLOCK_INTERRUPT;
    }
}

void board_alarm(uint64_t at_ticks)
{
    const uint32_t state = arch_lock();

    clock.alarm_at = at_ticks;
    set_alarm(clock.paused_ticks);
    arch_unlock(state);
}

static void take_alarm(void *context)
{
    (void)context;
    CLOCK_CONTROL = CLOCK_ON;
    CLOCK_STATUS = 1u;
    kernel_alarm();
}

uint32_t board_paused_ticks(void)
{
    return clock.paused_ticks;
}

void board_pause_alarm(uint32_t ticks)
{
    set_alarm(clock.paused_ticks + ticks);
}

void board_pause(uint32_t ticks)
{
    clock.paused_ticks += ticks;
}

uint32_t board_next_gap(void)
{
    const volatile uint32_t *const low = &CLOCK_LOW;
    const uint32_t threshold = 40u * board_instruction_ns / BOARD_TICK_NS;
    uint32_t gap;
    uint32_t last = *low;
    uint32_t now;

    __asm volatile("1: ldr %1, [%3]\n\t"
                   "sub %0, %1, %2\n\t"
                   "mov %2, %1\n\t"
                   "cmp %0, %4\n\t"
                   "bls 1b"
                   : "=&r"(gap), "=&r"(now), "+r"(last)
                   : "r"(low), "r"(threshold)
                   : "cc", "memory");
    return gap;
}

/* How fast the emulator was told to be. */
static uint32_t measure_instruction_ns(void)
{
    const uint32_t before = CLOCK_LOW;

    __asm volatile(".rept 1000\n\tnop\n\t.endr");
    const uint32_t ns = ((CLOCK_LOW - before) * BOARD_TICK_NS + 500u) / 1000u;

    return ns != 0u ? ns : 1u;
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
    board_instruction_ns = measure_instruction_ns();
    gic_enable(BOARD_LINE_CLOCK, BOARD_LEVEL_CLOCK, take_alarm, NULL);
    exit(main());
}
