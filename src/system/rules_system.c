/* SPDX-License-Identifier: MIT
 *
 * rules_system.c - the flows of a system file as rules.
 */
#include "system/rules_system.h"
#include "system/lower.h"
#include "system/match_text.h"

#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
    const size_t size = strlen(text) + 1u;
    char *const to = malloc(size);

    if (to != NULL) {
        memcpy(to, text, size);
    }
    return to;
}

static int take_flow(const struct tg_system_flow *f, struct tg_rule *rule)
{
    char canonical[TG_MATCH_TEXT_BYTES];

    if (tg_match_print(&f->match, canonical, sizeof canonical) < 0) {
        return -1;
    }
    rule->name = copy(f->name);
    rule->match_text = copy(canonical);
    rule->match = f->match;
    rule->has_budget = true;
    rule->at = f->at;
    rule->match_at = f->match_at;
    return rule->name != NULL && rule->match_text != NULL ? 0 : -1;
}

static int take_flows(const struct tg_system *system, struct tg_rules *out)
{
    out->rules = calloc(system->n_flows + 1u, sizeof *out->rules);
    if (out->rules == NULL) {
        return -1;
    }
    out->n = system->n_flows;
    for (size_t i = 0u; i < system->n_flows; i++) {
        if (take_flow(&system->flows[i], &out->rules[i]) != 0) {
            return -1;
        }
    }
    return 0;
}

/* The budgets, and the memory of the sporadic ones, are those of the one lowering. */
static int take_budgets(const struct tg_system *system, struct tg_rules *out)
{
    struct tg_system_config config;

    if (tg_system_lower_config(system, &config) != 0) {
        return -1;
    }
    for (size_t i = 0u; i < system->n_flows; i++) {
        out->rules[i].budget = config.flows[i].budget;
    }
    out->best_effort.budget.kind = TG_SERVER_UNLIMITED;
    out->drops_unregistered = system->best_effort.is_dropped;
    if (!system->best_effort.is_dropped) {
        out->best_effort.budget = config.config.best_effort_budget;
        out->best_effort.has_budget = true;
        out->best_effort.at = system->best_effort.at;
    }
    out->windows = config.windows;
    config.windows = NULL;
    tg_system_config_free(&config);
    return 0;
}

int tg_rules_from_system(const struct tg_system *system, struct tg_rules *out)
{
    memset(out, 0, sizeof *out);
    if (take_flows(system, out) != 0 || take_budgets(system, out) != 0) {
        tg_rules_free(out);
        return -1;
    }
    return 0;
}

bool tg_rules_is_system_file(const char *path)
{
    const char *const dot = strrchr(path, '.');

    return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

int tg_rules_load_any(const char *path, struct tg_rules *out, struct tg_station *station,
                      struct tg_errors *errors)
{
    struct tg_system *system = NULL;

    if (!tg_rules_is_system_file(path)) {
        return tg_rules_load(path, out, errors);
    }
    memset(out, 0, sizeof *out);
    if (tg_system_load(path, &system, errors) != 0) {
        return -1;
    }
    *station = system->receive.station;
    const int err = tg_rules_from_system(system, out);

    if (err) {
        tg_errors_add(errors, (struct tg_position){0u, 0u}, "out of memory");
    }
    tg_system_free(system);
    return err;
}
