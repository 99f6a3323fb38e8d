/* SPDX-License-Identifier: MIT
 *
 * nic_tidegate.h - the driver with Tidegate: a queue of the NIC for each queue of the protocol
 * task.
 *
 * One space of priorities: a queue's vector has a level of the interrupt controller by the most
 * urgent priority that enters the queue. While a thread runs that is at least as urgent, that level
 * is held back, and the NIC is told so that it does not even raise the vector.
 */
#ifndef NIC_TIDEGATE_H
#define NIC_TIDEGATE_H

#include "cmsis_port.h"
#include "nic.h"

/* What the port asks of the driver; its `driver` is the one struct nic. */
extern const struct tg_cmsis_driver NIC_TIDEGATE_DRIVER;

/* Times that the vector of each queue came. */
extern uint64_t nic_tidegate_vectors[TG_QUEUES_MAX];

/* Attach all queues and receive from now on.
 *
 * Context: a thread, after nic_init and tg_cmsis_port_start; once.
 * Units:   first: the thread priority of core priority 0; core_config: that of tg_protocol_init,
 *          whose buffers lie in the NIC's memory. */
void nic_tidegate_start(struct nic *device, struct tg_protocol *core,
                        const struct tg_config *core_config, osPriority_t first);

#endif
