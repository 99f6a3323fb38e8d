/* SPDX-License-Identifier: MIT
 *
 * rules.c - the flow rules: the core's matches in the core's table, and a priority for each.
 */
#include "nic/model/state.h"

static int bind_rule(struct tg_nic_model *m, uint32_t id, const struct tg_match *match,
                     uint8_t priority)
{
    struct tg_pattern pattern;
    int err = tg_match_compile(match, &pattern);

    if (err) {
        return err;
    }
    err = tg_flow_table_admits(&m->table, &pattern);
    if (err) {
        return err;
    }
    m->flows[id] = (struct tg_flow){.priority = priority};
    tg_flow_table_insert(&m->table, id, &pattern);
    return 0;
}

int tg_nic_rules_reset(struct tg_nic_model *m, uint32_t *bad_rule)
{
    int err = tg_flow_table_init(&m->table, m->flows, TG_NIC_RULES_MAX + 1u, m->buckets,
                                 TG_NIC_BUCKETS, m->seed);

    for (uint32_t i = 0u; i < m->setup.n_rules && err == 0; i++) {
        *bad_rule = i;
        err = bind_rule(m, i + 1u, &m->setup.rules[i].match, m->setup.rules[i].priority);
    }
    return err;
}

/* The four words of an address in the window, as bytes in network order. */
static void load_host(const struct tg_nic_model *m, uint32_t at, uint8_t host[16])
{
    for (uint32_t i = 0u; i < 16u; i++) {
        host[i] = (uint8_t)(tg_nic_get(m, at + (i & ~3u)) >> 8u * (i & 3u));
    }
}

static struct tg_match match_of_window(const struct tg_nic_model *m)
{
    const uint32_t fields = tg_nic_get(m, TG_NIC_RULE_FIELDS);
    const uint32_t kind = tg_nic_get(m, TG_NIC_RULE_KIND);
    const uint32_t ports = tg_nic_get(m, TG_NIC_RULE_PORTS);
    struct tg_match match = {.fields = (uint16_t)fields,
                             .vlan = (uint16_t)(fields >> 16),
                             .type = (uint16_t)kind,
                             .protocol = (uint8_t)(kind >> 16),
                             .family = (uint8_t)(kind >> 24),
                             .dst_port = (uint16_t)ports,
                             .src_port = (uint16_t)(ports >> 16),
                             .broadcast =
                                 (tg_nic_get(m, TG_NIC_RULE_FLAGS) & TG_NIC_RULE_BROADCAST) != 0u};

    load_host(m, TG_NIC_RULE_SRC, match.src_host);
    load_host(m, TG_NIC_RULE_DST, match.dst_host);
    return match;
}

static int bind_window(struct tg_nic_model *m)
{
    const struct tg_match match = match_of_window(m);
    uint32_t id = 1u;

    while (id <= TG_NIC_RULES_MAX && m->flows[id].state != TG_FLOW_FREE) {
        id++;
    }
    if (id > TG_NIC_RULES_MAX) {
        return TG_ERR_FULL;
    }
    const int err =
        bind_rule(m, id, &match, (uint8_t)(tg_nic_get(m, TG_NIC_RULE_FLAGS) >> 8 & 0x1fu));

    if (err == 0) {
        tg_nic_set(m, TG_NIC_RULE_ID, id);
    }
    return err;
}

static int unbind(struct tg_nic_model *m, uint32_t id)
{
    if (id == 0u || id > TG_NIC_RULES_MAX || m->flows[id].state != TG_FLOW_BOUND) {
        return TG_ERR_STATE;
    }
    tg_flow_table_remove(&m->table, id);
    m->flows[id].state = TG_FLOW_FREE;
    return 0;
}

bool tg_nic_rule_command(struct tg_nic_model *m, uint32_t command)
{
    int result;

    if (command == TG_NIC_RULE_BIND) {
        result = bind_window(m);
    } else if (command == TG_NIC_RULE_UNBIND) {
        result = unbind(m, tg_nic_get(m, TG_NIC_RULE_ID));
    } else {
        return false;
    }
    tg_nic_set(m, TG_NIC_RULE_RESULT, (uint32_t)result);
    return true;
}
