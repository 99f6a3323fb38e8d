/* SPDX-License-Identifier: MIT
 *
 * cmsis_port.c - what port.h asks for, with CMSIS-RTOS2: lock, priorities, wake, masks, timer.
 */
#include "cmsis_internal.h"

#define NS_PER_S 1000000000u

int tg_cmsis_port_init(struct tg_cmsis_port *port, const struct tg_cmsis_config *cfg)
{
    const uint32_t hz = osKernelGetTickFreq();

    if (cfg->ops == NULL || cfg->service == NULL || cfg->protocol == NULL ||
        cfg->floor >= TG_PRIORITIES || cfg->first_priority < osPriorityIdle ||
        cfg->first_priority + (int)TG_PRIORITIES > (int)cfg->service->priority || hz == 0u ||
        hz > NS_PER_S) {
        return TG_ERR_RANGE;
    }
    *port = (struct tg_cmsis_port){.cfg = *cfg,
                                   .priority = cfg->floor,
                                   .timer_at_ns = UINT64_MAX,
                                   .ns_per_tick = NS_PER_S / hz};
    return 0;
}

/* ---- Mutual exclusion ------------------------------------------------------------------------ */

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

uint32_t tg_port_lock(void *port)
{
    uint32_t state;

    (void)port;
    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(state)::"memory");
    return state;
}

void tg_port_unlock(void *port, uint32_t state)
{
    (void)port;
    __asm volatile("msr primask, %0" ::"r"(state) : "memory");
}

#else

uint32_t tg_port_lock(void *port)
{
    uint32_t state;

    (void)port;
    __asm volatile("mrs %0, cpsr\n\tcpsid i" : "=r"(state)::"memory");
    return state;
}

void tg_port_unlock(void *port, uint32_t state)
{
    (void)port;
    __asm volatile("msr cpsr_c, %0" ::"r"(state) : "memory");
}

#endif

/* ---- The protocol task ----------------------------------------------------------------------- */

enum tg_port_priority_kind tg_port_priority_kind(void *port)
{
    const struct tg_cmsis_port *const cmsis = port;

    return cmsis->cfg.kind;
}

static TG_NOINLINE void ask_broker(const struct tg_cmsis_port *port)
{
    (void)osThreadFlagsSet(port->service, TG_CMSIS_FLAG_PRIORITY);
}

void tg_port_set_priority(void *port, uint32_t priority)
{
    struct tg_cmsis_port *const cmsis = port;

    cmsis->priority = priority;
    if (cmsis->protocol == NULL) {
        return;
    }
    if (cmsis->cfg.kind == TG_PORT_DIRECT) {
        (void)osThreadSetPriority(cmsis->protocol, tg_cmsis_priority(cmsis, priority));
    } else {
        ask_broker(cmsis);
    }
}

void tg_port_wake(void *port)
{
    const struct tg_cmsis_port *const cmsis = port;

    (void)osThreadFlagsSet(cmsis->protocol, TG_CMSIS_FLAG_WAKE);
}

enum tg_cmsis_woken tg_cmsis_port_wait(struct tg_cmsis_port *port, uint32_t ticks)
{
    const uint32_t flags =
        osThreadFlagsWait(TG_CMSIS_FLAG_WAKE | TG_CMSIS_FLAG_STOP, osFlagsWaitAny, ticks);

    (void)port;
    if ((flags & osFlagsError) != 0u) {
        return TG_CMSIS_TIMEOUT;
    }
    return (flags & TG_CMSIS_FLAG_STOP) != 0u ? TG_CMSIS_STOP : TG_CMSIS_WOKEN;
}

/* ---- The driver's part ----------------------------------------------------------------------- */

void tg_port_mask(void *port, uint32_t queue)
{
    const struct tg_cmsis_port *const cmsis = port;

    cmsis->cfg.ops->mask(cmsis->cfg.driver, queue);
}

void tg_port_unmask(void *port, uint32_t queue)
{
    const struct tg_cmsis_port *const cmsis = port;

    cmsis->cfg.ops->unmask(cmsis->cfg.driver, queue);
}

void tg_port_cache_invalidate(void *port, uint8_t *data, uint32_t len_bytes)
{
    const struct tg_cmsis_port *const cmsis = port;

    if (cmsis->cfg.ops->invalidate != NULL) {
        cmsis->cfg.ops->invalidate(cmsis->cfg.driver, data, len_bytes);
    }
}

/* ---- Time and diagnosis ---------------------------------------------------------------------- */

void tg_port_timer_start(void *port, tg_ns delay_ns)
{
    struct tg_cmsis_port *const cmsis = port;
    const tg_ns now_ns = tg_cmsis_now_ns(cmsis);

    cmsis->timer_at_ns = delay_ns < UINT64_MAX - now_ns ? now_ns + delay_ns : UINT64_MAX;
    if (cmsis->timer_at_ns < cmsis->sleeps_until_ns) {
        (void)osThreadFlagsSet(cmsis->service, TG_CMSIS_FLAG_TIMER);
    }
}

TG_NOINLINE void tg_port_trace(void *port, enum tg_event_kind kind, uint32_t subject,
                               uint32_t value)
{
    const struct tg_cmsis_port *const cmsis = port;

    if (cmsis->cfg.trace != NULL) {
        tg_trace_add(cmsis->cfg.trace, tg_cmsis_now_ns(cmsis), kind, subject, value);
    }
}
