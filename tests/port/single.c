/* SPDX-License-Identifier: MIT
 *
 * single.c - whose turn it is: interrupt, timer, protocol task, receivers, producers.
 */
#include "single.h"

static struct {
    struct tg_sim_port *port;
    struct rng rng;
    bool is_started;
    bool is_processing; /* the protocol task was woken and has found something since */
    bool has_to_poll;
} machine;

void single_init(const char *test)
{
    rng_init(&machine.rng, test);
}

struct rng *single_rng(void)
{
    return &machine.rng;
}

void *harness_open(struct world *w, uint32_t floor)
{
    machine.port = single_open(w, floor);
    machine.port->trace = &w->trace;
    machine.is_started = machine.is_processing = machine.has_to_poll = false;
    return machine.port;
}

void harness_close(struct world *w)
{
    (void)w;
}

void harness_start(struct world *w)
{
    (void)w;
    machine.is_started = true;
}

tg_ns harness_now_ns(struct world *w)
{
    (void)w;
    return machine.port->now_ns;
}

uint32_t harness_priority(struct world *w)
{
    (void)w;
    return machine.port->priority;
}

bool harness_take_wake(struct world *w)
{
    const bool is_woken = machine.port->is_woken;

    (void)w;
    machine.port->is_woken = false;
    return is_woken;
}

void harness_contend(struct world *w, void (*body)(struct world *w))
{
    body(w);
}

/* One turn after the other: nobody else is there. */
void harness_nic_lock(struct world *w, uint32_t queue)
{
    (void)w;
    (void)queue;
}

void harness_nic_unlock(struct world *w, uint32_t queue)
{
    (void)w;
    (void)queue;
}

void harness_raise(struct world *w, uint32_t queue)
{
    (void)w;
    (void)queue;
}

/* The cause is a level, so what an interrupt leaves behind is found at the next turn. */
static void take_interrupt(struct world *w, uint32_t queue)
{
    const struct world_ring *const ring = &w->rings[queue];

    if ((machine.port->unmasked & 1u << queue) != 0u && world_has_frame(ring) &&
        tg_rxq_interrupt(ring->queue, rng_between(&machine.rng, 1u, 4u)) == TG_WORK_MORE &&
        !world_has_frame(ring)) {
        world_note(w, "an interrupt leaves work behind, but there is none");
    }
}

static void take_timer(struct world *w)
{
    if (machine.port->timer_at_ns > machine.port->now_ns) {
        return;
    }
    machine.port->timer_at_ns = UINT64_MAX;
    if (tg_rx_tick(&w->protocol, machine.port->now_ns) == TG_WORK_MORE) {
        machine.has_to_poll = true;
    }
}

static void process(struct world *w)
{
    if (!w->cfg.is_manual && harness_take_wake(w)) {
        machine.is_processing = true;
    }
    machine.is_processing = machine.is_processing && world_process(w);
}

static void take_turn(struct world *w)
{
    const uint32_t who = rng_below(&machine.rng, 8u);

    switch (who) {
    case 0u:
    case 1u:
        take_interrupt(w, who % WORLD_QUEUES);
        break;
    case 2u:
        take_timer(w);
        break;
    case 3u:
        machine.has_to_poll =
            machine.has_to_poll &&
            tg_rx_poll(&w->protocol, rng_between(&machine.rng, 1u, 6u)) == TG_WORK_MORE;
        break;
    case 4u:
    case 5u:
        process(w);
        break;
    case 6u:
        (void)world_consume(w, rng_below(&machine.rng, WORLD_CONSUMERS));
        break;
    default:
        if (w->cfg.produces) {
            (void)world_produce(w, rng_below(&machine.rng, WORLD_PRODUCERS));
        }
        if (w->cfg.produces && rng_percent(&machine.rng, 10u)) {
            world_administrate(w);
        }
        break;
    }
    single_between(w);
}

void harness_pass(struct world *w, tg_ns delay_ns)
{
    const tg_ns until_ns = machine.port->now_ns + delay_ns;

    while (machine.is_started && machine.port->now_ns < until_ns) {
        take_turn(w);
        machine.port->now_ns += rng_between(&machine.rng, 1u, 4000u);
    }
}

void harness_stop(struct world *w)
{
    machine.is_started = false;
    while (!w->cfg.is_manual && world_process(w)) {
    }
    for (uint32_t i = 0u; i < WORLD_CONSUMERS; i++) {
        while (world_consume(w, i)) {
        }
    }
}
