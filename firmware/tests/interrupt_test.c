/* SPDX-License-Identifier: MIT
 *
 * interrupt_test.c - calls from interrupts, nesting, and interrupts that wait for urgent threads.
 */
#include "parts.h"
#include "arch.h"

/* ---- Calls from an interrupt ----------------------------------------------------------------- */

static osThreadId_t thread;
static osSemaphoreId_t semaphore;
static osMutexId_t mutex;
static osMessageQueueId_t queue;
static struct kernel_queue queue_memory;
static uint8_t message_memory[4];
static osStatus_t statuses[16];
static uint32_t results[16];

static void call_everything(void)
{
    static struct kernel_semaphore spare;
    uint8_t message[4] = {0u};
    uint32_t n = 0u;

    results[0] = osThreadNew(NULL, NULL, NULL) == NULL;
    results[1] = osThreadFlagsGet();
    results[2] = osThreadFlagsClear(1u);
    results[3] = osThreadFlagsWait(1u, 0u, 0u);
    results[4] = osMutexGetOwner(mutex) == NULL;
    results[5] =
        osSemaphoreNew(1u, 0u, &(osSemaphoreAttr_t){.cb_mem = &spare, .cb_size = sizeof(spare)}) ==
        NULL;
    statuses[n++] = osKernelInitialize();
    statuses[n++] = osKernelStart();
    statuses[n++] = osThreadYield();
    statuses[n++] = osDelay(1u);
    statuses[n++] = osDelayUntil(osKernelGetTickCount() + 10u);
    statuses[n++] = osMutexAcquire(mutex, 0u);
    statuses[n++] = osMutexRelease(mutex);
    statuses[n++] = osMutexDelete(mutex);
    statuses[n++] = osSemaphoreDelete(semaphore);
    statuses[n++] = osMessageQueueDelete(queue);
    /* From here on what the API refuses with another code: a wait in an interrupt. */
    statuses[n++] = osSemaphoreAcquire(semaphore, 1u);
    statuses[n++] = osMessageQueueGet(queue, message, NULL, 1u);
    statuses[n++] = osMessageQueuePut(queue, message, 0u, 1u);
    assert_int_equal(n, 13);
}

static void expect_refusals(void)
{
    for (uint32_t i = 0u; i < 10u; i++) {
        assert_int_equal(statuses[i], osErrorISR);
    }
    for (uint32_t i = 10u; i < 13u; i++) {
        assert_int_equal(statuses[i], osErrorParameter);
    }
    assert_int_equal(results[0], 1);
    assert_int_equal(results[1], 0);
    assert_int_equal(results[2], osFlagsErrorISR);
    assert_int_equal(results[3], osFlagsErrorISR);
    assert_int_equal(results[4], 1);
    assert_int_equal(results[5], 1);
}

static void make_objects(void)
{
    parts_begin();
    semaphore = new_semaphore(1u, 0u);
    mutex = new_mutex(0u);
    queue = osMessageQueueNew(1u, 4u,
                              &(osMessageQueueAttr_t){.cb_mem = &queue_memory,
                                                      .cb_size = sizeof(queue_memory),
                                                      .mq_mem = message_memory,
                                                      .mq_size = sizeof(message_memory)});
}

static void refuses_in_interrupts(void **state)
{
    (void)state;
    make_objects();
    assert_int_equal(osMutexAcquire(mutex, 0u), osOK);
    interrupt(0u, 20u, call_everything);
    expect_refusals();
    assert_int_equal(osMutexRelease(mutex), osOK);
}

static void use_everything(void)
{
    uint8_t message[4] = {7u};

    statuses[0] = osSemaphoreRelease(semaphore);
    statuses[1] = osSemaphoreAcquire(semaphore, 0u);
    statuses[2] = osMessageQueuePut(queue, message, 0u, 0u);
    statuses[3] = osMessageQueueGet(queue, message, NULL, 0u);
    statuses[4] = osMessageQueueGet(queue, message, NULL, 0u);
    results[0] = osThreadFlagsSet(thread, 8u);
    results[1] = (uint32_t)osThreadGetState(thread);
    results[2] = (uint32_t)osThreadGetPriority(thread);
}

static void allows_in_interrupts(void **state)
{
    (void)state;
    make_objects();
    thread = osThreadGetId();
    interrupt(0u, 20u, use_everything);
    for (uint32_t i = 0u; i < 4u; i++) {
        assert_int_equal(statuses[i], osOK);
    }
    assert_int_equal(statuses[4], osErrorResource);
    assert_int_equal(results[0], 8);
    assert_int_equal(results[1], osThreadRunning);
    assert_int_equal(results[2], MAIN);
    assert_int_equal(osThreadFlagsClear(8u), 8);
}

/* ---- Switches that an interrupt causes ------------------------------------------------------- */

static void wait_and_say(void *argument)
{
    assert_int_equal(osSemaphoreAcquire(semaphore, osWaitForever), osOK);
    say(*(const char *)argument);
}

static void release_in_interrupt(void)
{
    assert_int_equal(osSemaphoreRelease(semaphore), osOK);
    say('i');
}

static void wakes_at_its_end(void **state)
{
    (void)state;
    make_objects();
    (void)spawn(wait_and_say, "t", MAIN + 1);
    say('m');
    interrupt(0u, 20u, release_in_interrupt);
    say('m');
    join_all();
    expect("mitm");
}

static void say_argument(void *argument)
{
    say(*(const char *)argument);
}

