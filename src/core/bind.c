/* SPDX-License-Identifier: MIT
 *
 * bind.c - flows at run time: a place in the table, a server, and buffers of their own.
 */
#include "path.h"

/* What a release of a closing flow changes is read under the lock, one flow at a time. It can only
 * free more, so what was found free stays so. */
static bool is_free(const struct tg_protocol *p, uint32_t id)
{
    const uint32_t state = tg_port_lock(p->port);
    const bool is = p->table.flows[id].state == TG_FLOW_FREE;

    tg_port_unlock(p->port, state);
    return is;
}

static uint32_t free_slot(const struct tg_protocol *p)
{
    for (uint32_t id = 1u; id < p->table.n_flows; id++) {
        if (is_free(p, id)) {
            return id;
        }
    }
    return 0u;
}

static uint32_t free_buffers(const struct tg_protocol *p)
{
    const uint32_t state = tg_port_lock(p->port);
    const uint32_t n = p->n_buffers - p->promised_pkts;

    tg_port_unlock(p->port, state);
    return n;
}

static void retire(struct tg_flow_counters *sum, const struct tg_flow_counters *c)
{
    sum->passed += c->passed;
    sum->dropped_budget += c->dropped_budget;
    sum->dropped_no_buffer += c->dropped_no_buffer;
}

int tg_rx_bind(struct tg_protocol *p, const struct tg_flow_config *cfg, tg_ns now_ns)
{
    struct tg_pattern pattern;
    struct tg_server server;
    const uint32_t id = free_slot(p);
    struct tg_flow *const flow = &p->table.flows[id];

    if (cfg->reserve_pkts == 0u || cfg->priority >= TG_PRIORITIES) {
        return TG_ERR_RANGE;
    }
    int err = tg_match_compile(&cfg->match, &pattern);

    if (err) {
        return err;
    }
    err = tg_flow_table_admits(&p->table, &pattern);
    if (err) {
        return err;
    }
    if (id == 0u) {
        return TG_ERR_FULL;
    }
    if (cfg->reserve_pkts > free_buffers(p)) {
        return TG_ERR_BUFFERS;
    }
    err = tg_server_init(&server, &cfg->budget, now_ns);
    if (err) {
        return err;
    }

    const uint32_t state = tg_port_lock(p->port);

    retire(&p->retired, &flow->counters);
    *flow = (struct tg_flow){.server = server,
                             .reserve_pkts = cfg->reserve_pkts,
                             .priority = cfg->priority,
                             .epoch = p->epoch};
    p->promised_pkts += cfg->reserve_pkts;
    tg_flow_table_insert(&p->table, id, &pattern);
    tg_port_unlock(p->port, state);
    return (int)id;
}

int tg_rx_unbind(struct tg_protocol *p, uint32_t flow)
{
    if (flow == 0u || flow >= p->table.n_flows) {
        return TG_ERR_STATE;
    }

    struct tg_flow *const f = &p->table.flows[flow];
    const uint32_t state = tg_port_lock(p->port);

    if (f->state != TG_FLOW_BOUND) {
        tg_port_unlock(p->port, state);
        return TG_ERR_STATE;
    }
    tg_flow_table_remove(&p->table, flow);
    p->promised_pkts -= (uint32_t)(f->reserve_pkts - f->counters.held_pkts);
    f->reserve_pkts = f->counters.held_pkts;
    f->state = f->counters.held_pkts == 0u ? TG_FLOW_FREE : TG_FLOW_CLOSING;
    tg_port_unlock(p->port, state);
    return 0;
}
