/* SPDX-License-Identifier: MIT
 *
 * posix_interrupt.c - threads in place of interrupts: receive, tick, and the poll thread.
 */
#define _POSIX_C_SOURCE 200809L

#include "posix_internal.h"

/* Frames between two looks at what else is due. */
#define FRAMES_MAX 64u

enum due { DUE_STOP, DUE_TICK, DUE_POLL };

/* Sleep while the queue is masked. A mask is a level: what comes meanwhile is found afterwards.
 * Returns: false when receiving stops. */
static bool sleep_while_masked(struct tg_posix_port *port, uint32_t queue)
{
    const uint32_t state = tg_port_lock(port);

    while ((port->unmasked_bits & 1u << queue) == 0u && !port->stops_receiving) {
        (void)tg_posix_sleep_until(port, &port->unmasked[queue], UINT64_MAX);
    }
    const bool goes_on = !port->stops_receiving;

    tg_port_unlock(port, state);
    return goes_on;
}

/* An interrupt would be taken now: say that it is. */
static bool enter(struct tg_posix_port *port, uint32_t queue)
{
    const uint32_t state = tg_port_lock(port);
    const bool is_taken = (port->unmasked_bits & 1u << queue) != 0u && !port->stops_receiving;

    if (is_taken) {
        tg_port_trace(port, TG_EVENT_INTERRUPT_IN, queue, 0u);
    }
    tg_port_unlock(port, state);
    return is_taken;
}

static void leave(struct tg_posix_port *port, uint32_t queue)
{
    if (port->cfg.trace != NULL) {
        const uint32_t state = tg_port_lock(port);

        tg_port_trace(port, TG_EVENT_INTERRUPT_OUT, queue, 0u);
        tg_port_unlock(port, state);
    }
}

void *tg_posix_run_receive(void *arg)
{
    const struct tg_posix_receive *const receive = arg;
    struct tg_posix_port *const port = receive->port;
    const uint32_t queue = receive->queue->number;

    while (sleep_while_masked(port, queue)) {
        enum tg_work work = TG_WORK_MORE;

        receive->wait(receive->driver, port->stop_fd[0]);
        /* Another queue may have spent the gate during the wait: then this is no interrupt. */
        while (work == TG_WORK_MORE && enter(port, queue)) {
            work = tg_rxq_interrupt(receive->queue, FRAMES_MAX);
            leave(port, queue);
        }
    }
    return NULL;
}

/* The tick comes first even if there is always something to poll: it is what refills. */
static enum due wait_for_tick(struct tg_posix_port *port, bool has_work)
{
    enum due due = DUE_POLL;
    const uint32_t state = tg_port_lock(port);

    while (!has_work && !port->stops_receiving && port->timer_at_ns > tg_posix_port_now_ns()) {
        (void)tg_posix_sleep_until(port, &port->timer, port->timer_at_ns);
    }
    if (port->stops_receiving) {
        due = DUE_STOP;
    } else if (port->timer_at_ns <= tg_posix_port_now_ns()) {
        port->timer_at_ns = UINT64_MAX;
        due = DUE_TICK;
    }
    tg_port_unlock(port, state);
    return due;
}

static void wake_poll_thread(struct tg_posix_port *port)
{
    const uint32_t state = tg_port_lock(port);

    port->is_poll_due = true;
    tg_posix_signal(&port->poll);
    tg_port_unlock(port, state);
}

/* A tick does not put off the polling that is due: one round of it follows in any case. */
void *tg_posix_run_tick(void *arg)
{
    struct tg_posix_port *const port = arg;
    const bool polls = port->cfg.poll_priority == TG_POSIX_POLL_IN_TICK;
    bool has_work = false;

    for (;;) {
        const enum due due = wait_for_tick(port, has_work);

        if (due == DUE_STOP) {
            return NULL;
        }
        if (due == DUE_TICK && tg_rx_tick(port->protocol, tg_posix_port_now_ns()) == TG_WORK_MORE) {
            has_work = true;
        }
        if (has_work && polls) {
            has_work = tg_rx_poll(port->protocol, FRAMES_MAX) == TG_WORK_MORE;
        } else if (has_work) {
            wake_poll_thread(port);
            has_work = false;
        }
    }
}

static bool wait_for_poll(struct tg_posix_port *port, bool has_work)
{
    const uint32_t state = tg_port_lock(port);

    while (!has_work && !port->is_poll_due && !port->stops_receiving) {
        (void)tg_posix_sleep_until(port, &port->poll, UINT64_MAX);
    }
    port->is_poll_due = false;
    const bool goes_on = !port->stops_receiving;

    tg_port_unlock(port, state);
    return goes_on;
}

void *tg_posix_run_poll(void *arg)
{
    struct tg_posix_port *const port = arg;
    bool has_work = false;

    while (wait_for_poll(port, has_work)) {
        has_work = tg_rx_poll(port->protocol, FRAMES_MAX) == TG_WORK_MORE;
    }
    return NULL;
}