static void raise_in_interrupt(void)
{
    assert_int_equal(osThreadSetPriority(thread, MAIN + 1), osOK);
    say('i');
}

static void lower_in_interrupt(void)
{
    assert_int_equal(osThreadSetPriority(thread, MAIN - 2), osOK);
    say('i');
}

static void priority_from_an_interrupt(void **state)
{
    (void)state;
    parts_begin();
    thread = spawn(say_argument, "t", MAIN - 1);
    interrupt(0u, 20u, raise_in_interrupt);
    say('m');
    join_all();
    expect("itm");

    /* The running thread, below another one. */
    parts_begin();
    thread = osThreadGetId();
    (void)spawn(say_argument, "t", MAIN - 1);
    interrupt(0u, 20u, lower_in_interrupt);
    say('m');
    assert_int_equal(osThreadSetPriority(thread, MAIN), osOK);
    join_all();
    expect("itm");
}

/* Who masks interrupts is not switched away from, and is so the moment that he unmasks. */
static void switch_waits_for_the_mask(void **state)
{
    (void)state;
    make_objects();
    thread = spawn(wait_and_say, "t", MAIN + 1);

    const uint32_t lock = arch_lock();

    assert_int_equal(osSemaphoreRelease(semaphore), osOK);
    say('m');
    assert_int_equal(osSemaphoreAcquire(semaphore, MS), osErrorParameter);
    assert_int_equal(osDelay(MS), osErrorISR);
    assert_int_equal(osMutexAcquire(mutex, 0u), osErrorISR);
    arch_unlock(lock);
    __asm volatile("isb" ::: "memory");
    say('u');
    join_all();
    expect("mtu");
}

/* ---- Nesting --------------------------------------------------------------------------------- */

static void say_b(void)
{
    say('b');
}

static void say_c(void)
{
    say('c');
}

static void cause_both(void)
{
    say('a');
    interrupt(1u, 12u, say_b); /* more urgent: now */
    say('a');
    interrupt(2u, 20u, say_c); /* as urgent as this one: afterwards */
    say('a');
}

static void interrupts_nest(void **state)
{
    (void)state;
    parts_begin();
    interrupt(0u, 20u, cause_both);
    expect("abaac");
}

static void cause_release(void)
{
    say('a');
    interrupt(1u, 12u, release_in_interrupt);
    say('a');
}

/* The thread that an inner interrupt wakes runs after the outer one. */
static void threads_wait_for_the_outermost(void **state)
{
    (void)state;
    make_objects();
    (void)spawn(wait_and_say, "t", MAIN + 1);
    interrupt(0u, 20u, cause_release);
    join_all();
    expect("aiat");
}

/* ---- One space of priorities ----------------------------------------------------------------- */

/* Interrupts of level 20 are for threads up to MAIN + 1, those of level 12 for those up to
 * MAIN + 3: they wait while a more urgent one runs. */
static uint8_t levels[KERNEL_PRIORITIES];

static void make_levels(void)
{
    for (uint32_t p = 0u; p < KERNEL_PRIORITIES; p++) {
        levels[p] = (uint8_t)(p <= MAIN + 1 ? ARCH_LEVEL_ALL : p <= MAIN + 3 ? 20u : 12u);
    }
}

static void run_urgently(void *argument)
{
    (void)argument;
    interrupt(0u, 20u, say_b); /* stays pending */
    interrupt(1u, 12u, say_c); /* likewise */
    say('u');
    assert_int_equal(osThreadSetPriority(osThreadGetId(), MAIN + 3), osOK); /* lets c in */
    say('v');
}

static void less_urgent_interrupts_wait(void **state)
{
    (void)state;
    parts_begin();
    make_levels();
    kernel_unify(levels, NULL);
    (void)spawn(run_urgently, NULL, MAIN + 4);
    say('m');
    join_all();
    expect("ucvbm"); /* b the moment that the urgent thread is over */
    interrupt(0u, 20u, say_b);
    expect("b"); /* at once, as this thread is not above it */
    kernel_unify(NULL, NULL);
    (void)spawn(run_urgently, NULL, MAIN + 4);
    join_all();
    expect("bcuv");
}

static void raise_the_running_one(void)
{
    assert_int_equal(osThreadSetPriority(thread, MAIN + 4), osOK);
    say('i');
}

/* The interrupted thread's new priority holds from the end of the interrupt that raised it. */
static void mask_follows_a_raise(void **state)
{
    (void)state;
    parts_begin();
    make_levels();
    kernel_unify(levels, NULL);
    thread = osThreadGetId();
    interrupt(0u, 20u, raise_the_running_one);
    interrupt(1u, 20u, say_b);
    say('m');
    assert_int_equal(osThreadSetPriority(thread, MAIN), osOK);
    say('n');
    kernel_unify(NULL, NULL);
    expect("imbn");
}

int interrupt_cases(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(refuses_in_interrupts),
        cmocka_unit_test(allows_in_interrupts),
        cmocka_unit_test(wakes_at_its_end),
        cmocka_unit_test(priority_from_an_interrupt),
        cmocka_unit_test(switch_waits_for_the_mask),
        cmocka_unit_test(interrupts_nest),
        cmocka_unit_test(threads_wait_for_the_outermost),
        cmocka_unit_test(less_urgent_interrupts_wait),
        cmocka_unit_test(mask_follows_a_raise),
    };

    return cmocka_run_group_tests_name("interrupts", cases, NULL, NULL);
}
