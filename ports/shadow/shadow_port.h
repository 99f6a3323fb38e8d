/* SPDX-License-Identifier: MIT
 *
 * shadow_port.h - the sim port with a cache that does not see what the NIC writes.
 *
 *     CPU ── cpu[]      the cached copy: what a read through tg_buffer.data sees
 *              │  ▲
 *   write back │  │ tg_port_cache_invalidate: drop, and fetch at once
 *              ▼  │
 *     NIC ── memory[]   what the NIC writes
 *
 * It is as nasty as a real cache may be. A line is fetched at once when it is invalidated, as if a
 * CPU had speculated, and never again until the next time: a read without invalidation is stale. A
 * line that the CPU has changed is written back whenever the cache pleases, over what the NIC has
 * written. So each invalidation that the core forgets shows up as wrong bytes in some packet.
 */
#ifndef TG_SHADOW_PORT_H
#define TG_SHADOW_PORT_H

#include "sim_port.h"

#define TG_SHADOW_LINE_BYTES 64u

/* The memory of all packet buffers: two copies, and what the CPU's was when it was fetched. */
struct tg_shadow_memory {
    uint8_t *cpu; /* buffers, one after the other; tg_buffer.data points in here */
    uint8_t *memory;
    uint8_t *fetched; /* a line of cpu that differs is dirty */
    uint32_t n_buffers;
    uint32_t buffer_bytes; /* a multiple of TG_SHADOW_LINE_BYTES, tg_buffer.size_bytes */
};

struct tg_shadow_port {
    struct tg_sim_port sim; /* first: the core's port pointer is one to this */
    struct tg_shadow_memory memory;
    uint64_t random;
};

/* An instance: as tg_sim_port_init, and all lines are dirty, as after a program's start-up code.
 *
 * Context: any.
 * Units:   seed: not 0.
 * Cost:    O(size of the memory). */
void tg_shadow_port_init(struct tg_shadow_port *port, tg_ns now_ns, uint32_t priority,
                         const struct tg_shadow_memory *memory, uint64_t seed);

/* What a NIC does: put bytes into the memory behind a buffer. data is a tg_buffer.data. Lines of
 * it that are dirty may be written back right after that.
 *
 * Context: any.
 * Cost:    O(len_bytes). */
void tg_shadow_port_nic_write(struct tg_shadow_port *port, const uint8_t *data,
                              const uint8_t *bytes, uint32_t len_bytes);

/* Some time passes: each dirty line is written back, or not.
 *
 * Context: any.
 * Cost:    O(size of the memory). */
void tg_shadow_port_age(struct tg_shadow_port *port);

#endif
