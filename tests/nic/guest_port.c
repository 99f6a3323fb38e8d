/* SPDX-License-Identifier: MIT
 *
 * guest_port.c - the port of the guest: one thread, so that the lock only checks its use; masks go
 * to the driver, as the device wants them.
 */
#include "guest.h"
#include "tidegate/port.h"

#include <stdio.h>
#include <stdlib.h>

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "guest port: %s\n", what);
        abort();
    }
}

uint32_t tg_port_lock(void *port)
{
    struct guest *const g = port;

    require(!g->is_locked, "the lock is taken twice");
    g->is_locked = true;
    return 0u;
}

void tg_port_unlock(void *port, uint32_t state)
{
    struct guest *const g = port;

    (void)state;
    require(g->is_locked, "the lock is given back without being held");
    g->is_locked = false;
}

enum tg_port_priority_kind tg_port_priority_kind(void *port)
{
    (void)port;
    return TG_PORT_DIRECT;
}

void tg_port_set_priority(void *port, uint32_t priority)
{
    (void)port; /* the one thread does everything */
    (void)priority;
}

void tg_port_wake(void *port)
{
    (void)port; /* it looks for packets after each interrupt */
}

void tg_port_mask(void *port, uint32_t queue)
{
    struct guest *const g = port;

    require(g->is_locked, "masked without the lock");
    tg_nic_driver_mask(&g->driver, queue);
}

void tg_port_unmask(void *port, uint32_t queue)
{
    struct guest *const g = port;

    require(g->is_locked, "unmasked without the lock");
    tg_nic_driver_unmask(&g->driver, queue);
}

void tg_port_timer_start(void *port, tg_ns delay_ns)
{
    struct guest *const g = port;

    g->timer_at_ns = guest_now_ns() + delay_ns;
}

void tg_port_cache_invalidate(void *port, uint8_t *data, uint32_t len_bytes)
{
    (void)port; /* coherent */
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
    fprintf(stderr, "%s:%d: a broken invariant\n", file, line);
    abort();
}
