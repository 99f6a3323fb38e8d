/* SPDX-License-Identifier: MIT
 *
 * gate.c - interrupts or polling: how the queues of a gate are served, and by whom.
 */
#include "path.h"

enum step {
    STEP_HANDLED, /* a frame got its verdict */
    STEP_EMPTY,   /* no frame in the ring */
    STEP_SHUT     /* not served this way now: masked, polled, down, or the gate is spent */
};

#define NOT_LOOKED_AT UINT64_MAX

static void set_polled(struct tg_protocol *p, struct tg_gate *gate, bool is_polled)
{
    gate->is_polled = is_polled;
    for (uint32_t i = 0u; i < p->n_queues; i++) {
        struct tg_rxq *const q = &p->queues[i];

        if (q->gate == gate && is_polled) {
            tg_port_mask(p->port, i);
        } else if (q->gate == gate && q->is_up) {
            tg_port_unmask(p->port, i);
        }
    }
}

static uint32_t number_of(const struct tg_protocol *p, const struct tg_gate *gate)
{
    return (uint32_t)(gate - p->gates);
}

/* The tick handler polls it, or is the only one to refill it. */
static inline bool needs_tick(const struct tg_gate *gate)
{
    return (gate->is_polled | gate->server.by_tick) != 0; /* one branch for both */
}

/* Start the timer for the first gate that needs the tick handler. What is late is due at once, or,
 * not with_late, being polled already. */
static void start_timer(const struct tg_protocol *p, tg_ns now_ns, bool with_late)
{
    tg_ns next_ns = UINT64_MAX;

    for (uint32_t i = 0u; i < p->n_gates; i++) {
        const struct tg_gate *const gate = &p->gates[i];
        const tg_ns at_ns = tg_server_next_ns(&gate->server);

        if (needs_tick(gate) && (with_late || at_ns > now_ns) && at_ns < next_ns) {
            next_ns = at_ns;
        }
    }
    if (next_ns != UINT64_MAX) {
        tg_port_timer_start(p->port, next_ns > now_ns ? next_ns - now_ns : 0u);
    }
}

/* Refill what is due, and start the timer. Returns true if a polled gate has budget: it is to be
 * polled now, and until it is spent there may be no instant to start the timer for (sporadic). */
static bool refill(struct tg_protocol *p, tg_ns now_ns)
{
    bool has_budget = false;

    for (uint32_t i = 0u; i < p->n_gates; i++) {
        const struct tg_gate *const gate = &p->gates[i];
        struct tg_server *const s = &p->gates[i].server;

        if (needs_tick(gate)) {
            tg_server_tick(s, now_ns);
            has_budget = (tg_server_left(s, now_ns) && gate->is_polled) || has_budget;
        }
    }
    start_timer(p, now_ns, false);
    return has_budget;
}

static TG_NOINLINE void close(struct tg_protocol *p, struct tg_gate *gate, tg_ns now_ns)
{
    gate->closed++;
    set_polled(p, gate, true);
    tg_path_trace(p, TG_EVENT_POLLED, number_of(p, gate), 1u);
    start_timer(p, now_ns, true); /* a tick may have been due and not run yet */
}

/* Just after a take at the same instant: what was due has been refilled. */
static inline bool is_spent(struct tg_server *s, tg_ns now_ns)
{
    const bool keeps_count = s->kind == TG_SERVER_DEFERRABLE || s->kind == TG_SERVER_POLLING;

    return keeps_count ? s->left_pkts == 0u : !tg_server_left(s, now_ns);
}

void tg_path_close_if_spent(struct tg_protocol *p, struct tg_gate *gate, tg_ns now_ns)
{
    if (!gate->is_polled && is_spent(&gate->server, now_ns)) {
        close(p, gate, now_ns);
    }
}

/* Another frame waits in the ring. */
static inline bool has_frame(const struct tg_rxq *q, const struct tg_ring_ops *ops)
{
    struct tg_rx_frame frame;

    return ops->has_frame != NULL ? ops->has_frame(q->ring) : ops->peek(q->ring, &frame);
}

/* One step of one queue, if it is served this way now. If so, *now_ns is when its ring was looked
 * at. */
static inline enum step serve(struct tg_rxq *q, const struct tg_ring_ops *ops, bool is_poll,
                              tg_ns *now_ns)
{
    struct tg_rx_frame frame;

    if (q->gate->is_polled != is_poll || !q->is_up) {
        return STEP_SHUT;
    }
    const bool is_there = ops->peek(q->ring, &frame);

    *now_ns = frame.now_ns;
    if (!is_there) {
        return STEP_EMPTY;
    }
    if (tg_path_step(q, &frame) == TG_VERDICT_NONE) {
        return STEP_SHUT;
    }
    ops->advance(q->ring, frame.buffer);
    return STEP_HANDLED;
}

/* Rule 1: an interrupt that brought no frame costs one unit as well. It may also be a late one,
 * latched before its queue was masked. */
static TG_NOINLINE void charge_spurious(struct tg_rxq *q)
{
    struct tg_rx_frame frame;

    (void)q->ops->peek(q->ring, &frame); /* for the time */
    (void)tg_server_take_slow(&q->gate->server, frame.now_ns);
    tg_path_close_if_spent(q->protocol, q->gate, frame.now_ns);
    q->counters.spurious++;
}

enum tg_work tg_rxq_interrupt(struct tg_rxq *q, uint32_t max_frames)
{
    const struct tg_ring_ops *const ops = q->ops; /* once: a driver compiled with it may know it */
    void *const port = q->protocol->port;
    enum tg_work work = TG_WORK_DONE;

    for (uint32_t n = 0u; n < max_frames; n++) {
        tg_ns now_ns;
        const uint32_t state = tg_port_lock(port);
        const enum step step = serve(q, ops, false, &now_ns);

        if (step != STEP_HANDLED && n == 0u) {
            charge_spurious(q);
        }
        /* Look whether to come again while the lock still keeps the next vector out. */
        work = step == STEP_HANDLED && !q->gate->is_polled && has_frame(q, ops) ? TG_WORK_MORE
                                                                                : TG_WORK_DONE;
        tg_port_unlock(port, state);
        if (work == TG_WORK_DONE) {
            break;
        }
    }
    return work;
}

enum tg_work tg_rx_tick(struct tg_protocol *p, tg_ns now_ns)
{
    const uint32_t state = tg_port_lock(p->port);
    const bool has_budget = refill(p, now_ns);

    tg_port_unlock(p->port, state);
    return has_budget ? TG_WORK_MORE : TG_WORK_DONE;
}

/* Serve the polled queue of the highest rank that has a frame. */
static bool poll_one(struct tg_protocol *p, tg_ns *now_ns)
{
    for (struct tg_rxq *q = p->highest; q != NULL; q = q->lower) {
        const uint32_t state = tg_port_lock(p->port);
        const enum step step = serve(q, q->ops, true, now_ns);

        tg_port_unlock(p->port, state);
        if (step == STEP_HANDLED) {
            return true;
        }
    }
    return false;
}

static bool has_frames(const struct tg_protocol *p, const struct tg_gate *gate)
{
    bool has = false;

    for (uint32_t i = 0u; i < p->n_queues; i++) {
        const struct tg_rxq *const q = &p->queues[i];

        has = has || (q->gate == gate && q->is_up && has_frame(q, q->ops));
    }
    return has;
}

/* The rings of this gate were found empty, or it is spent. With budget left, back to interrupts,
 * unless a frame has slipped in before they were unmasked: its edge may be lost. The budget may
 * also be a new one, from a tick that came in between; then the rings are not empty. */
static bool reopen(struct tg_protocol *p, struct tg_gate *gate, tg_ns now_ns)
{
    if (!gate->is_polled || !tg_server_left(&gate->server, now_ns)) {
        return false;
    }
    if (has_frames(p, gate)) {
        return true;
    }
    if (gate->server.kind == TG_SERVER_POLLING) {
        tg_server_forfeit(&gate->server);
        return false;
    }
    set_polled(p, gate, false);
    if (has_frames(p, gate)) {
        set_polled(p, gate, true);
        return true;
    }
    tg_path_trace(p, TG_EVENT_POLLED, number_of(p, gate), 0u);
    return false;
}

enum tg_work tg_rx_poll(struct tg_protocol *p, uint32_t max_frames)
{
    for (uint32_t n = 0u; n < max_frames; n++) {
        tg_ns now_ns = NOT_LOOKED_AT;
        bool has_more = poll_one(p, &now_ns);

        if (has_more) {
            continue;
        }
        if (now_ns == NOT_LOOKED_AT) {
            return TG_WORK_DONE; /* no queue is polled, or those that are have no link */
        }
        for (uint32_t i = 0u; i < p->n_gates; i++) {
            const uint32_t state = tg_port_lock(p->port);

            has_more = reopen(p, &p->gates[i], now_ns) || has_more;
            tg_port_unlock(p->port, state);
        }
        if (!has_more) {
            const uint32_t state = tg_port_lock(p->port);

            has_more = refill(p, now_ns); /* what is spent now needs the timer */
            tg_port_unlock(p->port, state);
        }
        if (!has_more) {
            return TG_WORK_DONE;
        }
    }
    return TG_WORK_MORE;
}

void tg_rxq_link(struct tg_rxq *q, bool is_up)
{
    struct tg_protocol *const p = q->protocol;
    struct tg_rx_frame frame;
    const uint32_t state = tg_port_lock(p->port);

    q->is_up = is_up;
    if (!is_up) {
        tg_port_mask(p->port, q->number);
    } else {
        (void)q->ops->peek(q->ring, &frame); /* for the time */
        if (!q->gate->is_polled) {
            tg_port_unmask(p->port, q->number);
        } else if (q->gate->server.kind == TG_SERVER_POLLING) {
            tg_server_forfeit(&q->gate->server); /* served at refills only, not as links come up */
        }
        if (refill(p, frame.now_ns)) {
            tg_port_timer_start(p->port, 0u);
        }
    }
    tg_path_trace(p, TG_EVENT_LINK, q->number, is_up);
    tg_port_unlock(p->port, state);
}

bool tg_rxq_watch(struct tg_rxq *q, bool is_ring_full)
{
    struct tg_protocol *const p = q->protocol;
    const uint32_t state = tg_port_lock(p->port);
    const bool has_stalled =
        is_ring_full && q->is_up && !q->gate->is_polled && q->counters.received == q->watched;

    q->watched = q->counters.received;
    q->counters.stalls += has_stalled;
    tg_port_unlock(p->port, state);
    return has_stalled;
}
