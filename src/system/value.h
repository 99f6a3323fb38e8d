/* SPDX-License-Identifier: MIT
 *
 * value.h - single values as people write them: whole numbers, durations, rates, ranges, addresses.
 *
 * Every reader takes a text of known length, gives a value of one unit, or says what is wrong and
 * where. Numbers are decimal digits without sign, leading zero, fraction, exponent or separator;
 * nothing wraps.
 */
#ifndef TG_SYSTEM_VALUE_H
#define TG_SYSTEM_VALUE_H

#include "tidegate/common.h"

/* What is wrong with a value: the end of the sentence "found '...', ...". */
struct tg_value_error {
    size_t offset; /* of the first character that is wrong */
    char reason[96];
};

/* A whole number.
 *
 * Context: any.
 * Returns: 0; TG_ERR_RANGE, then *error is set and *out unchanged; likewise below.
 * Cost:    O(length); likewise below. */
TG_NODISCARD int tg_value_number(const char *text, size_t length, uint64_t *out,
                                 struct tg_value_error *error);

/* A duration: a number and ns, us, ms or s, with or without spaces between them. Context, returns,
 * cost: as tg_value_number. Units: *out in nanoseconds. */
TG_NODISCARD int tg_value_duration(const char *text, size_t length, uint64_t *out,
                                   struct tg_value_error *error);

/* A rate: a number and /s, pps, kpps, Mpps or Gpps. Context, returns, cost: as tg_value_number.
 * Units: *out per second. */
TG_NODISCARD int tg_value_rate(const char *text, size_t length, uint64_t *out,
                               struct tg_value_error *error);

/* A range LOW..HIGH, or one number, which is both. Context, returns, cost: as tg_value_number. */
TG_NODISCARD int tg_value_range(const char *text, size_t length, uint64_t *low, uint64_t *high,
                                struct tg_value_error *error);

/* The address of one station, 02:00:00:00:00:01. Context, returns, cost: as tg_value_number. */
TG_NODISCARD int tg_value_mac(const char *text, size_t length, uint8_t out[6],
                              struct tg_value_error *error);

#endif
