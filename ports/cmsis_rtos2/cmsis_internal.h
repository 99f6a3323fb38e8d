/* SPDX-License-Identifier: MIT
 *
 * cmsis_internal.h - what the files of the port share.
 */
#ifndef TG_CMSIS_INTERNAL_H
#define TG_CMSIS_INTERNAL_H

#include "cmsis_port.h"

/* Flags of the port's threads. */
#define TG_CMSIS_FLAG_WAKE     0x1u /* protocol thread */
#define TG_CMSIS_FLAG_PRIORITY 0x1u /* service thread */
#define TG_CMSIS_FLAG_TIMER    0x2u /* service thread */
#define TG_CMSIS_FLAG_POLL     0x1u /* poll thread */
#define TG_CMSIS_FLAG_STOP     0x4u /* all of them */

static inline osPriority_t tg_cmsis_priority(const struct tg_cmsis_port *port, uint32_t priority)
{
    return (osPriority_t)((uint32_t)port->cfg.first_priority + priority);
}

static inline tg_ns tg_cmsis_now_ns(const struct tg_cmsis_port *port)
{
    return port->cfg.ops->now_ns(port->cfg.driver);
}

#endif
