/* SPDX-License-Identifier: MIT
 *
 * mmu.c - addresses as they are, RAM cached, devices not; the cache operations of the driver.
 *
 * The second-level cache (PL310) stays off, as it is after reset: a buffer would have to be
 * invalidated there as well, and QEMU has neither. Only L1 is to be kept coherent with the GEM.
 *
 * Source: ARM Architecture Reference Manual, ARMv7-A (DDI 0406C), B3.5 (short descriptors) and
 * B4.2 (cache operations).
 */
#include "mmu.h"
#include "board.h"

#define SECTIONS 4096u /* of one megabyte */

#define SECTION         0x2u
#define SECTION_RW      (3u << 10)
#define SECTION_NORMAL  (1u << 12) /* TEX = 1, with C and B: write-back, write-allocate */
#define SECTION_CACHED  0x0cu
#define SECTION_DEVICE  0x04u
#define SECTION_NO_CODE 0x10u

#define RAM_FIRST    1u   /* NULL lies in section 0, which is not mapped */
#define RAM_UNCACHED 127u /* board.ld's */

#define SCTLR_ON ((1u << 12) | (1u << 11) | (1u << 2) | 1u) /* caches, branch prediction, MMU */

static uint32_t table[SECTIONS] __attribute__((aligned(16384)));

static void map(uint32_t first, uint32_t n, uint32_t attributes)
{
    for (uint32_t i = first; i < first + n; i++) {
        table[i] = i << 20 | SECTION | SECTION_RW | attributes;
    }
}

/* After reset the first-level data cache holds anything: drop it, set by set (4 ways of 256 sets of
 * 32 bytes). */
static void invalidate_data_cache(void)
{
    for (uint32_t way = 0u; way < 4u; way++) {
        for (uint32_t set = 0u; set < 256u; set++) {
            __asm volatile("mcr p15, 0, %0, c7, c6, 2" ::"r"(way << 30 | set << 5)); /* DCISW */
        }
    }
    __asm volatile("dsb" ::: "memory");
}

void mmu_init(void)
{
    uint32_t sctlr;

    map(RAM_FIRST, RAM_UNCACHED - RAM_FIRST, SECTION_NORMAL | SECTION_CACHED);
    map(RAM_UNCACHED, 1u, SECTION_NORMAL | SECTION_NO_CODE);
    map(0xe00u, 3u, SECTION_DEVICE | SECTION_NO_CODE);  /* UARTs, GEMs */
    map(0xf80u, 16u, SECTION_DEVICE | SECTION_NO_CODE); /* system registers, timers, GIC */
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

void board_cache_invalidate(const void *data, uint32_t len_bytes)
{
    const uint32_t start = (uint32_t)(uintptr_t)data;

    for (uint32_t at = start; at < start + len_bytes; at += BOARD_CACHE_LINE_BYTES) {
        __asm volatile("mcr p15, 0, %0, c7, c6, 1" ::"r"(at) : "memory"); /* DCIMVAC */
    }
    __asm volatile("dsb" ::: "memory");
}

void board_cache_clean(const void *data, uint32_t len_bytes)
{
    const uint32_t start = (uint32_t)(uintptr_t)data & ~(BOARD_CACHE_LINE_BYTES - 1u);

    for (uint32_t at = start; at < (uint32_t)(uintptr_t)data + len_bytes;
         at += BOARD_CACHE_LINE_BYTES) {
        __asm volatile("mcr p15, 0, %0, c7, c10, 1" ::"r"(at) : "memory"); /* DCCMVAC */
    }
    __asm volatile("dsb" ::: "memory");
}
