/* SPDX-License-Identifier: MIT
 *
 * system_edit_test.c - other numbers in a file: where they belong, and nothing else changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "system/edit.h"
#include "system_base.h"

/* What tg_edit_text() writes, or what it returned if not 0. */
static int edit(const char *text, const struct tg_edit *edits, size_t n, char out[SYSTEM_TEXT_MAX])
{
    FILE *const file = tmpfile();

    if (file == NULL) {
        abort();
    }
    const int err = tg_edit_text(text, strlen(text), edits, n, file);

    rewind(file);
    const size_t length = fread(out, 1u, SYSTEM_TEXT_MAX - 1u, file);
    out[length] = '\0';
    (void)fclose(file);
    return err;
}

static void test_values(void **state)
{
    static const char text[] = "# \xc3\xa4\xe2\x82\xac: 7\r\n"
                               "a: 12   # twelve\n"
                               "b: {c: 500 us, \xc3\xa4: [3, 40]}\r"
                               "d: 1";
    static const struct tg_edit edits[] = {{{2u, 4u}, "123456"},
                                           {{3u, 8u}, "1 ms"},
                                           {{3u, 20u}, "5"},
                                           {{3u, 23u}, ""},
                                           {{4u, 4u}, "2"}};
    char out[SYSTEM_TEXT_MAX];

    (void)state;
    assert_int_equal(edit(text, edits, COUNT(edits), out), 0);
    assert_string_equal(out, "# \xc3\xa4\xe2\x82\xac: 7\r\n"
                             "a: 123456   # twelve\n"
                             "b: {c: 1 ms, \xc3\xa4: [5, ]}\r"
                             "d: 2");
    assert_int_equal(edit(text, NULL, 0u, out), 0);
    assert_string_equal(out, text);
}

static void test_no_value(void **state)
{
    static const struct tg_edit wrong[] = {
        {{2u, 1u}, "1"}, {{2u, 9u}, "1"}, {{9u, 1u}, "1"}, {{1u, 3u}, "1"}, {{0u, 0u}, "1"}};
    char out[SYSTEM_TEXT_MAX];

    (void)state;
    for (size_t i = 0u; i < COUNT(wrong); i++) {
        assert_int_equal(edit("x:\na: 12\n", &wrong[i], 1u, out), -1);
    }
}

/* Positions as the loader keeps them: the written file has the new budgets, and all else is the
 * same. */
static void test_budgets(void **state)
{
    struct tg_errors *const errors = malloc(sizeof *errors);
    struct tg_system *before = NULL;
    struct tg_system *after = NULL;

    (void)state;
    assert_non_null(errors);
    assert_int_equal(tg_system_load("../../examples/drone.yaml", &before, errors), 0);

    struct tg_edit edits[] = {{before->flows[1].budget.packets_at, "11"},
                              {before->gates[0].packets_at, "33"},
                              {before->gates[0].period_at, "700 us"},
                              {before->flows[0].budget.packets_at, "9"}};

    assert_int_equal(tg_edit_file("../../examples/drone.yaml", edits, COUNT(edits),
                                  "system_edit_test.yaml", errors),
                     0);
    assert_int_equal(tg_system_load("system_edit_test.yaml", &after, errors), 0);
    (void)remove("system_edit_test.yaml");
    assert_int_equal(after->gates[0].packets, 33u);
    assert_int_equal(after->gates[0].period_ns, 700000u);
    assert_int_equal(after->flows[0].budget.packets, 9u);
    assert_int_equal(after->flows[1].budget.packets, 11u);
    assert_int_equal(after->flows[2].budget.packets, before->flows[2].budget.packets);
    assert_int_equal(after->flows[0].at.line, before->flows[0].at.line);
    tg_system_free(before);
    tg_system_free(after);
    free(errors);
}

static void test_files(void **state)
{
    struct tg_errors *const errors = malloc(sizeof *errors);
    struct tg_edit nothing = {{99u, 1u}, "1"};

    (void)state;
    assert_non_null(errors);
    tg_errors_init(errors);
    assert_int_equal(tg_edit_file("none.yaml", NULL, 0u, "out.yaml", errors), -1);
    assert_string_equal(errors->items[0].text, "cannot be opened: No such file or directory");
    tg_errors_init(errors);
    assert_int_equal(tg_edit_file("../../examples/drone.yaml", NULL, 0u, "none/out.yaml", errors),
                     -1);
    assert_string_equal(errors->items[0].text, "cannot be written: No such file or directory");
    tg_errors_init(errors);
    assert_int_equal(
        tg_edit_file("../../examples/drone.yaml", &nothing, 1u, "system_edit_test.yaml", errors),
        -1);
    assert_int_equal(errors->n, 1u);
    assert_null(fopen("system_edit_test.yaml", "rb")); /* half a file is none */
    free(errors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_no_value),
        cmocka_unit_test(test_budgets), cmocka_unit_test(test_files)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
