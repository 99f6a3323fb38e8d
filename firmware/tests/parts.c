/* SPDX-License-Identifier: MIT
 *
 * parts.c - what the kernel's tests share.
 */
#include "parts.h"
#include "gic.h"

#include <string.h>

#define FIRST_LINE 80u /* nothing is connected there */
#define OBJECTS    8u

static struct kernel_thread threads[PARTS_THREADS];
static uint8_t stacks[PARTS_THREADS][4096] __attribute__((aligned(8)));
static struct kernel_semaphore semaphores[OBJECTS];
static struct kernel_mutex mutexes[OBJECTS];
static uint32_t n_threads;
static uint32_t n_semaphores;
static uint32_t n_mutexes;
static char text[256];
static volatile uint32_t n_text;
static void (*bodies[4])(void);

void parts_begin(void)
{
    n_threads = n_semaphores = n_mutexes = 0u;
    n_text = 0u;
}

void say(char c)
{
    text[n_text] = c;
    n_text++;
}

void parts_expect(const char *wanted, const char *file, int line)
{
    text[n_text] = '\0';
    board_check_text(text, wanted, file, line);
    n_text = 0u;
}

osThreadAttr_t parts_attr(uint32_t n, int priority)
{
    return (osThreadAttr_t){.name = "part",
                            .cb_mem = &threads[n],
                            .cb_size = sizeof(threads[n]),
                            .stack_mem = stacks[n],
                            .stack_size = sizeof(stacks[n]),
                            .priority = (osPriority_t)priority};
}

osThreadId_t spawn(osThreadFunc_t func, void *argument, int priority)
{
    const osThreadAttr_t attr = parts_attr(n_threads, priority);

    assert_true(n_threads < PARTS_THREADS);
    n_threads++;

    const osThreadId_t id = osThreadNew(func, argument, &attr);

    assert_non_null(id);
    return id;
}

void join_all(void)
{
    for (uint32_t i = 0u; i < n_threads; i++) {
        for (uint32_t n = 0u; osThreadGetState(&threads[i]) != osThreadTerminated; n++) {
            assert_true(n < 1000u);
            assert_int_equal(osDelay(MS), osOK);
        }
    }
    n_threads = 0u;
}

osSemaphoreId_t new_semaphore(uint32_t max, uint32_t initial)
{
    struct kernel_semaphore *const memory = &semaphores[n_semaphores++];
    const osSemaphoreId_t id = osSemaphoreNew(
        max, initial, &(osSemaphoreAttr_t){.cb_mem = memory, .cb_size = sizeof(*memory)});

    assert_non_null(id);
    return id;
}

osMutexId_t new_mutex(uint32_t attr_bits)
{
    struct kernel_mutex *const memory = &mutexes[n_mutexes++];
    const osMutexId_t id = osMutexNew(
        &(osMutexAttr_t){.attr_bits = attr_bits, .cb_mem = memory, .cb_size = sizeof(*memory)});

    assert_non_null(id);
    return id;
}

static void take(void *context)
{
    void (**const body)(void) = context;

    (*body)();
}

void interrupt(uint32_t line, uint32_t level, void (*body)(void))
{
    bodies[line] = body;
    gic_enable(FIRST_LINE + line, level, take, &bodies[line]);
    gic_pend(FIRST_LINE + line);
    __asm volatile("dsb\n\tisb" ::: "memory");
}
