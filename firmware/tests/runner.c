/* SPDX-License-Identifier: MIT
 *
 * runner.c - runs test cases on the board and prints what cmocka would.
 */
#include "cmocka.h"
#include "kernel.h"
#include "semihost.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct kernel_thread runner;
static uint8_t runner_stack[32768] __attribute__((aligned(8)));

static struct {
    const char *name; /* of the case that runs */
    unsigned passed;
} progress;

int board_run_tests(const char *group, const struct CMUnitTest *tests, size_t n)
{
    char only[64];

    (void)semihost_word("case", "", only, sizeof(only));
    printf("[==========] Running %s.\n", group);
    progress.passed = 0u;
    for (size_t i = 0u; i < n; i++) {
        if (only[0] != '\0' && strcmp(only, tests[i].name) != 0) {
            continue;
        }
        progress.name = tests[i].name;
        printf("[ RUN      ] %s\n", tests[i].name);
        tests[i].test(NULL);
        printf("[       OK ] %s\n", tests[i].name);
        progress.passed++;
    }
    printf("[  PASSED  ] %u test(s).\n", progress.passed);
    return 0;
}

_Noreturn void board_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    printf("[   FAIL   ] %s, %s:%d: ", progress.name, file, line);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n[  PASSED  ] %u test(s).\n[  FAILED  ] 1 test(s).\n", progress.passed);
    fflush(stdout);
    semihost_exit(EXIT_FAILURE);
}

void board_check_equal(uint64_t a, uint64_t b, const char *what, const char *file, int line)
{
    if (a != b) {
        board_fail(file, line, "%s: %lld and %lld", what, (long long)a, (long long)b);
    }
}

void board_check_text(const char *a, const char *b, const char *file, int line)
{
    if (strcmp(a, b) != 0) {
        board_fail(file, line, "\"%s\" and \"%s\"", a, b);
    }
}

static void run_all(void *argument)
{
    int (*const *const run)(void) = argument;

    exit((*run)());
}

int board_test_main(int (*run)(void))
{
    static int (*kept)(void);
    const osThreadAttr_t attr = {.name = "tests",
                                 .cb_mem = &runner,
                                 .cb_size = sizeof(runner),
                                 .stack_mem = runner_stack,
                                 .stack_size = sizeof(runner_stack)};

    kept = run;
    if (osKernelInitialize() != osOK || osThreadNew(run_all, &kept, &attr) == NULL) {
        return EXIT_FAILURE;
    }
    (void)osKernelStart();
    return EXIT_FAILURE;
}
