/* SPDX-License-Identifier: MIT
 *
 * rules_text_admit.c - does the core take all rules together? Binds them to a table of the core,
 * one after the other, and says in the words of the file why one is refused.
 */
#include "system/rules_text_admit.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 65536u
#define SEED    UINT64_C(0x7469646567617465) /* nobody attacks a check of a file */

struct admission {
    const struct tg_rules *rules;
    struct tg_errors *errors;
    struct tg_flow_table table; /* flow i + 1 is rule i */
    struct tg_pattern *patterns;
    struct tg_flow *flows;
    uint32_t *buckets;
};

static bool is_same(const struct tg_pattern *a, const struct tg_pattern *b)
{
    return a->fields == b->fields && a->word == b->word &&
           memcmp(&a->hosts, &b->hosts, sizeof a->hosts) == 0;
}

/* The rule before rule i with the same match; there is one. */
static const struct tg_rule *find_same(const struct admission *a, size_t i)
{
    size_t j = 0u;

    while (!is_same(&a->patterns[j], &a->patterns[i])) {
        j++;
    }
    return &a->rules->rules[j];
}

static void bind(struct admission *a, size_t i)
{
    tg_flow_table_insert(&a->table, (uint32_t)i + 1u, &a->patterns[i]);
}

static void unbind(struct admission *a, size_t i)
{
    tg_flow_table_remove(&a->table, (uint32_t)i + 1u);
    a->flows[i + 1u].state = TG_FLOW_FREE;
}

/* The rule before rule i that would never get a frame any more; there is one. */
static const struct tg_rule *find_shadowed(struct admission *a, size_t i)
{
    size_t victim = 0u;

    for (size_t j = 0u; j < i; j++) {
        if (a->flows[j + 1u].state != TG_FLOW_BOUND) {
            continue;
        }
        unbind(a, j);
        bind(a, i);

        const int err = tg_flow_table_admits(&a->table, &a->patterns[j]);

        unbind(a, i);
        bind(a, j);
        if (err == TG_ERR_UNREACHABLE) {
            victim = j;
        }
    }
    return &a->rules->rules[victim];
}

static void say(struct admission *a, size_t i, int err)
{
    const struct tg_rule *const rule = &a->rules->rules[i];
    const struct tg_rule *other = NULL;

    switch (err) {
    case TG_ERR_EXISTS:
        other = find_same(a, i);
        tg_errors_add(a->errors, rule->match_at,
                      "the match of flow '%s' (line %u) again, allowed: a different one",
                      other->name, (unsigned)other->at.line);
        return;
    case TG_ERR_UNREACHABLE:
        tg_errors_add(a->errors, rule->match_at,
                      "flow '%s' would never get a frame: more specific flows take them all, "
                      "allowed: a match with frames left",
                      rule->name);
        return;
    case TG_ERR_SHADOWS:
        other = find_shadowed(a, i);
        tg_errors_add(a->errors, rule->match_at,
                      "with flow '%s', flow '%s' (line %u) would never get a frame: more specific "
                      "flows take them all, allowed: matches with frames left for each",
                      rule->name, other->name, (unsigned)other->at.line);
        return;
    default:
        tg_errors_add(a->errors, rule->match_at,
                      "flow '%s' needs a %uth shape of match, allowed: %u at one time "
                      "(docs/matches.md)",
                      rule->name, TG_SHAPES_MAX + 1u, TG_SHAPES_MAX);
        return;
    }
}

static void admit_all(struct admission *a)
{
    for (size_t i = 0u; i < a->rules->n; i++) {
        int err = tg_match_compile(&a->rules->rules[i].match, &a->patterns[i]);

        if (!err) {
            err = tg_flow_table_admits(&a->table, &a->patterns[i]);
        }
        if (err) {
            say(a, i, err);
        } else {
            bind(a, i);
        }
    }
}

void tg_rules_admit(const struct tg_rules *rules, struct tg_errors *errors)
{
    const size_t n_flows = rules->n + 1u;
    struct admission a = {.rules = rules,
                          .errors = errors,
                          .patterns = calloc(n_flows, sizeof *a.patterns),
                          .flows = calloc(n_flows, sizeof *a.flows),
                          .buckets = calloc(BUCKETS, sizeof *a.buckets)};

    if (a.patterns == NULL || a.flows == NULL || a.buckets == NULL ||
        tg_flow_table_init(&a.table, a.flows, (uint32_t)n_flows, a.buckets, BUCKETS, SEED) != 0) {
        tg_errors_add(errors, (struct tg_position){.line = 0u}, "out of memory");
    } else {
        admit_all(&a);
    }
    free(a.patterns);
    free(a.flows);
    free(a.buckets);
}
