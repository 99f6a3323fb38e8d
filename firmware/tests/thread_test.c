/* SPDX-License-Identifier: MIT
 *
 * thread_test.c - which thread runs: priorities, their change, yielding, ending, stacks.
 */
#include "parts.h"

static void say_argument(void *argument)
{
    say(*(const char *)argument);
}

static void refuses_what_is_wrong(void **state)
{
    static struct kernel_semaphore other;
    osThreadAttr_t good = parts_attr(0u, 30);
    osThreadAttr_t bad[9];

    (void)state;
    parts_begin();
    for (uint32_t i = 0u; i < 9u; i++) {
        bad[i] = good;
    }
    bad[0].cb_mem = NULL; /* no memory but the caller's */
    bad[1].cb_size = sizeof(struct kernel_thread) - 1u;
    bad[2].stack_mem = NULL;
    bad[3].stack_size = 255u;
    bad[4].stack_mem = (uint8_t *)good.stack_mem + 4;
    bad[5].priority = (osPriority_t)57;
    bad[6].priority = osPriorityError;
    bad[7].attr_bits = 1u; /* joinable */
    bad[8].tz_module = 1u;
    for (uint32_t i = 0u; i < 9u; i++) {
        assert_null(osThreadNew(say_argument, "x", &bad[i]));
    }
    assert_null(osThreadNew(NULL, NULL, &good));
    assert_null(osThreadNew(say_argument, "x", NULL));
    expect("");

    /* Not a thread: nothing, or another object. */
    const osSemaphoreId_t s =
        osSemaphoreNew(1u, 0u, &(osSemaphoreAttr_t){.cb_mem = &other, .cb_size = sizeof(other)});
    const osThreadId_t wrong[2] = {NULL, s};

    for (uint32_t i = 0u; i < 2u; i++) {
        assert_null(osThreadGetName(wrong[i]));
        assert_int_equal(osThreadGetState(wrong[i]), osThreadError);
        assert_int_equal(osThreadGetStackSize(wrong[i]), 0);
        assert_int_equal(osThreadGetStackSpace(wrong[i]), 0);
        assert_int_equal(osThreadSetPriority(wrong[i], osPriorityLow), osErrorParameter);
        assert_int_equal(osThreadGetPriority(wrong[i]), osPriorityError);
    }
    assert_int_equal(osThreadSetPriority(osThreadGetId(), osPriorityNone), osErrorParameter);
    assert_int_equal(osThreadSetPriority(osThreadGetId(), (osPriority_t)57), osErrorParameter);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN);
}

static void knows_itself(void **state)
{
    (void)state;
    parts_begin();
    assert_string_equal(osThreadGetName(osThreadGetId()), "tests");
    assert_int_equal(osThreadGetState(osThreadGetId()), osThreadRunning);

    const osThreadId_t t = spawn(say_argument, "t", MAIN - 1);

    assert_string_equal(osThreadGetName(t), "part");
    assert_int_equal(osThreadGetState(t), osThreadReady);
    assert_int_equal(osThreadGetPriority(t), MAIN - 1);
    assert_int_equal(osThreadGetStackSize(t), 4096);
    join_all();
    expect("t");
    assert_int_equal(osThreadGetState(t), osThreadTerminated);
    assert_int_equal(osThreadGetPriority(t), osPriorityError);
    assert_int_equal(osThreadSetPriority(t, osPriorityLow), osErrorResource);
    assert_int_equal(osThreadFlagsSet(t, 1u), osFlagsErrorResource);
}

static void more_urgent_runs_at_once(void **state)
{
    (void)state;
    parts_begin();
    (void)spawn(say_argument, "a", MAIN + 1); /* before osThreadNew returns */
    say('m');
    (void)spawn(say_argument, "b", MAIN);
    say('m');
    (void)spawn(say_argument, "c", MAIN - 1);
    say('m');
    join_all();
    expect("ammmbc");
}

static void order_of_all_priorities(void **state)
{
    static const struct {
        const char *name;
        int priority;
    } parts[] = {{"f", 1},  {"e", 31}, {"c", 33}, {"a", 56}, {"d", 32},
                 {"b", 55}, {"D", 32}, {"A", 56}, {"F", 1}};

    (void)state;
    parts_begin();
    assert_int_equal(osThreadSetPriority(osThreadGetId(), osPriorityISR), osOK);
    for (uint32_t i = 0u; i < sizeof(parts) / sizeof(parts[0]); i++) {
        (void)spawn(say_argument, (void *)(uintptr_t)parts[i].name, parts[i].priority);
    }
    expect(""); /* none is above this one */
    assert_int_equal(osDelay(MS), osOK);
    assert_int_equal(osThreadSetPriority(osThreadGetId(), MAIN), osOK);
    join_all();
    expect("aAbcdDefF");
}

static void yield_twice(void *argument)
{
    for (uint32_t i = 0u; i < 3u; i++) {
        say(*(const char *)argument);
        assert_int_equal(osThreadYield(), osOK);
    }
}

static void yield_goes_round(void **state)
{
    (void)state;
    parts_begin();
    (void)spawn(yield_twice, "a", MAIN - 1);
    (void)spawn(yield_twice, "b", MAIN - 1);
    (void)spawn(yield_twice, "c", MAIN - 2);
    assert_int_equal(osThreadYield(), osOK); /* nobody else of this priority */
    join_all();
    expect("abababccc");
}

