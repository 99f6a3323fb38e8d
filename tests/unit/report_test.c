/* SPDX-License-Identifier: MIT
 *
 * report_test.c - tables as they look, JSON as a strict reader reads it.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"
#include "report/table.h"
#include "../support/paper.h"
#include "../system/json_check.h"

static const struct tg_column COLUMNS[] = {
    {.title = "flow"}, {.title = "frames", .align = TG_RIGHT}, {.title = "note"}};
static const struct tg_column WITH_UNITS[] = {
    {.title = "task"}, {.title = "worst", .unit = "\xc2\xb5s", .align = TG_RIGHT}};

static void test_table_aligns(void **state)
{
    struct paper *const p = *state;
    struct tg_table *const t = tg_table_new(COLUMNS, 3);

    tg_table_cell(t, TG_PLAIN, "%s-%d", "setpoint", 1);
    tg_table_count(t, TG_GOOD, UINT64_C(18446744073709551615));
    tg_table_cell(t, TG_PLAIN, "passed");
    tg_table_cell(t, TG_PLAIN, "arp");
    tg_table_count(t, TG_PLAIN, 7);
    tg_table_end_row(t);
    tg_table_end_row(t); /* nothing to fill up */
    tg_table_rule(t);
    tg_table_cell(t, TG_STRONG, "total");
    tg_table_end_row(t);
    tg_table_print(t, p->out, false);
    tg_table_free(t);
    assert_string_equal(text_of(p), "flow                      frames  note\n"
                                    "----------------------------------------\n"
                                    "setpoint-1  18446744073709551615  passed\n"
                                    "arp                            7\n"
                                    "----------------------------------------\n"
                                    "total\n");
}

static void test_table_counts_characters(void **state)
{
    struct paper *const p = *state;
    struct tg_table *const t = tg_table_new(WITH_UNITS, 2);

    tg_table_cell(t, TG_PLAIN, "r\xc3\xa9gulateur");
    tg_table_cell(t, TG_PLAIN, "12.5");
    tg_table_cell(t, TG_PLAIN, "ascii");
    tg_table_cell(t, TG_PLAIN, "1");
    tg_table_print(t, p->out, false);
    tg_table_free(t);
    assert_string_equal(text_of(p), "task        worst\n"
                                    "               \xc2\xb5s\n"
                                    "-----------------\n"
                                    "r\xc3\xa9gulateur   12.5\n"
                                    "ascii           1\n");
}

/* Colour adds control sequences around texts and changes nothing else. */
static void test_table_paints(void **state)
{
    struct paper *const p = *state;
    struct tg_table *const t = tg_table_new(COLUMNS, 3);

    tg_table_cell(t, TG_BAD, "x");
    tg_table_count(t, TG_PLAIN, 1);
    tg_table_end_row(t);
    tg_table_print(t, p->out, true);
    tg_table_free(t);
    assert_non_null(strstr(text_of(p), "\033[1mflow\033[0m  \033[1mframes\033[0m"));
    assert_non_null(strstr(text_of(p), "\n\033[1;31mx\033[0m          1\n"));
}

static void test_table_without_rows(void **state)
{
    struct paper *const p = *state;
    struct tg_table *const t = tg_table_new(COLUMNS, 3);

    tg_table_print(t, p->out, false);
    tg_table_free(t);
    tg_table_free(NULL);
    assert_string_equal(text_of(p), "flow  frames  note\n------------------\n");
}

static void says(struct paper *p, const char *path, const char *expected)
{
    const char *value;
    size_t length;

    if (!tg_json_check(text_of(p), path, &value, &length)) {
        fail_msg("no JSON: %s", p->text);
    }
    if (value == NULL || length != strlen(expected) || memcmp(value, expected, length) != 0) {
        fail_msg("%s is not %s in %s", path, expected, p->text);
    }
}

