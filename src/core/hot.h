/* SPDX-License-Identifier: MIT
 *
 * hot.h - the eager half is one function where speed counts, and calls where size counts (-Os).
 *
 * In line, what the parser finds stays in registers: a third fewer instructions per packet.
 */
#ifndef TG_CORE_HOT_H
#define TG_CORE_HOT_H

#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define TG_HOT inline __attribute__((always_inline))
#else
#define TG_HOT inline
#endif

#endif
