/* SPDX-License-Identifier: MIT
 *
 * system_syntax_test.c - files that are no system file at all: bytes, YAML beyond the plain subset,
 * limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "system_base.h"

static void expect(const char *text, size_t length, const char *expected)
{
    char errors[SYSTEM_TEXT_MAX];

    system_errors_of(text, length, errors);
    assert_string_equal(errors, expected);
}

struct bad {
    const char *text;
    const char *error;
};

/* ---- Bytes ----------------------------------------------------------------------------------- */

static void test_bytes(void **state)
{
    static const char nul[] = "name: a\0b";
    static const struct bad cases[] = {
        {"name: \xff", "1:7: found byte 0xff; allowed: UTF-8 text"},
        {"name: a\nb: \xc3(", "2:4: found byte 0xc3; allowed: UTF-8 text"},
        {"\xc0\xaf: overlong", "1:1: found byte 0xc0; allowed: UTF-8 text"},
        {"\xe0\x80\xaf: overlong", "1:1: found byte 0xe0; allowed: UTF-8 text"},
        {"\xed\xa0\x80: surrogate", "1:1: found byte 0xed; allowed: UTF-8 text"},
        {"\xf4\x90\x80\x80: beyond", "1:1: found byte 0xf4; allowed: UTF-8 text"},
        {"a\xe2\x82", "1:2: found byte 0xe2; allowed: UTF-8 text"},
        {"\xff\xfen\0a\0", "1:1: found byte 0xff; allowed: UTF-8 text"},
        {"\xc3\xa4\xc3\xb6\x07", "1:3: found the control character 0x07; allowed: text"},
        {"a: b\r\nc: \x7f", "2:4: found the control character 0x7f; allowed: text"},
        {"a: b\rc: \x1b[31m", "2:4: found the control character 0x1b; allowed: text"}};

    (void)state;
    for (size_t i = 0u; i < COUNT(cases); i++) {
        expect(cases[i].text, strlen(cases[i].text), cases[i].error);
    }
    expect(nul, sizeof nul - 1u, "1:8: found the NUL character 0x00; allowed: text");
}

/* ---- YAML ------------------------------------------------------------------------------------ */

static void test_subset(void **state)
{
    static const struct bad cases[] = {
        {"", "1:1: found an empty file; allowed: a system file"},
        {"# nothing\n", "1:1: found an empty file; allowed: a system file"},
        {"hello", "1:1: found a single value; allowed: the fields of a system file"},
        {"- a", "1:1: found a list; allowed: the fields of a system file"},
        {"name: &x y", "1:7: found an anchor (&); anchors and aliases are not allowed, write the "
                       "value where it is used"},
        {"cpu: &x {irq: 1 us}", "1:6: found an anchor (&); anchors and aliases are not allowed, "
                                "write the value where it is used"},
        {"tasks: &x\n  - a", "1:8: found an anchor (&); anchors and aliases are not allowed, "
                             "write the value where it is used"},
        {"name: *x", "1:7: found an alias (*); anchors and aliases are not allowed, write the "
                     "value where it is used"},
        {"name: !!str y", "1:7: found a tag (!); tags are not allowed"},
        {"name: !mine y", "1:7: found a tag (!); tags are not allowed"},
        {"cpu: !!map {}", "1:6: found a tag (!); tags are not allowed"},
        {"tasks: !!seq []", "1:8: found a tag (!); tags are not allowed"},
        {"cpu:\n  <<: {irq: 1 us}", "2:3: found a merge key (<<); merge keys are not allowed, "
                                    "write the fields where they are used"},
        {"? [a, b]\n: c", "1:3: found a mapping or list as the name of a field; allowed: a word"},
        {"name: a\n---\nname: b", "2:1: found a second document; allowed: one for each file"},
        {"%YAML 1.1\n---\nname: a", "1:1: found a directive (%); directives are not allowed"},
        {"%TAG ! !x\n---\nname: a", "1:1: found a directive (%); directives are not allowed"},
        {"name: {", "2:1: not YAML: did not find expected node content, while parsing a flow node"},
        {"name: 'a",
         "1:9: not YAML: found unexpected end of stream, while scanning a quoted scalar"},
        {"cpu:\n\tirq: 1 us", "2:1: not YAML: found character that cannot start any token, while "
                              "scanning for the next token"},
        {"a: b: c", "1:5: not YAML: mapping values are not allowed in this context"},
        {"a: b\n c: d", "2:3: not YAML: mapping values are not allowed in this context"},
        {"cpu: [[[[[[[[a]]]]]]]]", "1:13: found more than 8 levels of nesting; allowed: at most 8"},
        {"- - - - - - - - - a", "1:17: found more than 8 levels of nesting; allowed: at most 8"}};

    (void)state;
    for (size_t i = 0u; i < COUNT(cases); i++) {
        expect(cases[i].text, strlen(cases[i].text), cases[i].error);
    }
}

