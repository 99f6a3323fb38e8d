/* SPDX-License-Identifier: MIT
 *
 * nic.c - descriptor rings and the moderation of their interrupts.
 */
#include "sim/nic.h"

#include <stdlib.h>

int tg_nic_init(struct tg_nic *nic, const struct tg_system *system)
{
    *nic = (struct tg_nic){.n_queues = (uint32_t)system->n_queues, .timer_at_ns = TG_SIM_NEVER};
    for (uint32_t i = 0u; i < nic->n_queues; i++) {
        struct tg_nic_queue *const q = &nic->queues[i];

        q->cfg = &system->queues[i];

        const struct tg_moderation_config moderation = {.absolute_ns = q->cfg->absolute_timer_ns,
                                                        .packet_ns = q->cfg->packet_timer_ns,
                                                        .packets = q->cfg->moderation_pkts};

        q->size = q->cfg->ring_pkts;
        q->is_moderated = q->cfg->absolute_timer_ns != 0u || q->cfg->packet_timer_ns != 0u ||
                          q->cfg->moderation_pkts > 1u;
        if (tg_moderation_init(&q->moderation, &moderation) != 0) {
            return TG_SIM_ERR_CONFIG;
        }
        q->slots = calloc(q->size, sizeof *q->slots);
        if (q->slots == NULL) {
            return TG_SIM_ERR_MEMORY;
        }
    }
    return 0;
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

bool tg_nic_arrive(struct tg_nic *nic, const struct tg_sim_frame *frame, tg_ns now_ns)
{
    const uint32_t queue = frame->queue;
    struct tg_nic_queue *const q = &nic->queues[queue];

    if (nic->filled_pkts[queue] == q->size) {
        return false;
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
    return true;
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
