/* SPDX-License-Identifier: MIT
 *
 * bytes.h - unaligned loads from wire bytes.
 */
#ifndef TG_CORE_BYTES_H
#define TG_CORE_BYTES_H

#include <stdint.h>

/* A constant in the byte order of the wire, for comparisons that then need no swap. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TG_WIRE16(x) ((uint16_t)((((x)&0xffu) << 8) | (((x) >> 8) & 0xffu)))
#define TG_WIRE32(x) __builtin_bswap32(x)
#else
#define TG_WIRE16(x) ((uint16_t)(x))
#define TG_WIRE32(x) ((uint32_t)(x))
#endif

/* As they stand in memory: one load where unaligned access is allowed. The builtin, because a bare
 * compiler has no <string.h>. */
static inline uint16_t tg_load16(const uint8_t *p)
{
    uint16_t x;

    __builtin_memcpy(&x, p, sizeof x);
    return x;
}

static inline uint32_t tg_load32(const uint8_t *p)
{
    uint32_t x;

    __builtin_memcpy(&x, p, sizeof x);
    return x;
}

/* Big endian. */
static inline uint32_t tg_be16(const uint8_t *p)
{
    return TG_WIRE16(tg_load16(p));
}

static inline uint32_t tg_be32(const uint8_t *p)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return __builtin_bswap32(tg_load32(p));
#else
    return tg_load32(p);
#endif
}

#endif
