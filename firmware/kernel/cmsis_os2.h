/* SPDX-License-Identifier: MIT
 *
 * cmsis_os2.h - the subset of the CMSIS-RTOS2 API that this kernel offers.
 *
 * Names, types and codes are those of the published API (Arm, CMSIS-RTOS API version 2.1), so that
 * code written to it moves to an RTOS unchanged. README.md beside this file says what is left out
 * and where a freedom of the API was used. The documentation of the API itself is the contract.
 */
#ifndef CMSIS_OS2_H_
#define CMSIS_OS2_H_

#include <stddef.h>
#include <stdint.h>

#define osWaitForever UINT32_MAX

typedef enum {
    osOK = 0,
    osError = -1,
    osErrorTimeout = -2,   /* not within the given time */
    osErrorResource = -3,  /* not available at once */
    osErrorParameter = -4, /* a wrong value, or not an object of this kind */
    osErrorNoMemory = -5,
    osErrorISR = -6, /* not from an interrupt, or while interrupts are masked */
    osStatusReserved = 0x7fffffff
} osStatus_t;

/* ---- Kernel ---------------------------------------------------------------------------------- */

typedef enum {
    osKernelInactive = 0,
    osKernelReady = 1,
    osKernelRunning = 2,
    osKernelError = -1,
    osKernelReserved = 0x7fffffff
} osKernelState_t;

osStatus_t osKernelInitialize(void);
osKernelState_t osKernelGetState(void);
osStatus_t osKernelStart(void);
uint32_t osKernelGetTickCount(void);
uint32_t osKernelGetTickFreq(void);
uint32_t osKernelGetSysTimerCount(void);
uint32_t osKernelGetSysTimerFreq(void);

/* ---- Threads --------------------------------------------------------------------------------- */

typedef enum {
    osPriorityNone = 0,
    osPriorityIdle = 1,
    osPriorityLow = 8, /* and up to + 7, as the others */
    osPriorityBelowNormal = 16,
    osPriorityNormal = 24,
    osPriorityAboveNormal = 32,
    osPriorityHigh = 40,
    osPriorityRealtime = 48,
    osPriorityRealtime7 = 48 + 7,
    osPriorityISR = 56, /* for what serves interrupts; the highest */
    osPriorityError = -1,
    osPriorityReserved = 0x7fffffff
} osPriority_t;

typedef enum {
    osThreadInactive = 0,
    osThreadReady = 1,
    osThreadRunning = 2,
    osThreadBlocked = 3,
    osThreadTerminated = 4,
    osThreadError = -1,
    osThreadReserved = 0x7fffffff
} osThreadState_t;

typedef void (*osThreadFunc_t)(void *argument);
typedef void *osThreadId_t;
typedef uint32_t TZ_ModuleId_t;

typedef struct {
    const char *name;
    uint32_t attr_bits; /* 0: detached, the only kind here */
    void *cb_mem;       /* a struct kernel_thread */
    uint32_t cb_size;
    void *stack_mem; /* aligned to 8 bytes */
    uint32_t stack_size;
    osPriority_t priority; /* osPriorityNone: osPriorityNormal */
    TZ_ModuleId_t tz_module;
    uint32_t reserved;
} osThreadAttr_t;

osThreadId_t osThreadNew(osThreadFunc_t func, void *argument, const osThreadAttr_t *attr);
const char *osThreadGetName(osThreadId_t thread_id);
osThreadId_t osThreadGetId(void);
osThreadState_t osThreadGetState(osThreadId_t thread_id);
uint32_t osThreadGetStackSize(osThreadId_t thread_id);
uint32_t osThreadGetStackSpace(osThreadId_t thread_id);
osStatus_t osThreadSetPriority(osThreadId_t thread_id, osPriority_t priority);
osPriority_t osThreadGetPriority(osThreadId_t thread_id);
osStatus_t osThreadYield(void);
_Noreturn void osThreadExit(void);

/* ---- Delays ---------------------------------------------------------------------------------- */

