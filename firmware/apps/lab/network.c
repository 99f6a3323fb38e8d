/* SPDX-License-Identifier: MIT
 *
 * network.c - the frames of the plan, sent by the second GEM at their times, and a clock that
 * stands still meanwhile: a network costs the CPU nothing until a frame has arrived.
 *
 * The program is linked with --wrap for board_ticks and board_alarm. What an interrupt of the
 * network takes is measured by its own reads of the global timer; the way in before the first and
 * out after the last one is the same each time, and lab_network_init finds out how long it is.
 */
#include "arch.h"
#include "board.h"
#include "gic.h"
#include "lab.h"

/* The global timer, which never stands still. */
#define RAW_TICKS      (*(volatile uint32_t *)0xf8f00200u)
#define RAW_TICKS_HIGH (*(volatile uint32_t *)0xf8f00204u)

#define NETWORK_CONTROL(base) (*(volatile uint32_t *)(base))
#define CONTROL_RUN           0x00cu /* receive, send */
#define CONTROL_SEND          0x20cu

#define TX_LAST (1u << 15)
#define TX_WRAP (1u << 30)

#define CALIBRATE_LINE 95u /* nothing is connected there */
#define TICKS_AHEAD    1000u
#define REPETITIONS    64u

/* From the decision when the clock goes on to that instant. */
#define TAIL_INSTRUCTIONS 120u

uint32_t lab_network_around[2];
volatile uint32_t lab_stolen_ticks;
uint64_t lab_start;
uint32_t lab_filled;
uint32_t lab_most_filled;

static struct {
    uint64_t alarm_at;   /* board_alarm's, on the clock that stands still */
    uint64_t due;        /* of the next arrival, on the same clock */
    uint32_t next;       /* arrival */
    uint32_t descriptor; /* of the receiver: takes the next frame */
    uint32_t oldest;     /* of the receiver: not given back yet */
    uint32_t slot;       /* of the sender */
    uint32_t rest_ns;    /* of the way in and out: less than a tick */
    uint32_t own_ticks;  /* of the last interrupt, as it saw itself */
} network = {.alarm_at = UINT64_MAX};

uint64_t __real_board_ticks(void); // NOLINT(*-reserved-identifier): the linker's names, below too
uint64_t __wrap_board_ticks(void); // NOLINT(*-reserved-identifier)
void __real_board_alarm(uint64_t at_ticks); // NOLINT(*-reserved-identifier)
void __wrap_board_alarm(uint64_t at_ticks); // NOLINT(*-reserved-identifier)

/* As board_ticks, in one loop with what the network took: it is in every path that is measured. */
uint64_t __wrap_board_ticks(void) // NOLINT(*-reserved-identifier)
{
    uint32_t stolen;
    uint32_t high;
    uint32_t low;

    do {
        stolen = lab_stolen_ticks;
        high = RAW_TICKS_HIGH;
        low = RAW_TICKS;
    } while (high != RAW_TICKS_HIGH || stolen != lab_stolen_ticks);
    return ((uint64_t)high << 32 | low) - stolen;
}

void __wrap_board_alarm(uint64_t at_ticks) // NOLINT(*-reserved-identifier)
{
    const uint32_t state = arch_lock();

    network.alarm_at = at_ticks;
    __real_board_alarm(at_ticks != UINT64_MAX ? at_ticks + lab_stolen_ticks : UINT64_MAX);
    arch_unlock(state);
}

/* QEMU's receiver keeps frames that find no descriptor and delivers them much later; a real one
 * drops them. So what would find none is not sent. Descriptors are given back in their order. */
static bool finds_descriptor(const struct gem *receiver)
{
    const volatile struct gem_descriptor *const rx = receiver->cfg.rx;

    while (lab_filled != 0u && (rx[network.oldest].address & 1u) == 0u) {
        network.oldest = network.oldest + 1u == receiver->cfg.rx_slots ? 0u : network.oldest + 1u;
        lab_filled--;
    }
    return lab_filled < receiver->cfg.rx_slots;
}

