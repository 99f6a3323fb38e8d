/* SPDX-License-Identifier: MIT
 *
 * bound_text.c - bounds for people.
 */
#include "bound_text.h"

#include <inttypes.h>
#include <stdio.h>

/* The value of the third digit. */
static uint64_t step_of(uint64_t value)
{
    uint64_t step = 1u;

    while (value / step >= 1000u) {
        step *= 10u;
    }
    return step;
}

static uint64_t round_up(uint64_t value)
{
    const uint64_t step = step_of(value);

    return value / step * step + (value % step != 0u ? step : 0u);
}

const char *tg_bound_text(uint64_t bound_ns, char text[TG_SPAN_TEXT_BYTES])
{
    return bound_ns == TG_NO_BOUND ? "none" : tg_span_text(round_up(bound_ns), text);
}

const char *tg_slack_text(int64_t slack_ns, char text[TG_SPAN_TEXT_BYTES])
{
    if (slack_ns == INT64_MAX || slack_ns == INT64_MIN) {
        return "-";
    }
    if (slack_ns >= 0) {
        const uint64_t step = step_of((uint64_t)slack_ns);

        return tg_span_text((uint64_t)slack_ns / step * step, text);
    }
    text[0] = '-';

    char digits[TG_SPAN_TEXT_BYTES];

    (void)snprintf(text + 1, TG_SPAN_TEXT_BYTES - 1u, "%s",
                   tg_span_text(round_up((uint64_t)-slack_ns), digits));
    return text;
}

const char *tg_need_text(uint64_t need, char text[TG_SPAN_TEXT_BYTES])
{
    if (need == TG_NO_BOUND) {
        return "none";
    }
    (void)snprintf(text, TG_SPAN_TEXT_BYTES, "%" PRIu64, need);
    return text;
}

const char *tg_ppm_text(uint64_t ppm, char text[TG_SPAN_TEXT_BYTES])
{
    if (ppm > UINT64_MAX / 2u) {
        return "no limit";
    }
    const uint64_t tenths = ppm / 1000u + (ppm % 1000u != 0u ? 1u : 0u);

    (void)snprintf(text, TG_SPAN_TEXT_BYTES, "%" PRIu64 ".%" PRIu64 " %%", tenths / 10u,
                   tenths % 10u);
    return text;
}
