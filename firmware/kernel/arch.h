/* SPDX-License-Identifier: MIT
 *
 * arch.h - what the kernel needs of the processor: ARMv7-A with a GIC, one core.
 *
 * Threads and interrupt handlers run in system mode, threads on their own stacks, handlers all on
 * one. A suspended thread's stack, from its pointer upwards:
 *
 *     r4..r11 │ r0..r3 r12 lr │ pc cpsr
 */
#ifndef ARCH_H
#define ARCH_H

#include <stdbool.h>
#include <stdint.h>

#define ARCH_STACK_FILL 0x57ac57acu
#define ARCH_LEVEL_ALL  32u /* no interrupt is held back */

#define ARCH_CPSR_SYSTEM 0x1fu
#define ARCH_CPSR_THUMB  0x20u
#define ARCH_CPSR_IRQ    0x80u /* set: masked */

/* One address for both, and the kernel's own variables beside it: what every interrupt touches. */
extern struct arch_state {
    uint32_t nesting; /* interrupt handlers that have begun and not ended */

    /* 1: the kernel wants arch_must_switch to be asked; else 0, and it need not be. */
    uint32_t is_due;
} arch;

/* Mask interrupts. Returns: what arch_unlock puts back. */
static inline uint32_t arch_lock(void)
{
    uint32_t state;

    __asm volatile("mrs %0, cpsr\n\tcpsid i" : "=r"(state)::"memory");
    return state;
}

static inline void arch_unlock(uint32_t state)
{
    __asm volatile("msr cpsr_c, %0" ::"r"(state) : "memory");
}

static inline bool arch_was_masked(uint32_t state)
{
    return (state & ARCH_CPSR_IRQ) != 0u;
}

static inline bool arch_in_interrupt(void)
{
    return arch.nesting != 0u;
}

/* Interrupts of this level and of larger ones stay pending; ARCH_LEVEL_ALL: none does. */
void arch_set_level(uint32_t level);

/* A stack whose thread begins with func(argument) and then returns to end. */
uint32_t *arch_init_stack(uint32_t *top, void (*func)(void *argument), void *argument,
                          void (*end)(void));

/* Suspend the running thread and go on with the one that arch_next_stack chooses. Interrupts are
 * masked, and are again when the thread goes on. */
void arch_switch(void);

/* Switch as soon as interrupts are no longer masked. */
void arch_pend_switch(void);

/* Begin with the thread that arch_next_stack chooses. */
_Noreturn void arch_start(void);

/* The kernel's part. Keep the running thread's stack pointer; that of the most urgent one. */
uint32_t *arch_next_stack(uint32_t *sp);

/* The kernel's part. At the end of the outermost interrupt, if arch.is_due: is another thread to
 * run? */
bool arch_must_switch(void);

#endif
