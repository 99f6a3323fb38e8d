/* SPDX-License-Identifier: MIT
 *
 * span_text.h - times and shares for people, by integer arithmetic: the same digits on every
 * machine.
 */
#ifndef TG_CLI_SPAN_TEXT_H
#define TG_CLI_SPAN_TEXT_H

#include "tidegate/common.h"

#define TG_SPAN_TEXT_BYTES 32u

/* Three digits at least where there are as many: "640 ns", "23.4 us", "1.05 ms", "597 ms", "12.0
 * s".
 *
 * Context: any, likewise below.
 * Returns: text, for use in an argument list.
 * Cost:    O(1). */
const char *tg_span_text(tg_ns span_ns, char text[TG_SPAN_TEXT_BYTES]);

/* The largest unit that leaves it whole: "500 us". */
const char *tg_whole_text(tg_ns span_ns, char text[TG_SPAN_TEXT_BYTES]);

/* part of whole in percent with one digit behind the point: "12.5". whole is not 0. */
const char *tg_percent_text(uint64_t part, uint64_t whole, char text[TG_SPAN_TEXT_BYTES]);

#endif
