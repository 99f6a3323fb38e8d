/* SPDX-License-Identifier: MIT
 *
 * registers.c - what each register takes, and what a write does. docs/nic.md lists them.
 */
#include "nic/model/state.h"

uint32_t tg_nic_model_read(const struct tg_nic_model *m, uint32_t offset)
{
    return tg_nic_get(m, offset);
}

uint64_t tg_nic_model_count(const struct tg_nic_model *m, uint32_t offset)
{
    return (uint64_t)tg_nic_get(m, offset + 4u) << 32 | tg_nic_get(m, offset);
}

static void set_priorities(struct tg_nic_model *m)
{
    for (uint32_t p = 0u; p < TG_PRIORITIES; p++) {
        uint32_t k = 0u;

        while (k < m->setup.n_queues) {
            const uint32_t range = tg_nic_get(m, TG_NIC_QUEUE(k) + TG_NIC_Q_PRIORITIES);

            if (p >= (range & 0xffu) && p <= range >> 8) {
                break;
            }
            k++;
        }
        m->queue_of[p] = (uint8_t)(k < m->setup.n_queues ? k : TG_NIC_QUEUES_MAX);
    }
}

/* Set up a ring whose base and size the guest wrote. Returns: false if it cannot be one. */
static bool start_ring(const struct tg_nic_model *m, struct tg_nic_ring *ring, uint32_t base_at,
                       uint32_t offered_at, uint32_t returned_at)
{
    const uint32_t base = tg_nic_get(m, base_at);
    const uint32_t size = tg_nic_get(m, base_at + 4u);

    if (size < 2u || size > TG_NIC_RING_MAX || (size & (size - 1u)) != 0u ||
        base % TG_NIC_RING_ALIGN != 0u ||
        !tg_nic_is_data(m, base, size * (uint32_t)sizeof(struct tg_nic_descriptor))) {
        return false;
    }
    *ring = (struct tg_nic_ring){.slots = (void *)(m->memory + base),
                                 .offered = tg_nic_word(m, offered_at),
                                 .returned = tg_nic_word(m, returned_at),
                                 .size = size};
    tg_nic_store_in_order(ring->returned, 0u);
    return true;
}

static bool start_moderation(const struct tg_nic_model *m, struct tg_moderation *moderation,
                             uint32_t block)
{
    const struct tg_moderation_config cfg = {.absolute_ns =
                                                 tg_nic_get(m, block + TG_NIC_Q_ABSOLUTE_NS),
                                             .packet_ns = tg_nic_get(m, block + TG_NIC_Q_PACKET_NS),
                                             .packets = tg_nic_get(m, block + TG_NIC_Q_PACKETS)};

    return tg_moderation_init(moderation, &cfg) == 0;
}

static bool start_gate(const struct tg_nic_model *m, struct tg_server *gate, uint32_t block,
                       tg_ns now_ns)
{
    const uint32_t budget = tg_nic_get(m, block + TG_NIC_Q_GATE_BUDGET);
    struct tg_server_config cfg = {.kind = TG_SERVER_UNLIMITED};

    if (budget != 0u) {
        cfg = (struct tg_server_config){.kind = TG_SERVER_DEFERRABLE,
                                        .budget_pkts = budget,
                                        .period_ns = tg_nic_get(m, block + TG_NIC_Q_GATE_PERIOD)};
    }
    return tg_server_init_gate(gate, &cfg, TG_REFILL_TIMESTAMP, now_ns) == 0;
}

/* Everything that the guest wrote for this queue is looked at here, once; none of it can change
 * while the queue is enabled. */
static bool enable_queue(struct tg_nic_model *m, uint32_t queue, tg_ns now_ns)
{
    const uint32_t block = TG_NIC_QUEUE(queue);
    struct tg_nic_model_queue q = {.is_enabled = true};

    if (!start_moderation(m, &q.moderation, block) || !start_gate(m, &q.gate, block, now_ns) ||
        !start_ring(m, &q.ring, block + TG_NIC_Q_RING_BASE, TG_NIC_Q_OFFERED(queue),
                    block + TG_NIC_Q_RETURNED)) {
        return false;
    }
    tg_nic_set(m, block + TG_NIC_Q_RETURNED, 0u);
    m->queues[queue] = q;
    tg_nic_interrupt_start(m, queue);
    return true;
}

