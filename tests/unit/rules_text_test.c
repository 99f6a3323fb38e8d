/* SPDX-License-Identifier: MIT
 *
 * rules_text_test.c - lists of rules: what they mean, and every error with its place.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "system/rules_text.h"

static int parse(const char *text, struct tg_rules *rules, struct tg_errors *errors)
{
    return tg_rules_parse(text, strlen(text), rules, errors);
}

static struct tg_rules good(const char *text)
{
    struct tg_rules rules;
    struct tg_errors errors;

    if (parse(text, &rules, &errors) != 0) {
        fail_msg("%s: %u:%u: %s", text, errors.items[0].at.line, errors.items[0].at.column,
                 errors.items[0].text);
    }
    return rules;
}

static void test_meaning(void **state)
{
    struct tg_rules r = good("# a comment\n"
                             "\n"
                             "  set-point.1 = udp dst port 5000 budget 3 per 1 ms   # behind\r\n"
                             "_x=arp unlimited\n"
                             "best_effort\t=\tbudget 7 per 20us\n"
                             "tail = icmp");

    (void)state;
    assert_int_equal(r.n, 3);
    assert_string_equal(r.rules[0].name, "set-point.1");
    assert_string_equal(r.rules[0].match_text, "udp dst port 5000");
    assert_int_equal(r.rules[0].match.dst_port, 5000);
    assert_int_equal(r.rules[0].at.line, 3);
    assert_int_equal(r.rules[0].at.column, 3);
    assert_int_equal(r.rules[0].match_at.column, 17);
    assert_true(r.rules[0].has_budget);
    assert_int_equal(r.rules[0].budget.kind, TG_SERVER_DEFERRABLE);
    assert_int_equal(r.rules[0].budget.budget_pkts, 3);
    assert_int_equal(r.rules[0].budget.period_ns, 1000000);
    assert_true(r.rules[1].has_budget);
    assert_int_equal(r.rules[1].budget.kind, TG_SERVER_UNLIMITED);
    assert_false(r.rules[2].has_budget);
    assert_int_equal(r.rules[2].budget.kind, TG_SERVER_UNLIMITED);
    assert_int_equal(r.best_effort.at.line, 5);
    assert_int_equal(r.best_effort.budget.budget_pkts, 7);
    assert_int_equal(r.best_effort.budget.period_ns, 20000);
    tg_rules_free(&r);
    assert_null(r.rules);
}

static void test_best_effort_is_unlimited_unless_written(void **state)
{
    struct tg_rules r = good("a = arp\n");

    (void)state;
    assert_int_equal(r.best_effort.budget.kind, TG_SERVER_UNLIMITED);
    assert_false(r.best_effort.has_budget);
    assert_int_equal(r.best_effort.at.line, 0);
    tg_rules_free(&r);
}

struct bad {
    const char *text;
    uint32_t line;
    uint32_t column;
    const char *message; /* how it begins */
    const char *allowed; /* what it says somewhere behind */
};

static const struct bad BAD[] = {
    {"", 0, 0, "no flow", "one or more"},
    {"# nothing\n\n", 0, 0, "no flow", "one or more"},
    {"best_effort = unlimited\n", 0, 0, "no flow", "one or more"},
    {"arp\n", 1, 1, "found 'arp'", "a name"},
    {"= arp\n", 1, 1, "found the end of the line", "a name"},
    {"\n 1st = arp\n", 2, 2, "found '1st'", "a letter"},
    {"a b = arp\n", 1, 1, "found 'a b'", "a name"},
    {"\xc3\xa4 = arp\n", 1, 1, "found '\xc3\xa4'", "a letter"},
    {"a = \n", 1, 4, "found the end", "arp, icmp"},
    {"a = arp or icmp\n", 1, 9, "a flow has one match", "another flow"},
    {"b = icmp\n\ta = udp dst port 015", 2, 19, "found '015'", "without leading zeros"},
    {"a = arp\na = icmp\n", 2, 1, "a second flow 'a'", "first is in line 1"},
    {"a = arp budget\n", 1, 15, "found the end of the line", "a number of packets"},
    {"a = arp budget x per 1 ms\n", 1, 16, "found 'x'", "a number of packets"},
    {"a = arp budget 0 per 1 ms\n", 1, 16, "found '0'", "1 to 1000000"},
    {"a = arp budget 1000001 per 1 ms\n", 1, 16, "found '1000001'", "1 to 1000000"},
    {"a = arp budget 3\n", 1, 17, "found the end of the line", "'per'"},
    {"a = arp budget 3 in 1 ms\n", 1, 18, "found 'in'", "'per'"},
    {"a = arp budget 3 per 1\n", 1, 22, "found '1'", "a period"},
    {"a = arp budget 3 per 1.5 ms\n", 1, 23, "found '1.5 ms'", "a period"},
    {"a = arp budget 3 per 999 ns\n", 1, 22, "found '999 ns'", "1 us to 3600 s"},
    {"a = arp budget 3 per 3601 s\n", 1, 22, "found '3601 s'", "1 us to 3600 s"},
    {"a = arp unlimited really\n", 1, 19, "found 'really'", "the end of the line"},
    {"best_effort = arp\na = icmp", 1, 15, "found 'arp'", "'unlimited'"},
    {"best_effort =\na = icmp", 1, 14, "found the end of the line", "'budget N per TIME'"},
    {"best_effort = unlimited\nbest_effort = unlimited\na = arp", 2, 1, "a second 'best_effort'",
     "first is in line 1"},
    {"a = arp\nb = ether proto 0x0806\n", 2, 5, "the match of flow 'a' (line 1) again",
     "a different one"},
    {"a = arp and ether broadcast\nb = arp and not ether broadcast\nc = arp", 3, 5,
     "flow 'c' would never get a frame", "frames left"},
    {"a = arp and ether broadcast\nc = arp\nb = arp and not ether broadcast\n", 3, 5,
     "with flow 'b', flow 'c' (line 2) would never get a frame", "frames left"},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        const struct bad *const bad = &BAD[i];
        struct tg_rules rules;
        struct tg_errors errors;

        if (parse(bad->text, &rules, &errors) == 0) {
            fail_msg("taken: %s", bad->text);
        }

        const struct tg_file_error *const e = &errors.items[0];

        if (errors.n != 1 || e->at.line != bad->line || e->at.column != bad->column ||
            strncmp(e->text, bad->message, strlen(bad->message)) != 0 ||
            !strstr(e->text, bad->allowed)) {
            fail_msg("'%s' gave %zu errors, first %u:%u: %s", bad->text, errors.n, e->at.line,
                     e->at.column, e->text);
        }
        assert_null(rules.rules);
    }
}

