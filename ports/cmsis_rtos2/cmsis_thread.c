/* SPDX-License-Identifier: MIT
 *
 * cmsis_thread.c - the port's threads: service, poll, protocol.
 */
#include "cmsis_internal.h"

/* Frames between two looks at what else is due. */
#define FRAMES_MAX 16u

#define SLEEP_MAX_NS 1000000000u /* then look again: so times fit into 32 bits */

/* Returns: true if the timer is due; it is taken then. Else *ticks is how long the service thread
 * may sleep, and from now on a sooner start wakes it. */
static bool take_timer(struct tg_cmsis_port *port, uint32_t *ticks)
{
    const uint32_t state = tg_port_lock(port);
    const tg_ns now_ns = tg_cmsis_now_ns(port);
    const tg_ns at_ns = port->timer_at_ns;
    const bool is_due = at_ns <= now_ns;

    *ticks = 0u;
    if (is_due) {
        port->timer_at_ns = UINT64_MAX;
        port->sleeps_until_ns = 0u;
    } else {
        const uint32_t ns =
            at_ns - now_ns < SLEEP_MAX_NS ? (uint32_t)(at_ns - now_ns) : SLEEP_MAX_NS;

        *ticks =
            at_ns == UINT64_MAX ? osWaitForever : (ns + port->ns_per_tick - 1u) / port->ns_per_tick;
        port->sleeps_until_ns = at_ns;
    }
    tg_port_unlock(port, state);
    return is_due;
}

/* As BROKER: what was asked for last. */
static void change_priority(struct tg_cmsis_port *port)
{
    const uint32_t state = tg_port_lock(port);
    const uint32_t priority = port->priority;

    tg_port_unlock(port, state);
    (void)osThreadSetPriority(port->protocol, tg_cmsis_priority(port, priority));
}

/* There is something to poll. Returns: true if it is left to the caller. */
static bool poll_here(const struct tg_cmsis_port *port)
{
    if (port->poll == NULL) {
        return true;
    }
    (void)osThreadFlagsSet(port->poll, TG_CMSIS_FLAG_POLL);
    return false;
}

/* A tick does not put off the polling that is due: one round of it follows in any case. */
static void run_service(void *arg)
{
    struct tg_cmsis_port *const port = arg;
    bool has_work = false;
    uint32_t flags = 0u;

    port->service = osThreadGetId(); /* it may run before osThreadNew returns; so the others */
    while ((flags & osFlagsError) != 0u || (flags & TG_CMSIS_FLAG_STOP) == 0u) {
        uint32_t ticks;

        if (take_timer(port, &ticks) &&
            tg_rx_tick(port->core, tg_cmsis_now_ns(port)) == TG_WORK_MORE) {
            has_work = poll_here(port);
        }
        if (has_work) {
            has_work = tg_rx_poll(port->core, FRAMES_MAX) == TG_WORK_MORE;
        }
        flags = osThreadFlagsWait(TG_CMSIS_FLAG_PRIORITY | TG_CMSIS_FLAG_TIMER | TG_CMSIS_FLAG_STOP,
                                  osFlagsWaitAny, has_work ? 0u : ticks);
        if ((flags & (osFlagsError | TG_CMSIS_FLAG_PRIORITY)) == TG_CMSIS_FLAG_PRIORITY) {
            change_priority(port);
        }
    }
}

static void run_poll(void *arg)
{
    struct tg_cmsis_port *const port = arg;
    bool has_work = false;
    uint32_t flags = 0u;

    port->poll = osThreadGetId();
    while ((flags & osFlagsError) != 0u || (flags & TG_CMSIS_FLAG_STOP) == 0u) {
        flags = osThreadFlagsWait(TG_CMSIS_FLAG_POLL | TG_CMSIS_FLAG_STOP, osFlagsWaitAny,
                                  has_work ? 0u : osWaitForever);
        has_work = tg_rx_poll(port->core, FRAMES_MAX) == TG_WORK_MORE;
    }
}

static void run_protocol(void *arg)
{
    struct tg_cmsis_port *const port = arg;

    port->protocol = osThreadGetId();
    port->run(port->arg);
}

int tg_cmsis_port_start(struct tg_cmsis_port *port, struct tg_protocol *core,
                        void (*run)(void *arg), void *arg)
{
    osThreadAttr_t protocol = *port->cfg.protocol;

    port->core = core;
    port->run = run;
    port->arg = arg;
    protocol.priority = tg_cmsis_priority(port, port->priority);
    port->service = osThreadNew(run_service, port, port->cfg.service);
    port->poll = port->cfg.poll != NULL ? osThreadNew(run_poll, port, port->cfg.poll) : NULL;
    port->protocol = osThreadNew(run_protocol, port, &protocol);
    if (port->service == NULL || port->protocol == NULL ||
        (port->cfg.poll != NULL && port->poll == NULL)) {
        tg_cmsis_port_stop(port);
        return TG_ERR_STATE;
    }
    return 0;
}

static void end(osThreadId_t *thread)
{
    if (*thread == NULL) {
        return;
    }
    (void)osThreadFlagsSet(*thread, TG_CMSIS_FLAG_STOP);
    while (osThreadGetState(*thread) != osThreadTerminated &&
           osThreadGetState(*thread) != osThreadError) {
        (void)osDelay(1u);
    }
    *thread = NULL;
}

void tg_cmsis_port_stop(struct tg_cmsis_port *port)
{
    end(&port->service);
    end(&port->poll);
    end(&port->protocol);
}
