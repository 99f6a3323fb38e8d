/* SPDX-License-Identifier: MIT
 *
 * mmu.h - switch address translation and caches on.
 */
#ifndef MMU_H
#define MMU_H

/* Context: start-up, interrupts masked. */
void mmu_init(void);

#endif
