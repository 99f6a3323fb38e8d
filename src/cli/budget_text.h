/* SPDX-License-Identifier: MIT
 *
 * budget_text.h - a budget in words.
 */
#ifndef TG_CLI_BUDGET_TEXT_H
#define TG_CLI_BUDGET_TEXT_H

#include "report/json.h"
#include "system/rules_text.h"

#define TG_BUDGET_TEXT_BYTES 64u

/* "3 per 1 ms", "unlimited", or "-" if none was given.
 *
 * Context: any task.
 * Returns: text, for use in an argument list.
 * Cost:    O(1). */
const char *tg_budget_text(const struct tg_rule *rule, char text[TG_BUDGET_TEXT_BYTES]);

/* {"packets": 3, "period_ns": 1000000}, "unlimited", or null if none was given.
 *
 * Context, cost: as tg_budget_text. */
void tg_budget_json(struct tg_json *j, const char *key, const struct tg_rule *rule);

#endif
