/* SPDX-License-Identifier: MIT
 *
 * state.h - what the files of the model share: registers, memory, interrupts.
 */
#ifndef TG_NIC_MODEL_STATE_H
#define TG_NIC_MODEL_STATE_H

#include "nic/model/model.h"

#define TG_NIC_BUCKETS (4u * TG_NIC_RULES_MAX)

/* A word of the shared memory. offset: a multiple of 4 within it. */
static inline uint32_t *tg_nic_word(const struct tg_nic_model *m, uint32_t offset)
{
    return (uint32_t *)(void *)(m->memory + offset);
}

static inline uint32_t tg_nic_get(const struct tg_nic_model *m, uint32_t offset)
{
    return m->registers[offset / 4u];
}

static inline void tg_nic_set(struct tg_nic_model *m, uint32_t offset, uint32_t value)
{
    m->registers[offset / 4u] = value;
    tg_nic_store(tg_nic_word(m, offset), value);
}

/* One more of a 64-bit counter. */
static inline void tg_nic_count(struct tg_nic_model *m, uint32_t offset)
{
    const uint32_t low = tg_nic_get(m, offset) + 1u;

    if (low == 0u) {
        tg_nic_set(m, offset + 4u, tg_nic_get(m, offset + 4u) + 1u);
    }
    tg_nic_set(m, offset, low);
}

static inline void tg_nic_error(struct tg_nic_model *m, uint32_t bit)
{
    tg_nic_set(m, TG_NIC_ERRORS, tg_nic_get(m, TG_NIC_ERRORS) | bit);
}

/* Is this part of the memory within rings and buffers? The values are the guest's. */
static inline bool tg_nic_is_data(const struct tg_nic_model *m, uint32_t offset, uint32_t len_bytes)
{
    return offset >= TG_NIC_DATA && offset <= m->memory_bytes &&
           len_bytes <= m->memory_bytes - offset;
}

/* Write a register. Returns: false if it does not take this, then nothing has changed. */
bool tg_nic_write(struct tg_nic_model *m, uint32_t offset, uint32_t value, tg_ns now_ns);

/* Rules back to those of the setup. Returns: 0, or what the core says about rule *bad_rule. */
int tg_nic_rules_reset(struct tg_nic_model *m, uint32_t *bad_rule);

/* RULE_COMMAND. Returns: false if there is no such command. */
bool tg_nic_rule_command(struct tg_nic_model *m, uint32_t command);

/* Clear the interrupt of a queue that is being enabled or disabled. */
void tg_nic_interrupt_start(struct tg_nic_model *m, uint32_t queue);

/* A descriptor was returned. */
void tg_nic_interrupt_arrive(struct tg_nic_model *m, uint32_t queue, tg_ns now_ns);

/* Look whether RUNNING still holds back what it held back. */
void tg_nic_interrupt_running(struct tg_nic_model *m, tg_ns now_ns);

#endif
