/* SPDX-License-Identifier: MIT
 *
 * mmu.c - address translation and the first-level data cache.
 *
 * Source: ARM Architecture Reference Manual, ARMv7-A (DDI 0406C), B3.5 (short descriptors) and
 * B4.2 (cache operations).
 */
#include "mmu.h"

#define SECTIONS 4096u

#define SECTION         0x2u
#define SECTION_RW      (3u << 10)
#define SECTION_NORMAL  (1u << 12) /* TEX = 1, with C and B: write-back, write-allocate */
#define SECTION_CACHED  0x0cu
#define SECTION_DEVICE  0x04u
#define SECTION_NO_CODE 0x10u

#define SCTLR_ON ((1u << 12) | (1u << 11) | (1u << 2) | 1u) /* caches, branch prediction, MMU */

static uint32_t table[SECTIONS] __attribute__((aligned(16384)));

static uint32_t attributes_of(enum mmu_kind kind)
{
    switch (kind) {
    case MMU_CACHED:
        return SECTION_NORMAL | SECTION_CACHED;
    case MMU_UNCACHED:
        return SECTION_NORMAL | SECTION_NO_CODE;
    default:
        return SECTION_DEVICE | SECTION_NO_CODE;
    }
}

static void map(const struct mmu_region *r)
{
    for (uint32_t i = r->first; i < r->first + r->n; i++) {
        table[i] = i << 20 | SECTION | SECTION_RW | attributes_of(r->kind);
    }
}

/* After reset the first-level data cache holds anything: drop it, way by way, set by set. */
static void invalidate_data_cache(void)
{
    uint32_t geometry;

    __asm volatile("mcr p15, 2, %1, c0, c0, 0\n\tisb\n\t" /* CSSELR: this cache */
                   "mrc p15, 1, %0, c0, c0, 0"            /* CCSIDR */
                   : "=r"(geometry)
                   : "r"(0u));

    const uint32_t line_shift = (geometry & 7u) + 4u;
    const uint32_t last_way = geometry >> 3 & 0x3ffu;
    const uint32_t last_set = geometry >> 13 & 0x7fffu;
    const uint32_t way_shift = last_way != 0u ? (uint32_t)__builtin_clz(last_way) : 0u;

    for (uint32_t way = 0u; way <= last_way; way++) {
        for (uint32_t set = 0u; set <= last_set; set++) {
            __asm volatile("mcr p15, 0, %0, c7, c6, 2" /* DCISW */
                           ::"r"(way << way_shift | set << line_shift));
        }
    }
    __asm volatile("dsb" ::: "memory");
}

void mmu_init(const struct mmu_region *regions, uint32_t n_regions)
{
    uint32_t sctlr;

    for (uint32_t i = 0u; i < n_regions; i++) {
        map(&regions[i]);
    }
    invalidate_data_cache();
    __asm volatile("mcr p15, 0, %0, c8, c7, 0\n\t" /* TLBIALL */
                   "mcr p15, 0, %0, c7, c5, 0\n\t" /* ICIALLU, branch predictor too */
                   "mcr p15, 0, %1, c3, c0, 0\n\t" /* DACR: domain 0 as its sections say */
                   "mcr p15, 0, %0, c2, c0, 2\n\t" /* TTBCR: one table */
                   "mcr p15, 0, %2, c2, c0, 0\n\t" /* TTBR0 */
                   "dsb\n\tisb" ::"r"(0u),
                   "r"(1u), "r"(table)
                   : "memory");
    __asm volatile("mrc p15, 0, %0, c1, c0, 0" : "=r"(sctlr));
    __asm volatile("mcr p15, 0, %0, c1, c0, 0\n\tisb" ::"r"(sctlr | SCTLR_ON) : "memory");
}