osStatus_t osDelay(uint32_t ticks);
osStatus_t osDelayUntil(uint32_t ticks);

/* ---- Thread flags ---------------------------------------------------------------------------- */

#define osFlagsWaitAny 0u
#define osFlagsWaitAll 1u
#define osFlagsNoClear 2u

#define osFlagsError          0x80000000u
#define osFlagsErrorUnknown   0xffffffffu
#define osFlagsErrorTimeout   0xfffffffeu
#define osFlagsErrorResource  0xfffffffdu
#define osFlagsErrorParameter 0xfffffffcu
#define osFlagsErrorISR       0xfffffffau

uint32_t osThreadFlagsSet(osThreadId_t thread_id, uint32_t flags);
uint32_t osThreadFlagsClear(uint32_t flags);
uint32_t osThreadFlagsGet(void);
uint32_t osThreadFlagsWait(uint32_t flags, uint32_t options, uint32_t timeout);

/* ---- Mutexes --------------------------------------------------------------------------------- */

#define osMutexRecursive   1u
#define osMutexPrioInherit 2u
#define osMutexRobust      8u

typedef void *osMutexId_t;

typedef struct {
    const char *name;
    uint32_t attr_bits; /* osMutexRecursive, osMutexPrioInherit */
    void *cb_mem;       /* a struct kernel_mutex */
    uint32_t cb_size;
} osMutexAttr_t;

osMutexId_t osMutexNew(const osMutexAttr_t *attr);
osStatus_t osMutexAcquire(osMutexId_t mutex_id, uint32_t timeout);
osStatus_t osMutexRelease(osMutexId_t mutex_id);
osThreadId_t osMutexGetOwner(osMutexId_t mutex_id);
osStatus_t osMutexDelete(osMutexId_t mutex_id);

/* ---- Semaphores ------------------------------------------------------------------------------ */

typedef void *osSemaphoreId_t;

typedef struct {
    const char *name;
    uint32_t attr_bits; /* 0 */
    void *cb_mem;       /* a struct kernel_semaphore */
    uint32_t cb_size;
} osSemaphoreAttr_t;

osSemaphoreId_t osSemaphoreNew(uint32_t max_count, uint32_t initial_count,
                               const osSemaphoreAttr_t *attr);
osStatus_t osSemaphoreAcquire(osSemaphoreId_t semaphore_id, uint32_t timeout);
osStatus_t osSemaphoreRelease(osSemaphoreId_t semaphore_id);
uint32_t osSemaphoreGetCount(osSemaphoreId_t semaphore_id);
osStatus_t osSemaphoreDelete(osSemaphoreId_t semaphore_id);

/* ---- Message queues -------------------------------------------------------------------------- */

typedef void *osMessageQueueId_t;

typedef struct {
    const char *name;
    uint32_t attr_bits; /* 0 */
    void *cb_mem;       /* a struct kernel_queue */
    uint32_t cb_size;
    void *mq_mem; /* msg_count times msg_size */
    uint32_t mq_size;
} osMessageQueueAttr_t;

osMessageQueueId_t osMessageQueueNew(uint32_t msg_count, uint32_t msg_size,
                                     const osMessageQueueAttr_t *attr);
osStatus_t osMessageQueuePut(osMessageQueueId_t mq_id, const void *msg_ptr, uint8_t msg_prio,
                             uint32_t timeout);
osStatus_t osMessageQueueGet(osMessageQueueId_t mq_id, void *msg_ptr, uint8_t *msg_prio,
                             uint32_t timeout);
uint32_t osMessageQueueGetCapacity(osMessageQueueId_t mq_id);
uint32_t osMessageQueueGetMsgSize(osMessageQueueId_t mq_id);
uint32_t osMessageQueueGetCount(osMessageQueueId_t mq_id);
uint32_t osMessageQueueGetSpace(osMessageQueueId_t mq_id);
osStatus_t osMessageQueueDelete(osMessageQueueId_t mq_id);

#endif