static void test_json_values(void **state)
{
    struct paper *const p = *state;
    struct tg_json j;

    tg_json_start(&j, p->out);
    tg_json_object(&j, NULL);
    tg_json_count(&j, "most", UINT64_MAX);
    tg_json_int(&j, "least", INT64_MIN);
    tg_json_bool(&j, "yes", true);
    tg_json_bool(&j, "no", false);
    tg_json_null(&j, "nothing");
    tg_json_real(&j, "third", 1.0 / 3.0);
    tg_json_real(&j, "huge", 1e300);
    tg_json_real(&j, "infinite", HUGE_VAL);
    tg_json_array(&j, "empty");
    tg_json_end(&j);
    tg_json_array(&j, "list");
    tg_json_row(&j, NULL);
    tg_json_count(&j, "a", 1);
    tg_json_array(&j, "b");
    tg_json_count(&j, NULL, 2);
    tg_json_count(&j, NULL, 3);
    tg_json_end(&j);
    tg_json_end(&j);
    tg_json_object(&j, NULL);
    tg_json_end(&j);
    tg_json_text(&j, NULL, "last");
    tg_json_end(&j);
    tg_json_end(&j);
    assert_int_equal(tg_json_finish(&j), 0);

    says(p, "most", "18446744073709551615");
    says(p, "least", "-9223372036854775808");
    says(p, "yes", "true");
    says(p, "no", "false");
    says(p, "nothing", "null");
    says(p, "infinite", "null");
    says(p, "empty", "[]");
    says(p, "list.0", "{\"a\": 1, \"b\": [2, 3]}");
    says(p, "list.0.b.1", "3");
    says(p, "list.1", "{}");
    says(p, "list.2", "\"last\"");

    const char *value;
    size_t length;

    assert_int_equal(tg_json_check(p->text, "third", &value, &length), 1);
    assert_true(strtod(value, NULL) == 1.0 / 3.0);
    assert_int_equal(tg_json_check(p->text, "list.3", &value, &length), 1);
    assert_null(value);
}

static void test_json_texts(void **state)
{
    struct paper *const p = *state;
    struct tg_json j;

    tg_json_start(&j, p->out);
    tg_json_array(&j, NULL);
    tg_json_text(&j, NULL, "quote \" back \\ slash /");
    tg_json_text(&j, NULL, "\n\t\x01\x1b\x7f");
    tg_json_text(&j, NULL, "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    tg_json_text(&j, NULL, "\xff \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82");
    tg_json_end(&j);
    assert_int_equal(tg_json_finish(&j), 0);

    says(p, "0", "\"quote \\\" back \\\\ slash /\"");
    says(p, "1", "\"\\n\\u0009\\u0001\\u001b\\u007f\"");
    says(p, "2", "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"");
    says(p, "3",
         "\"\\ufffd \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd\\ufffd "
         "\\ufffd\\ufffd\"");
}

static void test_json_reports_a_full_disk(void **state)
{
    struct tg_json j;
    FILE *const full = fopen("/dev/full", "w");

    (void)state;
    assert_non_null(full);
    tg_json_start(&j, full);
    tg_json_null(&j, NULL);
    assert_int_equal(tg_json_finish(&j), -1);
    (void)fclose(full);
}

/* The reader that the tests trust refuses what is no JSON. */
static void test_the_checker(void **state)
{
    static const char *const bad[] = {"",     "{",     "[1,]",        "{\"a\":1,}", "{a:1}", "01",
                                      "1.",   "+1",    "\"\t\"",      "\"\\x\"",    "[1 2]", "nul",
                                      "[1]x", "\"abc", "\"\\u12g4\"", "{\"a\"}",    "1e",    "'a'",
                                      "[,1]", "-",     "NaN"};
    static const char *const good[] = {"0",    "-0.5e+3", " [ ] ",   "{\"\":{}}", "\"\\u12ab\\n\"",
                                       "true", "[1, 2]",  "\"\\\\\""};
    const char *value;
    size_t length;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (tg_json_check(bad[i], "", &value, &length)) {
            fail_msg("taken for JSON: %s", bad[i]);
        }
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!tg_json_check(good[i], "", &value, &length)) {
            fail_msg("not taken for JSON: %s", good[i]);
        }
    }
}

int main(void)
{
#define ON_PAPER(test) cmocka_unit_test_setup_teardown(test, open_paper, close_paper)
    const struct CMUnitTest tests[] = {
        ON_PAPER(test_table_aligns),
        ON_PAPER(test_table_counts_characters),
        ON_PAPER(test_table_paints),
        ON_PAPER(test_table_without_rows),
        ON_PAPER(test_json_values),
        ON_PAPER(test_json_texts),
        cmocka_unit_test(test_json_reports_a_full_disk),
        cmocka_unit_test(test_the_checker),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