/* All that is wrong is said in one go, in the order of the file. */
static void test_several_errors(void **state)
{
    struct tg_rules rules;
    struct tg_errors errors;

    (void)state;
    assert_int_equal(
        parse("a = udp port 5 budget 0 per 1 ms\n?\nb = vlan 0 and arp\n", &rules, &errors), -1);
    assert_int_equal(errors.n, 4);
    assert_int_equal(errors.items[0].at.column, 9);
    assert_int_equal(errors.items[1].at.column, 23);
    assert_int_equal(errors.items[2].at.line, 2);
    assert_int_equal(errors.items[3].at.line, 3);
}

/* Thirteen shapes of one match each; the last one finds no place. */
static void test_too_many_shapes(void **state)
{
    static const char text[] = "a = udp dst port 1\nb = udp src port 1\nc = ip and udp dst port 1\n"
                               "d = ip and udp src port 1\ne = arp\nf = icmp\ng = ip\n"
                               "h = ether broadcast\ni = ether multicast\nj = vlan 1 and arp\n"
                               "k = vlan 1 and icmp\nl = vlan 1 and ip\nm = vlan 1 and ether "
                               "multicast\n";
    struct tg_rules rules;
    struct tg_errors errors;

    (void)state;
    assert_int_equal(parse(text, &rules, &errors), -1);
    assert_int_equal(errors.n, 1);
    assert_int_equal(errors.items[0].at.line, 13);
    assert_non_null(strstr(errors.items[0].text, "needs a 13th shape"));
}

static void test_control_characters(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        const char *found;
    } cases[] = {
        {"a = arp\nb = i\0cmp\n", 17u, "0x00"},
        {"a = arp\nb = i\033cmp\n", 17u, "0x1b"},
        {"a = arp\nb = i\177cmp\n", 17u, "0x7f"},
    };
    struct tg_rules rules;
    struct tg_errors errors;

    (void)state;
    for (size_t i = 0u; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(tg_rules_parse(cases[i].text, cases[i].size, &rules, &errors), -1);
        assert_int_equal(errors.n, 1);
        assert_int_equal(errors.items[0].at.line, 2);
        assert_int_equal(errors.items[0].at.column, 6);
        assert_non_null(strstr(errors.items[0].text, cases[i].found));
    }
}

static void test_files(void **state)
{
    struct tg_rules rules;
    struct tg_errors errors;
    char path[] = "rules_text_XXXXXX";
    const int fd = mkstemp(path);
    FILE *const file = fdopen(fd, "wb");

    (void)state;
    assert_non_null(file);
    for (uint32_t i = 0; i <= TG_RULES_FILE_MAX_BYTES; i++) {
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(tg_rules_load(path, &rules, &errors), -1);
    assert_non_null(strstr(errors.items[0].text, "too large"));
    assert_int_equal(unlink(path), 0);

    assert_int_equal(tg_rules_load("no such file", &rules, &errors), -1);
    assert_int_equal(errors.items[0].at.line, 0);
    assert_non_null(strstr(errors.items[0].text, "cannot be read: No such file"));
    assert_int_equal(tg_rules_load(".", &rules, &errors), -1);
    assert_non_null(strstr(errors.items[0].text, "cannot be read: Is a directory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meaning),
        cmocka_unit_test(test_best_effort_is_unlimited_unless_written),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_several_errors),
        cmocka_unit_test(test_too_many_shapes),
        cmocka_unit_test(test_control_characters),
        cmocka_unit_test(test_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
