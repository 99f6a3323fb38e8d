/* SPDX-License-Identifier: MIT
 *
 * table.h - what the reachability check needs of the flow table, beyond its public face.
 */
#ifndef TG_CORE_TABLE_H
#define TG_CORE_TABLE_H

#include "tidegate/flow.h"

#define TG_HOSTS (TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST)

/* The flow of this shape that takes every frame with these fields, or 0. word may fix more than the shape
 * does; hosts are those of the pattern. */
uint32_t tg_table_find_exact(const struct tg_flow_table *t, const struct tg_shape *shape,
                             uint64_t word, const struct tg_hosts *hosts);

/* Flows in the bucket that p belongs to. */
uint32_t tg_table_chain_length(const struct tg_flow_table *t, const struct tg_pattern *p);

#endif
