/* SPDX-License-Identifier: MIT
 *
 * generator.c - traffic for the first GEM, sent by the second one.
 */
#include "generator.h"
#include "arch.h"
#include "board.h"
#include "gic.h"
#include "kernel.h"

#define NETWORK_CONTROL(g) (*(volatile uint32_t *)((g)->cfg.base))
#define CONTROL_RUN        0x00cu /* receive, send */
#define CONTROL_SEND       0x20cu

#define TX_LAST (1u << 15)
#define TX_WRAP (1u << 30)

#define CALIBRATE_LINE 95u /* nothing is connected there */
#define TICKS_AHEAD    1000u
#define REPETITIONS    64u

/* From the decision when the clock goes on to that instant. */
#define TAIL_INSTRUCTIONS 120u

static struct {
    struct generator_config cfg;
    uint64_t due;        /* of the next arrival, on the clock that pauses */
    uint32_t next;       /* arrival */
    uint32_t descriptor; /* of the receiver: takes the next frame */
    uint32_t oldest;     /* of the receiver: not given back yet */
    uint32_t filled;     /* between these two */
    uint32_t most_filled;
    uint32_t slot;         /* of the sender */
    uint32_t around_ns[2]; /* the way in and out; [1]: of one that interrupts another interrupt */
    uint32_t rest_ns;      /* of the ways in and out so far: less than a tick */
    uint32_t last_ticks;   /* of the last interrupt, as it saw itself */
} generator;

/* Descriptors are given back in their order. */
static bool finds_descriptor(const struct gem *receiver)
{
    const volatile struct gem_descriptor *const rx = receiver->cfg.rx;

    while (generator.filled != 0u && (rx[generator.oldest].address & 1u) == 0u) {
        generator.oldest =
            generator.oldest + 1u == receiver->cfg.rx_slots ? 0u : generator.oldest + 1u;
        generator.filled--;
    }
    return generator.filled < receiver->cfg.rx_slots;
}

static void send(uint32_t index)
{
    const struct generator_frame *const f =
        &generator.cfg.frames[generator.cfg.arrivals[index].frame];
    const struct gem *const receiver = generator.cfg.receiver;
    const struct gem *const sender = generator.cfg.sender;
    volatile struct gem_descriptor *const d = &sender->cfg.tx[generator.slot];
    const bool is_last = generator.slot + 1u == GEM_TX_SLOTS;

    if (!finds_descriptor(receiver)) {
        generator.cfg.arrives(index, 0u, generator.due);
        return;
    }
    generator.cfg.arrives(index, receiver->cfg.rx[generator.descriptor].address & ~3u,
                          generator.due);
    generator.filled++;
    if (generator.filled > generator.most_filled) {
        generator.most_filled = generator.filled;
    }
    board_cache_clean(f->bytes, f->len_bytes);
    d->address = (uint32_t)(uintptr_t)f->bytes;
    d->control = TX_LAST | (is_last ? TX_WRAP : 0u) | f->len_bytes;
    __asm volatile("dsb" ::: "memory");
    NETWORK_CONTROL(receiver) = CONTROL_RUN; /* QEMU's receiver reads its descriptor again */
    NETWORK_CONTROL(sender) = CONTROL_SEND;
    generator.slot = is_last ? 0u : generator.slot + 1u;
    generator.descriptor =
        generator.descriptor + 1u == receiver->cfg.rx_slots ? 0u : generator.descriptor + 1u;
}

static void send_due(uint64_t now)
{
    while (generator.next < generator.cfg.n_arrivals && generator.due <= now) {
        send(generator.next);
        generator.next++;
        if (generator.next < generator.cfg.n_arrivals) {
            generator.due += generator.cfg.arrivals[generator.next].gap_ticks;
        }
    }
}

/* The clock goes on at the last read of the timer, so what has to know that instant is told before,
 * and the rest of the time is spent waiting for it. */
static void take_timer(void *context)
{
    const uint32_t in = board_raw_ticks();
    const uint64_t now = board_ticks();
    const uint32_t tail_ticks = TAIL_INSTRUCTIONS * board_instruction_ns / BOARD_TICK_NS;
    uint32_t last;

    (void)context;
    send_due(now);
    generator.rest_ns += generator.around_ns[arch.nesting > 1u];
    const uint32_t around_ticks = generator.rest_ns / BOARD_TICK_NS;

    generator.rest_ns %= BOARD_TICK_NS;
    const uint32_t end = board_raw_ticks() + tail_ticks;
    const uint32_t pause = end - in + around_ticks;

    board_pause_alarm(pause);
    if (generator.next < generator.cfg.n_arrivals) {
        board_timer_start((uint32_t)generator.due + board_paused_ticks() + pause -
                          board_raw_ticks());
    }
    do {
        last = board_raw_ticks();
    } while ((int32_t)(last - end) < 0);
    generator.last_ticks = last - in;
    board_pause(last - in + around_ticks);
}

/* ---- The way in and out ---------------------------------------------------------------------- */

/* Lengths are whole instructions, each look at the timer is not; the mean of many is exact. */
static uint32_t measure_around_ns(void)
{
    const uint32_t instruction_ns = board_instruction_ns;
    uint32_t sum_ns = 0u;

    for (uint32_t i = 0u; i < REPETITIONS; i++) {
        board_timer_start(TICKS_AHEAD + i);
        sum_ns += (board_next_gap() - generator.last_ticks) * BOARD_TICK_NS -
                  BOARD_GAP_INSTRUCTIONS * instruction_ns;
    }
    return ((sum_ns + REPETITIONS / 2u) / REPETITIONS + instruction_ns / 2u) / instruction_ns *
           instruction_ns;
}

static void measure_nested(void *context)
{
    (void)context;
    generator.around_ns[1] = measure_around_ns();
}

void generator_init(const struct generator_config *cfg)
{
    generator.cfg = *cfg;
    generator.next = cfg->n_arrivals; /* none is due yet */
    generator.descriptor = generator.oldest = cfg->receiver->rx_next;
    board_timer_init(take_timer, NULL);
    generator.around_ns[0] = measure_around_ns();
    gic_enable(CALIBRATE_LINE, BOARD_LEVEL_RECEIVE, measure_nested, NULL);
    gic_pend(CALIBRATE_LINE);
    while (*(volatile uint32_t *)&generator.around_ns[1] == 0u) {
    }
    gic_mask(CALIBRATE_LINE);
}

void generator_start(uint64_t at_ticks)
{
    if (generator.cfg.n_arrivals != 0u) {
        generator.due = at_ticks + generator.cfg.arrivals[0].gap_ticks;
        generator.next = 0u;
        const uint64_t now = board_ticks();

        board_timer_start(generator.due > now ? (uint32_t)(generator.due - now) : 1u);
    }
}

bool generator_is_over(void)
{
    return *(volatile uint32_t *)&generator.next == generator.cfg.n_arrivals;
}

uint32_t generator_most_filled(void)
{
    return generator.most_filled;
}

uint32_t generator_last_ticks(void)
{
    return generator.last_ticks;
}

uint32_t generator_around_ns(bool is_nested)
{
    return generator.around_ns[is_nested];
}
