/* SPDX-License-Identifier: MIT
 *
 * interrupt.c - when a queue interrupts: armed by the guest, moderated, above the running task, and
 * within its gate's budget.
 */
#include "nic/model/state.h"

static uint32_t bit_of(const struct tg_nic_model *m, uint32_t reg, uint32_t queue)
{
    return tg_nic_get(m, reg) & 1u << queue;
}

/* HELD is one of the words of ring.h's P5: the guest stores RUNNING, then loads HELD. */
static void set_bit(struct tg_nic_model *m, uint32_t reg, uint32_t queue, bool is_set)
{
    const uint32_t old = tg_nic_get(m, reg);
    const uint32_t value = is_set ? old | 1u << queue : old & ~(1u << queue);

    if (value != old) {
        m->registers[reg / 4u] = value;
        tg_nic_store_in_order(tg_nic_word(m, reg), value);
    }
}

static void acknowledge(struct tg_nic_model *m, uint32_t queue)
{
    tg_moderation_acknowledge(&m->queues[queue].moderation);
    m->queues[queue].interrupt = TG_NIC_IDLE;
    set_bit(m, TG_NIC_HELD, queue, false);
    set_bit(m, TG_NIC_GATED, queue, false);
}

void tg_nic_interrupt_start(struct tg_nic_model *m, uint32_t queue)
{
    m->queues[queue].token = 0u;
    acknowledge(m, queue);
}

/* Another value of ARM acknowledges all that was returned so far: the guest took it, or will look
 * for it. Returns: true if the queue is armed. */
static bool look_at_arm(struct tg_nic_model *m, uint32_t queue)
{
    struct tg_nic_model_queue *const q = &m->queues[queue];
    const uint32_t token = tg_nic_load_in_order(tg_nic_word(m, TG_NIC_Q_ARM(queue)));

    if (token != q->token) {
        q->token = token;
        acknowledge(m, queue);
    }
    return token != 0u;
}

/* The running task is as urgent as anything that this queue brings, or more. */
static bool is_outranked(const struct tg_nic_model *m, uint32_t queue, uint32_t running)
{
    const uint32_t priorities = tg_nic_get(m, TG_NIC_QUEUE(queue) + TG_NIC_Q_PRIORITIES);

    return running > (priorities >> 8);
}

/* Does RUNNING hold this interrupt back? HELD is told before RUNNING is looked at for the last
 * time, so that either this sees the new value, or the guest sees HELD and rings. */
static bool is_held(struct tg_nic_model *m, uint32_t queue)
{
    const uint32_t *const running = tg_nic_word(m, TG_NIC_RUNNING);

    if (is_outranked(m, queue, tg_nic_load(running))) {
        if (!bit_of(m, TG_NIC_HELD, queue)) {
            tg_nic_count(m, TG_NIC_QUEUE(queue) + TG_NIC_Q_HELD_RUNNING);
        }
        set_bit(m, TG_NIC_HELD, queue, true);
        if (is_outranked(m, queue, tg_nic_load_in_order(running))) {
            return true;
        }
    }
    set_bit(m, TG_NIC_HELD, queue, false);
    return false;
}

static bool is_gated(struct tg_nic_model *m, uint32_t queue, tg_ns now_ns)
{
    struct tg_nic_model_queue *const q = &m->queues[queue];

    if (tg_server_take(&q->gate, now_ns)) {
        return false;
    }
    q->gate_at_ns = tg_server_next_ns(&q->gate);
    set_bit(m, TG_NIC_GATED, queue, true);
    tg_nic_count(m, TG_NIC_QUEUE(queue) + TG_NIC_Q_HELD_GATE);
    return true;
}

static void note_wait(struct tg_nic_model *m, uint32_t queue, tg_ns wait_ns)
{
    const uint32_t at = TG_NIC_QUEUE(queue) + TG_NIC_Q_LONGEST_WAIT;

    if (wait_ns > tg_nic_model_count(m, at)) {
        tg_nic_set(m, at + 4u, (uint32_t)(wait_ns >> 32));
        tg_nic_set(m, at, (uint32_t)wait_ns);
    }
}

