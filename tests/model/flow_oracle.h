/* SPDX-License-Identifier: MIT
 *
 * flow_oracle.h - which match takes a frame: the rules of matching, written down slowly and apart
 * from the core, on the fields that a frame was built from.
 */
#ifndef TG_TESTS_FLOW_ORACLE_H
#define TG_TESTS_FLOW_ORACLE_H

#include "test_frame.h"
#include "tidegate/flow.h"

#define ORACLE_NONE UINT32_MAX

/* Does the match take this frame? The frame must be one that is handed to matching. */
bool oracle_takes(const struct tg_match *m, const struct frame_spec *f);

/* Is a more specific than b? */
bool oracle_is_before(const struct tg_match *a, const struct tg_match *b);

/* Do both fix the same fields to the same values? */
bool oracle_is_same(const struct tg_match *a, const struct tg_match *b);

/* Do both fix the same fields? */
bool oracle_is_same_shape(const struct tg_match *a, const struct tg_match *b);

/* The most specific of n matches that takes the frame, or ORACLE_NONE. */
uint32_t oracle_winner(const struct tg_match *const *matches, uint32_t n,
                       const struct frame_spec *f);

/* May these fields be fixed together? broadcast: the value of that field. */
bool oracle_is_legal(uint32_t fields, uint8_t protocol, bool broadcast);

#endif
