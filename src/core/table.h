/* SPDX-License-Identifier: MIT
 *
 * table.h - the flow table from inside: look-up as an inline function (see hot.h), and what the
 * reachability check needs.
 */
#ifndef TG_CORE_TABLE_H
#define TG_CORE_TABLE_H

#include "hot.h"
#include "tidegate/flow.h"

#define TG_HOSTS (TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST)

/* The flow of this shape with exactly these fields, or NULL. word: under the shape's mask; hosts: those that
 * the shape does not fix do not matter. */
struct tg_flow *tg_table_probe(const struct tg_flow_table *t, const struct tg_shape *shape,
                               uint64_t word, const struct tg_hosts *hosts);

/* The same for a frame: word as in its key, network: where its network header stands. */
struct tg_flow *tg_table_probe_frame(const struct tg_flow_table *t, const struct tg_shape *shape,
                                     uint64_t word, const uint8_t *network);

/* Flows in the bucket that p belongs to. */
uint32_t tg_table_chain_length(const struct tg_flow_table *t, const struct tg_pattern *p);

/* An entry of a bucket is a flow's id below bits of its hash, so that most flows that share a bucket by
 * accident are passed over without a look at them. high: upper half of the hash, whose own upper bits chose
 * the bucket. Returns the flow at which to go on with flow->next, *is_candidate if it is worth a look. */
static inline struct tg_flow *tg_table_at(const struct tg_flow_table *t, uint32_t entry,
                                          uint32_t high, bool *is_candidate)
{
    const uint32_t id = entry ^ high << 16;

    *is_candidate = id <= 0xffffu;
    return &t->flows[entry & 0xffffu];
}

static TG_HOT struct tg_flow *tg_table_find(const struct tg_flow_table *t, uint64_t key_word,
                                            const uint8_t *network)
{
    const struct tg_shape *shape = t->shapes;

    for (uint32_t n = t->n_shapes; n != 0u; n--, shape++) {
        if (TG_UNLIKELY((shape->fields & TG_HOSTS) != 0u)) {
            struct tg_flow *const flow = tg_table_probe_frame(t, shape, key_word, network);

            if (flow != NULL) {
                return flow;
            }
            continue;
        }

        const uint64_t word = key_word & shape->mask;
        const uint32_t high = (uint32_t)(word * shape->multiplier >> 32);
        uint32_t entry = t->buckets[high >> t->shift];

        while (entry != 0u) {
            bool is_candidate;
            struct tg_flow *const flow = tg_table_at(t, entry, high, &is_candidate);

            if (is_candidate && flow->word == word && flow->fields == shape->fields) {
                return flow;
            }
            entry = flow->next;
        }
    }
    return t->flows; /* best effort */
}

#endif
