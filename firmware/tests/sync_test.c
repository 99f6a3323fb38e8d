/* SPDX-License-Identifier: MIT
 *
 * sync_test.c - semaphores, thread flags, message queues.
 */
#include "parts.h"

/* ---- Semaphores ------------------------------------------------------------------------------ */

static void semaphore_refuses(void **state)
{
    static struct kernel_semaphore memory;
    const osSemaphoreAttr_t good = {.cb_mem = &memory, .cb_size = sizeof(memory)};
    const osSemaphoreAttr_t bad[3] = {{.cb_size = sizeof(memory)},
                                      {.cb_mem = &memory, .cb_size = sizeof(memory) - 1u},
                                      {.attr_bits = 1u, .cb_mem = &memory, .cb_size = 99u}};
    const osThreadId_t other = osThreadGetId();

    (void)state;
    parts_begin();
    assert_null(osSemaphoreNew(0u, 0u, &good));
    assert_null(osSemaphoreNew(1u, 2u, &good));
    assert_null(osSemaphoreNew(1u, 0u, NULL));
    for (uint32_t i = 0u; i < 3u; i++) {
        assert_null(osSemaphoreNew(1u, 0u, &bad[i]));
    }
    assert_int_equal(osSemaphoreAcquire(NULL, 0u), osErrorParameter);
    assert_int_equal(osSemaphoreAcquire(other, 0u), osErrorParameter);
    assert_int_equal(osSemaphoreRelease(NULL), osErrorParameter);
    assert_int_equal(osSemaphoreRelease(other), osErrorParameter);
    assert_int_equal(osSemaphoreDelete(other), osErrorParameter);
    assert_int_equal(osSemaphoreGetCount(other), 0);

    const osSemaphoreId_t s = osSemaphoreNew(1u, 1u, &good);

    assert_int_equal(osSemaphoreDelete(s), osOK);
    assert_int_equal(osSemaphoreAcquire(s, 0u), osErrorParameter); /* it is gone */
}

static void semaphore_counts(void **state)
{
    (void)state;
    parts_begin();
    const osSemaphoreId_t s = new_semaphore(2u, 1u);

    assert_int_equal(osSemaphoreGetCount(s), 1);
    assert_int_equal(osSemaphoreRelease(s), osOK);
    assert_int_equal(osSemaphoreRelease(s), osErrorResource);
    assert_int_equal(osSemaphoreGetCount(s), 2);
    assert_int_equal(osSemaphoreAcquire(s, 0u), osOK);
    assert_int_equal(osSemaphoreAcquire(s, osWaitForever), osOK);
    assert_int_equal(osSemaphoreAcquire(s, 0u), osErrorResource);

    const uint32_t before = osKernelGetTickCount();

    assert_int_equal(osSemaphoreAcquire(s, MS), osErrorTimeout);
    assert_true(osKernelGetTickCount() - before >= MS);
    assert_int_equal(osSemaphoreGetCount(s), 0);
}

static osSemaphoreId_t gate;

static void wait_a_millisecond(void *argument)
{
    const osStatus_t status = osSemaphoreAcquire(gate, MS);

    say(*(const char *)argument);
    say(status == osOK ? '+' : status == osErrorTimeout ? 't' : 'r');
}

static void semaphore_serves_the_most_urgent(void **state)
{
    (void)state;
    parts_begin();
    gate = new_semaphore(3u, 0u);
    (void)spawn(wait_a_millisecond, "a", MAIN + 1);
    (void)spawn(wait_a_millisecond, "b", MAIN + 3);
    (void)spawn(wait_a_millisecond, "c", MAIN + 3);
    (void)spawn(wait_a_millisecond, "d", MAIN + 2);
    assert_int_equal(osSemaphoreRelease(gate), osOK);
    assert_int_equal(osSemaphoreRelease(gate), osOK);
    assert_int_equal(osSemaphoreRelease(gate), osOK);
    assert_int_equal(osSemaphoreGetCount(gate), 0); /* handed over, not counted */
    expect("b+c+d+");
    join_all();
    expect("at");
    assert_int_equal(osSemaphoreRelease(gate), osOK); /* who gave up takes nothing any more */
    assert_int_equal(osSemaphoreGetCount(gate), 1);
}

static void semaphore_ends_waits(void **state)
{
    (void)state;
    parts_begin();
    gate = new_semaphore(1u, 0u);
    (void)spawn(wait_a_millisecond, "a", MAIN + 1);
    (void)spawn(wait_a_millisecond, "b", MAIN + 2);
    assert_int_equal(osSemaphoreDelete(gate), osOK);
    expect("brar");
    join_all();
}

/* ---- Thread flags ---------------------------------------------------------------------------- */

static uint32_t wait_flags;
static uint32_t wait_options;
static uint32_t wait_ticks;
static uint32_t returned;

