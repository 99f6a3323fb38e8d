/* SPDX-License-Identifier: MIT
 *
 * value.c - any text as a single value: it is refused at a place within it, or it is what C's own
 * reader makes of its digits. The first byte chooses the reader.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void check_error(const struct tg_value_error *e, size_t length)
{
    require(e->offset <= length, "the error lies outside");
    require(e->reason[0] != '\0' && strlen(e->reason) + 1u < sizeof e->reason,
            "no reason, or one that is cut");
}

/* The digits at the start of an accepted text, times the unit behind them. */
static void check_number(const char *text, size_t length, uint64_t value)
{
    static const struct {
        const char *unit;
        uint64_t factor;
    } units[] = {
        {"ns", 1u},  {"us", 1000u},   {"ms", 1000000u},   {"s", 1000000000u},    {"/s", 1u},
        {"pps", 1u}, {"kpps", 1000u}, {"Mpps", 1000000u}, {"Gpps", 1000000000u}, {"", 1u}};
    char copy[64] = "";
    char *end = NULL;
    uint64_t factor = 0u;

    require(length < sizeof copy, "so many characters have no meaning");
    memcpy(copy, text, length);
    const uint64_t digits = strtoull(copy, &end, 10);
    while (*end == ' ') {
        end++;
    }
    for (size_t i = 0u; i < sizeof units / sizeof units[0]; i++) {
        factor = strcmp(end, units[i].unit) == 0 ? units[i].factor : factor;
    }
    require(factor != 0u && value / factor == digits && value % factor == 0u, "another value");
    require(copy[0] != '0' || digits == 0u, "a leading zero");
}

static void check(unsigned reader, const char *text, size_t length)
{
    struct tg_value_error error = {.offset = SIZE_MAX};
    uint64_t low = 0u;
    uint64_t high = 0u;
    uint8_t bytes[6];
    int err = 0;

    switch (reader) {
    case 0u:
        err = tg_value_number(text, length, &low, &error);
        break;
    case 1u:
        err = tg_value_duration(text, length, &low, &error);
        break;
    case 2u:
        err = tg_value_rate(text, length, &low, &error);
        break;
    case 3u:
        err = tg_value_range(text, length, &low, &high, &error);
        require(err != 0 || low <= high, "a range backwards");
        break;
    default:
        err = tg_value_mac(text, length, bytes, &error);
        require(err != 0 || (length == 17u && (bytes[0] & 1u) == 0u), "no address");
        break;
    }
    if (err) {
        check_error(&error, length);
    } else if (reader < 3u && length < 64u) {
        check_number(text, length, low);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0u) {
        return 0;
    }
    const size_t length = size - 1u;
    char *const text = malloc(length != 0u ? length : 1u); /* no end behind it: length is the end */

    if (text == NULL) {
        abort();
    }
    memcpy(text, data + 1, length);
    check(data[0] % 5u, text, length);
    free(text);
    return 0;
}