/* An interrupt is due: raise it, unless something holds it back. */
static void try_raise(struct tg_nic_model *m, uint32_t queue, tg_ns now_ns)
{
    static const uint32_t counters[] = {[TG_MODERATION_COUNTER] = TG_NIC_Q_RAISED_COUNTER,
                                        [TG_MODERATION_ABSOLUTE] = TG_NIC_Q_RAISED_ABSOLUTE,
                                        [TG_MODERATION_PACKET] = TG_NIC_Q_RAISED_PACKET};
    struct tg_nic_model_queue *const q = &m->queues[queue];
    const uint32_t block = TG_NIC_QUEUE(queue);

    set_bit(m, TG_NIC_GATED, queue, false);
    if (!look_at_arm(m, queue) || q->interrupt != TG_NIC_DUE || is_held(m, queue) ||
        is_gated(m, queue, now_ns)) {
        return;
    }
    q->interrupt = TG_NIC_RAISED;
    tg_nic_count(m, block + counters[q->cause]);
    note_wait(m, queue, now_ns - q->since_ns);
    if (!m->backend.raise(m->backend.context, tg_nic_get(m, TG_NIC_PEER),
                          tg_nic_get(m, block + TG_NIC_Q_VECTOR))) {
        tg_nic_count(m, block + TG_NIC_Q_RAISED_LOST);
    }
}

static void moderated(struct tg_nic_model *m, uint32_t queue, enum tg_moderation_cause cause,
                      tg_ns now_ns)
{
    if (cause != TG_MODERATION_NONE) {
        m->queues[queue].interrupt = TG_NIC_DUE;
        m->queues[queue].cause = cause;
        try_raise(m, queue, now_ns);
    }
}

void tg_nic_interrupt_arrive(struct tg_nic_model *m, uint32_t queue, tg_ns now_ns)
{
    struct tg_nic_model_queue *const q = &m->queues[queue];

    if (!look_at_arm(m, queue)) {
        return;
    }
    if (q->interrupt == TG_NIC_IDLE) {
        q->interrupt = TG_NIC_WAITING;
        q->since_ns = now_ns;
    }
    /* Once it is due or raised, moderation does nothing until it is acknowledged. */
    moderated(m, queue, tg_moderation_arrive(&q->moderation, now_ns), now_ns);
}

void tg_nic_interrupt_running(struct tg_nic_model *m, tg_ns now_ns)
{
    for (uint32_t k = 0u; k < m->setup.n_queues; k++) {
        if (bit_of(m, TG_NIC_HELD, k)) {
            try_raise(m, k, now_ns);
        }
    }
}

void tg_nic_model_timer(struct tg_nic_model *m, tg_ns now_ns)
{
    for (uint32_t k = 0u; k < m->setup.n_queues; k++) {
        struct tg_nic_model_queue *const q = &m->queues[k];

        if (q->interrupt == TG_NIC_WAITING && look_at_arm(m, k)) {
            moderated(m, k, tg_moderation_timer(&q->moderation, now_ns), now_ns);
        } else if (bit_of(m, TG_NIC_GATED, k) && now_ns >= q->gate_at_ns) {
            try_raise(m, k, now_ns);
        }
    }
}

tg_ns tg_nic_model_next_ns(const struct tg_nic_model *m)
{
    tg_ns next_ns = TG_NIC_NEVER;

    for (uint32_t k = 0u; k < m->setup.n_queues; k++) {
        const struct tg_nic_model_queue *const q = &m->queues[k];
        tg_ns at_ns = TG_NIC_NEVER;

        if (q->interrupt == TG_NIC_WAITING) {
            at_ns = tg_moderation_due_ns(&q->moderation);
        } else if (bit_of(m, TG_NIC_GATED, k)) {
            at_ns = q->gate_at_ns;
        }
        next_ns = at_ns < next_ns ? at_ns : next_ns;
    }
    return next_ns;
}
