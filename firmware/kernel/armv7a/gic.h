/* SPDX-License-Identifier: MIT
 *
 * gic.h - Arm's interrupt controller (GICv1 and GICv2): who is called, how urgent it is.
 *
 * Levels are the hardware's: 0..31, a SMALLER level is more urgent. A handler runs with interrupts
 * enabled and can be interrupted by smaller levels only.
 *
 * Source: Arm Generic Interrupt Controller Architecture version 2.0 (IHI 0048B).
 */
#ifndef GIC_H
#define GIC_H

#include <stdint.h>

#define GIC_LEVELS 32u
#define GIC_LINES  160u /* 0..15 software, 16..31 of the core, then the devices' */

/* The kernel's own line: a switch of threads that had to wait for the interrupt mask. */
#define GIC_SWITCH       0u
#define GIC_SWITCH_LEVEL 1u

typedef void gic_handler(void *context);

/* All lines off, nothing held back.
 *
 * Context: start-up. */
void gic_init(void);

/* Call handler(context) for this line from now on, on this level.
 *
 * Context: start-up or a thread. */
void gic_enable(uint32_t line, uint32_t level, gic_handler *handler, void *context);

/* This line is pulsed by its device (an MSI), not held; before gic_enable.
 *
 * Context: start-up or a thread. */
void gic_edge(uint32_t line);

/* Switch a line off and on; what comes meanwhile stays pending. Takes effect at once.
 *
 * Context: any. */
void gic_mask(uint32_t line);
void gic_unmask(uint32_t line);

/* Make a line pending, as its device would; send: lines 0..15, pend: the others.
 *
 * Context: any. */
void gic_send(uint32_t line);
void gic_pend(uint32_t line);

/* Interrupts of this level and of larger ones stay pending; GIC_LEVELS: none does.
 *
 * Context: any. */
void gic_hold_back(uint32_t level);

#endif
