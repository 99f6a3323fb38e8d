/* SPDX-License-Identifier: MIT
 *
 * common.h - what every header of the core shares: time, errors, assertions.
 */
#ifndef TIDEGATE_COMMON_H
#define TIDEGATE_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A point in time or a duration in nanoseconds. The core never reads a clock: callers pass the
 * time. */
typedef uint64_t tg_ns;

/* Misuse at configuration time. A function that returns one of these has changed nothing. Bytes
 * from the wire never give an error but a verdict; a broken invariant never returns (TG_ASSERT). */
enum tg_error {
    TG_ERR_RANGE = -1,       /* a value lies outside its documented range */
    TG_ERR_EXISTS = -2,      /* another flow has this match already */
    TG_ERR_UNREACHABLE = -3, /* no frame could ever reach this match */
    TG_ERR_SHADOWS = -4,     /* with this match bound, no frame could ever reach another flow */
    TG_ERR_FULL = -5,        /* no flow slot, no shape or no place in a probe sequence is free */
    TG_ERR_BUFFERS = -6,     /* rings, reserves and best effort together exceed the pool */
    TG_ERR_STATE = -7        /* the object is not in a state that allows this call */
};

#if defined(__GNUC__)
#define TG_NODISCARD   __attribute__((warn_unused_result))
#define TG_NOINLINE    __attribute__((noinline)) /* rare, or shared: keep it out of the fast path */
#define TG_LIKELY(x)   (__builtin_expect((x) != 0, 1))
#define TG_UNLIKELY(x) (__builtin_expect((x) != 0, 0))
#else
#define TG_NODISCARD
#define TG_NOINLINE
#define TG_LIKELY(x)   ((x) != 0)
#define TG_UNLIKELY(x) ((x) != 0)
#endif

/* In line, except where size counts (-Os): there once in each source that uses it. */
#if defined(__GNUC__) && defined(__OPTIMIZE_SIZE__)
#define TG_INLINE static __attribute__((noinline, unused))
#else
#define TG_INLINE static inline
#endif

/* A broken invariant stops the program in debug builds; with NDEBUG the test costs nothing. */
#ifdef NDEBUG
#define TG_ASSERT(condition) ((void)0)
#else
#define TG_ASSERT(condition) ((condition) ? (void)0 : tg_port_assert_failed(__FILE__, __LINE__))
#endif

/* Provided by the port (port.h): reports the place and never returns.
 *
 * Context: any; a lock may be held. */
_Noreturn void tg_port_assert_failed(const char *file, int line);

/* Priorities are 0..TG_PRIORITIES - 1, larger is more urgent. */
#define TG_PRIORITIES 32u

#endif