static void wait_for_flags(void *argument)
{
    (void)argument;
    returned = osThreadFlagsWait(wait_flags, wait_options, wait_ticks);
    say('w');
    returned |= osThreadFlagsGet() << 16; /* what is left */
}

static osThreadId_t spawn_waiter(uint32_t flags, uint32_t options, uint32_t ticks)
{
    wait_flags = flags;
    wait_options = options;
    wait_ticks = ticks;
    return spawn(wait_for_flags, NULL, MAIN + 1);
}

static void flags_refuse(void **state)
{
    (void)state;
    parts_begin();
    assert_int_equal(osThreadFlagsSet(NULL, 1u), osFlagsErrorParameter);
    assert_int_equal(osThreadFlagsSet(new_semaphore(1u, 0u), 1u), osFlagsErrorParameter);
    assert_int_equal(osThreadFlagsSet(osThreadGetId(), osFlagsError), osFlagsErrorParameter);
    assert_int_equal(osThreadFlagsClear(osFlagsError), osFlagsErrorParameter);
    assert_int_equal(osThreadFlagsWait(0u, 0u, 0u), osFlagsErrorParameter);
    assert_int_equal(osThreadFlagsWait(osFlagsError, 0u, 0u), osFlagsErrorParameter);
    assert_int_equal(osThreadFlagsWait(1u, 4u, 0u), osFlagsErrorParameter);
    assert_int_equal(osThreadFlagsGet(), 0);
}

static void flags_of_oneself(void **state)
{
    (void)state;
    parts_begin();
    assert_int_equal(osThreadFlagsSet(osThreadGetId(), 6u), 6);
    assert_int_equal(osThreadFlagsSet(osThreadGetId(), 1u), 7);
    assert_int_equal(osThreadFlagsClear(2u), 7);
    assert_int_equal(osThreadFlagsGet(), 5);
    assert_int_equal(osThreadFlagsWait(3u, osFlagsWaitAll, 0u), osFlagsErrorResource);
    assert_int_equal(osThreadFlagsWait(3u, osFlagsNoClear, 0u), 5);
    assert_int_equal(osThreadFlagsWait(3u, osFlagsWaitAny, 0u), 5);
    assert_int_equal(osThreadFlagsGet(), 4);
    assert_int_equal(osThreadFlagsWait(3u, osFlagsWaitAny, MS), osFlagsErrorTimeout);
    assert_int_equal(osThreadFlagsWait(4u, osFlagsWaitAll, osWaitForever), 4);
    assert_int_equal(osThreadFlagsGet(), 0);
}

static void flags_wake(void **state)
{
    (void)state;
    parts_begin();
    osThreadId_t t = spawn_waiter(3u, osFlagsWaitAny, osWaitForever);

    assert_int_equal(osThreadFlagsSet(t, 4u), 4); /* not that one */
    expect("");
    assert_int_equal(osThreadFlagsSet(t, 2u), 4); /* what it took is gone */
    expect("w");
    assert_int_equal(returned, 6u | 4u << 16);

    t = spawn_waiter(3u, osFlagsWaitAll, osWaitForever);
    assert_int_equal(osThreadFlagsSet(t, 1u), 1);
    expect("");
    assert_int_equal(osThreadFlagsSet(t, 2u), 0);
    expect("w");
    assert_int_equal(returned, 3);

    t = spawn_waiter(3u, osFlagsWaitAll | osFlagsNoClear, osWaitForever);
    assert_int_equal(osThreadFlagsSet(t, 3u), 3);
    expect("w");
    assert_int_equal(returned, 3u | 3u << 16);

    (void)spawn_waiter(1u, osFlagsWaitAny, MS);
    join_all();
    expect("w");
    assert_int_equal(returned, osFlagsErrorTimeout);
}

/* ---- Message queues -------------------------------------------------------------------------- */

static struct kernel_queue queue_memory;
static uint8_t messages[3u * 4u];
static osMessageQueueId_t queue;

static void new_queue(uint32_t capacity)
{
    queue = osMessageQueueNew(capacity, 4u,
                              &(osMessageQueueAttr_t){.cb_mem = &queue_memory,
                                                      .cb_size = sizeof(queue_memory),
                                                      .mq_mem = messages,
                                                      .mq_size = sizeof(messages)});
    assert_non_null(queue);
}

