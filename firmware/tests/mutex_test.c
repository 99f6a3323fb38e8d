/* SPDX-License-Identifier: MIT
 *
 * mutex_test.c - mutual exclusion, recursion, inheritance of priorities.
 */
#include "parts.h"

static osMutexId_t m1;
static osMutexId_t m2;

static void mutex_refuses(void **state)
{
    static struct kernel_mutex memory;
    const osMutexAttr_t bad[4] = {
        {.cb_size = sizeof(memory)},
        {.cb_mem = &memory, .cb_size = sizeof(memory) - 1u},
        {.attr_bits = osMutexRobust, .cb_mem = &memory, .cb_size = sizeof(memory)},
        {.attr_bits = 16u, .cb_mem = &memory, .cb_size = sizeof(memory)}};
    const osMutexId_t wrong = osThreadGetId();

    (void)state;
    parts_begin();
    assert_null(osMutexNew(NULL));
    for (uint32_t i = 0u; i < 4u; i++) {
        assert_null(osMutexNew(&bad[i]));
    }
    assert_int_equal(osMutexAcquire(NULL, 0u), osErrorParameter);
    assert_int_equal(osMutexAcquire(wrong, 0u), osErrorParameter);
    assert_int_equal(osMutexRelease(wrong), osErrorParameter);
    assert_int_equal(osMutexDelete(wrong), osErrorParameter);
    assert_null(osMutexGetOwner(wrong));

    const osMutexId_t m = new_mutex(0u);

    assert_null(osMutexGetOwner(m));
    assert_int_equal(osMutexRelease(m), osErrorResource);
    assert_int_equal(osMutexAcquire(m, osWaitForever), osOK);
    assert_ptr_equal(osMutexGetOwner(m), osThreadGetId());
    assert_int_equal(osMutexAcquire(m, osWaitForever), osErrorResource); /* not recursive */
    assert_int_equal(osMutexRelease(m), osOK);
    assert_null(osMutexGetOwner(m));
    assert_int_equal(osMutexDelete(m), osOK);
    assert_int_equal(osMutexAcquire(m, 0u), osErrorParameter);
}

static void try_once(void *argument)
{
    (void)argument;
    say(osMutexAcquire(m1, 0u) == osErrorResource ? 'r' : '?');
    say(osMutexRelease(m1) == osErrorResource ? 'r' : '?'); /* another's */
    say(osMutexAcquire(m1, MS) == osErrorTimeout ? 't' : '?');
}

static void mutex_is_recursive(void **state)
{
    (void)state;
    parts_begin();
    m1 = new_mutex(osMutexRecursive);
    assert_int_equal(osMutexAcquire(m1, 0u), osOK);
    assert_int_equal(osMutexAcquire(m1, 0u), osOK);
    assert_int_equal(osMutexRelease(m1), osOK);
    (void)spawn(try_once, NULL, MAIN + 1); /* held once still */
    join_all();
    expect("rrt");
    assert_int_equal(osMutexRelease(m1), osOK);
    assert_int_equal(osMutexRelease(m1), osErrorResource);
}

static void acquire_and_say(void *argument)
{
    const osStatus_t status = osMutexAcquire(m1, 2u * MS);

    say(*(const char *)argument);
    if (status == osOK) {
        assert_int_equal(osMutexRelease(m1), osOK);
    } else {
        say(status == osErrorTimeout ? 't' : 'r');
    }
}

static void run_between(void *argument)
{
    (void)argument;
    say('b');
}

/* The classic: low holds, high waits, the one between must not run first. */
static void hold_with_others(void *argument)
{
    (void)argument;
    assert_int_equal(osMutexAcquire(m1, osWaitForever), osOK);
    (void)spawn(acquire_and_say, "h", MAIN + 5);
    (void)spawn(run_between, NULL, MAIN + 3);
    say('l');
    assert_int_equal(osMutexRelease(m1), osOK);
    say('e');
}

static void owner_inherits(void **state)
{
    (void)state;
    parts_begin();
    m1 = new_mutex(osMutexPrioInherit);
    (void)spawn(hold_with_others, NULL, MAIN + 1);
    join_all();
    expect("lhbe");

    parts_begin();
    m1 = new_mutex(0u); /* not asked for: not done */
    (void)spawn(hold_with_others, NULL, MAIN + 1);
    join_all();
    expect("blhe");
}

static void inheritance_ends_with_the_wait(void **state)
{
    (void)state;
    parts_begin();
    m1 = new_mutex(osMutexPrioInherit);
    assert_int_equal(osMutexAcquire(m1, 0u), osOK);
    (void)spawn(acquire_and_say, "h", MAIN + 5);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 5);
    (void)spawn(acquire_and_say, "g", MAIN + 3);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 5);
    assert_int_equal(osDelay(5u * MS), osOK);
    expect("htgt"); /* both gave up */
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN);
    assert_int_equal(osMutexRelease(m1), osOK);
    join_all();
}

