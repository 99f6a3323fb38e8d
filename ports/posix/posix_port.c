/* SPDX-License-Identifier: MIT
 *
 * posix_port.c - what port.h asks for, with threads: priorities, wake, masks, timer, trace.
 */
#define _POSIX_C_SOURCE 200809L

#include "posix_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

void tg_posix_require(int err, const char *what)
{
    if (err) {
        fprintf(stderr, "posix port: cannot %s (error %d)\n", what, err);
        abort();
    }
}

tg_ns tg_posix_port_now_ns(void)
{
    struct timespec now;

    tg_posix_require(clock_gettime(CLOCK_MONOTONIC, &now), "read the clock");
    return (tg_ns)now.tv_sec * NS_PER_S + (tg_ns)now.tv_nsec;
}

tg_ns tg_posix_after_ns(tg_ns delay_ns)
{
    const tg_ns now_ns = tg_posix_port_now_ns();

    return delay_ns < UINT64_MAX - now_ns ? now_ns + delay_ns : UINT64_MAX;
}

void tg_posix_lose_realtime(struct tg_posix_port *port)
{
    if (atomic_exchange(&port->is_realtime, false)) {
        fprintf(
            stderr,
            "posix port: no right to real-time priorities up to %u (CAP_SYS_NICE, or RLIMIT_RTPRIO "
            "of at least that: `rtprio` in /etc/security/limits.conf); going on with ordinary "
            "threads, no bound holds\n",
            (unsigned)port->cfg.first_priority + TG_POSIX_LEVELS - 1u);
    }
}

bool tg_posix_port_is_realtime(struct tg_posix_port *port)
{
    return atomic_load(&port->is_realtime);
}

enum tg_port_priority_kind tg_port_priority_kind(void *port)
{
    (void)port;
    return TG_PORT_DIRECT;
}

void tg_port_set_priority(void *port, uint32_t priority)
{
    struct tg_posix_port *const posix = port;

    posix->priority = priority;
    if (!posix->has_protocol_thread || !tg_posix_port_is_realtime(posix)) {
        return;
    }
    /* Refused when the process has given up its rights since the thread was started. */
    if (pthread_setschedprio(posix->protocol_thread.id,
                             posix->cfg.first_priority + (int)priority) != 0) {
        tg_posix_lose_realtime(posix);
    }
}

void tg_port_wake(void *port)
{
    struct tg_posix_port *const posix = port;

    posix->is_woken = true;
    tg_posix_signal(&posix->woken);
}

enum tg_posix_woken tg_posix_port_wait(struct tg_posix_port *port, tg_ns timeout_ns)
{
    const tg_ns until_ns = tg_posix_after_ns(timeout_ns);
    enum tg_posix_woken woken = TG_POSIX_WOKEN;
    const uint32_t state = tg_port_lock(port);

    while (!port->is_woken && !port->stops_processing &&
           tg_posix_sleep_until(port, &port->woken, until_ns)) {
    }
    if (!port->is_woken) {
        woken = port->stops_processing ? TG_POSIX_STOP : TG_POSIX_TIMEOUT;
    }
    port->is_woken = false;
    tg_port_unlock(port, state);
    return woken;
}

void tg_port_mask(void *port, uint32_t queue)
{
    struct tg_posix_port *const posix = port;

    posix->unmasked_bits &= ~(1u << queue);
}

void tg_port_unmask(void *port, uint32_t queue)
{
    struct tg_posix_port *const posix = port;

    posix->unmasked_bits |= 1u << queue;
    tg_posix_signal(&posix->unmasked[queue]);
}

void tg_port_timer_start(void *port, tg_ns delay_ns)
{
    struct tg_posix_port *const posix = port;

    posix->timer_at_ns = tg_posix_after_ns(delay_ns);
    tg_posix_signal(&posix->timer);
}

void tg_port_cache_invalidate(void *port, uint8_t *data, uint32_t len_bytes)
{
    (void)port; /* memory is coherent between the kernel and its processes */
    (void)data;
    (void)len_bytes;
}

void tg_port_trace(void *port, enum tg_event_kind kind, uint32_t subject, uint32_t value)
{
    struct tg_posix_port *const posix = port;

    if (posix->cfg.trace != NULL) {
        tg_trace_add(posix->cfg.trace, tg_posix_port_now_ns(), kind, subject, value);
    }
}

bool tg_posix_port_take_event(struct tg_posix_port *port, struct tg_event *event)
{
    const uint32_t state = tg_port_lock(port);
    const bool is_taken = tg_trace_take(port->cfg.trace, event);

    tg_port_unlock(port, state);
    return is_taken;
}

_Noreturn void tg_port_assert_failed(const char *file, int line)
{
    fprintf(stderr, "%s:%d: a broken invariant\n", file, line);
    abort();
}
