/* SPDX-License-Identifier: MIT
 *
 * bound_text.h - bounds for people. What is rounded is rounded to the safe side.
 */
#ifndef TG_CLI_BOUND_TEXT_H
#define TG_CLI_BOUND_TEXT_H

#include "analysis/analysis.h"
#include "span_text.h"

/* Three digits, rounded up: 1234567 is "1.24 ms"; TG_NO_BOUND is "none".
 *
 * Context: any, likewise below.
 * Returns: text, for use in an argument list.
 * Cost:    O(1), likewise below. */
const char *tg_bound_text(uint64_t bound_ns, char text[TG_SPAN_TEXT_BYTES]);

/* Three digits, rounded down: 1999 is "1.99 us", -1999 is "-2.00 us". "-" where there is no bound
 * or no deadline. */
const char *tg_slack_text(int64_t slack_ns, char text[TG_SPAN_TEXT_BYTES]);

/* A count, or "none" for TG_NO_BOUND. */
const char *tg_need_text(uint64_t need, char text[TG_SPAN_TEXT_BYTES]);

/* Millionths as percent with one digit, rounded up; "no limit" if there is none. */
const char *tg_ppm_text(uint64_t ppm, char text[TG_SPAN_TEXT_BYTES]);

#endif
