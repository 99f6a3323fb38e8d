/* SPDX-License-Identifier: MIT
 *
 * check_matches.c - two flows for the same frames, and flows that no frame reaches. The core's own
 * table decides; this file only finds out who else is to blame.
 */
#include "system/check.h"
#include "system/text.h"

#include <string.h>

#define REFUSED_MAX 8u /* then the search for the others to blame would take too long */
#define BLAMED_MAX  4u

struct matches {
    const struct tg_place *file;
    const struct tg_system *system;
    struct tg_finder *finder;
};

static int refuse(const struct matches *m, size_t flow, const char *what)
{
    const struct tg_place place =
        tg_place_item(m->file, "flows", flow, m->system->flows[flow].name);

    return tg_place_refuse(&place, "match", "%s", what);
}

static int admits(const struct matches *m, size_t flow)
{
    return tg_flow_table_admits(&m->finder->table, &m->finder->patterns[flow]);
}

/* Whatever the core would say: it stood there before, or goes again at once. */
static void put_back(struct matches *m, size_t flow)
{
    tg_flow_table_insert(&m->finder->table, (uint32_t)flow + 1u, &m->finder->patterns[flow]);
}

static int refuse_same(const struct matches *m, size_t flow)
{
    const struct tg_pattern *const all = m->finder->patterns;
    const struct tg_pattern *const p = &all[flow];
    char text[TG_ERROR_TEXT_SIZE];
    size_t other = 0u;

    while (all[other].word != p->word || all[other].fields != p->fields ||
           memcmp(&all[other].hosts, &p->hosts, sizeof p->hosts) != 0) {
        other++;
    }
    (void)snprintf(
        text, sizeof text,
        "found '%.100s', which flow '%s' in line %u has already; allowed: each match once",
        m->system->flows[flow].match_text, m->system->flows[other].name,
        (unsigned)m->system->flows[other].match_at.line);
    return refuse(m, flow, text);
}

/* Who takes all frames of this flow: those without whom some would be left. */
static int refuse_unreachable(struct matches *m, size_t flow)
{
    char names[300] = "";
    char text[TG_ERROR_TEXT_SIZE];
    size_t n = 0u;

    for (size_t i = 0u; i < m->system->n_flows && n <= BLAMED_MAX; i++) {
        if (!tg_finder_is_bound(m->finder, i)) {
            continue;
        }
        tg_finder_unbind(m->finder, i);
        const bool is_needed = admits(m, flow) != TG_ERR_UNREACHABLE;
        put_back(m, i);

        if (is_needed) {
            tg_text_add(names, sizeof names, "%s'%s' in line %u", n != 0u ? ", " : "",
                        m->system->flows[i].name, (unsigned)m->system->flows[i].match_at.line);
            n++;
        }
    }
    (void)snprintf(
        text, sizeof text,
        "found '%.60s', which no frame reaches: more specific flows take them all%s%s%s; "
        "allowed: a match that takes a frame",
        m->system->flows[flow].match_text, n != 0u ? " (" : "", names, n != 0u ? ")" : "");
    return refuse(m, flow, text);
}

/* Whose last frame it would take. */
static int refuse_shadows(struct matches *m, size_t flow)
{
    char text[TG_ERROR_TEXT_SIZE];
    size_t victim = 0u;

    for (size_t i = 0u; i < m->system->n_flows; i++) {
        if (!tg_finder_is_bound(m->finder, i)) {
            continue;
        }
        tg_finder_unbind(m->finder, i);
        put_back(m, flow);
        const int err = admits(m, i);
        tg_finder_unbind(m->finder, flow);
        put_back(m, i);

        if (err == TG_ERR_UNREACHABLE) {
            victim = i;
            break;
        }
    }
    (void)snprintf(
        text, sizeof text,
        "found '%.100s', which leaves no frame to flow '%s' in line %u; allowed: a match "
        "that leaves some to every other flow",
        m->system->flows[flow].match_text, m->system->flows[victim].name,
        (unsigned)m->system->flows[victim].match_at.line);
    return refuse(m, flow, text);
}

static int refuse_full(const struct matches *m, size_t flow)
{
    char text[TG_ERROR_TEXT_SIZE];

    if (m->finder->table.n_shapes < TG_SHAPES_MAX) {
        return refuse(m, flow, "found no place for it in the flow table; allowed: fewer flows");
    }
    (void)snprintf(
        text, sizeof text,
        "found '%.100s', a combination of fields that no flow before it has; allowed: at "
        "most %u different combinations in one file",
        m->system->flows[flow].match_text, TG_SHAPES_MAX);
    return refuse(m, flow, text);
}

static int admit(struct matches *m, size_t flow)
{
    switch (tg_finder_bind(m->finder, flow)) {
    case 0:
        return 0;
    case TG_ERR_EXISTS:
        return refuse_same(m, flow);
    case TG_ERR_UNREACHABLE:
        return refuse_unreachable(m, flow);
    case TG_ERR_SHADOWS:
        return refuse_shadows(m, flow);
    default:
        return refuse_full(m, flow);
    }
}

int tg_check_matches(struct tg_reader *r, const struct tg_system *s, struct tg_finder *finder)
{
    const struct tg_place file = tg_place_file(r);
    struct matches m = {.file = &file, .system = s, .finder = finder};
    size_t n_refused = 0u;

    for (size_t i = 0u; i < s->n_flows && n_refused < REFUSED_MAX; i++) {
        n_refused += admit(&m, i) != 0 ? 1u : 0u;
    }
    return n_refused != 0u ? -1 : 0;
}