/* low holds m1; middle holds m2 and waits for m1; high waits for m2: low has high's priority. */
static void hold_both(void *argument)
{
    (void)argument;
    assert_int_equal(osMutexAcquire(m2, osWaitForever), osOK);
    assert_int_equal(osMutexAcquire(m1, osWaitForever), osOK);
    say('m');
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 6);
    assert_int_equal(osMutexRelease(m1), osOK);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 6);
    assert_int_equal(osMutexRelease(m2), osOK);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 2);
    say('e');
}

static void take_second(void *argument)
{
    assert_int_equal(osMutexAcquire(m2, osWaitForever), osOK);
    say(*(const char *)argument);
    assert_int_equal(osMutexRelease(m2), osOK);
}

static void inheritance_goes_along_the_chain(void **state)
{
    (void)state;
    parts_begin();
    m1 = new_mutex(osMutexPrioInherit);
    m2 = new_mutex(osMutexPrioInherit);
    assert_int_equal(osMutexAcquire(m1, 0u), osOK);
    (void)spawn(hold_both, NULL, MAIN + 2);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 2);

    const osThreadId_t high = spawn(take_second, "h", MAIN + 6);

    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 6);
    /* A change at the far end travels, too. */
    assert_int_equal(osThreadSetPriority(high, MAIN + 8), osOK);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 8);
    assert_int_equal(osThreadSetPriority(high, MAIN + 6), osOK);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 6);
    assert_int_equal(osMutexRelease(m1), osOK);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN);
    join_all();
    expect("mhe");
}

static void two_mutexes_one_by_one(void **state)
{
    (void)state;
    parts_begin();
    m1 = new_mutex(osMutexPrioInherit);
    m2 = new_mutex(osMutexPrioInherit);
    assert_int_equal(osMutexAcquire(m1, 0u), osOK);
    assert_int_equal(osMutexAcquire(m2, 0u), osOK);
    (void)spawn(acquire_and_say, "a", MAIN + 3);
    (void)spawn(take_second, "b", MAIN + 5);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 5);
    assert_int_equal(osMutexRelease(m2), osOK);
    expect("b");
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 3);
    assert_int_equal(osMutexRelease(m1), osOK);
    expect("a");
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN);
    join_all();
}

/* What is set for an owner counts when it has nothing to inherit any more. */
static void owner_is_given_a_priority(void **state)
{
    (void)state;
    parts_begin();
    m1 = new_mutex(osMutexPrioInherit);
    assert_int_equal(osMutexAcquire(m1, 0u), osOK);
    (void)spawn(acquire_and_say, "a", MAIN + 3);
    assert_int_equal(osThreadSetPriority(osThreadGetId(), MAIN - 2), osOK);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 3);
    assert_int_equal(osThreadSetPriority(osThreadGetId(), MAIN + 5), osOK);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN + 5);
    assert_int_equal(osThreadSetPriority(osThreadGetId(), MAIN - 2), osOK);
    assert_int_equal(osMutexRelease(m1), osOK);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN - 2);
    assert_int_equal(osThreadSetPriority(osThreadGetId(), MAIN), osOK);
    join_all();
    expect("a");
}

static void hand_over_in_order(void **state)
{
    (void)state;
    parts_begin();
    m1 = new_mutex(osMutexPrioInherit);
    assert_int_equal(osMutexAcquire(m1, 0u), osOK);
    (void)spawn(acquire_and_say, "a", MAIN + 1);
    (void)spawn(acquire_and_say, "c", MAIN + 2); /* each above what the owner has inherited */
    (void)spawn(acquire_and_say, "b", MAIN + 3);
    assert_int_equal(osMutexRelease(m1), osOK);
    expect("bca");
    join_all();
    assert_null(osMutexGetOwner(m1));
}

static void mutex_ends_waits(void **state)
{
    (void)state;
    parts_begin();
    m1 = new_mutex(osMutexPrioInherit);
    assert_int_equal(osMutexAcquire(m1, 0u), osOK);
    (void)spawn(acquire_and_say, "a", MAIN + 1);
    assert_int_equal(osMutexDelete(m1), osOK);
    assert_int_equal(osThreadGetPriority(osThreadGetId()), MAIN);
    expect("ar");
    join_all();
}

int mutex_cases(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(mutex_refuses),
        cmocka_unit_test(mutex_is_recursive),
        cmocka_unit_test(owner_inherits),
        cmocka_unit_test(inheritance_ends_with_the_wait),
        cmocka_unit_test(inheritance_goes_along_the_chain),
        cmocka_unit_test(two_mutexes_one_by_one),
        cmocka_unit_test(owner_is_given_a_priority),
        cmocka_unit_test(hand_over_in_order),
        cmocka_unit_test(mutex_ends_waits),
    };

    return cmocka_run_group_tests_name("mutexes", cases, NULL, NULL);
}
