/* SPDX-License-Identifier: MIT
 *
 * time_test.c - the clock, delays, periodic release. Time is the emulator's, so it is exact.
 */
#include "parts.h"

#include <stdio.h>

static void kernel_says_what_it_is(void **state)
{
    (void)state;
    parts_begin();
    assert_int_equal(osKernelGetState(), osKernelRunning);
    assert_int_equal(osKernelInitialize(), osError);
    assert_int_equal(osKernelStart(), osError);
    assert_int_equal(osKernelGetTickFreq(), 100000000);
    assert_int_equal(osKernelGetSysTimerFreq(), osKernelGetTickFreq());

    const uint32_t before = osKernelGetTickCount();

    assert_int_equal(osDelay(MS), osOK);
    assert_true(osKernelGetTickCount() - before >= MS);
    assert_true(osKernelGetTickCount() - before < 2u * MS);
    assert_true(osKernelGetSysTimerCount() - before < 2u * MS);
    assert_int_equal(osDelay(0u), osOK);
}

static void past_is_refused(void **state)
{
    const uint32_t now = osKernelGetTickCount();

    (void)state;
    parts_begin();
    assert_int_equal(osDelayUntil(now), osErrorParameter);
    assert_int_equal(osDelayUntil(now - MS), osErrorParameter);
    assert_int_equal(osDelayUntil(now + 0x80000000u + MS), osErrorParameter);
    assert_int_equal(osDelayUntil(now + MS), osOK);
    assert_true(osKernelGetTickCount() - now >= MS);
}

static void sleep_and_say(void *argument)
{
    const uint32_t n = *(const char *)argument - (uint32_t)'0';

    assert_int_equal(osDelay(n * MS), osOK);
    say(*(const char *)argument);
}

static void sleepers_wake_in_order(void **state)
{
    static char names[] = {'5', '2', '7', '1', '4', '2'};

    (void)state;
    parts_begin();
    for (uint32_t i = 0u; i < sizeof(names); i++) {
        (void)spawn(sleep_and_say, &names[i], MAIN + 1);
    }
    join_all();
    expect("122457");
}

/* ---- Periodic release ------------------------------------------------------------------------ */

#define PERIODS 5000u
#define PERIOD  (50u * US)

static osSemaphoreId_t over;
static volatile bool is_over;
static uint32_t earliest;
static uint32_t latest;

static void release_periodically(void *argument)
{
    const uint32_t start = osKernelGetTickCount();

    (void)argument;
    for (uint32_t k = 1u; k <= PERIODS; k++) {
        assert_int_equal(osDelayUntil(start + k * PERIOD), osOK);

        const uint32_t late = osKernelGetTickCount() - (start + k * PERIOD);

        earliest = late < earliest ? late : earliest;
        latest = late > latest ? late : latest;
        for (uint32_t i = k % 7u * 20u; i > 0u; i--) { /* jobs of different lengths */
            __asm volatile("nop");
        }
    }
    is_over = true;
    assert_int_equal(osSemaphoreRelease(over), osOK);
}

static void run_always(void *argument)
{
    (void)argument;
    while (!is_over) {
    }
}

/* The lateness of a release is the way from the timer to the thread, 10 ns by 16 ns instructions,
 * and it does not add up. */
static void check_periods(bool has_busy_thread)
{
    parts_begin();
    over = new_semaphore(1u, 0u);
    is_over = false;
    earliest = UINT32_MAX;
    latest = 0u;
    if (has_busy_thread) {
        (void)spawn(run_always, NULL, MAIN - 1);
    }
    (void)spawn(release_periodically, NULL, MAIN + 2);
    assert_int_equal(osSemaphoreAcquire(over, osWaitForever), osOK); /* nobody else has an alarm */
    join_all();
    printf("released %u to %u ticks late\n", (unsigned)earliest, (unsigned)latest);
    assert_true(earliest > 0u);
    assert_true(latest - earliest <= 8u); /* 80 ns, the loop of board_ticks */
    assert_true(latest < 10u * US);
}

static void periods_do_not_drift(void **state)
{
    (void)state;
    check_periods(false); /* out of idling */
    check_periods(true);  /* out of another thread's run */
}

int time_cases(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(kernel_says_what_it_is),
        cmocka_unit_test(past_is_refused),
        cmocka_unit_test(sleepers_wake_in_order),
        cmocka_unit_test(periods_do_not_drift),
    };

    return cmocka_run_group_tests_name("time", cases, NULL, NULL);
}