static void disable_queue(struct tg_nic_model *m, uint32_t queue)
{
    m->queues[queue].is_enabled = false;
    tg_nic_interrupt_start(m, queue);
}

static bool write_queue_control(struct tg_nic_model *m, uint32_t queue, uint32_t value,
                                tg_ns now_ns)
{
    const bool is_enabled = m->queues[queue].is_enabled;

    if ((value & ~TG_NIC_ENABLE) != 0u) {
        return false;
    }
    if (value != 0u && !is_enabled && !enable_queue(m, queue, now_ns)) {
        return false;
    }
    if (value == 0u && is_enabled) {
        disable_queue(m, queue);
    }
    tg_nic_set(m, TG_NIC_QUEUE(queue) + TG_NIC_Q_CONTROL, value);
    return true;
}

static bool is_range(uint32_t value)
{
    const uint32_t min = value & 0xffu;
    const uint32_t max = value >> 8;

    return min <= max && max < TG_PRIORITIES;
}

/* Registers of a queue but CONTROL. */
static bool write_queue(struct tg_nic_model *m, uint32_t queue, uint32_t at, uint32_t value,
                        tg_ns now_ns)
{
    if (at == TG_NIC_Q_CONTROL) {
        return write_queue_control(m, queue, value, now_ns);
    }
    if (at > TG_NIC_Q_GATE_PERIOD || m->queues[queue].is_enabled ||
        (at == TG_NIC_Q_VECTOR && value >= m->setup.n_queues) ||
        (at == TG_NIC_Q_PRIORITIES && !is_range(value))) {
        return false;
    }
    tg_nic_set(m, TG_NIC_QUEUE(queue) + at, value);
    if (at == TG_NIC_Q_PRIORITIES) {
        set_priorities(m);
    }
    return true;
}

static bool write_transmit_control(struct tg_nic_model *m, uint32_t value)
{
    if ((value & ~TG_NIC_ENABLE) != 0u) {
        return false;
    }
    if (value != 0u && tg_nic_get(m, TG_NIC_TX_CONTROL) == 0u) {
        if (!start_ring(m, &m->transmit, TG_NIC_TX_RING_BASE, TG_NIC_TX_OFFERED,
                        TG_NIC_TX_RETURNED)) {
            return false;
        }
        tg_nic_set(m, TG_NIC_TX_RETURNED, 0u);
    }
    tg_nic_set(m, TG_NIC_TX_CONTROL, value);
    return true;
}

static bool store(struct tg_nic_model *m, uint32_t offset, uint32_t value, bool is_valid)
{
    if (is_valid) {
        tg_nic_set(m, offset, value);
    }
    return is_valid;
}

static bool write_control(struct tg_nic_model *m, uint32_t value)
{
    if (value == TG_NIC_CONTROL_RESET) {
        tg_nic_model_reset(m);
    }
    return value <= TG_NIC_CONTROL_RESET;
}

static bool write_global(struct tg_nic_model *m, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case TG_NIC_CONTROL:
        return write_control(m, value);
    case TG_NIC_ERRORS:
        tg_nic_set(m, offset, tg_nic_get(m, offset) & ~value);
        return true;
    case TG_NIC_PEER:
        return store(m, offset, value, value <= 0xffffu);
    case TG_NIC_UNREGISTERED:
    case TG_NIC_RULE_FLAGS:
        return store(m, offset, value, (value & ~(1u | TG_NIC_PRIORITY_BITS)) == 0u);
    case TG_NIC_RULE_COMMAND:
        return tg_nic_rule_command(m, value);
    case TG_NIC_TX_CONTROL:
        return write_transmit_control(m, value);
    case TG_NIC_TX_RING_BASE:
    case TG_NIC_TX_RING_SIZE:
        return store(m, offset, value, tg_nic_get(m, TG_NIC_TX_CONTROL) == 0u);
    default:
        return store(m, offset, value, offset >= TG_NIC_RULE_FIELDS && offset <= TG_NIC_RULE_ID);
    }
}

