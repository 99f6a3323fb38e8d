/* SPDX-License-Identifier: MIT
 *
 * kernel_test.c - the kernel, call by call; and what must stop it: `panic=NAME`.
 */
#include "parts.h"
#include "semihost.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void overflow(void *argument)
{
    volatile uint8_t bytes[4064]; /* of 4096: no room for the call below */

    (void)argument;
    for (uint32_t i = 0u; i < sizeof(bytes); i++) {
        bytes[i] = 1u;
    }
    (void)osDelay(MS);
}

/* Below the stack pointer at the switch all is well again, but the guard is not. */
static void overflow_for_a_moment(void *argument)
{
    const osThreadAttr_t attr = parts_attr(0u, 0);

    (void)argument;
    memset(attr.stack_mem, 1, 8u);
    (void)osDelay(MS);
}

static void exit_with_mutex(void *argument)
{
    (void)argument;
    (void)osMutexAcquire(new_mutex(0u), 0u);
}

static void read_null(void *argument)
{
    const volatile uint32_t *volatile nowhere = argument;

    (void)*nowhere;
}

static void undefined(void *argument)
{
    (void)argument;
    __asm volatile("udf #0");
}

static int panic(const char *name)
{
    static const struct {
        const char *name;
        osThreadFunc_t func;
    } ways[] = {{"overflow", overflow},
                {"moment", overflow_for_a_moment},
                {"mutex", exit_with_mutex},
                {"null", read_null},
                {"undefined", undefined}};

    parts_begin();
    for (uint32_t i = 0u; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (strcmp(name, ways[i].name) == 0) {
            (void)spawn(ways[i].func, NULL, MAIN + 1);
        }
    }
    return 0; /* it did not stop */
}

static int run(void)
{
    char name[16];

    if (*semihost_word("panic", "", name, sizeof(name)) != '\0') {
        return panic(name);
    }
    const int failed =
        thread_cases() + time_cases() + sync_cases() + mutex_cases() + interrupt_cases();

    printf("ticks: %" PRIu32 "\n", osKernelGetTickCount()); /* the same in every run */
    return failed;
}

int main(void)
{
    return board_test_main(run);
}
