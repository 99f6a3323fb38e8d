/* SPDX-License-Identifier: MIT
 *
 * finder.c - the core's own table with the flows of a system.
 */
#include "system/finder.h"
#include "system/lower.h"

#include <stdlib.h>
#include <string.h>

int tg_finder_open(struct tg_finder *f, const struct tg_system *system)
{
    const uint32_t n_flows = (uint32_t)system->n_flows + 1u;
    const uint32_t n_buckets = tg_system_buckets(system);

    memset(f, 0, sizeof *f);
    f->system = system;
    f->flows = calloc(n_flows, sizeof *f->flows);
    f->buckets = calloc(n_buckets, sizeof *f->buckets);
    f->patterns = calloc(n_flows, sizeof *f->patterns);
    /* Nobody chooses frames against this seed. */
    if (f->flows == NULL || f->buckets == NULL || f->patterns == NULL ||
        tg_flow_table_init(&f->table, f->flows, n_flows, f->buckets, n_buckets, 1u) != 0) {
        tg_finder_close(f);
        return -1;
    }
    return 0;
}

int tg_finder_bind(struct tg_finder *f, size_t i)
{
    int err = tg_match_compile(&f->system->flows[i].match, &f->patterns[i]);

    if (err == 0) {
        err = tg_flow_table_admits(&f->table, &f->patterns[i]);
    }
    if (err == 0) {
        tg_flow_table_insert(&f->table, (uint32_t)i + 1u, &f->patterns[i]);
    }
    return err;
}

void tg_finder_unbind(struct tg_finder *f, size_t i)
{
    tg_flow_table_remove(&f->table, (uint32_t)i + 1u);
    f->flows[i + 1u].state = TG_FLOW_FREE;
}

bool tg_finder_is_bound(const struct tg_finder *f, size_t i)
{
    return f->flows[i + 1u].state == TG_FLOW_BOUND;
}

int tg_finder_find(const struct tg_finder *f, const uint8_t *bytes, uint32_t len_bytes)
{
    struct tg_frame_key key;

    switch (tg_frame_parse(&f->system->receive.station, bytes, len_bytes, TG_TCI_NONE, &key)) {
    case TG_FRAME_MALFORMED:
        return TG_FINDER_MALFORMED;
    case TG_FRAME_MATCH:
        return (int)tg_flow_table_find(&f->table, &key, bytes);
    default:
        return 0;
    }
}

void tg_finder_close(struct tg_finder *f)
{
    free(f->flows);
    free(f->buckets);
    free(f->patterns);
    memset(f, 0, sizeof *f);
}
