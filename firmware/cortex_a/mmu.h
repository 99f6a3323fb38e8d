/* SPDX-License-Identifier: MIT
 *
 * mmu.h - switch address translation and caches on: addresses as they are, in sections of one
 * megabyte.
 */
#ifndef MMU_H
#define MMU_H

#include <stdint.h>

enum mmu_kind {
    MMU_CACHED,   /* write-back, write-allocate; the only one that code runs from */
    MMU_UNCACHED, /* normal memory: any alignment, no cache */
    MMU_DEVICE
};

struct mmu_region {
    uint32_t first; /* section, and how many */
    uint32_t n;
    enum mmu_kind kind;
};

/* Only these regions are there from now on; any other access is a fault.
 *
 * Context: start-up, interrupts masked. */
void mmu_init(const struct mmu_region *regions, uint32_t n_regions);

#endif
