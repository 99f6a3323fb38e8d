/* SPDX-License-Identifier: MIT
 *
 * generator.c - traffic for the first GEM, sent by the second one.
 */
#include "generator.h"
#include "board.h"
#include "kernel.h"

#define NETWORK_CONTROL(g) (*(volatile uint32_t *)((g)->cfg.base))
#define CONTROL_RUN        0x00cu /* receive, send */
#define CONTROL_SEND       0x20cu

#define TX_LAST (1u << 15)
#define TX_WRAP (1u << 30)

static struct {
    struct generator_config cfg;
    uint64_t start;      /* ticks */
    uint32_t next;       /* arrival */
    uint32_t descriptor; /* of the receiver, that takes the next frame */
    uint32_t slot;       /* of the sender */
} generator;

/* Make QEMU's receiver read its descriptor again, which may have been given back since. */
static void refresh(const struct gem *receiver)
{
    NETWORK_CONTROL(receiver) = CONTROL_RUN;
}

static void send(uint32_t index)
{
    struct generator_frame *const f = &generator.cfg.frames[generator.cfg.arrivals[index].frame];
    const struct gem *const receiver = generator.cfg.receiver;
    const struct gem *const sender = generator.cfg.sender;
    volatile struct gem_descriptor *const d = &sender->cfg.tx[generator.slot];
    const bool is_last = generator.slot + 1u == GEM_TX_SLOTS;

    if ((receiver->cfg.rx[generator.descriptor].address & 1u) != 0u) {
        f->dropped++;
        return;
    }
    if (f->len_bytes >= GENERATOR_STAMP + 4u) {
        *(uint32_t *)(void *)(f->bytes + GENERATOR_STAMP) = index;
    }
    board_cache_clean(f->bytes, f->len_bytes);
    d->address = (uint32_t)(uintptr_t)f->bytes;
    d->control = TX_LAST | (is_last ? TX_WRAP : 0u) | f->len_bytes;
    __asm volatile("dsb" ::: "memory");
    refresh(receiver);
    NETWORK_CONTROL(sender) = CONTROL_SEND;
    f->sent++;
    generator.slot = is_last ? 0u : generator.slot + 1u;
    generator.descriptor =
        generator.descriptor + 1u == receiver->cfg.rx_slots ? 0u : generator.descriptor + 1u;
}

static void send_due(void *context)
{
    (void)context;
    while (generator.next < generator.cfg.n_arrivals) {
        const uint32_t at = generator.cfg.arrivals[generator.next].at_ticks;
        const uint32_t now = (uint32_t)(board_ticks() - generator.start);

        if (at > now) {
            board_timer_start(at - now);
            return;
        }
        send(generator.next);
        generator.next++;
    }
}

void generator_start(const struct generator_config *cfg)
{
    generator.cfg = *cfg;
    generator.next = generator.slot = 0u;
    generator.descriptor = cfg->receiver->rx_next;
    generator.start = board_ticks();
    board_timer_init(send_due, NULL);
    board_timer_start(1u);
}

bool generator_is_over(void)
{
    return generator.next == generator.cfg.n_arrivals;
}

uint64_t generator_start_ticks(void)
{
    return generator.start;
}