static void queue_refuses(void **state)
{
    osMessageQueueAttr_t attr = {.cb_mem = &queue_memory,
                                 .cb_size = sizeof(queue_memory),
                                 .mq_mem = messages,
                                 .mq_size = sizeof(messages)};
    uint32_t message = 0u;

    (void)state;
    parts_begin();
    assert_null(osMessageQueueNew(0u, 4u, &attr));
    assert_null(osMessageQueueNew(1u, 0u, &attr));
    assert_null(osMessageQueueNew(4u, 4u, &attr)); /* 16 bytes */
    assert_null(osMessageQueueNew(0x40000001u, 4u, &attr));
    assert_null(osMessageQueueNew(1u, 4u, NULL));
    attr.mq_mem = NULL;
    assert_null(osMessageQueueNew(1u, 4u, &attr));

    const osMessageQueueId_t wrong = osThreadGetId();

    assert_int_equal(osMessageQueuePut(wrong, &message, 0u, 0u), osErrorParameter);
    assert_int_equal(osMessageQueueGet(wrong, &message, NULL, 0u), osErrorParameter);
    assert_int_equal(osMessageQueueDelete(wrong), osErrorParameter);
    assert_int_equal(osMessageQueueGetCount(wrong), 0);
    assert_int_equal(osMessageQueueGetCapacity(NULL), 0);
    assert_int_equal(osMessageQueueGetMsgSize(NULL), 0);
    assert_int_equal(osMessageQueueGetSpace(NULL), 0);
    new_queue(3u);
    assert_int_equal(osMessageQueuePut(queue, NULL, 0u, 0u), osErrorParameter);
    assert_int_equal(osMessageQueuePut(queue, &message, 1u, 0u), osErrorParameter);
    assert_int_equal(osMessageQueueGet(queue, NULL, NULL, 0u), osErrorParameter);
    assert_int_equal(osMessageQueueGetCount(queue), 0);
}

static void queue_keeps_order(void **state)
{
    uint32_t message;
    uint8_t priority = 9u;

    (void)state;
    parts_begin();
    new_queue(3u);
    assert_int_equal(osMessageQueueGetCapacity(queue), 3);
    assert_int_equal(osMessageQueueGetMsgSize(queue), 4);
    assert_int_equal(osMessageQueueGet(queue, &message, NULL, 0u), osErrorResource);
    assert_int_equal(osMessageQueueGet(queue, &message, NULL, MS), osErrorTimeout);
    for (uint32_t i = 0u; i < 20u; i++) { /* several times around the end */
        message = 100u + 2u * i;
        assert_int_equal(osMessageQueuePut(queue, &message, 0u, 0u), osOK);
        message++;
        assert_int_equal(osMessageQueuePut(queue, &message, 0u, MS), osOK);
        assert_int_equal(osMessageQueueGetCount(queue), 2);
        assert_int_equal(osMessageQueueGetSpace(queue), 1);
        assert_int_equal(osMessageQueueGet(queue, &message, &priority, 0u), osOK);
        assert_int_equal(message, 100u + 2u * i);
        assert_int_equal(priority, 0);
        assert_int_equal(osMessageQueueGet(queue, &message, NULL, MS), osOK);
        assert_int_equal(message, 101u + 2u * i);
    }
    for (uint32_t i = 0u; i < 3u; i++) {
        assert_int_equal(osMessageQueuePut(queue, &i, 0u, 0u), osOK);
    }
    assert_int_equal(osMessageQueuePut(queue, &message, 0u, 0u), osErrorResource);
    assert_int_equal(osMessageQueuePut(queue, &message, 0u, MS), osErrorTimeout);
}

static void put_letter(void *argument)
{
    const uint32_t message = (uint8_t) * (const char *)argument;

    assert_int_equal(osMessageQueuePut(queue, &message, 0u, osWaitForever), osOK);
    say('p');
}

static void get_letters(void *argument)
{
    uint32_t message;
    const uint32_t n = *(const uint32_t *)argument;

    for (uint32_t i = 0u; i < n; i++) {
        if (osMessageQueueGet(queue, &message, NULL, osWaitForever) != osOK) {
            say('r');
            return;
        }
        say((char)message);
    }
}

static void queue_blocks_both_sides(void **state)
{
    static const uint32_t two = 2u;
    uint32_t message;

    (void)state;
    parts_begin();
    new_queue(1u);
    (void)spawn(get_letters, (void *)(uintptr_t)&two, MAIN + 2);
    (void)spawn(put_letter, "a", MAIN + 1);
    (void)spawn(put_letter, "b", MAIN + 1);
    expect("apbp"); /* from thread to thread */
    (void)spawn(put_letter, "c", MAIN + 1);
    (void)spawn(put_letter, "d", MAIN + 1); /* full */
    (void)spawn(put_letter, "e", MAIN + 2);
    expect("p");
    assert_int_equal(osMessageQueueGetCount(queue), 1);
    for (uint32_t i = 0u; i < 3u; i++) {
        assert_int_equal(osMessageQueueGet(queue, &message, NULL, 0u), osOK);
        say((char)message);
    }
    expect("pcped"); /* e before d: it is the more urgent one */
    join_all();
}

