/* SPDX-License-Identifier: MIT
 *
 * setup.c - from a system file or a list of rules to what the NIC's registers hold after a reset.
 */
#include "nic/device/setup.h"

#include "system/rules_system.h"

#include <stdlib.h>
#include <string.h>

#define MTU_BYTES 1500u

static const struct tg_position nowhere = {0u, 0u};

/* A duration that a register holds. */
static uint32_t take_ns(tg_ns ns, struct tg_position at, const char *what, struct tg_errors *errors)
{
    if (ns > UINT32_MAX) {
        tg_errors_add(errors, at, "%s: found %llu ns, the NIC takes at most %u ns", what,
                      (unsigned long long)ns, UINT32_MAX);
    }
    return (uint32_t)ns;
}

static void take_gate(const struct tg_system_budget *gate, struct tg_nic_queue_setup *to,
                      struct tg_errors *errors)
{
    if (gate->kind != TG_SERVER_UNLIMITED) {
        to->gate_budget = gate->packets;
        to->gate_period_ns = take_ns(gate->period_ns, gate->at, "gate", errors);
    }
}

static void take_queues(const struct tg_system *s, struct tg_nic_file *out,
                        struct tg_errors *errors)
{
    out->setup.n_queues = (uint32_t)s->n_queues;
    for (size_t k = 0u; k < s->n_queues; k++) {
        const struct tg_system_queue *const q = &s->queues[k];
        struct tg_nic_queue_setup *const to = &out->setup.queues[k];

        *to = (struct tg_nic_queue_setup){
            .priority_min = q->priority_min,
            .priority_max = q->priority_max,
            .packets = q->moderation_pkts,
            .absolute_ns = take_ns(q->absolute_timer_ns, q->at, "absolute_timer", errors),
            .packet_ns = take_ns(q->packet_timer_ns, q->at, "packet_timer", errors)};
        take_gate(&s->gates[q->gate], to, errors);
        strncpy(out->queue_names[k], q->name, TG_SYSTEM_NAME_MAX_BYTES);
    }
}

static int out_of_memory(struct tg_errors *errors)
{
    tg_errors_add(errors, nowhere, "out of memory");
    return -1;
}

static int allocate(struct tg_nic_file *out, size_t n_rules, struct tg_errors *errors)
{
    if (n_rules > TG_NIC_RULES_MAX) {
        tg_errors_add(errors, nowhere, "found %zu flows, the NIC takes at most %u", n_rules,
                      TG_NIC_RULES_MAX);
        return -1;
    }
    out->rules = calloc(n_rules + 1u, sizeof *out->rules);
    out->setup.rules = out->rules;
    out->setup.n_rules = (uint32_t)n_rules;
    return out->rules != NULL ? 0 : out_of_memory(errors);
}

static int take_system(const struct tg_system *s, struct tg_nic_file *out, struct tg_errors *errors)
{
    if (allocate(out, s->n_flows, errors) != 0) {
        return -1;
    }
    for (size_t i = 0u; i < s->n_flows; i++) {
        out->rules[i] =
            (struct tg_nic_rule){.match = s->flows[i].match, .priority = s->flows[i].priority};
    }
    out->setup.station = s->receive.station;
    out->setup.accepts_unregistered = !s->best_effort.is_dropped;
    out->setup.best_effort_priority = s->best_effort.priority;
    take_queues(s, out, errors);
    return errors->n == 0u ? 0 : -1;
}

static int take_rules(const struct tg_rules *rules, struct tg_nic_file *out,
                      struct tg_errors *errors)
{
    if (allocate(out, rules->n, errors) != 0) {
        return -1;
    }
    for (size_t i = 0u; i < rules->n; i++) {
        out->rules[i] = (struct tg_nic_rule){.match = rules->rules[i].match, .priority = 1u};
    }
    out->setup.station = (struct tg_station){.mac = TG_MAC_NONE, .mtu_bytes = MTU_BYTES};
    out->setup.accepts_unregistered = true;
    out->setup.n_queues = 2u;
    out->setup.queues[1] =
        (struct tg_nic_queue_setup){.priority_min = 1u, .priority_max = TG_PRIORITIES - 1u};
    strcpy(out->queue_names[0], "rest");
    strcpy(out->queue_names[1], "rules");
    return 0;
}

static int load_system(const char *path, struct tg_nic_file *out, struct tg_errors *errors)
{
    struct tg_system *system;
    int err = tg_system_load(path, &system, errors);

    if (err == 0) {
        err = take_system(system, out, errors);
    }
    tg_system_free(system);
    return err;
}

static int load_rules(const char *path, struct tg_nic_file *out, struct tg_errors *errors)
{
    struct tg_rules rules;
    int err = tg_rules_load(path, &rules, errors);

    if (err == 0) {
        err = take_rules(&rules, out, errors);
        tg_rules_free(&rules);
    }
    return err;
}

int tg_nic_file_load(const char *path, struct tg_nic_file *out, struct tg_errors *errors)
{
    memset(out, 0, sizeof *out);
    const int err = tg_rules_is_system_file(path) ? load_system(path, out, errors)
                                                  : load_rules(path, out, errors);

    if (err != 0) {
        tg_nic_file_free(out);
    }
    return err;
}

void tg_nic_file_free(struct tg_nic_file *file)
{
    free(file->rules);
    memset(file, 0, sizeof *file);
}
