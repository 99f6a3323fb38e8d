/* SPDX-License-Identifier: MIT
 *
 * cmocka.h - the part of cmocka's interface that tests on a board use; cmocka itself needs a host.
 *
 * The first assertion that fails ends the program: threads of a test that is over cannot be
 * trusted to stop. So the numbers of passed and failed cases are printed there, too.
 */
#ifndef TG_FIRMWARE_CMOCKA_H
#define TG_FIRMWARE_CMOCKA_H

#include <stddef.h>
#include <stdint.h>

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
};

#define cmocka_unit_test(f) ((struct CMUnitTest){#f, f})

/* Run the cases, or the one that the parameter `case=NAME` names. Returns: 0. */
int board_run_tests(const char *group, const struct CMUnitTest *tests, size_t n);

#define cmocka_run_group_tests_name(group, tests, setup, teardown)                                 \
    board_run_tests(group, tests, sizeof(tests) / sizeof((tests)[0]))

/* Cases are chosen by the parameter, not by what a host's environment says. */
#define cmocka_set_test_filter(pattern) ((void)(pattern))

_Noreturn void board_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void board_check_equal(uint64_t a, uint64_t b, const char *what, const char *file, int line);
void board_check_text(const char *a, const char *b, const char *file, int line);

#define fail_msg(...)          board_fail(__FILE__, __LINE__, __VA_ARGS__)
#define assert_true(c)         ((c) ? (void)0 : board_fail(__FILE__, __LINE__, "%s", #c))
#define assert_false(c)        assert_true(!(c))
#define assert_null(p)         assert_true((p) == NULL)
#define assert_non_null(p)     assert_true((p) != NULL)
#define assert_ptr_equal(a, b) assert_true((a) == (b))
#define assert_int_equal(a, b)                                                                     \
    board_check_equal((uint64_t)(a), (uint64_t)(b), #a " == " #b, __FILE__, __LINE__)
#define assert_string_equal(a, b) board_check_text(a, b, __FILE__, __LINE__)

/* Start the kernel and run this in a thread of osPriorityNormal; its value ends the emulator. */
int board_test_main(int (*run)(void));

#endif
