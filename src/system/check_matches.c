/* SPDX-License-Identifier: MIT
 *
 * check_matches.c - two flows for the same frames, and flows that no frame reaches. The core's own table
 * decides; this file only finds out who else is to blame.
 */
#include "system/check.h"
#include "system/lower.h"
#include "system/text.h"

#include <stdlib.h>
#include <string.h>

#define REFUSED_MAX 8u /* then the search for the others to blame would take too long */
#define BLAMED_MAX  4u

struct matches {
    const struct tg_place *file;
    const struct tg_system *system;
    struct tg_flow_table table;
    struct tg_pattern *patterns; /* of all flows */
};

static void bind(struct matches *m, size_t flow)
{
    tg_flow_table_insert(&m->table, (uint32_t)flow + 1u, &m->patterns[flow]);
}

static void unbind(struct matches *m, size_t flow)
{
    tg_flow_table_remove(&m->table, (uint32_t)flow + 1u);
    m->table.flows[flow + 1u].state = TG_FLOW_FREE;
}

static bool is_bound(const struct matches *m, size_t flow)
{
    return m->table.flows[flow + 1u].state == TG_FLOW_BOUND;
}

static int refuse(const struct matches *m, size_t flow, const char *what)
{
    const struct tg_place place =
        tg_place_item(m->file, "flows", flow, m->system->flows[flow].name);

    return tg_place_refuse(&place, "match", "%s", what);
}

static int refuse_same(const struct matches *m, size_t flow)
{
    const struct tg_pattern *const p = &m->patterns[flow];
    char text[TG_ERROR_TEXT_SIZE];
    size_t other = 0u;

    while (m->patterns[other].word != p->word || m->patterns[other].fields != p->fields ||
           memcmp(&m->patterns[other].hosts, &p->hosts, sizeof p->hosts) != 0) {
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
        if (!is_bound(m, i)) {
            continue;
        }
        unbind(m, i);
        const bool is_needed =
            tg_flow_table_admits(&m->table, &m->patterns[flow]) != TG_ERR_UNREACHABLE;
        bind(m, i);

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
        if (!is_bound(m, i)) {
            continue;
        }
        unbind(m, i);
        bind(m, flow);
        const int err = tg_flow_table_admits(&m->table, &m->patterns[i]);
        unbind(m, flow);
        bind(m, i);

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

    if (m->table.n_shapes < TG_SHAPES_MAX) {
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
    switch (tg_flow_table_admits(&m->table, &m->patterns[flow])) {
    case 0:
        bind(m, flow);
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

static int admit_all(struct matches *m)
{
    size_t n_refused = 0u;

    for (size_t i = 0u; i < m->system->n_flows && n_refused < REFUSED_MAX; i++) {
        /* tg_match_parse() has compiled it before. */
        if (tg_match_compile(&m->system->flows[i].match, &m->patterns[i]) != 0 ||
            admit(m, i) != 0) {
            n_refused++;
        }
    }
    return n_refused != 0u ? -1 : 0;
}

int tg_check_matches(struct tg_reader *r, const struct tg_system *s)
{
    const struct tg_place file = tg_place_file(r);
    const uint32_t n_buckets = tg_system_buckets(s);
    struct matches m = {.file = &file, .system = s};
    struct tg_flow *const flows = calloc(s->n_flows + 1u, sizeof *flows);
    uint32_t *const buckets = calloc(n_buckets, sizeof *buckets);
    int err = -1;

    m.patterns = calloc(s->n_flows + 1u, sizeof *m.patterns);
    if (flows == NULL || buckets == NULL || m.patterns == NULL ||
        tg_flow_table_init(&m.table, flows, (uint32_t)s->n_flows + 1u, buckets, n_buckets, 1u) !=
            0) {
        (void)tg_place_refuse(&file, NULL, "out of memory");
    } else {
        err = admit_all(&m);
    }
    free(m.patterns);
    free(buckets);
    free(flows);
    return err;
}
