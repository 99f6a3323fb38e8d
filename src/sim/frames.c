/* SPDX-License-Identifier: MIT
 *
 * frames.c - which flow and which NIC queue take a frame.
 */
#include "sim/frames.h"
#include "system/lower.h"

#include <stdlib.h>

struct tg_classifier {
    const struct tg_system *system;
    struct tg_flow_table table;
    struct tg_flow *flows;
    uint32_t *buckets;
};

static int bind_all(struct tg_classifier *c)
{
    for (uint32_t i = 0u; i < c->system->n_flows; i++) {
        struct tg_pattern pattern;

        if (tg_match_compile(&c->system->flows[i].match, &pattern) != 0 ||
            tg_flow_table_admits(&c->table, &pattern) != 0) {
            return TG_SIM_ERR_CONFIG;
        }
        tg_flow_table_insert(&c->table, i + 1u, &pattern);
    }
    return 0;
}

int tg_classifier_open(const struct tg_system *system, struct tg_classifier **out)
{
    const uint32_t n_flows = (uint32_t)system->n_flows + 1u;
    const uint32_t n_buckets = tg_system_buckets(system);
    struct tg_classifier *const c = calloc(1u, sizeof *c);
    int err = TG_SIM_ERR_MEMORY;

    *out = NULL;
    if (c == NULL) {
        return err;
    }
    c->system = system;
    c->flows = calloc(n_flows, sizeof *c->flows);
    c->buckets = calloc(n_buckets, sizeof *c->buckets);
    if (c->flows != NULL && c->buckets != NULL) {
        /* Nobody chooses frames against this seed: results must not depend on it. */
        err = tg_flow_table_init(&c->table, c->flows, n_flows, c->buckets, n_buckets, 1u);
    }
    if (err == 0) {
        err = bind_all(c);
    }
    if (err != 0) {
        tg_classifier_close(c);
        return err;
    }
    *out = c;
    return 0;
}

void tg_classifier_close(struct tg_classifier *c)
{
    if (c != NULL) {
        free(c->flows);
        free(c->buckets);
        free(c);
    }
}

void tg_classifier_sort(const struct tg_classifier *c, struct tg_sim_frame *frame)
{
    const struct tg_system *const system = c->system;
    struct tg_frame_key key;
    const enum tg_frame_class class =
        tg_frame_parse(&system->receive.station, frame->bytes, frame->len_bytes, TG_TCI_NONE, &key);

    frame->flow = 0u;
    frame->queue = system->best_effort.queue;
    if (class == TG_FRAME_MALFORMED) {
        frame->flow = (uint16_t)tg_sim_malformed(system);
    } else if (class == TG_FRAME_MATCH) {
        frame->flow = (uint16_t)tg_flow_table_find(&c->table, &key, frame->bytes);
    }
    if (class == TG_FRAME_MATCH && frame->flow != 0u) {
        frame->queue = system->flows[frame->flow - 1u].queue;
    }
}
