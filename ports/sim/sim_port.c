/* SPDX-License-Identifier: MIT
 *
 * sim_port.c - the port without a machine.
 */
#include "sim_port.h"

#include <stdio.h>
#include <stdlib.h>

/* Not TG_ASSERT: the tests must see a lock error in every build. */
static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "sim port: %s\n", what);
        abort();
    }
}

void tg_sim_port_init(struct tg_sim_port *port, tg_ns now_ns, uint32_t priority)
{
    *port = (struct tg_sim_port){.now_ns = now_ns, .timer_at_ns = UINT64_MAX, .priority = priority};
}

uint32_t tg_port_lock(void *port)
{
    struct tg_sim_port *const sim = port;

    require(!sim->is_locked, "the lock is taken twice");
    sim->is_locked = true;
    return 0u;
}

void tg_port_unlock(void *port, uint32_t state)
{
    struct tg_sim_port *const sim = port;

    (void)state;
    require(sim->is_locked, "the lock is given back without being held");
    sim->is_locked = false;
    if (sim->waiter != NULL) {
        void (*const waiter)(void *context) = sim->waiter;

        sim->waiter = NULL;
        waiter(sim->context);
    }
}

enum tg_port_priority_kind tg_port_priority_kind(void *port)
{
    (void)port;
    return TG_PORT_DIRECT;
}

void tg_port_set_priority(void *port, uint32_t priority)
{
    struct tg_sim_port *const sim = port;

    require(sim->is_locked && priority < TG_PRIORITIES && priority != sim->priority,
            "a priority is set without the lock, out of range, or without a change");
    sim->priority = priority;
    sim->changes++;
}

void tg_port_wake(void *port)
{
    struct tg_sim_port *const sim = port;

    require(sim->is_locked, "a wake without the lock");
    sim->is_woken = true;
    sim->wakes++;
}

void tg_port_mask(void *port, uint32_t queue)
{
    struct tg_sim_port *const sim = port;

    sim->unmasked &= ~(1u << queue);
}

void tg_port_unmask(void *port, uint32_t queue)
{
    struct tg_sim_port *const sim = port;

    sim->unmasked |= 1u << queue;
}

void tg_port_timer_start(void *port, tg_ns delay_ns)
{
    struct tg_sim_port *const sim = port;

    sim->timer_at_ns = sim->now_ns + delay_ns;
}

void tg_port_cache_invalidate(void *port, uint8_t *data, uint32_t len_bytes)
{
    (void)port; /* host memory is coherent; ports/shadow checks the calls */
    (void)data;
    (void)len_bytes;
}

void tg_port_trace(void *port, enum tg_event_kind kind, uint32_t subject, uint32_t value)
{
    struct tg_sim_port *const sim = port;

    if (sim->trace != NULL) {
        tg_trace_add(sim->trace, sim->now_ns, kind, subject, value);
    }
}

_Noreturn void tg_port_assert_failed(const char *file, int line)
{
    fprintf(stderr, "%s:%d: a broken invariant\n", file, line);
    abort();
}
