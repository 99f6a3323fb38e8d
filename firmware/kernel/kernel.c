/* SPDX-License-Identifier: MIT
 *
 * kernel.c - osKernel and osDelay: start, and time.
 */
#include "sched.h"

static struct kernel_thread idle;
static uint32_t idle_stack[128] __attribute__((aligned(8)));

static void run_idle(void *argument)
{
    (void)argument;
    board_idle();
}

osStatus_t osKernelInitialize(void)
{
    if (arch_in_interrupt()) {
        return osErrorISR;
    }
    if (sched.state == osKernelReady) {
        return osOK;
    }
    if (sched.state != osKernelInactive) {
        return osError;
    }
    list_init(&sched.alarms);
    for (uint32_t i = 0u; i < KERNEL_PRIORITIES; i++) {
        list_init(&sched.ready[i]);
    }
    sched.alarm_at = UINT64_MAX;
    sched.state = osKernelReady;

    const osThreadAttr_t attr = {.name = "idle",
                                 .cb_mem = &idle,
                                 .cb_size = sizeof(idle),
                                 .stack_mem = idle_stack,
                                 .stack_size = sizeof(idle_stack),
                                 .priority = osPriorityIdle};

    (void)osThreadNew(run_idle, NULL, &attr);
    idle.base = osPriorityNone; /* below all that an application can ask for */
    sched_settle(&idle);
    return osOK;
}

osKernelState_t osKernelGetState(void)
{
    return sched.state;
}

osStatus_t osKernelStart(void)
{
    if (arch_in_interrupt()) {
        return osErrorISR;
    }
    if (sched.state != osKernelReady) {
        return osError;
    }
    (void)sched_lock();
    sched.state = osKernelRunning;
    arch_start();
}

uint32_t osKernelGetTickCount(void)
{
    return (uint32_t)board_ticks();
}

uint32_t osKernelGetTickFreq(void)
{
    return board_tick_hz();
}

uint32_t osKernelGetSysTimerCount(void)
{
    return (uint32_t)board_ticks();
}

uint32_t osKernelGetSysTimerFreq(void)
{
    return board_tick_hz();
}

osStatus_t osDelay(uint32_t ticks)
{
    const uint32_t state = sched_lock();
    osStatus_t status = osOK;

    if (!sched_can_wait(state)) {
        status = osErrorISR;
    } else if (ticks != 0u) {
        (void)sched_wait(NULL, ticks);
    }
    sched_unlock(state);
    return status;
}

osStatus_t osDelayUntil(uint32_t ticks)
{
    const uint32_t state = sched_lock();
    osStatus_t status = osOK;

    if (!sched_can_wait(state)) {
        status = osErrorISR;
    } else {
        const uint64_t now = board_ticks();
        const uint32_t ahead = ticks - (uint32_t)now;

        if (ahead == 0u || ahead > INT32_MAX) {
            status = osErrorParameter; /* it has passed */
        } else {
            (void)sched_wait_until(NULL, now + ahead);
        }
    }
    sched_unlock(state);
    return status;
}

_Noreturn void kernel_panic(const char *what, const char *thread)
{
    (void)arch_lock();
    board_panic(what, thread);
}
