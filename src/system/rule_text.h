/* SPDX-License-Identifier: MIT
 *
 * rule_text.h - the rules of frame classification in words, as docs/frames.md lists them.
 */
#ifndef TG_SYSTEM_RULE_TEXT_H
#define TG_SYSTEM_RULE_TEXT_H

#include "tidegate/frame.h"

/* Number of the rule in docs/frames.md: "4a" for TG_RULE_OVERSIZE.
 *
 * Context: any.
 * Cost:    O(1), likewise below. */
const char *tg_rule_number(uint32_t rule);

/* When the rule holds. Context, cost: as tg_rule_number. */
const char *tg_rule_condition(uint32_t rule);

/* What then becomes of the frame. Context, cost: as tg_rule_number. */
const char *tg_rule_result(uint32_t rule);

#endif