/* Line ends of any kind, a byte order mark, and columns in characters, not bytes. */
static void test_places(void **state)
{
    static const char *const texts[] = {"name: x\r\ncpu: {irq: 1}\r\n", "name: x\rcpu: {irq: 1}\r",
                                        "\xef\xbb\xbfname: x\ncpu: {irq: 1}\n",
                                        "name: \xc3\xa4\ncpu: {irq: 1}\n"};
    static const char other[] = "name: '\xc3\xa4\xc3\xb6' # \xe2\x82\xac\n\"\xc3\xa4\": 3";
    char errors[SYSTEM_TEXT_MAX];

    (void)state;
    for (size_t i = 0u; i < COUNT(texts); i++) {
        system_errors_of(texts[i], strlen(texts[i]), errors);
        assert_non_null(strstr(errors, "\n2:12: cpu.irq: found '1', a number without a unit;"));
    }
    system_errors_of(other, sizeof other - 1u, errors);
    assert_non_null(strstr(errors, "\n2:1: found the unknown field '\xc3\xa4'; allowed: "));
    /* Within a quoted text, and in one that goes over two lines (then its start). */
    system_base_with(21u, 21u,
                     "  - {name: \xc3\xa4, match: 'tcp src prt 3', priority: 6, reserve: 16, "
                     "budget: unlimited}",
                     errors);
    expect(errors, strlen(errors),
           "21:31: flows[\xc3\xa4].match: found 'prt', allowed: 'port' or 'host'");
    system_base_with(21u, 21u,
                     "  - {name: a, match: tcp\n       src prt 3, priority: 6, reserve: 16, "
                     "budget: unlimited}",
                     errors);
    expect(errors, strlen(errors), "21:22: flows[a].match: found 'prt', allowed: 'port' or 'host'");
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static void test_size(void **state)
{
    const size_t size = TG_SYSTEM_FILE_MAX_BYTES + 1u;
    char *const text = malloc(size);

    (void)state;
    assert_non_null(text);
    memset(text, '#', size);
    expect(text, size, "1:1: found a file of more than 1048576 bytes; allowed: at most 1048576");
    expect(text, size - 1u, "1:1: found an empty file; allowed: a system file");
    free(text);
}

/* The base with its tasks replaced by n that have no name. */
static char *with_tasks(size_t n, const char *task)
{
    char *const text = malloc(SYSTEM_TEXT_MAX + n * (strlen(task) + 32u));
    int used = 0;

    assert_non_null(text);
    for (size_t i = 1u; i <= COUNT(system_base); i++) {
        if (i == 4u) {
            for (size_t j = 0u; j < n; j++) {
                used += sprintf(text + used, "  - {name: t%zu, %s}\n", j, task);
            }
        } else if (i != 5u) {
            used += sprintf(text + used, "%s\n", system_base[i - 1u]);
        }
    }
    return text;
}

static void test_list_length(void **state)
{
    static const char task[] = "priority: 1, period: 1 s, wcet: 1 ns";
    char *text = with_tasks(TG_SYSTEM_TASKS_MAX + 1u, task);

    (void)state;
    expect(text, strlen(text),
           "4:3: tasks: found a list, with 1025 entries; allowed: a list of 0..1024 entries");
    free(text);
    text = with_tasks(TG_SYSTEM_TASKS_MAX, task);
    expect(text, strlen(text), "");
    free(text);
    text = with_tasks(0u, task); /* "tasks:" and no list behind it */
    expect(text, strlen(text), "3:7: tasks: found nothing; allowed: a list of 0..1024 entries");
    free(text);
}

/* The first errors of the file are kept, in the order of the file; the others are counted. */
static void test_errors_in_order(void **state)
{
    struct tg_errors *const errors = malloc(sizeof *errors);

    (void)state;
    assert_non_null(errors);
    tg_errors_init(errors);
    for (uint32_t i = 0u; i < TG_ERRORS_MAX; i++) {
        tg_errors_add(errors, (struct tg_position){10u, 100u - i}, "%u", 100u - i);
    }
    tg_errors_add(errors, (struct tg_position){11u, 1u}, "last");
    tg_errors_add(errors, (struct tg_position){9u, 200u}, "first");
    tg_errors_add(errors, (struct tg_position){10u, 70u}, "%0600d", 0);
    assert_int_equal(errors->n, TG_ERRORS_MAX);
    assert_int_equal(errors->n_more, 3u);
    assert_string_equal(errors->items[0].text, "first");
    assert_string_equal(errors->items[1].text, "69");
    assert_int_equal(errors->items[3].at.column, 70u); /* behind the one of the same place */
    assert_int_equal(strlen(errors->items[3].text), TG_ERROR_TEXT_SIZE - 1u);
    assert_string_equal(errors->items[3].text + TG_ERROR_TEXT_SIZE - 6u, "00...");
    assert_int_equal(errors->items[TG_ERRORS_MAX - 1u].at.column, 98u);
    free(errors);
}

static void test_many_errors(void **state)
{
    char *const text = with_tasks(100u, "priority: 1, period: 1, wcet: 1");
    struct tg_errors *const errors = malloc(sizeof *errors);
    struct tg_system *system = NULL;
    char printed[256];
    FILE *const out = tmpfile();

    (void)state;
    assert_non_null(errors);
    assert_non_null(out);
    assert_int_equal(tg_system_parse(text, strlen(text), NULL, &system, errors), -1);
    assert_null(system);
    assert_int_equal(errors->n, TG_ERRORS_MAX);
    assert_int_equal(errors->n_more, 200u - TG_ERRORS_MAX);
    assert_int_equal(errors->items[0].at.line, 4u);
    assert_int_equal(errors->items[TG_ERRORS_MAX - 1u].at.line, 3u + TG_ERRORS_MAX / 2u);

    errors->n = 1u;
    tg_errors_print(errors, "a.yaml", out);
    rewind(out);
    const size_t length = fread(printed, 1u, sizeof printed - 1u, out);
    printed[length] = '\0';
    assert_string_equal(printed,
                        "a.yaml:4:37: tasks[t0].period: found '1', a number without a unit; "
                        "allowed: 1 us..3600 s, with its unit (ns, us, ms, s)\n"
                        "a.yaml: 168 more errors\n");
    (void)fclose(out);
    free(errors);
    free(text);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void test_load(void **state)
{
    struct tg_errors *const errors = malloc(sizeof *errors);
    struct tg_system *system = NULL;

    (void)state;
    assert_non_null(errors);
    assert_int_equal(tg_system_load("none.yaml", &system, errors), -1);
    assert_null(system);
    assert_int_equal(errors->n, 1u);
    assert_int_equal(errors->items[0].at.line, 0u);
    assert_string_equal(errors->items[0].text, "cannot be opened: No such file or directory");
    FILE *const out = tmpfile();
    char printed[128] = "";

    assert_non_null(out);
    tg_errors_print(errors, "none.yaml", out);
    rewind(out);
    printed[fread(printed, 1u, sizeof printed - 1u, out)] = '\0';
    assert_string_equal(printed, "none.yaml: cannot be opened: No such file or directory\n");
    (void)fclose(out);
    assert_int_equal(tg_system_load("..", &system, errors), -1);
    assert_string_equal(errors->items[0].text, "cannot be read: Is a directory");
    free(errors);
}

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *const file = fopen(path, "wb");

    if (file == NULL || fwrite(bytes, 1u, n, file) != n || fclose(file) != 0) {
        perror(path);
        abort();
    }
}

/* Paths of captures are relative to the file that names them; absolute ones stay as they are. */
static void test_captures(void **state)
{
    static const unsigned char pcap[24] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0};
    struct tg_errors *const errors = malloc(sizeof *errors);
    struct tg_system *system = NULL;
    char text[SYSTEM_TEXT_MAX];

    (void)state;
    assert_non_null(errors);
    write_file("system_test.pcap", pcap, sizeof pcap);
    system_base_with(29u, 29u,
                     "      - {capture: system_test.pcap, repeat: 3}\n"
                     "      - {capture: '/dev/../dev/null'}",
                     text);
    write_file("system_test.yaml", text, strlen(text));
    assert_int_equal(tg_system_load("../unit/system_test.yaml", &system, errors), -1);
    assert_int_equal(errors->n, 1u);
    assert_string_equal(errors->items[0].text,
                        "scenarios[flood].traffic[#3].capture: found no file '/dev/../dev/null'; "
                        "allowed: a capture, its path relative to this file");

    system_base_with(29u, 29u, "      - {capture: system_test.pcap, repeat: 3}", text);
    write_file("system_test.yaml", text, strlen(text));
    assert_int_equal(tg_system_load("../unit/system_test.yaml", &system, errors), 0);
    assert_string_equal(system->scenarios[0].traffic[1].capture_path, "../unit/system_test.pcap");
    assert_int_equal(system->scenarios[0].traffic[1].repeat, 3u);
    tg_system_free(system);
    assert_int_equal(tg_system_load("system_test.yaml", &system, errors), 0);
    assert_string_equal(system->scenarios[0].traffic[1].capture_path, "system_test.pcap");
    tg_system_free(system);
    (void)remove("system_test.pcap");
    (void)remove("system_test.yaml");
    free(errors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),       cmocka_unit_test(test_subset),
        cmocka_unit_test(test_places),      cmocka_unit_test(test_size),
        cmocka_unit_test(test_list_length), cmocka_unit_test(test_errors_in_order),
        cmocka_unit_test(test_many_errors), cmocka_unit_test(test_load),
        cmocka_unit_test(test_captures)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