static void queue_ends_waits(void **state)
{
    static const uint32_t one = 1u;

    (void)state;
    parts_begin();
    new_queue(1u);
    (void)spawn(get_letters, (void *)(uintptr_t)&one, MAIN + 2);
    assert_int_equal(osMessageQueueDelete(queue), osOK);
    expect("r");
    join_all();
}

/* ---- Deleted while somebody comes to wait ---------------------------------------------------- */

#define ROUNDS 1500u /* each deletes a tick later, so between any two instructions of the waiter */
#define ROUND  (100u * US)

static osMutexId_t mutex;

static void make_semaphore(void)
{
    static struct kernel_semaphore memory;

    gate =
        osSemaphoreNew(1u, 0u, &(osSemaphoreAttr_t){.cb_mem = &memory, .cb_size = sizeof(memory)});
}

static osStatus_t wait_for_semaphore(void)
{
    return osSemaphoreAcquire(gate, ROUND / 4u);
}

static osStatus_t delete_semaphore(void)
{
    return osSemaphoreDelete(gate);
}

static void make_mutex(void)
{
    static struct kernel_mutex memory;

    mutex = osMutexNew(&(osMutexAttr_t){.cb_mem = &memory, .cb_size = sizeof(memory)});
    assert_int_equal(osMutexAcquire(mutex, 0u), osOK);
}

static osStatus_t wait_for_mutex(void)
{
    return osMutexAcquire(mutex, ROUND / 4u);
}

static osStatus_t delete_mutex(void)
{
    return osMutexDelete(mutex);
}

static void make_empty_queue(void)
{
    new_queue(1u);
}

static osStatus_t wait_for_message(void)
{
    uint32_t message;

    return osMessageQueueGet(queue, &message, NULL, ROUND / 4u);
}

static void make_full_queue(void)
{
    const uint32_t message = 0u;

    new_queue(1u);
    assert_int_equal(osMessageQueuePut(queue, &message, 0u, 0u), osOK);
}

static osStatus_t wait_for_space(void)
{
    const uint32_t message = 0u;

    return osMessageQueuePut(queue, &message, 0u, ROUND / 4u);
}

static osStatus_t delete_queue(void)
{
    return osMessageQueueDelete(queue);
}

static const struct object {
    void (*make)(void);
    osStatus_t (*wait)(void);
    osStatus_t (*drop)(void);
} objects[] = {{make_semaphore, wait_for_semaphore, delete_semaphore},
               {make_mutex, wait_for_mutex, delete_mutex},
               {make_empty_queue, wait_for_message, delete_queue},
               {make_full_queue, wait_for_space, delete_queue}};

static uint32_t first_round;

static void delete_every_round(void *argument)
{
    const struct object *const o = argument;

    for (uint32_t k = 0u; k < ROUNDS; k++) {
        o->make();
        assert_int_equal(osDelayUntil(first_round + k * ROUND + k), osOK);
        assert_int_equal(o->drop(), osOK);
        assert_int_equal(osDelay(ROUND / 2u), osOK); /* whoever waits gives up */
    }
}

static void wait_every_round(void *argument)
{
    const struct object *const o = argument;
    uint32_t in_time = 0u;

    for (uint32_t k = 0u; k < ROUNDS; k++) {
        assert_int_equal(osDelayUntil(first_round + k * ROUND), osOK);

        const osStatus_t status = o->wait();

        assert_true(status == osErrorResource || status == osErrorParameter);
        in_time += status == osErrorResource;
    }
    assert_true(in_time > 0u && in_time < ROUNDS);
}

static void nobody_waits_for_what_is_gone(void **state)
{
    (void)state;
    for (uint32_t i = 0u; i < sizeof(objects) / sizeof(objects[0]); i++) {
        parts_begin();
        first_round = osKernelGetTickCount() + MS;
        (void)spawn(delete_every_round, (void *)(uintptr_t)&objects[i], MAIN + 2);
        (void)spawn(wait_every_round, (void *)(uintptr_t)&objects[i], MAIN + 1);
        join_all();
    }
}

int sync_cases(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(semaphore_refuses),
        cmocka_unit_test(semaphore_counts),
        cmocka_unit_test(semaphore_serves_the_most_urgent),
        cmocka_unit_test(semaphore_ends_waits),
        cmocka_unit_test(flags_refuse),
        cmocka_unit_test(flags_of_oneself),
        cmocka_unit_test(flags_wake),
        cmocka_unit_test(queue_refuses),
        cmocka_unit_test(queue_keeps_order),
        cmocka_unit_test(queue_blocks_both_sides),
        cmocka_unit_test(queue_ends_waits),
        cmocka_unit_test(nobody_waits_for_what_is_gone),
    };

    return cmocka_run_group_tests_name("semaphores, flags, queues", cases, NULL, NULL);
}
