/* SPDX-License-Identifier: MIT
 *
 * shadow_port.c - the cache; all the rest is the sim port's.
 */
#include "shadow_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "shadow port: %s\n", what);
        abort();
    }
}

static uint32_t size_bytes(const struct tg_shadow_memory *m)
{
    return m->n_buffers * m->buffer_bytes;
}

/* Where in the memory data lies. */
static uint32_t offset_of(const struct tg_shadow_port *port, const uint8_t *data,
                          uint32_t len_bytes)
{
    const struct tg_shadow_memory *const m = &port->memory;

    require(data >= m->cpu && data < m->cpu + size_bytes(m), "an address outside of all buffers");
    const uint32_t offset = (uint32_t)(data - m->cpu);

    require(len_bytes <= m->buffer_bytes - offset % m->buffer_bytes,
            "a range reaches into the next buffer");
    return offset;
}

/* xorshift64: Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

void tg_shadow_port_init(struct tg_shadow_port *port, tg_ns now_ns, uint32_t priority,
                         const struct tg_shadow_memory *memory, uint64_t seed)
{
    require(memory->buffer_bytes % TG_SHADOW_LINE_BYTES == 0u, "buffers are no whole lines");
    *port = (struct tg_shadow_port){.memory = *memory, .random = seed};
    tg_sim_port_init(&port->sim, now_ns, priority);
    for (uint32_t i = 0u; i < size_bytes(memory); i++) {
        memory->memory[i] = memory->fetched[i] = (uint8_t)~memory->cpu[i];
    }
}

/* Write dirty lines from offset start to end back, or not. */
static void age(struct tg_shadow_port *port, uint32_t start, uint32_t end)
{
    const struct tg_shadow_memory *const m = &port->memory;

    for (uint32_t i = start; i < end; i += TG_SHADOW_LINE_BYTES) {
        if (memcmp(m->cpu + i, m->fetched + i, TG_SHADOW_LINE_BYTES) != 0 &&
            next_random(&port->random) % 2u != 0u) {
            memcpy(m->memory + i, m->cpu + i, TG_SHADOW_LINE_BYTES);
            memcpy(m->fetched + i, m->cpu + i, TG_SHADOW_LINE_BYTES);
        }
    }
}

void tg_shadow_port_nic_write(struct tg_shadow_port *port, const uint8_t *data,
                              const uint8_t *bytes, uint32_t len_bytes)
{
    const uint32_t start = offset_of(port, data, len_bytes);

    memcpy(port->memory.memory + start, bytes, len_bytes);
    age(port, start, start + len_bytes); /* the worst moment */
}

void tg_shadow_port_age(struct tg_shadow_port *port)
{
    age(port, 0u, size_bytes(&port->memory));
}

void tg_port_cache_invalidate(void *port, uint8_t *data, uint32_t len_bytes)
{
    struct tg_shadow_port *const shadow = port;
    const struct tg_shadow_memory *const m = &shadow->memory;
    const uint32_t start = offset_of(shadow, data, len_bytes);

    require(start % TG_SHADOW_LINE_BYTES == 0u, "a range starts within a cache line");
    for (uint32_t i = start; i < start + len_bytes; i += TG_SHADOW_LINE_BYTES) {
        memcpy(m->cpu + i, m->memory + i, TG_SHADOW_LINE_BYTES);
        memcpy(m->fetched + i, m->memory + i, TG_SHADOW_LINE_BYTES);
    }
}
