/* SPDX-License-Identifier: MIT
 *
 * lower.h - numbers that every lowering shares: what the run-time costs on top of what the file
 * says.
 */
#ifndef TG_SYSTEM_LOWER_H
#define TG_SYSTEM_LOWER_H

#include "system/system.h"

/* Buckets of the flow table: a power of two, with room for twice the flows at least.
 *
 * Context, cost: any, O(1); likewise below. */
uint32_t tg_system_buckets(const struct tg_system *s);

/* A job or packet with the switch to it and the switch away from it. */
tg_ns tg_system_with_switches_ns(const struct tg_system *s, tg_ns work_ns);

#endif
