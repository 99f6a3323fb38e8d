/* SPDX-License-Identifier: MIT
 *
 * value.c - single values as people write them.
 */
#include "system/value.h"

#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    uint64_t factor;
};

static const struct unit durations[] = {
    {"ns", 1u}, {"us", 1000u}, {"ms", 1000000u}, {"s", UINT64_C(1000000000)}, {NULL, 0u}};
static const struct unit rates[] = {
    {"/s", 1u}, {"pps", 1u}, {"kpps", 1000u}, {"Mpps", 1000000u}, {"Gpps", UINT64_C(1000000000)},
    {NULL, 0u}};

static int refuse(struct tg_value_error *error, size_t offset, const char *reason)
{
    error->offset = offset;
    (void)snprintf(error->reason, sizeof error->reason, "%s", reason);
    return TG_ERR_RANGE;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *text, size_t length)
{
    size_t n = 0u;

    while (n < length && is_digit(text[n])) {
        n++;
    }
    return n;
}

/* Why a text does not begin with a digit, or does not go on as it should behind digits. */
static const char *why_no_number(char c)
{
    switch (c) {
    case '-':
    case '+':
        return "a number with a sign";
    case '.':
    case ',':
        return "a fraction: write a whole number of a smaller unit";
    default:
        return "not a whole decimal number";
    }
}

/* The digits at the start of text, *n of them. */
static int read_digits(const char *text, size_t length, size_t *n, uint64_t *out,
                       struct tg_value_error *error)
{
    const size_t digits = count_digits(text, length);
    uint64_t value = 0u;

    if (length == 0u) {
        return refuse(error, 0u, "a number is missing");
    }
    if (digits == 0u) {
        return refuse(error, 0u, why_no_number(text[0]));
    }
    if (digits > 1u && text[0] == '0') {
        return refuse(error, 0u, "a number with a leading zero");
    }
    for (size_t i = 0u; i < digits; i++) {
        const uint64_t digit = (uint64_t)(text[i] - '0');

        if (value > (UINT64_MAX - digit) / 10u) {
            return refuse(error, 0u, "a number beyond 64 bits");
        }
        value = value * 10u + digit;
    }
    *n = digits;
    *out = value;
    return 0;
}

int tg_value_number(const char *text, size_t length, uint64_t *out, struct tg_value_error *error)
{
    size_t digits = 0u;
    uint64_t value = 0u;
    const int err = read_digits(text, length, &digits, &value, error);

    if (err) {
        return err;
    }
    if (digits != length) {
        const char c = text[digits];

        return refuse(error, digits,
                      c == '.' || c == ',' ? "a fraction" : "not a whole decimal number");
    }
    *out = value;
    return 0;
}

static int read_with_unit(const char *text, size_t length, const struct unit *units, uint64_t *out,
                          struct tg_value_error *error)
{
    size_t digits = 0u;
    uint64_t value = 0u;
    const int err = read_digits(text, length, &digits, &value, error);

    if (err) {
        return err;
    }
    size_t start = digits;
    while (start < length && text[start] == ' ') {
        start++;
    }
    if (start == length) {
        return refuse(error, 0u, "a number without a unit");
    }
    for (const struct unit *u = units; u->name != NULL; u++) {
        if (strlen(u->name) != length - start ||
            memcmp(u->name, text + start, length - start) != 0) {
            continue;
        }
        if (value > UINT64_MAX / u->factor) {
            return refuse(error, 0u, "a number beyond 64 bits");
        }
        *out = value * u->factor;
        return 0;
    }
    if (start == digits && (text[start] == '.' || text[start] == ',' ||
                            memchr(text + start, ' ', length - start) != NULL)) {
        return refuse(error, start, why_no_number(text[start]));
    }
    return refuse(error, start, "an unknown unit");
}

int tg_value_duration(const char *text, size_t length, uint64_t *out, struct tg_value_error *error)
{
    return read_with_unit(text, length, durations, out, error);
}

int tg_value_rate(const char *text, size_t length, uint64_t *out, struct tg_value_error *error)
{
    return read_with_unit(text, length, rates, out, error);
}

int tg_value_range(const char *text, size_t length, uint64_t *low, uint64_t *high,
                   struct tg_value_error *error)
{
    size_t dots = 0u;
    uint64_t first = 0u;
    uint64_t last = 0u;

    while (dots < length && text[dots] != '.') {
        dots++;
    }
    int err = tg_value_number(text, dots, &first, error);
    if (err) {
        return err;
    }
    last = first;
    if (dots < length) {
        if (length - dots < 2u || text[dots + 1u] != '.') {
            return refuse(error, dots, "not a range LOW..HIGH");
        }
        err = tg_value_number(text + dots + 2u, length - dots - 2u, &last, error);
        if (err) {
            error->offset += dots + 2u;
            return err;
        }
    }
    if (first > last) {
        return refuse(error, 0u, "a range whose end lies before its start");
    }
    *low = first;
    *high = last;
    return 0;
}

static int hex_digit(char c)
{
    if (is_digit(c)) {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int tg_value_mac(const char *text, size_t length, uint8_t out[6], struct tg_value_error *error)
{
    uint8_t bytes[6];

    for (size_t i = 0u; i < 17u; i++) {
        const bool is_good =
            i < length && (i % 3u == 2u ? text[i] == ':' : hex_digit(text[i]) >= 0);

        if (!is_good) {
            return refuse(error, i < length ? i : 0u, "not an Ethernet address");
        }
    }
    if (length != 17u) {
        return refuse(error, 17u, "not an Ethernet address");
    }
    for (size_t i = 0u; i < 6u; i++) {
        bytes[i] = (uint8_t)(hex_digit(text[3u * i]) << 4 | hex_digit(text[3u * i + 1u]));
    }
    if ((bytes[0] & 1u) != 0u) {
        return refuse(error, 0u, "a group address");
    }
    memcpy(out, bytes, sizeof bytes);
    return 0;
}
