/* SPDX-License-Identifier: MIT
 *
 * check_names.c - no two things of one kind have the same name.
 */
#include "system/check.h"

#include <string.h>

/* Names as they lie in an array of structures. */
struct names {
    const char *list;
    const char *items; /* NULL if there are none */
    size_t n;
    size_t stride;
    size_t offset; /* of the name in a structure */
};

static const char *name_of(const struct names *names, size_t i)
{
    char *name = NULL;

    memcpy(&name, names->items + i * names->stride + names->offset, sizeof(void *));
    return name;
}

static int check_list(const struct tg_place *file, const struct names *names)
{
    int err = 0;

    for (size_t i = 1u; i < names->n; i++) {
        size_t j = 0u;

        while (j < i && strcmp(name_of(names, i), name_of(names, j)) != 0) {
            j++;
        }
        if (j < i) {
            const struct tg_place place = tg_place_item(file, names->list, i, name_of(names, i));
            const struct tg_place other = tg_place_item(file, names->list, j, name_of(names, j));

            err = tg_place_refuse(&place, "name",
                                  "found '%s' a second time; allowed: each name once, line %u has "
                                  "it already",
                                  name_of(names, i), (unsigned)tg_place_at(&other, "name").line);
        }
    }
    return err;
}

static int check_reserved(const struct tg_place *file, const struct tg_system *s)
{
    int err = 0;

    for (size_t i = 0u; i < s->n_flows; i++) {
        if (strcmp(s->flows[i].name, "best effort") == 0) {
            const struct tg_place place = tg_place_item(file, "flows", i, s->flows[i].name);

            err = tg_place_refuse(&place, "name",
                                  "found 'best effort', which is what no match takes; allowed: "
                                  "any other name");
        }
    }
    return err;
}

int tg_check_names(struct tg_reader *r, const struct tg_system *s)
{
    const struct tg_place file = tg_place_file(r);
    const struct names lists[] = {{"tasks", (const char *)s->tasks, s->n_tasks, sizeof *s->tasks,
                                   offsetof(struct tg_system_task, name)},
                                  {"servers", (const char *)s->servers, s->n_servers,
                                   sizeof *s->servers, offsetof(struct tg_system_server, name)},
                                  {"queues", (const char *)s->queues, s->n_queues,
                                   sizeof *s->queues, offsetof(struct tg_system_queue, name)},
                                  {"flows", (const char *)s->flows, s->n_flows, sizeof *s->flows,
                                   offsetof(struct tg_system_flow, name)},
                                  {"scenarios", (const char *)s->scenarios, s->n_scenarios,
                                   sizeof *s->scenarios,
                                   offsetof(struct tg_system_scenario, name)}};
    int err = 0;

    for (size_t i = 0u; i < sizeof lists / sizeof lists[0]; i++) {
        err |= check_list(&file, &lists[i]);
    }
    return err | check_reserved(&file, s);
}
