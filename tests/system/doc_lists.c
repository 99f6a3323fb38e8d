/* SPDX-License-Identifier: MIT
 *
 * doc_lists.c - the lists in docs/ that the core itself knows best.
 *
 *     doc_lists shapes | rules
 */
#include "wild_frames.h"

#include "system/rule_text.h"
#include "system/shape_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHAPES_ROOM 512u

static int more_specific_first(const void *a, const void *b)
{
    const uint32_t rank_a = tg_shape_rank(*(const uint32_t *)a);
    const uint32_t rank_b = tg_shape_rank(*(const uint32_t *)b);

    return (rank_a < rank_b) - (rank_a > rank_b);
}

static void print_shapes(void)
{
    uint32_t shapes[SHAPES_ROOM] = {0u};
    size_t n = 0u;

    for (uint32_t fields = 0u; fields < TG_FIELD_DST_PORT << 1; fields++) {
        if (n < SHAPES_ROOM && wild_is_shape(fields)) {
            shapes[n++] = fields;
        }
    }
    qsort(shapes, n, sizeof shapes[0], more_specific_first);
    puts("```");
    for (size_t i = 0u; i < n; i++) {
        char text[TG_SHAPE_TEXT_BYTES];

        printf("%3zu  %s\n", i + 1u, tg_shape_text(shapes[i], text));
    }
    puts("```");
}

static void print_rules(void)
{
#define RULE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    static const struct {
        const char *name;
        uint32_t rule;
    } rules[] = {RULE(TG_RULE_RUNT),      RULE(TG_RULE_OWN_SOURCE),   RULE(TG_RULE_TAG_CUT),
                 RULE(TG_RULE_THIRD_TAG), RULE(TG_RULE_OVERSIZE),     RULE(TG_RULE_LLC),
                 RULE(TG_RULE_TYPE_GAP),  RULE(TG_RULE_ARP),          RULE(TG_RULE_IP4),
                 RULE(TG_RULE_IP4_LAND),  RULE(TG_RULE_IP4_FRAGMENT), RULE(TG_RULE_IP4_OPTIONS),
                 RULE(TG_RULE_IP6),       RULE(TG_RULE_IP6_LAND),     RULE(TG_RULE_IP6_EXTENSION),
                 RULE(TG_RULE_UDP),       RULE(TG_RULE_TCP),          RULE(TG_RULE_CONTROL),
                 RULE(TG_RULE_PROTOCOL),  RULE(TG_RULE_TYPE)};

    puts("| rule | `key.rule` | holds for | then |\n|---|---|---|---|");
    for (size_t i = 0u; i < sizeof rules / sizeof rules[0]; i++) {
        printf("| %s | `%s` = %u | %s | %s |\n", tg_rule_number(rules[i].rule), rules[i].name,
               rules[i].rule, tg_rule_condition(rules[i].rule), tg_rule_result(rules[i].rule));
    }
}

int main(int argc, char **argv)
{
    const char *const what = argc == 2 ? argv[1] : "";

    if (strcmp(what, "shapes") == 0) {
        print_shapes();
    } else if (strcmp(what, "rules") == 0) {
        print_rules();
    } else {
        fprintf(stderr, "usage: %s shapes|rules\n", argv[0]);
        return 2;
    }
    return 0;
}
