/* SPDX-License-Identifier: MIT
 *
 * bench_port.c - the port of the bench: one thread, so nothing to lock; DPDK's side locks nothing
 * either.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tidegate/port.h"

uint32_t tg_port_lock(void *port)
{
    (void)port;
    return 0u;
}

void tg_port_unlock(void *port, uint32_t state)
{
    (void)port;
    (void)state;
}

enum tg_port_priority_kind tg_port_priority_kind(void *port)
{
    (void)port;
    return TG_PORT_DIRECT;
}

void tg_port_set_priority(void *port, uint32_t priority)
{
    (void)port;
    (void)priority;
}

void tg_port_wake(void *port)
{
    (void)port;
}

void tg_port_mask(void *port, uint32_t queue)
{
    (void)port;
    (void)queue;
}

void tg_port_unmask(void *port, uint32_t queue)
{
    (void)port;
    (void)queue;
}

void tg_port_timer_start(void *port, tg_ns delay_ns)
{
    (void)port;
    (void)delay_ns;
}

void tg_port_cache_invalidate(void *port, uint8_t *data, uint32_t len_bytes)
{
    (void)port;
    (void)data;
    (void)len_bytes;
}

void tg_port_trace(void *port, enum tg_event_kind kind, uint32_t subject, uint32_t value)
{
    (void)port;
    (void)kind;
    (void)subject;
    (void)value;
}

_Noreturn void tg_port_assert_failed(const char *file, int line)
{
    fprintf(stderr, "%s:%d: assertion failed\n", file, line);
    abort();
}
