/* SPDX-License-Identifier: MIT
 *
 * budget_text.c - a budget in words.
 */
#include "budget_text.h"

#include <inttypes.h>

/* A duration in the largest unit that leaves it whole. */
static void duration(tg_ns ns, char *text, size_t size)
{
    static const struct {
        tg_ns ns;
        const char *name;
    } units[] = {{UINT64_C(1000000000), "s"}, {1000000u, "ms"}, {1000u, "us"}, {1u, "ns"}};
    size_t i = 0u;

    while (ns % units[i].ns != 0u) {
        i++;
    }
    (void)snprintf(text, size, "%" PRIu64 " %s", ns / units[i].ns, units[i].name);
}

const char *tg_budget_text(const struct tg_rule *rule, char text[TG_BUDGET_TEXT_BYTES])
{
    char period[32];

    if (!rule->has_budget) {
        return "-";
    }
    if (rule->budget.kind == TG_SERVER_UNLIMITED) {
        return "unlimited";
    }
    duration(rule->budget.period_ns, period, sizeof period);
    (void)snprintf(text, TG_BUDGET_TEXT_BYTES, "%" PRIu32 " per %s", rule->budget.budget_pkts,
                   period);
    return text;
}

void tg_budget_json(struct tg_json *j, const char *key, const struct tg_rule *rule)
{
    if (!rule->has_budget) {
        tg_json_null(j, key);
    } else if (rule->budget.kind == TG_SERVER_UNLIMITED) {
        tg_json_text(j, key, "unlimited");
    } else {
        tg_json_row(j, key);
        tg_json_count(j, "packets", rule->budget.budget_pkts);
        tg_json_count(j, "period_ns", rule->budget.period_ns);
        tg_json_end(j);
    }
}
