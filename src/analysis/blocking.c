/* SPDX-License-Identifier: MIT
 *
 * blocking.c - one packet, once; one locked section; one call under the stack's lock.
 *
 * Let t0 start a busy window. A less urgent packet in process can run again only if a packet of the
 * window arrives (the protocol task inherits its priority and finishes the old packet first) or if
 * it is inside a locked section. After it, the protocol task picks a packet of the window or drops
 * below it: so one packet, once. At most one locked section is open at t0. A task may have
 * preempted the packet inside its own section, hence the sum of both.
 */
#include "analysis/blocking.h"

static uint64_t section_length(const struct tg_analysis_input *in, uint64_t section,
                               uint64_t irq_off)
{
    const uint64_t length = tg_max(section, irq_off);
    return in->discrete_blocking ? tg_sub(length, 1) : length;
}

/* The receiver of a less urgent packet may itself belong to the window. */
static uint64_t receiver_in(const struct tg_analysis_flow *flow, int32_t priority)
{
    return flow->has_receiver && flow->receiver_priority >= priority ? flow->receiver_wcet : 0;
}

/* Does anything of the window need the protocol task, as a packet or as a caller of the stack? */
static bool needs_protocol(const struct tg_analysis_input *in, int32_t priority)
{
    for (size_t i = 0; i < in->n_flows; i++) {
        if (in->flows[i].priority >= priority) {
            return true;
        }
    }
    for (size_t i = 0; i < in->n_tasks; i++) {
        if (in->tasks[i].calls_stack && in->tasks[i].priority >= priority) {
            return true;
        }
    }
    return false;
}

struct tg_blocking tg_blocking_at(const struct tg_model *model, int32_t priority)
{
    const struct tg_analysis_input *in = model->in;
    const bool protocol = needs_protocol(in, priority);
    struct tg_blocking by_packet = {
        .packet_flow = TG_NOBODY, .section_task = TG_NOBODY, .section_flow = TG_NOBODY};
    struct tg_blocking by_section = by_packet; /* of the less urgent packet itself */

    for (size_t i = 0; i < in->n_flows; i++) {
        const struct tg_analysis_flow *f = &in->flows[i];
        if (f->priority >= priority) {
            continue;
        }
        const uint64_t receiver = receiver_in(f, priority);
        const uint64_t packet = tg_add(f->cost, receiver);
        const uint64_t section = tg_add(section_length(in, f->section, f->irq_off), receiver);
        if (protocol && packet > by_packet.packet) {
            by_packet.packet = packet;
            by_packet.packet_flow = i;
        }
        if (section > by_section.section) {
            by_section.section = section;
            by_section.section_flow = i;
        }
    }
    for (size_t i = 0; i < in->n_tasks; i++) {
        const struct tg_analysis_task *t = &in->tasks[i];
        const uint64_t section = section_length(in, t->section, t->irq_off);
        if (t->priority < priority && section > by_packet.section) {
            by_packet.section = section;
            by_packet.section_task = i;
        }
    }
    by_packet.total = tg_add(by_packet.packet, by_packet.section);
    by_section.total = by_section.section;

    struct tg_blocking worst = by_packet.total >= by_section.total ? by_packet : by_section;
    /* The protocol task may wait for the lock with the less urgent packet already in hand, so the
     * caller's section comes on top of either. */
    worst.lock = protocol ? in->lock : 0;
    worst.total = tg_add(worst.total, worst.lock);
    return worst;
}
