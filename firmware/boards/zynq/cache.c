/* SPDX-License-Identifier: MIT
 *
 * cache.c - the cache operations of the driver.
 *
 * The second-level cache (PL310) stays off, as it is after reset: a buffer would have to be
 * invalidated there as well, and QEMU has neither. Only L1 is to be kept coherent with the GEM.
 *
 * Source: ARM Architecture Reference Manual, ARMv7-A (DDI 0406C), B4.2 (cache operations).
 */
#include "board.h"

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
