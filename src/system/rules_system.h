/* SPDX-License-Identifier: MIT
 *
 * rules_system.h - the flows of a system file as rules, for commands that look at frames one by
 * one.
 */
#ifndef TG_SYSTEM_RULES_SYSTEM_H
#define TG_SYSTEM_RULES_SYSTEM_H

#include "system/rules_text.h"
#include "system/system.h"

/* Is this the name of a system file? It ends in .yaml or .yml; any other is a list of rules.
 *
 * Context: any. Cost: O(length). */
bool tg_rules_is_system_file(const char *path);

/* Read either kind of file.
 *
 * Context: task; allocates.
 * Returns: as tg_rules_load(); *station is that of a system file, and unchanged after a list of
 *          rules.
 * Cost:    as tg_rules_load() or tg_system_load(). */
TG_NODISCARD int tg_rules_load_any(const char *path, struct tg_rules *out,
                                   struct tg_station *station, struct tg_errors *errors);

/* Flows, budgets and best effort of a system; matches in their canonical form. Reserves and
 * priorities are no part of a rule.
 *
 * Context: task; allocates.
 * Returns: 0, *out to be given to tg_rules_free(); -1 when out of memory, *out is then empty.
 * Cost:    O(flows). */
TG_NODISCARD int tg_rules_from_system(const struct tg_system *system, struct tg_rules *out);

#endif
