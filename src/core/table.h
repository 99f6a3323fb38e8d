/* SPDX-License-Identifier: MIT
 *
 * table.h - the flow table from inside: look-up, and what the reachability check needs.
 */
#ifndef TG_CORE_TABLE_H
#define TG_CORE_TABLE_H

#include "tidegate/flow.h"

#define TG_HOSTS (TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST)

/* The flow of this shape with exactly these fields, or NULL. word: under the shape's mask; hosts:
 * those that the shape does not fix do not matter. */
struct tg_flow *tg_table_probe(const struct tg_flow_table *t, const struct tg_shape *shape,
                               uint64_t word, const struct tg_hosts *hosts);

/* The bit of a destination port in struct tg_shape's ports: if it is clear, a probe is spared. */
static inline uint32_t tg_table_port_bit(uint64_t word)
{
    return 1u << ((uint32_t)word & 31u);
}

/* The flow that takes a frame, if no shape before this one has it; best effort included. key_word:
 * of its key; network: where its network header stands. */
struct tg_flow *tg_table_find(const struct tg_flow_table *t, const struct tg_shape *from,
                              uint64_t key_word, const uint8_t *network);

/* Flows in the bucket that p belongs to. */
uint32_t tg_table_chain_length(const struct tg_flow_table *t, const struct tg_pattern *p);

/* Set in the word of a flow that fixes addresses, and in no key: comparing words never finds it. */
#define TG_WORD_HOSTS (UINT64_C(1) << 63)

/* An entry of a bucket is a flow's id above bits of its hash, so that most flows that share a
 * bucket by accident are passed over without a look at them. high: upper half of the hash, whose
 * own upper bits chose the bucket. */
static inline bool tg_table_is_candidate(uint32_t entry, uint32_t high)
{
    return (uint16_t)entry == (uint16_t)high;
}

static inline struct tg_flow *tg_table_at(const struct tg_flow_table *t, uint32_t entry)
{
    return &t->flows[entry >> 16];
}

#endif