static void send(const struct lab_frame *frame)
{
    const struct gem *const receiver = station_gem();
    const struct gem *const sender = station_sender();
    volatile struct gem_descriptor *const d = &sender->cfg.tx[network.slot];
    const bool is_last = network.slot + 1u == GEM_TX_SLOTS;
    struct lab_counters *const c = &lab_counters[frame->flow];

    c->sent++;
    if (!finds_descriptor(receiver)) {
        c->lost++;
        return;
    }
    lab_packet_arrives(receiver->cfg.rx[network.descriptor].address & ~3u, frame->flow,
                       network.due);
    lab_filled++;
    lab_most_filled = lab_filled > lab_most_filled ? lab_filled : lab_most_filled;
    d->address = (uint32_t)(uintptr_t)(lab_bytes + frame->offset);
    d->control = TX_LAST | (is_last ? TX_WRAP : 0u) | frame->len_bytes;
    __asm volatile("dsb" ::: "memory");
    NETWORK_CONTROL(receiver->cfg.base) = CONTROL_RUN; /* it reads its descriptor again */
    NETWORK_CONTROL(sender->cfg.base) = CONTROL_SEND;
    network.slot = is_last ? 0u : network.slot + 1u;
    network.descriptor =
        network.descriptor + 1u == receiver->cfg.rx_slots ? 0u : network.descriptor + 1u;
}

static void send_due(uint64_t now)
{
    while (network.next < lab_plan->n_arrivals && network.due <= now) {
        send(&lab_frames[lab_arrivals[network.next].frame]);
        network.next++;
        if (network.next < lab_plan->n_arrivals) {
            network.due += lab_arrivals[network.next].gap_ticks;
        }
    }
}

/* The clock goes on at the last read of RAW_TICKS, so what has to know that instant is told before,
 * and the rest of the time is spent waiting for it. */
static void take_timer(void *context)
{
    const uint32_t in = RAW_TICKS;
    const uint64_t now = __real_board_ticks() - lab_stolen_ticks;
    const uint32_t around = lab_network_around[arch_nesting > 1u] << lab_plan->shift;
    uint32_t last;

    (void)context;
    send_due(now);
    network.rest_ns += around;
    const uint32_t around_ticks = network.rest_ns / LAB_TICK_NS;

    network.rest_ns %= LAB_TICK_NS;
    const uint32_t end = RAW_TICKS + ((TAIL_INSTRUCTIONS << lab_plan->shift) / LAB_TICK_NS);
    const uint32_t stolen = lab_stolen_ticks + (end - in) + around_ticks;

    if (network.alarm_at != UINT64_MAX) {
        __real_board_alarm(network.alarm_at + stolen);
    }
    if (network.next < lab_plan->n_arrivals) {
        board_timer_start((uint32_t)network.due + stolen - RAW_TICKS);
    }
    do {
        last = RAW_TICKS;
    } while ((int32_t)(last - end) < 0);
    network.own_ticks = last - in;
    lab_stolen_ticks += last - in + around_ticks;
}

uint32_t lab_network_instructions(void)
{
    return lab_instructions(network.own_ticks) + lab_network_around[0];
}

/* ---- The way in and out ---------------------------------------------------------------------- */

static uint32_t measure_around(void)
{
    uint32_t sum = 0u;

    for (uint32_t i = 0u; i < REPETITIONS; i++) {
        board_timer_start(TICKS_AHEAD + i);
        sum += lab_next_gap() * LAB_TICK_NS - ((GAP_INSTRUCTIONS << lab_plan->shift)) -
               network.own_ticks * LAB_TICK_NS;
    }
    return ((sum + REPETITIONS / 2u) / REPETITIONS + (1u << lab_plan->shift) / 2u) >>
           lab_plan->shift;
}

static void measure_nested(void *context)
{
    (void)context;
    lab_network_around[1] = measure_around();
}

void lab_network_init(void)
{
    board_timer_init(take_timer, NULL);
    network.next = lab_plan->n_arrivals; /* none is due yet */
    network.descriptor = network.oldest = station_gem()->rx_next;
    lab_network_around[0] = measure_around();
    gic_enable(CALIBRATE_LINE, BOARD_LEVEL_RECEIVE, measure_nested, NULL);
    gic_pend(CALIBRATE_LINE);
    while (lab_network_around[1] == 0u) {
    }
    gic_mask(CALIBRATE_LINE);
}

void lab_network_start(void)
{
    if (lab_plan->n_arrivals != 0u) {
        network.next = 0u;
        network.due = lab_start + lab_arrivals[0].gap_ticks;
        board_timer_start((uint32_t)(network.due - board_ticks()));
    }
}
