/* SPDX-License-Identifier: MIT
 *
 * reach.c - may this match be bound? Refuses duplicates, and matches that could never win.
 *
 * A match never wins if more specific ones together take every frame that it takes. Only fields
 * with few values can be exhausted like that: the kind of destination (unicast, multicast,
 * broadcast), the family, and the protocol within a family. So the frames of a match fall into
 * cells, one per combination of these, and a match is reachable if one cell is taken by no flow of
 * a more specific shape.
 */
#include "table.h"
#include "protocols.h"

#define CASTS     (TG_FIELD_BROADCAST | TG_FIELD_MULTICAST)
#define GROUP     ((uint32_t)(TG_KEY_GROUP >> 32)) /* 64-bit arithmetic is dear on small cores */
#define BROADCAST ((uint32_t)(TG_KEY_BROADCAST >> 32))

/* A cell: fields that all its frames share, with their values; addresses are those of the match. */
struct cell {
    const struct tg_flow_table *table;
    const struct tg_hosts *hosts;
    const struct tg_pattern *extra; /* about to be bound, or NULL */
    uint32_t rank;                  /* of the match: only shapes above it count */
    uint32_t fields;
    uint64_t word;
};

static bool is_taken(const struct cell *c)
{
    const struct tg_flow_table *const t = c->table;

    if (c->extra != NULL && (c->extra->fields & ~c->fields) == 0u &&
        c->extra->word == (c->word & tg_shape_mask(c->extra->fields))) {
        return true; /* its addresses are the same: may_shadow made sure */
    }
    for (uint32_t i = 0u; i < t->n_shapes && tg_shape_rank(t->shapes[i].fields) > c->rank; i++) {
        if ((t->shapes[i].fields & ~c->fields) == 0u &&
            tg_table_probe(t, &t->shapes[i], c->word & t->shapes[i].mask, c->hosts) != NULL) {
            return true;
        }
    }
    return false;
}

/* Is a frame of this match taken by nobody else? Tries one destination after the other; a match
 * that fixes one (fixed: its CASTS bits) admits only some of them. */
static bool has_free_cast(struct cell *c, uint32_t fixed_high)
{
    const uint32_t high = (uint32_t)(c->word >> 32);
    uint32_t cast = 0u;

    for (uint32_t i = 0u; i < 3u; i++) {
        if (((cast ^ high) & fixed_high) == 0u) {
            c->word = (uint64_t)((high & ~(GROUP | BROADCAST)) | cast) << 32 | (uint32_t)c->word;
            if (!is_taken(c)) {
                return true;
            }
        }
        cast = cast == 0u ? GROUP : GROUP | BROADCAST;
    }
    return false;
}

/* True if bound flows of more specific shapes, and extra when given, take every frame that a match
 * with this pattern takes. */
static bool is_covered(const struct tg_flow_table *t, uint64_t word, uint32_t fields,
                       const struct tg_hosts *hosts, const struct tg_pattern *extra)
{
    const uint32_t fixed_high = (uint32_t)(tg_shape_mask(fields & CASTS) >> 32);
    const bool is_family = (fields & TG_FIELD_TYPE) != 0u && (fields & TG_FIELD_FAMILY) != 0u;
    const bool is_any_family =
        (fields & TG_FIELD_PROTOCOL) != 0u && (fields & TG_FIELD_FAMILY) == 0u;
    /* What a cell adds to the kind: a family, or a protocol that rule 14 lets through to
     * matching. */
    const uint32_t last = is_family ? 255u : is_any_family ? TG_KIND_IP6_BIT : 0u;
    const uint32_t step = is_any_family ? TG_KIND_IP6_BIT : 1u;
    const bool is_ip6 = (word >> TG_KEY_KIND_SHIFT & TG_KIND_IP6_BIT) != 0u;
    struct cell c = {.table = t,
                     .hosts = hosts,
                     .extra = extra,
                     .rank = tg_shape_rank(fields),
                     .fields = fields | CASTS | (is_family ? TG_FIELD_PROTOCOL : 0u) |
                               (is_any_family ? TG_FIELD_FAMILY : 0u)};

    for (uint32_t more = 0u; more <= last; more += step) {
        c.word = word | (uint64_t)more << TG_KEY_KIND_SHIFT;
        if (!(is_family && is_ip6 && tg_is_ip6_extension(more)) && has_free_cast(&c, fixed_high)) {
            return false;
        }
    }
    return true;
}

/* Could binding p be what takes the last frame from this flow? Cheap: it spares most flows the long
 * look. */
static bool may_shadow(const struct tg_pattern *p, const struct tg_flow *flow)
{
    const uint32_t cells = CASTS | TG_FIELD_FAMILY | TG_FIELD_PROTOCOL;
    uint32_t difference = 0u;

    /* Not its state, which a release changes meanwhile: bound is what has a shape. */
    if (flow->fields == 0u || tg_shape_rank(flow->fields) > tg_shape_rank(p->fields) ||
        (p->fields & ~(flow->fields | cells)) != 0u) {
        return false;
    }
    for (uint32_t i = 0u; i < 4u; i++) {
        if ((p->fields & TG_FIELD_SRC_HOST) != 0u) {
            difference |= p->hosts.src[i] ^ flow->hosts.src[i];
        }
        if ((p->fields & TG_FIELD_DST_HOST) != 0u) {
            difference |= p->hosts.dst[i] ^ flow->hosts.dst[i];
        }
    }
    return difference == 0u;
}

int tg_flow_table_admits(const struct tg_flow_table *t, const struct tg_pattern *pattern)
{
    uint32_t i = 0u;

    while (i < t->n_shapes && t->shapes[i].fields != pattern->fields) {
        i++;
    }
    if (i < t->n_shapes &&
        tg_table_probe(t, &t->shapes[i], pattern->word, &pattern->hosts) != NULL) {
        return TG_ERR_EXISTS;
    }
    if (is_covered(t, pattern->word, pattern->fields, &pattern->hosts, NULL)) {
        return TG_ERR_UNREACHABLE;
    }
    for (uint32_t id = 1u; id < t->n_flows; id++) {
        const struct tg_flow *const f = &t->flows[id];

        if (may_shadow(pattern, f) && is_covered(t, f->word, f->fields, &f->hosts, pattern)) {
            return TG_ERR_SHADOWS;
        }
    }
    if ((i == t->n_shapes && t->n_shapes == TG_SHAPES_MAX) ||
        tg_table_chain_length(t, pattern) == TG_FLOW_PROBES_MAX) {
        return TG_ERR_FULL;
    }
    return 0;
}
