/* SPDX-License-Identifier: MIT
 *
 * result_test.c - what the board printed, cut off, doubled, hostile: it is taken as a whole or not
 * at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/board.h"

#include <stdlib.h>
#include <string.h>

#define TASKS 2u
#define FLOWS 3u

/* One of each line, as the firmware prints them. */
static const char WHOLE[] = "around 107 131\n"
                            "queue 9 1 2 0 3 5\n"
                            "stock 0\n"
                            "worker 1234500\n"
                            "task 0 10 10 0 4100\n"
                            "task 1 5 4 1 900\n"
                            "flow 0 4 0 1 0 70 2 0 1\n"
                            "range_ns 0 700 700\n"
                            "latency 0 171 1\n"
                            "flow 1 8 3 2 1 60 1 1 2\n"
                            "range_ns 1 500 600\n"
                            "latency 1 158 1\n"
                            "latency 1 162 1\n"
                            "flow 2 0 0 0 0 0 0 0 0\n"
                            "sample 602 7\n"
                            "sample 699 1\n"
                            "end 0\n";

/* Returns: the error's text, "" for none. */
static const char *parse(const char *bytes, size_t size, struct tg_board_result *out)
{
    static char text[128];
    FILE *const in = tmpfile();

    assert_non_null(in);
    assert_int_equal(fwrite(bytes, 1u, size, in), size);
    rewind(in);
    const int err = tg_board_parse(in, TASKS, FLOWS, out, text, sizeof text);

    assert_int_equal(fclose(in), 0);
    return err != 0 ? text : "";
}

static void refuses(const char *bytes, size_t size, const char *line)
{
    struct tg_board_result r;
    const char *const text = parse(bytes, size, &r);

    if (strncmp(text, line, strlen(line)) != 0) {
        fail_msg("expected an error in line %s, got '%s' for:\n%.*s", line, text, (int)size, bytes);
    }
    assert_null(r.flows);
    assert_null(r.tasks);
    assert_null(r.samples);
}

static void a_whole_result(void **state)
{
    struct tg_board_result r;

    (void)state;
    assert_string_equal(parse(WHOLE, sizeof WHOLE - 1u, &r), "");
    assert_int_equal(r.around, 107);
    assert_int_equal(r.received, 9);
    assert_int_equal(r.malformed, 1);
    assert_int_equal(r.unregistered, 2);
    assert_int_equal(r.closed, 3);
    assert_int_equal(r.most_filled, 5);
    assert_int_equal(r.worker, 1234500);
    assert_int_equal(r.tasks[0].worst_ns, 41000);
    assert_int_equal(r.tasks[1].released, 5);
    assert_int_equal(r.tasks[1].finished, 4);
    assert_int_equal(r.tasks[1].missed, 1);
    assert_int_equal(r.flows[1].sent, 8);
    assert_int_equal(r.flows[1].lost, 3);
    assert_int_equal(r.flows[1].delivered, 2);
    assert_int_equal(r.flows[1].late, 1);
    assert_int_equal(r.flows[1].worst_ns, 600);
    assert_int_equal(r.flows[1].dropped_budget, 1);
    assert_int_equal(r.flows[1].dropped_no_buffer, 1);
    assert_int_equal(r.flows[1].most_held, 2);
    assert_int_equal(r.flows[1].latency.count, 2);
    assert_int_equal(r.flows[1].latency.min, 500);
    assert_int_equal(r.flows[1].latency.max, 600);
    assert_int_equal(tg_hist_quantile(&r.flows[1].latency, 1u, 1u), 600);
    assert_int_equal(r.n_samples, 2);
    assert_int_equal(r.samples[1].instructions, 699);
    tg_board_free(&r);
    tg_board_free(&r); /* nothing is left */
}

/* Wherever it is cut off, it is no result. */
static void no_part_of_one(void **state)
{
    (void)state;
    for (size_t size = 0u; size < sizeof WHOLE - 1u; size++) {
        refuses(WHOLE, size, "");
    }
}

/* Nothing hides behind a zero. */
static void a_line_with_a_zero(void **state)
{
    const size_t length = strcspn(WHOLE, "\n");
    char bytes[sizeof WHOLE] = {0};

    (void)state;
    memcpy(bytes, WHOLE, length);
    memcpy(bytes + length + 1u, WHOLE + length, sizeof WHOLE - 1u - length);
    refuses(bytes, sizeof bytes, "1: ");
}

