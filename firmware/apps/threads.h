/* SPDX-License-Identifier: MIT
 *
 * threads.h - the priorities of threads that all applications have.
 *
 *     osPriority                      thread
 *     osPriorityRealtime              service thread of the port (tick, polling)
 *     osPriorityLow + 0 .. + 31       core priorities 0..31: the protocol thread, receivers
 */
#ifndef THREADS_H
#define THREADS_H

#include "kernel.h"

#define STATION_FIRST_PRIORITY osPriorityLow
#define STATION_STACK_BYTES    16384u

/* Attributes of a thread on memory of its own; stack: STATION_STACK_BYTES. */
static inline osThreadAttr_t station_thread(const char *name, struct kernel_thread *memory,
                                            uint8_t *stack, osPriority_t priority)
{
    return (osThreadAttr_t){.name = name,
                            .cb_mem = memory,
                            .cb_size = sizeof(*memory),
                            .stack_mem = stack,
                            .stack_size = STATION_STACK_BYTES,
                            .priority = priority};
}

#endif
