/* SPDX-License-Identifier: MIT
 *
 * switch.S - exception vectors, interrupt entry and exit, and the switch between threads.
 */
    .syntax unified
    .arm

    .equ MODE_ABORT,  0x17
    .equ MODE_SYSTEM, 0x1f

    /* struct arch_state */
    .equ NESTING, 0
    .equ IS_DUE,  4

    .section .vectors, "ax"
    .balign 32
    .global arch_vectors
arch_vectors:
    ldr pc, =board_start
    ldr pc, =undefined
    ldr pc, =supervisor
    ldr pc, =prefetch
    ldr pc, =data
    b .
    ldr pc, =interrupt
    b .
    .ltorg

    .text

/* An interrupt: what C may destroy goes to the interrupted stack; then on the stack of interrupts. */
interrupt:
    sub     lr, lr, #4
    srsdb   sp!, #MODE_SYSTEM
    cps     #MODE_SYSTEM
    push    {r0-r3, r12, lr}
    ldr     r1, =arch
    mov     r2, sp
    ldr     r0, [r1, #NESTING]
    cmp     r0, #0
    add     r3, r0, #1
    str     r3, [r1, #NESTING]
    ldreq   sp, =interrupt_stack_top
    bic     sp, sp, #7                  @ a nested one may find it anywhere
    push    {r0-r3}
    bl      gic_dispatch                @ masked again when it returns
    pop     {r0-r3}
    mov     sp, r2
    cmp     r0, #0
    str     r0, [r1, #NESTING]
    ldreq   r0, [r1, #IS_DUE]           @ at the end of the outermost one
    cmpeq   r0, #1
    bne     leave
    mov     r2, sp
    bic     sp, sp, #7
    push    {r1, r2}
    bl      arch_must_switch
    pop     {r1, r2}
    mov     sp, r2
    cmp     r0, #0
    bne     switch_threads
leave:
    clrex
    pop     {r0-r3, r12, lr}
    rfeia   sp!

/* A thread gives way inside a critical section: the same picture on its stack. */
    .global arch_switch
    .type arch_switch, %function
arch_switch:
    mrs     r12, cpsr
    push    {r12}
    push    {lr}
    push    {r0-r3, r12, lr}
switch_threads:
    push    {r4-r11}
    mov     r0, sp
    bic     sp, sp, #7
    bl      arch_next_stack
resume:
    mov     sp, r0
    pop     {r4-r11}
    b       leave

    .global arch_start
    .type arch_start, %function
arch_start:
    cpsid   i
    mov     r0, #0
    bl      arch_next_stack
    b       resume

/* What must not happen. lr is the place, or a little behind it. */
undefined:
    sub     r1, lr, #4
    mov     r0, #0
    b       fault
supervisor:
    sub     r1, lr, #4
    mov     r0, #1
    b       fault
prefetch:
    sub     r1, lr, #4
    mov     r0, #2
    b       fault
data:
    sub     r1, lr, #8
    mov     r0, #3
fault:
    cpsid   i, #MODE_ABORT
    ldr     sp, =fault_stack_top
    bl      arch_fault
    b       .

    .bss
    .balign 8
    .space 16384
interrupt_stack_top:
    .space 2048
fault_stack_top:
