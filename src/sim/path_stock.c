/* SPDX-License-Identifier: MIT
 *
 * path_stock.c - what a controller has without Tidegate: every packet waits in one queue for a
 * protocol task of one priority, and takes its buffer from one pool. stock-limited admits only so
 * many packets per period to the interrupt: when they are spent it is masked, the next refill
 * unmasks it. stock-moderated and nic have other controllers below the same driver.
 */
#include "sim/state.h"

#include <stdlib.h>

struct path {
    struct tg_packet_list waiting;
    struct tg_packet_list free;
    struct tg_server gate;
    bool is_limited;
};

static uint32_t all_queues(const struct tg_sim *s)
{
    return (1u << s->nic.n_queues) - 1u;
}

static void accept(struct tg_sim *s, const struct tg_nic_slot *slot)
{
    struct path *const path = s->path;
    const uint32_t flow = slot->frame->flow;

    if (path->free.first == NULL) {
        s->out->flows[flow].dropped_no_buffer++;
        tg_sim_emit(s, TG_SIM_EVENT_VERDICT, flow, TG_VERDICT_NO_BUFFER);
        return;
    }
    struct tg_packet *const packet = tg_packet_take(&path->free);

    tg_sim_emit(s, TG_SIM_EVENT_VERDICT, flow, TG_VERDICT_PASSED);
    tg_account_accepted(s, packet, slot);
    tg_packet_append(&path->waiting, packet);
    tg_cpu_ready(&s->cpu, s->protocol);
}

static void charge(struct tg_sim *s)
{
    struct path *const path = s->path;

    /* The take is never refused: the last unit masks the interrupt. */
    if (!tg_server_take(&path->gate, s->step_ns) || !tg_server_left(&path->gate, s->step_ns)) {
        s->unmasked = 0u;
        s->timer_at_ns = tg_server_next_ns(&path->gate);
        s->out->mode_changes++;
        tg_sim_emit(s, TG_SIM_EVENT_POLLED, 0u, 1u);
    }
}

static tg_ns frame_ns(struct tg_sim *s, uint32_t queue)
{
    (void)queue; /* what is dropped has been taken off the ring like the rest */
    return s->system->receive.driver_ns;
}

static bool interrupt(struct tg_sim *s, uint32_t queue)
{
    const struct path *const path = s->path;
    const struct tg_nic_slot *const slot = tg_nic_first(&s->nic, queue);

    if (slot == NULL) {
        s->out->queues[queue].spurious++;
    } else {
        tg_account_step(s, queue, slot);
        accept(s, slot);
        tg_nic_take(&s->nic, queue);
    }
    if (path->is_limited) {
        charge(s);
    }
    return (s->unmasked & 1u << queue) != 0u && s->nic.filled_pkts[queue] != 0u;
}

static bool tick(struct tg_sim *s)
{
    struct path *const path = s->path;

    tg_server_tick(&path->gate, s->step_ns);
    s->unmasked = all_queues(s);
    s->timer_at_ns = TG_SIM_NEVER;
    tg_sim_emit(s, TG_SIM_EVENT_POLLED, 0u, 0u);
    return false;
}

static uint32_t poll_target(struct tg_sim *s)
{
    (void)s;
    return TG_SIM_NOBODY;
}

static bool poll(struct tg_sim *s)
{
    (void)s;
    return false;
}

static struct tg_packet *next(struct tg_sim *s)
{
    struct path *const path = s->path;

    return path->waiting.first != NULL ? tg_packet_take(&path->waiting) : NULL;
}

static void done(struct tg_sim *s)
{
    (void)s; /* its priority never changes */
}

static void release(struct tg_sim *s, struct tg_packet *packet)
{
    struct path *const path = s->path;

    tg_packet_append(&path->free, packet);
}

static int open(struct tg_sim *s)
{
    struct path *const path = calloc(1u, sizeof *path);
    const bool is_low = s->input->policy == TG_SIM_STOCK_LOW;
    uint32_t in_rings = 0u;

    s->path = path;
    if (path == NULL) {
        return TG_SIM_ERR_MEMORY;
    }
    for (uint32_t i = 0u; i < s->nic.n_queues; i++) {
        in_rings += s->nic.queues[i].size;
    }
    for (uint32_t i = in_rings; i < s->n_packets; i++) {
        tg_packet_append(&path->free, &s->packets[i]);
    }
    s->protocol->base = is_low ? s->system->receive.floor : TG_CPU_PRIORITIES - 1u;
    s->protocol->priority = s->protocol->base;
    s->unmasked = all_queues(s);
    path->is_limited = s->input->policy == TG_SIM_STOCK_LIMITED;
    if (path->is_limited &&
        tg_server_init_gate(&path->gate, &s->input->stock_gate, TG_REFILL_TIMESTAMP, 0u) != 0) {
        snprintf(s->out->failure, sizeof s->out->failure, "the stock gate is out of range");
        return TG_SIM_ERR_CONFIG;
    }
    return 0;
}

static void close(struct tg_sim *s)
{
    free(s->path);
}

static void count(struct tg_sim *s)
{
    /* All else is counted as it happens. */
    s->out->flows[0].unregistered = s->nic.unregistered;
    s->out->flows[s->out->n_flows - 1u].malformed = s->nic.malformed;
}

static const char *check(struct tg_sim *s)
{
    (void)s;
    return NULL;
}

const struct tg_path_ops tg_path_stock = {
    .open = open,
    .close = close,
    .frame_ns = frame_ns,
    .interrupt = interrupt,
    .tick = tick,
    .poll_target = poll_target,
    .poll = poll,
    .next = next,
    .done = done,
    .release = release,
    .count = count,
    .check = check,
};
