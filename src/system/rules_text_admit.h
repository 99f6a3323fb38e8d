/* SPDX-License-Identifier: MIT
 *
 * rules_text_admit.h - does the core take all rules together?
 */
#ifndef TG_SYSTEM_RULES_TEXT_ADMIT_H
#define TG_SYSTEM_RULES_TEXT_ADMIT_H

#include "system/rules_text.h"

/* Add an error at each rule that the core refuses next to those before it.
 *
 * Context: task; allocates.
 * Cost:    O(rules^2). */
void tg_rules_admit(const struct tg_rules *rules, struct tg_errors *errors);

#endif
