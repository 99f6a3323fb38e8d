/* SPDX-License-Identifier: MIT
 *
 * span_text.c - times and shares for people.
 */
#include "span_text.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
    tg_ns ns;
    const char *name;
} units[] = {{UINT64_C(1000000000), "s"}, {1000000u, "ms"}, {1000u, "us"}, {1u, "ns"}};

enum { N_UNITS = sizeof units / sizeof units[0] };

const char *tg_whole_text(tg_ns span_ns, char text[TG_SPAN_TEXT_BYTES])
{
    size_t i = 0u;

    while (span_ns % units[i].ns != 0u) {
        i++;
    }
    (void)snprintf(text, TG_SPAN_TEXT_BYTES, "%" PRIu64 " %s", span_ns / units[i].ns,
                   units[i].name);
    return text;
}

const char *tg_span_text(tg_ns span_ns, char text[TG_SPAN_TEXT_BYTES])
{
    size_t i = 0u;

    while (i + 1u < N_UNITS && span_ns < units[i].ns) {
        i++;
    }
    const tg_ns unit_ns = units[i].ns;
    const uint64_t whole = span_ns / unit_ns;
    uint32_t digits = whole >= 100u ? 0u : whole >= 10u ? 1u : 2u;
    uint64_t scale = digits == 0u ? 1u : digits == 1u ? 10u : 100u;

    if (unit_ns == 1u) {
        digits = 0u;
        scale = 1u;
    }
    /* Rounded half up; a carry may show one digit more. */
    const uint64_t scaled = (span_ns % unit_ns * scale + unit_ns / 2u) / unit_ns + whole * scale;

    if (digits == 0u) {
        (void)snprintf(text, TG_SPAN_TEXT_BYTES, "%" PRIu64 " %s", scaled, units[i].name);
    } else {
        (void)snprintf(text, TG_SPAN_TEXT_BYTES, "%" PRIu64 ".%0*" PRIu64 " %s", scaled / scale,
                       (int)digits, scaled % scale, units[i].name);
    }
    return text;
}

const char *tg_percent_text(uint64_t part, uint64_t whole, char text[TG_SPAN_TEXT_BYTES])
{
    const uint64_t per_mille = (part * 1000u + whole / 2u) / whole;

    (void)snprintf(text, TG_SPAN_TEXT_BYTES, "%" PRIu64 ".%" PRIu64, per_mille / 10u,
                   per_mille % 10u);
    return text;
}
