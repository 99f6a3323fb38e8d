/* SPDX-License-Identifier: MIT
 *
 * sys_arch.h - semaphores, mutexes, mailboxes and threads of lwIP on CMSIS-RTOS2.
 *
 * Mutexes inherit priorities: the core lock is held through a packet. Memory is static: so many of
 * each, and no more.
 */
#ifndef FIRMWARE_LWIP_SYS_ARCH_H
#define FIRMWARE_LWIP_SYS_ARCH_H

#include "cmsis_os2.h"

#define SYS_SEMAPHORES    32u
#define SYS_MUTEXES       4u
#define SYS_MAILBOXES     24u
#define SYS_MAILBOX_SLOTS 256u
#define SYS_THREADS       2u
#define SYS_STACK_BYTES   16384u

typedef osSemaphoreId_t sys_sem_t;
typedef osMutexId_t sys_mutex_t;
typedef osMessageQueueId_t sys_mbox_t;
typedef osThreadId_t sys_thread_t;

#define SYS_MBOX_NULL NULL
#define SYS_SEM_NULL  NULL

#define sys_sem_valid(sem)           (*(sem) != NULL)
#define sys_sem_set_invalid(sem)     (*(sem) = NULL)
#define sys_mutex_valid(mutex)       (*(mutex) != NULL)
#define sys_mutex_set_invalid(mutex) (*(mutex) = NULL)
#define sys_mbox_valid(mbox)         (*(mbox) != NULL)
#define sys_mbox_set_invalid(mbox)   (*(mbox) = NULL)

#endif
