/* SPDX-License-Identifier: MIT
 *
 * tables.c - the receive path of the smoke application and its test.
 */
#include "tables.h"
#include "station.h"

#define MS UINT64_C(1000000)

static uint8_t bytes[TABLES_BUFFERS][GEM_BUFFER_BYTES] __attribute__((aligned(64)));
static struct tg_flow flows[TABLES_FLOWS];
static uint32_t buckets[8];
static struct tg_buffer buffers[TABLES_BUFFERS];
static struct gem_stock_buffer stock_buffers[TABLES_BUFFERS];
static struct tg_rxq queues[1];
static struct tg_gate gates[1];

static const struct tg_flow_config flow_configs[] = {
    {.match = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
               .protocol = 17u,
               .dst_port = TABLES_PORT_HIGH},
     .budget = {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 8u, .period_ns = MS},
     .reserve_pkts = 16u,
     .priority = TABLES_PRIORITY_HIGH},
    {.match = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
               .protocol = 17u,
               .dst_port = TABLES_PORT_LOW},
     .budget = {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 4u, .period_ns = MS},
     .reserve_pkts = 16u,
     .priority = TABLES_PRIORITY_LOW},
};

static const struct tg_queue_config queue_configs[] = {{.ring = TABLES_RING}};

const struct tg_config *tables_config(const struct tg_gate_config *gate, bool traces)
{
    static struct tg_config config;

    config = (struct tg_config){
        .gates = gate,
        .queues = queue_configs,
        .flows = flow_configs,
        .station = {.mac = STATION_MAC, .mtu_bytes = 1500u},
        .best_effort_budget = {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 2u, .period_ns = MS},
        .best_effort_reserve_pkts = 8u,
        .best_effort_priority = 1u,
        .floor = 1u,
        .n_flows = TABLES_FLOWS - 1u,
        .n_gates = 1u,
        .n_queues = 1u,
        .trace = traces};
    return &config;
}

const struct tg_storage *tables_storage(void)
{
    static const struct tg_storage storage = {.flows = flows,
                                              .buckets = buckets,
                                              .buffers = buffers,
                                              .queues = queues,
                                              .gates = gates,
                                              .n_flows = TABLES_FLOWS,
                                              .n_buckets = 8u,
                                              .n_buffers = TABLES_BUFFERS};

    for (uint32_t i = 0u; i < TABLES_BUFFERS; i++) {
        buffers[i].data = bytes[i];
        buffers[i].size_bytes = GEM_BUFFER_BYTES;
    }
    return &storage;
}

struct gem_stock_buffer *tables_stock_buffers(void)
{
    for (uint32_t i = 0u; i < TABLES_BUFFERS; i++) {
        stock_buffers[i].data = bytes[i];
    }
    return stock_buffers;
}
