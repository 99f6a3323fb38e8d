/* SPDX-License-Identifier: MIT
 *
 * cmsis_port.h - the port to CMSIS-RTOS2: FreeRTOS, RTX5, Zephyr and ThreadX through their layers
 * of that name, and this project's own kernel, on one Arm core.
 *
 *     osPriority                    thread
 *     above all others              service: the timer, changes of priority for a BROKER, and
 *                                   polling unless a thread of its own does it
 *     first +  0 .. first + 31      core priorities 0..31: protocol and poll thread, application
 *
 * Receive interrupts are the driver's. Each calls tg_rxq_interrupt and pends itself again on
 * TG_WORK_MORE; those of higher rank preempt those of lower rank. In this order:
 *
 *     tg_cmsis_port_init      then tg_protocol_init with the port, tg_rxq_attach, tg_rxq_fill
 *     tg_cmsis_port_start     starts service, poll and protocol thread
 *     tg_rxq_link             up, per queue
 *     tg_cmsis_port_stop      what was accepted has been processed
 *
 * The lock masks interrupts: nothing else excludes them, and it is held O(1) only. So the RTOS is
 * called with interrupts masked; it must allow osThreadFlagsSet then, as in an interrupt, and
 * osThreadSetPriority only where the kind is DIRECT. Tested: the kernel in firmware/kernel, both
 * kinds. The wrappers of FreeRTOS and RTX5 refuse osThreadSetPriority in interrupts: BROKER.
 *
 * Ticks: the timer is late by less than one tick of the RTOS.
 */
#ifndef TG_CMSIS_PORT_H
#define TG_CMSIS_PORT_H

#include "tidegate/port.h"
#include "tidegate/rx.h"
#include "tidegate/trace.h"

#include "cmsis_os2.h"

#define TG_CMSIS_FOREVER osWaitForever

/* What the port asks of the NIC's driver and the board. */
struct tg_cmsis_driver {
    tg_ns (*now_ns)(void *driver); /* the clock of frame->now_ns; called in interrupts, too */
    void (*mask)(void *driver, uint32_t queue);   /* see tg_port_mask */
    void (*unmask)(void *driver, uint32_t queue); /* see tg_port_unmask */

    /* See tg_port_cache_invalidate; NULL: memory is coherent. */
    void (*invalidate)(void *driver, uint8_t *data, uint32_t len_bytes);
};

/* Attributes: name, memory as the RTOS wants it; priority only where it is named here. */
struct tg_cmsis_config {
    osPriority_t
        first_priority; /* of core priority 0; + 31 lies below that of the service thread */
    uint32_t floor;     /* as in struct tg_config */
    enum tg_port_priority_kind kind;
    const osThreadAttr_t *service;  /* with its priority */
    const osThreadAttr_t *protocol; /* its priority comes from the floor */
    const osThreadAttr_t *poll;     /* with its priority, or NULL: the service thread polls */
    const struct tg_cmsis_driver *ops;
    void *driver;
    struct tg_trace *trace; /* where events go, or NULL */
};

enum tg_cmsis_woken {
    TG_CMSIS_WOKEN,   /* call tg_rx_next until it has nothing */
    TG_CMSIS_TIMEOUT, /* the ticks have passed */
    TG_CMSIS_STOP     /* return from the protocol thread's function */
};

/* Private; complete so that storage can be static. */
struct tg_cmsis_port {
    struct tg_cmsis_config cfg;
    struct tg_protocol *core;
    void (*run)(void *arg);
    void *arg;
    osThreadId_t service;
    osThreadId_t poll;
    osThreadId_t protocol;
    uint32_t priority;     /* that the core wants */
    tg_ns timer_at_ns;     /* UINT64_MAX: not started */
    tg_ns sleeps_until_ns; /* the service thread; 0: it does not sleep */
    uint32_t ns_per_tick;
};

/* Check and keep the configuration: all masked, no timer, no threads.
 *
 * Context: start-up, the RTOS is initialised.
 * Returns: 0; TG_ERR_RANGE for a missing part, or priorities that do not fit; nothing has changed.
 * Cost:    O(1). */
TG_NODISCARD int tg_cmsis_port_init(struct tg_cmsis_port *port, const struct tg_cmsis_config *cfg);

/* Start the threads. The protocol thread runs run(arg), which calls tg_cmsis_port_wait whenever
 * tg_rx_next has nothing, and returns on TG_CMSIS_STOP.
 *
 * Context: start-up or a thread.
 * Returns: 0; TG_ERR_STATE if the RTOS refuses a thread: then none runs.
 * Cost:    O(1). */
TG_NODISCARD int tg_cmsis_port_start(struct tg_cmsis_port *port, struct tg_protocol *core,
                                     void (*run)(void *arg), void *arg);

/* Wait for a wake.
 *
 * Context: protocol thread.
 * Units:   ticks of the RTOS; 0 looks only. */
enum tg_cmsis_woken tg_cmsis_port_wait(struct tg_cmsis_port *port, uint32_t ticks);

/* End the threads; the driver's interrupts are off by then. What was accepted has been processed.
 *
 * Context: a thread that is none of them, below the protocol thread or able to wait.
 * Cost:    blocks until they have ended. */
void tg_cmsis_port_stop(struct tg_cmsis_port *port);

#endif
