/* SPDX-License-Identifier: MIT
 *
 * reach.c - may this match be bound? Refuses duplicates, and matches that could never win.
 *
 * A match never wins if more specific ones together take every frame that it takes. Only fields with few
 * values can be exhausted like that: the kind of destination (unicast, multicast, broadcast), the family,
 * and the protocol within a family. So the frames of a match fall into cells, one per combination of
 * these, and a match is reachable if one cell is taken by no flow of a more specific shape.
 */
#include "table.h"
#include "protocols.h"

#define CASTS (TG_FIELD_BROADCAST | TG_FIELD_MULTICAST)

/* Does one flow of a shape above rank, or extra, take all frames of this cell? A cell is a pattern: the
 * fields that all its frames share, with their values. */
static bool is_taken(const struct tg_flow_table *t, const struct tg_pattern *cell, uint32_t rank,
                     const struct tg_pattern *extra)
{
    if (extra != NULL && (extra->fields & ~(uint32_t)cell->fields) == 0u &&
        extra->word == (cell->word & tg_shape_mask(extra->fields))) {
        return true; /* hosts are the same: may_shadow made sure */
    }
    for (uint32_t i = 0u; i < t->n_shapes && tg_shape_rank(t->shapes[i].fields) > rank; i++) {
        if ((t->shapes[i].fields & ~(uint32_t)cell->fields) == 0u &&
            tg_table_find_exact(t, &t->shapes[i], cell) != 0u) {
            return true;
        }
    }
    return false;
}

/* The three kinds of destination; a match that fixes one admits only some of them. */
static bool casts_are_taken(const struct tg_flow_table *t, struct tg_pattern cell, uint32_t rank,
                            const struct tg_pattern *extra)
{
    static const uint64_t casts[3] = {0u, TG_KEY_GROUP, TG_KEY_GROUP | TG_KEY_BROADCAST};
    const uint64_t fixed = tg_shape_mask(cell.fields & CASTS);
    const uint64_t value = cell.word & fixed;

    cell.fields |= CASTS;
    for (uint32_t i = 0u; i < 3u; i++) {
        cell.word = (cell.word & ~(TG_KEY_GROUP | TG_KEY_BROADCAST)) | casts[i];
        if ((casts[i] & fixed) == value && !is_taken(t, &cell, rank, extra)) {
            return false;
        }
    }
    return true;
}

static bool protocols_are_taken(const struct tg_flow_table *t, struct tg_pattern cell,
                                uint32_t rank, const struct tg_pattern *extra)
{
    const bool is_ip6 = (cell.word >> TG_KEY_KIND_SHIFT & TG_KIND_IP6_BIT) != 0u;

    cell.fields |= TG_FIELD_PROTOCOL;
    for (uint64_t protocol = 0u; protocol < 256u; protocol++) {
        struct tg_pattern one = cell;

        one.word |= protocol << TG_KEY_KIND_SHIFT;
        if (!(is_ip6 && tg_is_ip6_extension((uint32_t)protocol)) &&
            !casts_are_taken(t, one, rank, extra)) {
            return false;
        }
    }
    return true;
}

/* True if bound flows of more specific shapes, and extra when given, take every frame that p takes. */
static bool is_covered(const struct tg_flow_table *t, const struct tg_pattern *p,
                       const struct tg_pattern *extra)
{
    const uint32_t rank = tg_shape_rank(p->fields);
    struct tg_pattern cell = *p;

    if ((p->fields & TG_FIELD_TYPE) != 0u && (p->fields & TG_FIELD_FAMILY) != 0u) {
        return protocols_are_taken(t, cell, rank, extra);
    }
    if ((p->fields & TG_FIELD_PROTOCOL) != 0u && (p->fields & TG_FIELD_FAMILY) == 0u) {
        cell.fields |= TG_FIELD_FAMILY;
        if (!casts_are_taken(t, cell, rank, extra)) {
            return false;
        }
        cell.word |= (uint64_t)TG_KIND_IP6_BIT << TG_KEY_KIND_SHIFT;
    }
    return casts_are_taken(t, cell, rank, extra);
}

/* Could binding p be what takes the last frame from this flow? Cheap: it spares most flows the long look. */
static bool may_shadow(const struct tg_pattern *p, const struct tg_flow *flow)
{
    const uint32_t cells = CASTS | TG_FIELD_FAMILY | TG_FIELD_PROTOCOL;

    if (flow->state != TG_FLOW_BOUND || tg_shape_rank(flow->fields) > tg_shape_rank(p->fields) ||
        (p->fields & ~(flow->fields | cells)) != 0u) {
        return false;
    }
    for (uint32_t i = 0u; i < 4u; i++) {
        if (((p->fields & TG_FIELD_SRC_HOST) != 0u && p->src_host[i] != flow->src_host[i]) ||
            ((p->fields & TG_FIELD_DST_HOST) != 0u && p->dst_host[i] != flow->dst_host[i])) {
            return false;
        }
    }
    return true;
}

int tg_flow_table_admits(const struct tg_flow_table *t, const struct tg_pattern *pattern)
{
    uint32_t i = 0u;

    while (i < t->n_shapes && t->shapes[i].fields != pattern->fields) {
        i++;
    }
    if (i < t->n_shapes && tg_table_find_exact(t, &t->shapes[i], pattern) != 0u) {
        return TG_ERR_EXISTS;
    }
    if (is_covered(t, pattern, NULL)) {
        return TG_ERR_UNREACHABLE;
    }
    for (uint32_t id = 1u; id < t->n_flows; id++) {
        struct tg_pattern bound;

        if (may_shadow(pattern, &t->flows[id])) {
            tg_table_pattern_of(&t->flows[id], &bound);
            if (is_covered(t, &bound, pattern)) {
                return TG_ERR_SHADOWS;
            }
        }
    }
    if ((i == t->n_shapes && t->n_shapes == TG_SHAPES_MAX) ||
        tg_table_chain_length(t, pattern) == TG_FLOW_PROBES_MAX) {
        return TG_ERR_FULL;
    }
    return 0;
}
