/* SPDX-License-Identifier: MIT
 *
 * cpu.c - the threads of one CPU.
 */
#include "sim/cpu.h"

static uint32_t highest(uint64_t bits)
{
    const uint32_t upper = (uint32_t)(bits >> 32);

    return upper != 0u ? 32u + tg_highest_bit(upper) : tg_highest_bit((uint32_t)bits);
}

static void append(struct tg_cpu *cpu, struct tg_thread *t)
{
    const uint32_t p = t->priority;

    t->next = NULL;
    t->previous = NULL;
    if (cpu->first[p] == NULL) {
        cpu->first[p] = t;
        cpu->waiting |= UINT64_C(1) << p;
    } else {
        t->previous = cpu->last[p];
        cpu->last[p]->next = t;
    }
    cpu->last[p] = t;
}

static void prepend(struct tg_cpu *cpu, struct tg_thread *t)
{
    const uint32_t p = t->priority;

    if (cpu->first[p] == NULL) {
        append(cpu, t);
        return;
    }
    t->previous = NULL;
    t->next = cpu->first[p];
    cpu->first[p]->previous = t;
    cpu->first[p] = t;
}

static void take_out(struct tg_cpu *cpu, struct tg_thread *t)
{
    const uint32_t p = t->priority;

    if (t->previous != NULL) {
        t->previous->next = t->next;
    } else {
        cpu->first[p] = t->next;
    }
    if (t->next != NULL) {
        t->next->previous = t->previous;
    } else {
        cpu->last[p] = t->previous;
    }
    if (cpu->first[p] == NULL) {
        cpu->waiting &= ~(UINT64_C(1) << p);
    }
}

void tg_cpu_ready(struct tg_cpu *cpu, struct tg_thread *t)
{
    if (!t->is_ready && !t->is_waiting) {
        t->is_ready = true;
        append(cpu, t);
    }
}

void tg_cpu_sleep(struct tg_cpu *cpu, struct tg_thread *t)
{
    if (t->is_ready) {
        t->is_ready = false;
        take_out(cpu, t);
    }
}

/* in_front: it has been the first of its equals before. */
static void move(struct tg_cpu *cpu, struct tg_thread *t, uint32_t priority, bool in_front)
{
    if (priority == t->priority) {
        return;
    }
    if (!t->is_ready) {
        t->priority = (uint8_t)priority;
        return;
    }
    take_out(cpu, t);
    t->priority = (uint8_t)priority;
    if (in_front) {
        prepend(cpu, t);
    } else {
        append(cpu, t);
    }
}

/* I2. Who waits has its own priority only: nobody waits for a thread that waits. */
static uint32_t inherited(const struct tg_cpu *cpu, const struct tg_thread *t)
{
    uint32_t priority = t->base;

    for (uint32_t i = 0u; t == cpu->owner && i < cpu->n_threads && cpu->n_waiting != 0u; i++) {
        const struct tg_thread *const other = &cpu->threads[i];

        if (other->is_waiting && other->priority > priority) {
            priority = other->priority;
        }
    }
    return priority;
}

void tg_cpu_set_base(struct tg_cpu *cpu, struct tg_thread *t, uint32_t base)
{
    t->base = (uint8_t)base;
    move(cpu, t, inherited(cpu, t), false);
    if (t->is_waiting) {
        move(cpu, cpu->owner, inherited(cpu, cpu->owner), false);
    }
}

bool tg_cpu_lock(struct tg_cpu *cpu, struct tg_thread *t)
{
    if (cpu->owner == NULL) {
        cpu->owner = t;
        return true;
    }
    tg_cpu_sleep(cpu, t);
    t->is_waiting = true;
    cpu->n_waiting++;
    move(cpu, cpu->owner, inherited(cpu, cpu->owner), false);
    return false;
}

void tg_cpu_unlock(struct tg_cpu *cpu)
{
    struct tg_thread *const owner = cpu->owner;

    cpu->owner = NULL;
    for (uint32_t i = 0u; i < cpu->n_threads && cpu->n_waiting != 0u; i++) {
        struct tg_thread *const t = &cpu->threads[i];

        if (t->is_waiting) {
            t->is_waiting = false;
            cpu->n_waiting--;
            tg_cpu_ready(cpu, t);
        }
    }
    move(cpu, owner, owner->base, true);
}

static bool is_in(const struct tg_thread *t, tg_ns end_ns)
{
    return t->has_job && t->done_ns < end_ns;
}

struct tg_thread *tg_cpu_pick(const struct tg_cpu *cpu)
{
    struct tg_thread *const t = cpu->current;

    if (t != NULL && (is_in(t, t->section_ns) || is_in(t, t->irq_off_ns))) {
        return t;
    }
    return cpu->waiting != 0u ? cpu->first[highest(cpu->waiting)] : NULL;
}

bool tg_cpu_is_irq_off(const struct tg_cpu *cpu)
{
    return cpu->current != NULL && is_in(cpu->current, cpu->current->irq_off_ns);
}

static void shorten(tg_ns *stretch_ns, const struct tg_thread *t, tg_ns end_ns)
{
    if (end_ns > t->done_ns && end_ns - t->done_ns < *stretch_ns) {
        *stretch_ns = end_ns - t->done_ns;
    }
}

tg_ns tg_cpu_stretch_ns(const struct tg_thread *t)
{
    if (t->switch_left_ns != 0u) {
        return t->switch_left_ns;
    }
    tg_ns stretch_ns = t->total_ns - t->done_ns;

    shorten(&stretch_ns, t, t->irq_off_ns);
    shorten(&stretch_ns, t, t->section_ns);
    shorten(&stretch_ns, t, t->lock_ns);
    return stretch_ns;
}
