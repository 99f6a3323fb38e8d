/* SPDX-License-Identifier: MIT
 *
 * table.h - what the reachability check needs of the flow table, beyond its public face.
 */
#ifndef TG_CORE_TABLE_H
#define TG_CORE_TABLE_H

#include "tidegate/flow.h"

#define TG_HOSTS (TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST)

/* The flow of this shape that takes every frame with the fields of p, or 0. p may fix more than the shape. */
uint32_t tg_table_find_exact(const struct tg_flow_table *t, const struct tg_shape *shape,
                             const struct tg_pattern *p);

/* Flows in the bucket that p belongs to. */
uint32_t tg_table_chain_length(const struct tg_flow_table *t, const struct tg_pattern *p);

void tg_table_pattern_of(const struct tg_flow *flow, struct tg_pattern *p);

#endif
