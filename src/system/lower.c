/* SPDX-License-Identifier: MIT
 *
 * lower.c - from a system to the configuration of the core.
 */
#include "system/lower.h"

#include <stdlib.h>
#include <string.h>

#define BUFFER_ALIGN_BYTES 64u /* a cache line */

uint32_t tg_system_buckets(const struct tg_system *s)
{
    uint32_t n = 4u;

    /* Four for each flow: then 9 flows that meet in one bucket, which would be refused, are a
     * rarity. */
    while (n < 4u * ((uint32_t)s->n_flows + 1u) && n < 65536u) {
        n *= 2u;
    }
    return n;
}

tg_ns tg_system_with_switches_ns(const struct tg_system *s, tg_ns work_ns)
{
    return work_ns + 2u * s->switch_ns;
}

/* Largest frame that is not oversize: an Ethernet header and two tags beside the IP packet. */
static uint32_t buffer_bytes(const struct tg_system *s)
{
    const uint32_t frame = s->receive.station.mtu_bytes + 14u + 4u * TG_TAGS_MAX;
    const uint32_t least = frame > TG_FRAME_HEAD_BYTES ? frame : TG_FRAME_HEAD_BYTES;

    return (least + BUFFER_ALIGN_BYTES - 1u) / BUFFER_ALIGN_BYTES * BUFFER_ALIGN_BYTES;
}

/* The windows of sporadic servers lie one after the other; the next one starts at *windows. */
static struct tg_server_config lower_budget(const struct tg_system_budget *b, tg_ns **windows)
{
    struct tg_server_config c = {
        .kind = b->kind, .budget_pkts = b->packets, .period_ns = b->period_ns};

    if (b->kind == TG_SERVER_SPORADIC) {
        c.window = *windows;
        *windows += b->packets;
    }
    return c;
}

static size_t window_of(const struct tg_system_budget *b)
{
    return b->kind == TG_SERVER_SPORADIC ? b->packets : 0u;
}

static size_t count_windows(const struct tg_system *s)
{
    size_t n = window_of(&s->best_effort.budget);

    for (size_t i = 0u; i < s->n_gates; i++) {
        n += window_of(&s->gates[i]);
    }
    for (size_t i = 0u; i < s->n_flows; i++) {
        n += window_of(&s->flows[i].budget);
    }
    return n;
}

static void lower_gates(const struct tg_system *s, struct tg_system_config *out, tg_ns **windows)
{
    for (size_t i = 0u; i < s->n_gates; i++) {
        /* A gate without a count has nothing that a tick could refill. */
        const bool has_refills =
            s->gates[i].kind == TG_SERVER_DEFERRABLE || s->gates[i].kind == TG_SERVER_POLLING;

        out->gates[i] = (struct tg_gate_config){.budget = lower_budget(&s->gates[i], windows),
                                                .refill = has_refills ? s->receive.refill
                                                                      : TG_REFILL_TIMESTAMP};
    }
    for (size_t i = 0u; i < s->n_queues; i++) {
        out->queues[i] = (struct tg_queue_config){
            .ring = s->queues[i].ring_pkts, .rank = s->queues[i].rank, .gate = s->queues[i].gate};
    }
}

static void lower_flows(const struct tg_system *s, struct tg_system_config *out, tg_ns **windows)
{
    for (size_t i = 0u; i < s->n_flows; i++) {
        const struct tg_system_flow *const f = &s->flows[i];

        out->flows[i] = (struct tg_flow_config){.match = f->match,
                                                .budget = lower_budget(&f->budget, windows),
                                                .reserve_pkts = f->reserve_pkts,
                                                .priority = f->priority};
    }
}

int tg_system_lower_config(const struct tg_system *system, struct tg_system_config *out)
{
    const struct tg_system_best_effort *const rest = &system->best_effort;

    memset(out, 0, sizeof *out);
    out->flows = calloc(system->n_flows + 1u, sizeof *out->flows);
    out->windows = calloc(count_windows(system) + 1u, sizeof *out->windows);
    if (out->flows == NULL || out->windows == NULL) {
        tg_system_config_free(out);
        return -1;
    }
    tg_ns *windows = out->windows;

    lower_gates(system, out, &windows);
    lower_flows(system, out, &windows);
    out->n_flows = (uint32_t)system->n_flows + 1u;
    out->n_buckets = tg_system_buckets(system);
    out->n_buffers = system->receive.buffers_pkts;
    out->buffer_bytes = buffer_bytes(system);
    out->config = (struct tg_config){.gates = out->gates,
                                     .queues = out->queues,
                                     .flows = out->flows,
                                     .station = system->receive.station,
                                     .floor = system->receive.floor,
                                     .n_flows = (uint16_t)system->n_flows,
                                     .n_gates = (uint8_t)system->n_gates,
                                     .n_queues = (uint8_t)system->n_queues};
    /* Best effort that is dropped is all zero, and no reserve is how the core is told. */
    out->config.best_effort_budget = lower_budget(&rest->budget, &windows);
    out->config.best_effort_reserve_pkts = rest->reserve_pkts;
    out->config.best_effort_priority = rest->priority;
    return 0;
}

void tg_system_config_free(struct tg_system_config *config)
{
    free(config->flows);
    free(config->windows);
    memset(config, 0, sizeof *config);
}