bool tg_nic_write(struct tg_nic_model *m, uint32_t offset, uint32_t value, tg_ns now_ns)
{
    const uint32_t queue = (offset - TG_NIC_QUEUE_BLOCK) / TG_NIC_QUEUE_STRIDE;

    if (offset % 4u != 0u) {
        return false;
    }
    if (offset < TG_NIC_QUEUE_BLOCK) {
        return write_global(m, offset, value);
    }
    return queue < m->setup.n_queues &&
           write_queue(m, queue, offset - TG_NIC_QUEUE(queue), value, now_ns);
}

static void reset_queue(struct tg_nic_model *m, uint32_t queue)
{
    const struct tg_nic_queue_setup *const s = &m->setup.queues[queue];
    const uint32_t block = TG_NIC_QUEUE(queue);

    disable_queue(m, queue);
    tg_nic_set(m, block + TG_NIC_Q_CONTROL, 0u);
    tg_nic_set(m, block + TG_NIC_Q_RING_BASE, 0u);
    tg_nic_set(m, block + TG_NIC_Q_RING_SIZE, 0u);
    tg_nic_set(m, block + TG_NIC_Q_PRIORITIES, (uint32_t)s->priority_max << 8 | s->priority_min);
    tg_nic_set(m, block + TG_NIC_Q_VECTOR, queue);
    tg_nic_set(m, block + TG_NIC_Q_PACKETS, s->packets);
    tg_nic_set(m, block + TG_NIC_Q_ABSOLUTE_NS, s->absolute_ns);
    tg_nic_set(m, block + TG_NIC_Q_PACKET_NS, s->packet_ns);
    tg_nic_set(m, block + TG_NIC_Q_GATE_BUDGET, s->gate_budget);
    tg_nic_set(m, block + TG_NIC_Q_GATE_PERIOD, s->gate_period_ns);
    tg_nic_set(m, block + TG_NIC_Q_RETURNED, 0u);
}

static void reset_global(struct tg_nic_model *m)
{
    const uint32_t n = m->setup.n_queues;

    tg_nic_set(m, TG_NIC_IDENT, TG_NIC_IDENT_VALUE);
    tg_nic_set(m, TG_NIC_VERSION, TG_NIC_VERSION_VALUE);
    tg_nic_set(m, TG_NIC_CAPABILITY, n | n << 8 | TG_NIC_CAPABILITY_RUNNING);
    tg_nic_set(m, TG_NIC_RULES, TG_NIC_RULES_MAX);
    tg_nic_set(m, TG_NIC_MEMORY, m->memory_bytes);
    tg_nic_set(m, TG_NIC_ERRORS, 0u);
    tg_nic_set(m, TG_NIC_PEER, 0u);
    tg_nic_set(m, TG_NIC_UNREGISTERED,
               (uint32_t)m->setup.best_effort_priority << 8 |
                   (m->setup.accepts_unregistered ? TG_NIC_UNREGISTERED_ACCEPT : 0u));
    for (uint32_t at = TG_NIC_RULE_FIELDS; at <= TG_NIC_RULE_RESULT; at += 4u) {
        tg_nic_set(m, at, 0u);
    }
    for (uint32_t at = TG_NIC_TX_CONTROL; at <= TG_NIC_TX_RETURNED; at += 4u) {
        tg_nic_set(m, at, 0u);
    }
}

void tg_nic_model_reset(struct tg_nic_model *m)
{
    uint32_t bad_rule;

    reset_global(m);
    for (uint32_t k = 0u; k < m->setup.n_queues; k++) {
        reset_queue(m, k);
    }
    set_priorities(m);
    const int err = tg_nic_rules_reset(m, &bad_rule);

    TG_ASSERT(err == 0); /* they were admitted in this order by tg_nic_model_open */
    (void)err;
    tg_nic_set(m, TG_NIC_GENERATION, tg_nic_get(m, TG_NIC_GENERATION) + 1u);
    /* A guest that wrote over the registers finds all of them again. */
    for (uint32_t at = 0u; at < TG_NIC_REGISTERS_END; at += 4u) {
        tg_nic_set(m, at, tg_nic_get(m, at));
    }
}