/* Nor without one of its lines, or with one twice; but for those that do not say how many. */
static void each_line_once(void **state)
{
    (void)state;
    for (const char *line = WHOLE; *line != '\0'; line = strchr(line, '\n') + 1) {
        const size_t length = (size_t)(strchr(line, '\n') + 1 - line);
        const size_t before = (size_t)(line - WHOLE);
        char bytes[2u * sizeof WHOLE];

        memcpy(bytes, WHOLE, before + length);
        memcpy(bytes + before + length, line, sizeof WHOLE - before);
        if (strncmp(line, "range_ns", 8u) != 0) {
            refuses(bytes, sizeof WHOLE - 1u + length, "");
        }
        memcpy(bytes + before, line + length, sizeof WHOLE - before - length);
        if (strncmp(line, "sample", 6u) != 0) {
            refuses(bytes, sizeof WHOLE - 1u - length, "");
        }
    }
}

/* A line in the place of another. */
static void figures_that_cannot_be(void **state)
{
    static const struct {
        const char *was;
        const char *is;
        const char *line;
    } cases[] = {
        {"around 107 131\n", "around 107\n", "1: "},
        {"around 107 131\n", "around 107 131 0\n", "1: "},
        {"around 107 131\n", "around  107 131\n", "1: "},
        {"around 107 131\n", "around 107 131 \n", "1: "},
        {"around 107 131\n", "around -107 131\n", "1: "},
        {"around 107 131\n", "around 0x6b 131\n", "1: "},
        {"around 107 131\n", "Around 107 131\n", "1: "},
        {"around 107 131\n", "panic: stack overflow (thread task)\n", "1: "},
        {"around 107 131\n", "\n", "1: "},
        {"queue 9 1 2 0 3 5", "queue 9 10 2 0 3 5", "2: "},
        {"queue 9 1 2 0 3 5", "queue 9 1 10 0 3 5", "2: "},
        {"worker 1234500", "worker 1000000000000000", "4: "},
        {"worker 1234500", "worker 18446744073709551617", "4: "},
        {"worker 1234500", "worker 1e6", "4: "},
        {"task 1 5", "task 2 5", "6: "},
        {"task 1 5 4", "task 1 3 4", "6: "},
        {"task 1 5 4 1", "task 1 5 4 6", "6: "},
        {"flow 2 0", "flow 3 0", "14: "},
        {"flow 2 0", "flow 999999999999999 0", "14: "},
        {"flow 1 8 3 2 1", "flow 1 6 3 2 1", "10: "}, /* more became of it than was sent */
        {"flow 1 8 3 2 1", "flow 1 8 3 2 3", "10: "}, /* more late than delivered */
        {"flow 1 8 3 2 1", "flow 1 8 3 1 1", "17: "}, /* fewer than latencies */
        {"range_ns 1 500 600", "range_ns 1 600 500", "11: "},
        {"range_ns 1 500 600", "range_ns 3 500 600", "11: "},
        {"range_ns 1 500 600", "range_ns 2 500 600", "17: "}, /* nothing was delivered */
        {"latency 1 158 1", "latency 1 1152 1", "12: "},      /* no such bucket */
        {"latency 1 158 1", "latency 3 158 1", "12: "},
        {"latency 1 158 1", "latency 1 158 4294967296", "12: "},
        {"latency 1 158 1", "latency 1 158 2", "17: "},
        {"latency 1 162 1", "latency 1 158 1", "13: "},
        {"sample 699 1", "sample 602 1", "16: "},
        {"sample 699 1", "sample 699 0", "16: "},
        {"sample 699 1", "sample 699 4294967295", "16: "},
        {"end 0\n", "end 1\n", "17: "},
        {"end 0\n", "end 0\nend 0\n", "17: "},
    };

    (void)state;
    for (size_t i = 0u; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const at = strstr(WHOLE, cases[i].was);
        char bytes[2u * sizeof WHOLE];

        assert_non_null(at);
        const int n = snprintf(bytes, sizeof bytes, "%.*s%s%s", (int)(at - WHOLE), WHOLE,
                               cases[i].is, at + strlen(cases[i].was));

        refuses(bytes, (size_t)n, cases[i].line);
    }
}

/* The message shows what stands there, whatever it is. */
static void bytes_of_any_kind(void **state)
{
    static char bytes[70000];
    struct tg_board_result r;

    (void)state;
    memset(bytes, 'x', sizeof bytes);
    refuses(bytes, sizeof bytes, "1: ");
    memset(bytes, '\0', sizeof bytes);
    refuses(bytes, sizeof bytes, "1: ");
    memset(bytes, 0x1b, sizeof bytes);
    assert_null(strchr(parse(bytes, sizeof bytes, &r), 0x1b));
    memcpy(bytes, WHOLE, sizeof WHOLE); /* with the zero behind it */
    refuses(bytes, sizeof WHOLE, "17: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_result),         cmocka_unit_test(no_part_of_one),
        cmocka_unit_test(a_line_with_a_zero),     cmocka_unit_test(each_line_once),
        cmocka_unit_test(figures_that_cannot_be), cmocka_unit_test(bytes_of_any_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
