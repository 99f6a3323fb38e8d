/* SPDX-License-Identifier: MIT
 *
 * system_value_test.c - numbers, durations, rates, ranges and addresses: what they are, and what
 * they are not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "system/value.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef int (*reader)(const char *, size_t, uint64_t *, struct tg_value_error *);

struct good {
    const char *text;
    uint64_t value;
};

struct bad {
    const char *text;
    size_t offset;
    const char *reason;
};

static void expect_good(reader read, const struct good *cases, size_t n)
{
    for (size_t i = 0u; i < n; i++) {
        struct tg_value_error error;
        uint64_t value = 0u;

        assert_int_equal(read(cases[i].text, strlen(cases[i].text), &value, &error), 0);
        assert_true(value == cases[i].value);
    }
}

static void expect_bad(reader read, const struct bad *cases, size_t n)
{
    for (size_t i = 0u; i < n; i++) {
        struct tg_value_error error;
        uint64_t value = 77u;

        assert_int_equal(read(cases[i].text, strlen(cases[i].text), &value, &error), TG_ERR_RANGE);
        assert_string_equal(error.reason, cases[i].reason);
        assert_int_equal(error.offset, cases[i].offset);
        assert_true(value == 77u);
    }
}

static void test_number(void **state)
{
    static const struct good good[] = {
        {"0", 0u}, {"7", 7u}, {"10", 10u}, {"18446744073709551615", UINT64_MAX}};
    static const struct bad bad[] = {{"", 0u, "a number is missing"},
                                     {"00", 0u, "a number with a leading zero"},
                                     {"015", 0u, "a number with a leading zero"},
                                     {"-1", 0u, "a number with a sign"},
                                     {"+1", 0u, "a number with a sign"},
                                     {" 1", 0u, "not a whole decimal number"},
                                     {"1 ", 1u, "not a whole decimal number"},
                                     {"0x1f", 1u, "not a whole decimal number"},
                                     {"1e3", 1u, "not a whole decimal number"},
                                     {"1_000", 1u, "not a whole decimal number"},
                                     {"1.5", 1u, "a fraction"},
                                     {"1,5", 1u, "a fraction"},
                                     {"ten", 0u, "not a whole decimal number"},
                                     {"18446744073709551616", 0u, "a number beyond 64 bits"},
                                     {"99999999999999999999", 0u, "a number beyond 64 bits"}};

    (void)state;
    expect_good(tg_value_number, good, COUNT(good));
    expect_bad(tg_value_number, bad, COUNT(bad));
}

static void test_duration(void **state)
{
    static const struct good good[] = {{"0 ns", 0u},
                                       {"1 ns", 1u},
                                       {"250 us", 250000u},
                                       {"250us", 250000u},
                                       {"3   ms", 3000000u},
                                       {"2 s", UINT64_C(2000000000)},
                                       {"18446744073 s", UINT64_C(18446744073000000000)},
                                       {"18446744073709551615 ns", UINT64_MAX}};
    static const char fraction[] = "a fraction: write a whole number of a smaller unit";
    static const struct bad bad[] = {{"", 0u, "a number is missing"},
                                     {"ms", 0u, "not a whole decimal number"},
                                     {"1", 0u, "a number without a unit"},
                                     {"1 ", 0u, "a number without a unit"},
                                     {"01 ms", 0u, "a number with a leading zero"},
                                     {"1.5 ms", 1u, fraction},
                                     {"1,5 ms", 1u, fraction},
                                     {".5 ms", 0u, fraction},
                                     {"-1 ms", 0u, "a number with a sign"},
                                     {"0x1 ms", 1u, "not a whole decimal number"},
                                     {"1 m", 2u, "an unknown unit"},
                                     {"1 MS", 2u, "an unknown unit"},
                                     {"1 sec", 2u, "an unknown unit"},
                                     {"1 ms ", 2u, "an unknown unit"},
                                     {"1 pps", 2u, "an unknown unit"},
                                     {"18446744074 s", 0u, "a number beyond 64 bits"},
                                     {"18446744073709551616 ns", 0u, "a number beyond 64 bits"}};

    (void)state;
    expect_good(tg_value_duration, good, COUNT(good));
    expect_bad(tg_value_duration, bad, COUNT(bad));
}

static void test_rate(void **state)
{
    static const struct good good[] = {{"10 /s", 10u},       {"10/s", 10u},
                                       {"10 pps", 10u},      {"40 kpps", 40000u},
                                       {"2 Mpps", 2000000u}, {"1 Gpps", UINT64_C(1000000000)},
                                       {"0 pps", 0u},        {"1488095 pps", 1488095u}};
    static const struct bad bad[] = {
        {"10", 0u, "a number without a unit"}, {"10 kPPS", 3u, "an unknown unit"},
        {"10 Hz", 3u, "an unknown unit"},      {"10 mpps", 3u, "an unknown unit"},
        {"10 us", 3u, "an unknown unit"},      {"18446744074 Gpps", 0u, "a number beyond 64 bits"}};

    (void)state;
    expect_good(tg_value_rate, good, COUNT(good));
    expect_bad(tg_value_rate, bad, COUNT(bad));
}

static void test_range(void **state)
{
    static const struct bad bad[] = {
        {"", 0u, "a number is missing"},
        {"..3", 0u, "a number is missing"},
        {"3..", 3u, "a number is missing"},
        {"3.4", 1u, "not a range LOW..HIGH"},
        {"3.", 1u, "not a range LOW..HIGH"},
        {"3...4", 3u, "a fraction: write a whole number of a smaller unit"},
        {"4..3", 0u, "a range whose end lies before its start"},
        {"3..04", 3u, "a number with a leading zero"},
        {"3..4..5", 4u, "a fraction"},
        {"3 .. 4", 1u, "not a whole decimal number"}};
    struct tg_value_error error;
    uint64_t low = 1u;
    uint64_t high = 1u;

    (void)state;
    assert_int_equal(tg_value_range("20..31", 6u, &low, &high, &error), 0);
    assert_true(low == 20u && high == 31u);
    assert_int_equal(tg_value_range("7", 1u, &low, &high, &error), 0);
    assert_true(low == 7u && high == 7u);
    for (size_t i = 0u; i < COUNT(bad); i++) {
        assert_int_equal(tg_value_range(bad[i].text, strlen(bad[i].text), &low, &high, &error),
                         TG_ERR_RANGE);
        assert_string_equal(error.reason, bad[i].reason);
        assert_int_equal(error.offset, bad[i].offset);
        assert_true(low == 7u && high == 7u);
    }
}

static void test_address(void **state)
{
    static const uint8_t expected[6] = {0x02, 0xab, 0xCD, 0x00, 0x09, 0xff};
    static const struct bad bad[] = {{"", 0u, "not an Ethernet address"},
                                     {"02:ab:cd:00:09", 0u, "not an Ethernet address"},
                                     {"02:ab:cd:00:09:f", 0u, "not an Ethernet address"},
                                     {"02:ab:cd:00:09:ff:", 17u, "not an Ethernet address"},
                                     {"02:ab:cd:00:09:fg", 16u, "not an Ethernet address"},
                                     {"02-ab-cd-00-09-ff", 2u, "not an Ethernet address"},
                                     {"2:ab:cd:00:09:ff", 1u, "not an Ethernet address"},
                                     {"ff:ff:ff:ff:ff:ff", 0u, "a group address"},
                                     {"01:00:5e:00:00:01", 0u, "a group address"}};
    struct tg_value_error error;
    uint8_t bytes[6] = {0u};

    (void)state;
    assert_int_equal(tg_value_mac("02:ab:CD:00:09:ff", 17u, bytes, &error), 0);
    assert_memory_equal(bytes, expected, sizeof bytes);
    for (size_t i = 0u; i < COUNT(bad); i++) {
        assert_int_equal(tg_value_mac(bad[i].text, strlen(bad[i].text), bytes, &error),
                         TG_ERR_RANGE);
        assert_string_equal(error.reason, bad[i].reason);
        assert_int_equal(error.offset, bad[i].offset);
        assert_memory_equal(bytes, expected, sizeof bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number), cmocka_unit_test(test_duration), cmocka_unit_test(test_rate),
        cmocka_unit_test(test_range), cmocka_unit_test(test_address)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
