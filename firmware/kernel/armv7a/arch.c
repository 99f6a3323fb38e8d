/* SPDX-License-Identifier: MIT
 *
 * arch.c - a thread's first stack, the pended switch, and faults.
 */
#include "arch.h"
#include "gic.h"
#include "kernel.h"

#include <stddef.h>

enum { FRAME_R0 = 8, FRAME_LR = 13, FRAME_PC, FRAME_CPSR, FRAME_WORDS };

/* switch.S knows it. */
_Static_assert(offsetof(struct arch_state, is_due) == 4u, "struct arch_state");
struct arch_state arch;

uint32_t *arch_init_stack(uint32_t *top, void (*func)(void *argument), void *argument,
                          void (*end)(void))
{
    uint32_t *const sp = top - FRAME_WORDS;
    const uint32_t entry = (uint32_t)(uintptr_t)func;

    for (uint32_t i = 0u; i < FRAME_WORDS; i++) {
        sp[i] = 0u;
    }
    sp[FRAME_R0] = (uint32_t)(uintptr_t)argument;
    sp[FRAME_LR] = (uint32_t)(uintptr_t)end;
    sp[FRAME_PC] = entry & ~1u;
    sp[FRAME_CPSR] = ARCH_CPSR_SYSTEM | ((entry & 1u) != 0u ? ARCH_CPSR_THUMB : 0u);
    return sp;
}

void arch_set_level(uint32_t level)
{
    gic_hold_back(level);
}

void arch_pend_switch(void)
{
    gic_send(GIC_SWITCH);
}

/* Called by the exception vectors. */
_Noreturn void arch_fault(uint32_t kind, uint32_t pc);

_Noreturn void arch_fault(uint32_t kind, uint32_t pc)
{
    static const char *const kinds[] = {"undefined instruction at ", "supervisor call at ",
                                        "prefetch abort at ", "data abort at "};
    static char what[48];
    char *end = what;

    for (const char *from = kinds[kind]; *from != '\0'; from++) {
        *end++ = *from;
    }
    for (uint32_t shift = 32u; shift > 0u; shift -= 4u) {
        *end++ = "0123456789abcdef"[pc >> (shift - 4u) & 15u];
    }
    const osThreadId_t thread = arch_in_interrupt() ? NULL : osThreadGetId();

    kernel_panic(what, osThreadGetName(thread));
}
