/* SPDX-License-Identifier: MIT
 *
 * rules_text.h - flows as a plain list, for looking at captures before there is a system file.
 *
 *     # name = match [ budget N per TIME | unlimited ]
 *     setpoint    = udp dst port 5000 budget 3 per 1 ms
 *     telemetry   = tcp src port 1883 unlimited
 *     arp         = arp
 *     best_effort = budget 10 per 1 ms
 *
 * A flow without a budget is only told apart from the others: nothing is dropped, and reports say
 * that no budget was given. best_effort is what no match takes; it has no match.
 */
#ifndef TG_SYSTEM_RULES_TEXT_H
#define TG_SYSTEM_RULES_TEXT_H

#include "system/errors.h"
#include "tidegate/flow.h"

#define TG_RULES_FILE_MAX_BYTES 1048576u
#define TG_RULES_NAME_MAX_BYTES 64u

struct tg_rule {
    char *name;
    char *match_text; /* canonical */
    struct tg_match match;
    struct tg_server_config budget; /* unlimited also if none is given */
    bool has_budget;                /* one is written */
    struct tg_position at;
    struct tg_position match_at;
};

struct tg_rules {
    struct tg_rule *rules;
    size_t n;
    struct tg_rule best_effort; /* match and match_text are not used; at.line 0: not written */
    tg_ns *windows;             /* memory of sporadic budgets, or NULL */
    bool drops_unregistered;    /* there is no best effort */
};

/* Read a list of rules and see whether the core takes all of them together.
 *
 * Context: task; allocates.
 * Returns: 0, *out to be given to tg_rules_free(); -1 with everything that is wrong in *errors,
 *          also when the file cannot be read; then *out is empty.
 * Cost:    O(size + rules^2). */
TG_NODISCARD int tg_rules_load(const char *path, struct tg_rules *out, struct tg_errors *errors);

/* The same from memory. Context, returns, cost: as tg_rules_load. */
TG_NODISCARD int tg_rules_parse(const char *text, size_t size_bytes, struct tg_rules *out,
                                struct tg_errors *errors);

/* Context: task; an empty object is allowed. Cost: O(rules). */
void tg_rules_free(struct tg_rules *rules);

#endif
