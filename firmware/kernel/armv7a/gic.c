/* SPDX-License-Identifier: MIT
 *
 * gic.c - Arm's interrupt controller.
 */
#include "gic.h"
#include "arch.h"
#include "board.h"
#include "kernel.h"

#define LEVEL_SHIFT 3u    /* the upper five bits of a priority are there everywhere */
#define SPURIOUS    1020u /* and above: nothing to serve */
#define ID_MASK     0x3ffu

/* Registers of the distributor. */
#define GICD(offset)     (*(volatile uint32_t *)(BOARD_GICD + (offset)))
#define GICD_CTLR        GICD(0x000u)
#define GICD_SET(n)      GICD(0x100u + (n) / 32u * 4u)
#define GICD_CLR(n)      GICD(0x180u + (n) / 32u * 4u)
#define GICD_PEND(n)     GICD(0x200u + (n) / 32u * 4u)
#define GICD_PRIORITY(n) (*(volatile uint8_t *)(BOARD_GICD + 0x400u + (n)))
#define GICD_TARGET(n)   (*(volatile uint8_t *)(BOARD_GICD + 0x800u + (n)))
#define GICD_CONFIG(n)   GICD(0xc00u + (n) / 16u * 4u) /* two bits a line, the upper one: edge */
#define GICD_SGIR        GICD(0xf00u)
#define SGI_TO_SELF      (2u << 24)

/* Registers of the core's interface. */
#define GICC(offset) (*(volatile uint32_t *)(BOARD_GICC + (offset)))
#define GICC_CTLR    GICC(0x00u)
#define GICC_PMR     GICC(0x04u)
#define GICC_BPR     GICC(0x08u)
#define GICC_IAR     GICC(0x0cu)
#define GICC_EOIR    GICC(0x10u)

static struct {
    void *context;
    gic_handler *handler;
} lines[GIC_LINES];

static void stop(void *context)
{
    (void)context;
    kernel_panic("an interrupt that nobody enabled", NULL);
}

/* The interrupt alone is the purpose: the switch comes at its end. */
static void do_nothing(void *context)
{
    (void)context;
}

void gic_init(void)
{
    for (uint32_t n = 0u; n < GIC_LINES; n++) {
        lines[n].handler = stop;
    }
    GICD_CTLR = 0u;
    for (uint32_t n = 0u; n < BOARD_GIC_LINES; n += 32u) {
        GICD_CLR(n) = UINT32_MAX;
    }
    for (uint32_t n = 32u; n < BOARD_GIC_LINES; n++) {
        GICD_TARGET(n) = 1u;
    }
    GICD_CTLR = 1u;
    gic_hold_back(GIC_LEVELS);
    GICC_BPR = 0u; /* every level can interrupt the next one */
    GICC_CTLR = 1u;
    gic_enable(GIC_SWITCH, GIC_SWITCH_LEVEL, do_nothing, NULL);
}

void gic_enable(uint32_t line, uint32_t level, gic_handler *handler, void *context)
{
    gic_mask(line);
    lines[line].handler = handler;
    lines[line].context = context;
    GICD_PRIORITY(line) = (uint8_t)(level << LEVEL_SHIFT);
    gic_unmask(line);
}

void gic_edge(uint32_t line)
{
    GICD_CONFIG(line) |= 2u << line % 16u * 2u;
}

void gic_mask(uint32_t line)
{
    GICD_CLR(line) = 1u << line % 32u;
    __asm volatile("dsb" ::: "memory");
}

void gic_unmask(uint32_t line)
{
    GICD_SET(line) = 1u << line % 32u;
    __asm volatile("dsb" ::: "memory");
}

void gic_send(uint32_t line)
{
    GICD_SGIR = SGI_TO_SELF | line;
}

void gic_pend(uint32_t line)
{
    GICD_PEND(line) = 1u << line % 32u;
}

void gic_hold_back(uint32_t level)
{
    GICC_PMR = level < GIC_LEVELS ? level << LEVEL_SHIFT : 0xffu;
    __asm volatile("dsb" ::: "memory");
}

/* Called by the interrupt vector, with interrupts masked before and after. */
void gic_dispatch(void);

void gic_dispatch(void)
{
    const uint32_t acknowledged = GICC_IAR;
    const uint32_t line = acknowledged & ID_MASK;

    if (line >= GIC_LINES) {
        if (line < SPURIOUS) {
            stop(NULL);
        }
        return;
    }
    __asm volatile("cpsie i" ::: "memory");
    lines[line].handler(lines[line].context);
    __asm volatile("cpsid i" ::: "memory");
    GICC_EOIR = acknowledged;
}
