/* SPDX-License-Identifier: MIT
 *
 * finder.h - the core's own table with the flows of a system, for questions before anything runs.
 */
#ifndef TG_SYSTEM_FINDER_H
#define TG_SYSTEM_FINDER_H

#include "system/system.h"

#define TG_FINDER_MALFORMED (-1)

struct tg_finder {
    const struct tg_system *system;
    struct tg_flow_table table; /* flow i is id i + 1 */
    struct tg_flow *flows;
    uint32_t *buckets;
    struct tg_pattern *patterns; /* of all flows */
};

/* Set up a table in which no flow is bound yet.
 *
 * Context: task; allocates.
 * Returns: 0, tg_finder_close() is then due; -1 when out of memory.
 * Cost:    O(flows). */
TG_NODISCARD int tg_finder_open(struct tg_finder *f, const struct tg_system *system);

/* Bind flow i if the core admits it beside those that are bound.
 *
 * Context: task.
 * Returns: as tg_flow_table_admits().
 * Cost:    as tg_flow_table_admits(). */
TG_NODISCARD int tg_finder_bind(struct tg_finder *f, size_t i);

/* Context: task; flow i is bound. Cost: O(1). */
void tg_finder_unbind(struct tg_finder *f, size_t i);

/* Context: any. Cost: O(1). */
bool tg_finder_is_bound(const struct tg_finder *f, size_t i);

/* Which bound flow takes this frame?
 *
 * Context: any.
 * Returns: i + 1 for flow i, 0 for best effort, TG_FINDER_MALFORMED.
 * Cost:    O(1). */
int tg_finder_find(const struct tg_finder *f, const uint8_t *bytes, uint32_t len_bytes);

/* Context: task. Cost: O(1). */
void tg_finder_close(struct tg_finder *f);

#endif