static void ready_thread_changes(void **state)
{
    (void)state;
    parts_begin();
    const osThreadId_t a = spawn(say_argument, "a", MAIN - 3);
    const osThreadId_t b = spawn(say_argument, "b", MAIN - 2);
    const osThreadId_t c = spawn(say_argument, "c", MAIN - 1);

    assert_int_equal(osThreadSetPriority(a, MAIN - 1), osOK); /* behind c */
    assert_int_equal(osThreadSetPriority(c, MAIN - 2), osOK); /* before b */
    assert_int_equal(osThreadGetPriority(c), MAIN - 2);
    expect("");
    assert_int_equal(osThreadSetPriority(b, MAIN + 1), osOK);
    expect("b"); /* at once */
    join_all();
    expect("ac");
}

static void running_thread_sinks(void **state)
{
    (void)state;
    parts_begin();
    (void)spawn(say_argument, "a", MAIN - 1);
    (void)spawn(say_argument, "b", MAIN - 2);
    assert_int_equal(osThreadSetPriority(osThreadGetId(), MAIN - 1), osOK);
    expect(""); /* who sinks stands before those already there */
    assert_int_equal(osThreadSetPriority(osThreadGetId(), MAIN - 3), osOK);
    expect("ab");
    assert_int_equal(osThreadSetPriority(osThreadGetId(), MAIN), osOK);
    join_all();
}

static osSemaphoreId_t gate;

static void wait_and_say(void *argument)
{
    assert_int_equal(osSemaphoreAcquire(gate, osWaitForever), osOK);
    say(*(const char *)argument);
}

static void blocked_thread_changes(void **state)
{
    (void)state;
    parts_begin();
    gate = new_semaphore(4u, 0u);
    const osThreadId_t a = spawn(wait_and_say, "a", MAIN + 1);
    const osThreadId_t b = spawn(wait_and_say, "b", MAIN + 2);
    const osThreadId_t c = spawn(wait_and_say, "c", MAIN + 3);

    assert_int_equal(osThreadGetState(a), osThreadBlocked);
    assert_int_equal(osThreadSetPriority(a, MAIN + 4), osOK);
    assert_int_equal(osThreadSetPriority(c, MAIN + 2), osOK); /* behind b, which waits there */
    for (uint32_t i = 0u; i < 3u; i++) {
        say('.');
        assert_int_equal(osSemaphoreRelease(gate), osOK);
    }
    join_all();
    expect(".a.b.c");
    (void)b;
}

static void exit_in_the_middle(void *argument)
{
    say(*(const char *)argument);
    osThreadExit();
}

static void memory_serves_again(void **state)
{
    (void)state;
    for (uint32_t i = 0u; i < 5u; i++) {
        parts_begin();
        (void)spawn(exit_in_the_middle, "a", MAIN + 1);
        (void)spawn(say_argument, "b", MAIN + 1);
        join_all();
        expect("ab");
    }
}

static uint32_t space_before;

static __attribute__((noinline)) void use_a_kilobyte(void)
{
    volatile uint8_t bytes[1024];

    for (uint32_t i = 0u; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)i;
    }
    assert_int_equal(bytes[255], 255);
}

static void use_some_stack(void *argument)
{
    (void)argument;
    space_before = osThreadGetStackSpace(osThreadGetId());
    use_a_kilobyte();
}

static void stack_space_is_seen(void **state)
{
    (void)state;
    parts_begin();
    const osThreadId_t t = spawn(use_some_stack, NULL, MAIN + 1);

    assert_true(space_before > 3000u);
    assert_true(osThreadGetStackSpace(t) <= space_before - 900u);
    assert_true(osThreadGetStackSpace(t) > 2000u);
    join_all();
}

/* Registers of a thread survive others: sums that live in registers across switches. */
static uint32_t sums[3];

static void add_up(void *argument)
{
    uint32_t *const sum = argument;
    uint32_t a = 1u;
    uint32_t b = 2u;
    uint32_t c = 3u;
    uint32_t d = 4u;

    for (uint32_t i = 0u; i < 2000u; i++) {
        a = a * 5u + b;
        b = b * 9u + c;
        c = c * 13u + d;
        d = d * 17u + a;
        if (i % 50u == 0u) {
            (void)osDelay(20u * US);
        } else {
            (void)osThreadYield();
        }
    }
    *sum = a ^ b ^ c ^ d;
}

static void registers_are_kept(void **state)
{
    (void)state;
    parts_begin();
    for (uint32_t i = 0u; i < 3u; i++) {
        (void)spawn(add_up, &sums[i], MAIN + (i == 2u ? 2 : 1));
    }
    join_all();
    assert_true(sums[0] == sums[1] && sums[1] == sums[2] && sums[0] != 0u);
}

int thread_cases(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(refuses_what_is_wrong),    cmocka_unit_test(knows_itself),
        cmocka_unit_test(more_urgent_runs_at_once), cmocka_unit_test(order_of_all_priorities),
        cmocka_unit_test(yield_goes_round),         cmocka_unit_test(ready_thread_changes),
        cmocka_unit_test(running_thread_sinks),     cmocka_unit_test(blocked_thread_changes),
        cmocka_unit_test(memory_serves_again),      cmocka_unit_test(stack_space_is_seen),
        cmocka_unit_test(registers_are_kept),
    };

    return cmocka_run_group_tests_name("threads", cases, NULL, NULL);
}
