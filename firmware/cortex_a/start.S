/* SPDX-License-Identifier: MIT
 *
 * start.S - from reset to C: stack, empty memory, exception vectors.
 */
    .syntax unified
    .arm
    .section .start, "ax"
    .global board_start
board_start:
    cpsid   if, #0x1f
    ldr     sp, =board_stack_top
    ldr     r0, =arch_vectors
    mcr     p15, 0, r0, c12, c0, 0      @ VBAR
    ldr     r0, =board_bss_start
    ldr     r1, =board_bss_end
    mov     r2, #0
1:  cmp     r0, r1
    strlo   r2, [r0], #4
    blo     1b
    bl      board_main
    b       .

    .bss
    .balign 8
    .space 16384
board_stack_top:
