/* SPDX-License-Identifier: MIT
 *
 * rate_text.c - rates for people.
 */
#include "rate_text.h"

#include <inttypes.h>
#include <stdio.h>

const char *tg_rate_text(uint64_t rate_pps, char text[TG_RATE_TEXT_BYTES])
{
    static const char *const units[] = {"pps", "kpps", "Mpps", "Gpps"};
    uint64_t unit = 1u;
    size_t i = 0u;

    while (i + 1u < sizeof units / sizeof units[0] && rate_pps >= 1000u * unit) {
        unit *= 1000u;
        i++;
    }
    if (rate_pps >= 100u * unit || rate_pps % unit == 0u) {
        (void)snprintf(text, TG_RATE_TEXT_BYTES, "%" PRIu64 " %s", (rate_pps + unit / 2u) / unit,
                       units[i]);
        return text;
    }
    const uint64_t tenths = (rate_pps + unit / 20u) / (unit / 10u);

    if (tenths % 10u == 0u) {
        (void)snprintf(text, TG_RATE_TEXT_BYTES, "%" PRIu64 " %s", tenths / 10u, units[i]);
    } else {
        (void)snprintf(text, TG_RATE_TEXT_BYTES, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10u,
                       tenths % 10u, units[i]);
    }
    return text;
}
