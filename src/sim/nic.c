/* SPDX-License-Identifier: MIT
 *
 * nic.c - descriptor rings and the moderation of their interrupts.
 */
#include "sim/nic.h"

#include <stdlib.h>

static int init_queue(struct tg_nic_queue *q, const struct tg_system_queue *cfg, bool is_moderated)
{
    struct tg_moderation_config moderation = {.packets = 0u};

    q->cfg = cfg;
    q->size = cfg->ring_pkts;
    q->is_moderated = is_moderated;
    if (is_moderated) {
        moderation = (struct tg_moderation_config){.absolute_ns = cfg->absolute_timer_ns,
                                                   .packet_ns = cfg->packet_timer_ns,
                                                   .packets = cfg->moderation_pkts};
    }
    if (tg_moderation_init(&q->moderation, &moderation) != 0) {
        return TG_SIM_ERR_CONFIG;
    }
    q->slots = calloc(q->size, sizeof *q->slots);
    return q->slots != NULL ? 0 : TG_SIM_ERR_MEMORY;
}

static bool is_moderated(const struct tg_system_queue *cfg)
{
    return cfg->absolute_timer_ns != 0u || cfg->packet_timer_ns != 0u || cfg->moderation_pkts > 1u;
}

int tg_nic_init(struct tg_nic *nic, const struct tg_system *system, enum tg_sim_policy policy)
{
    *nic = (struct tg_nic){.timer_at_ns = TG_SIM_NEVER};

    const struct tg_system_queue *const queues = tg_sim_queues(system, policy, &nic->n_queues);
    int err = 0;

    nic->is_single = queues == &system->stock_queue;
    nic->knows_flows =
        (policy == TG_SIM_NIC || policy == TG_SIM_COMBINED) && system->best_effort.is_dropped;
    nic->malformed_flow = tg_sim_malformed(system);
    for (uint32_t i = 0u; i < nic->n_queues && err == 0; i++) {
        /* That of the one queue of stock drivers is for stock-moderated. */
        const bool has_moderation = !nic->is_single || policy == TG_SIM_STOCK_MODERATED;

        err = init_queue(&nic->queues[i], &queues[i], has_moderation && is_moderated(&queues[i]));
    }
    return err;
}

void tg_nic_free(struct tg_nic *nic)
{
    for (uint32_t i = 0u; i < nic->n_queues; i++) {
        free(nic->queues[i].slots);
    }
}

static tg_ns earlier(tg_ns a, tg_ns b)
{
    return a < b ? a : b;
}

static void find_timer(struct tg_nic *nic)
{
    nic->timer_at_ns = TG_SIM_NEVER;
    for (uint32_t i = 0u; i < nic->n_queues; i++) {
        nic->timer_at_ns =
            earlier(nic->timer_at_ns, tg_moderation_due_ns(&nic->queues[i].moderation));
    }
}

/* Out of line: most queues are not moderated, and these take registers. */
static TG_NOINLINE void moderate(struct tg_nic *nic, uint32_t queue, tg_ns now_ns)
{
    if (tg_moderation_arrive(&nic->queues[queue].moderation, now_ns) != TG_MODERATION_NONE) {
        nic->asking |= 1u << queue;
    }
    find_timer(nic);
}

static TG_NOINLINE void acknowledge(struct tg_nic *nic, uint32_t queue)
{
    tg_moderation_acknowledge(&nic->queues[queue].moderation);
    find_timer(nic);
}

/* Before any queue, and without a word to the CPU. */
static TG_NOINLINE bool refuse(struct tg_nic *nic, const struct tg_sim_frame *frame)
{
    nic->malformed += frame->flow == nic->malformed_flow;
    nic->unregistered += frame->flow == 0u;
    return frame->flow == nic->malformed_flow || frame->flow == 0u;
}

enum tg_nic_fate tg_nic_arrive(struct tg_nic *nic, uint32_t queue, const struct tg_sim_frame *frame,
                               tg_ns now_ns)
{
    struct tg_nic_queue *const q = &nic->queues[queue];

    if (TG_UNLIKELY(nic->knows_flows) && refuse(nic, frame)) {
        return TG_NIC_REFUSED;
    }
    if (nic->filled_pkts[queue] == q->size) {
        return TG_NIC_LOST;
    }
    uint32_t at = q->head + nic->filled_pkts[queue];

    at = at >= q->size ? at - q->size : at;
    q->slots[at].at_ns = now_ns;
    q->slots[at].frame = frame;
    nic->filled_pkts[queue]++;
    if ((nic->asking & 1u << queue) == 0u) {
        if (q->is_moderated) {
            moderate(nic, queue, now_ns);
        } else {
            nic->asking |= 1u << queue;
        }
    }
    return TG_NIC_ENTERS;
}

void tg_nic_disturb(struct tg_nic *nic, uint32_t queue)
{
    nic->spurious |= 1u << queue;
    nic->asking |= 1u << queue;
}

void tg_nic_timer(struct tg_nic *nic, tg_ns now_ns)
{
    for (uint32_t i = 0u; i < nic->n_queues; i++) {
        if (tg_moderation_timer(&nic->queues[i].moderation, now_ns) != TG_MODERATION_NONE) {
            nic->asking |= 1u << i;
        }
    }
    find_timer(nic);
}

void tg_nic_step(struct tg_nic *nic)
{
    for (uint32_t i = 0u; i < nic->n_queues; i++) {
        nic->queues[i].visible = nic->filled_pkts[i];
    }
}

void tg_nic_take(struct tg_nic *nic, uint32_t queue)
{
    struct tg_nic_queue *const q = &nic->queues[queue];

    q->head = q->head + 1u == q->size ? 0u : q->head + 1u;
    nic->filled_pkts[queue]--;
    if (nic->filled_pkts[queue] == 0u) {
        nic->asking &= ~(1u << queue) | nic->spurious;
        if (q->is_moderated) {
            acknowledge(nic, queue);
        }
    }
}
