/* SPDX-License-Identifier: MIT
 *
 * flows.c - a packet once started is finished first, so its start and its end are two equations
 * (Davis, Burns, Bril, Lukkien, RTS 35(3), 2007); all packets of a busy window are looked at.
 */
#include "analysis/flows.h"

struct packet {
    struct tg_level *level;
    enum tg_view view;
    const struct tg_lane *lane;
    uint64_t late;     /* of this flow; TG_NO_BOUND: only its server bounds it */
    uint64_t own_cost; /* price of each earlier packet of the flow */
    uint64_t n;        /* this is the n-th packet of the busy window */
    uint64_t fixed;    /* blocking and own work */
    uint64_t others;   /* packets of other flows, once started */
    uint64_t most;     /* packets of the flow in the whole busy window */
    uint64_t keep_out; /* packets of other flows that own ones keep from the gate: n or most */
    bool in_order;     /* the start of packet n is no later than that of packet n + 1 */
};

/* [N_f] of the flow itself. */
static uint64_t own_packets(const struct packet *p, uint64_t span)
{
    return tg_min(tg_lane_packets(p->lane, p->view, span),
                  tg_arrivals(p->lane->burst, p->lane->every, p->late, span));
}

static bool accepted_by(const struct packet *p, uint64_t offset)
{
    return own_packets(p, offset + 1) >= p->n && tg_level_packets(p->level, offset + 1) >= p->n;
}

/* [a_n] Earliest offset, from `from` on and before `end`, by which n packets can be accepted;
 * TG_NO_BOUND: none. */
static uint64_t earliest(const struct packet *p, uint64_t from, uint64_t end)
{
    if (accepted_by(p, from)) {
        return from;
    }
    uint64_t low = from;
    uint64_t high = end - 1;
    if (!accepted_by(p, high)) {
        return TG_NO_BOUND;
    }
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (accepted_by(p, middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

static uint64_t other_flows(const struct packet *p, uint64_t span, uint64_t packets)
{
    const struct tg_own_packets skip = {.lane = p->lane};
    return tg_level_flows(p->level, p->view, span, tg_sub(packets, p->keep_out), &skip);
}

/* [s_n] until it starts; events at the very instant of the start still come first. */
static uint64_t start_demand(void *context, uint64_t span)
{
    const struct packet *p = context;
    const struct tg_gate_demand rx = tg_level_interrupts(p->level, span + 1);
    uint64_t sum = tg_add(p->fixed, tg_level_tasks(p->level, span + 1, 0));

    sum = tg_add(sum, rx.time);
    return tg_add(sum, other_flows(p, span + 1, rx.packets));
}

/* [F_n] until it is done: other packets wait now. */
static uint64_t finish_demand(void *context, uint64_t span)
{
    const struct packet *p = context;
    uint64_t sum = tg_add(p->fixed, tg_level_tasks(p->level, span, 1));

    sum = tg_add(sum, tg_level_interrupts(p->level, span).time);
    return tg_add(sum, p->others);
}

/* *from: start of packet n - 1, or a time that is not later than the start of packet n. A packet
 * that keeps dearer ones out may start earlier than the one before it. What never decreases is the
 * start with as many kept out as the whole busy window has; it is where the search begins. */
static uint64_t start_of(struct packet *p, uint64_t *from, uint64_t limit, uint32_t *steps)
{
    p->fixed = tg_add_product(p->level->blocking.total, p->n - 1, p->own_cost);
    if (!p->in_order) {
        p->keep_out = p->most;
        *from = tg_least_fixed_point(start_demand, p, *from, limit, steps);
    }
    p->keep_out = p->n;
    const uint64_t start = tg_least_fixed_point(start_demand, p, *from, limit, steps);
    *from = p->in_order ? start : *from;
    return start;
}

static uint64_t finish_of(struct packet *p, uint64_t start, uint64_t limit, uint32_t *steps)
{
    p->fixed = tg_add(p->fixed, p->lane->in->cost);
    p->others = other_flows(p, start + 1, tg_level_packets(p->level, start + 1));
    return tg_least_fixed_point(finish_demand, p, tg_add(start, p->lane->in->cost), limit, steps);
}

static struct tg_breakdown parts_of(const struct packet *p, uint64_t finish, uint64_t elapsed)
{
    return (struct tg_breakdown){
        .blocking = p->level->blocking.total,
        .own = tg_sub(p->fixed, p->level->blocking.total),
        .tasks = tg_level_tasks(p->level, finish, 1),
        .interrupts = tg_level_interrupts(p->level, finish).time,
        .flows = p->others,
        .elapsed = elapsed,
    };
}

/* Another packet of this flow delays a start by no less than by what it keeps out: if no gate keeps
 * out anything, or nothing is dearer. */
static bool starts_in_order(const struct tg_level *level, const struct tg_lane *lane, uint64_t cost)
{
    if (level->model->in->n_gates == 0) {
        return true;
    }
    const size_t next = level->lanes[0].lane == lane ? 1 : 0;
    return next >= level->n_lanes || level->lanes[next].cost <= cost;
}

/* One assumption about how early the n-th packet of the flow can be accepted. */
struct arrivals {
    uint64_t late; /* as in struct packet */
    uint64_t last; /* [a_n] TG_NO_BOUND: no further packet in the busy window */
    struct tg_bound worst;
};

static bool next_arrival(struct packet *p, struct arrivals *a, uint64_t busy)
{
    if (a->last != TG_NO_BOUND) {
        p->late = a->late;
        a->last = earliest(p, a->last, busy);
    }
    return a->last != TG_NO_BOUND;
}

static void keep_worst(const struct packet *p, struct arrivals *a, uint64_t finish)
{
    if (a->last == TG_NO_BOUND || finish < a->last) {
        return;
    }
    if (p->n == 1 || finish - a->last > a->worst.value) {
        a->worst.value = finish - a->last;
        a->worst.parts = parts_of(p, finish, a->last);
    }
}

/* max over n of F_n - a_n, for a[0], which comes earliest, and for a[1] (n_a may be 1). */
static void delivery(struct packet *p, uint64_t busy, uint64_t limit, struct arrivals *a,
                     size_t n_a)
{
    uint32_t steps = TG_STEPS_MAX;
    uint64_t from = 0;

    p->late = a[0].late;
    p->most = tg_min(own_packets(p, busy), tg_level_packets(p->level, busy));
    for (p->n = 1; next_arrival(p, &a[0], busy); p->n++) {
        if (n_a > 1) {
            (void)next_arrival(p, &a[1], busy);
        }
        const uint64_t start = start_of(p, &from, limit, &steps);
        const uint64_t finish = start == TG_NO_BOUND ? start : finish_of(p, start, limit, &steps);
        if (finish == TG_NO_BOUND) {
            a[0].worst = tg_unbounded(tg_why(TG_WHY_NO_CONVERGENCE));
            a[n_a - 1].worst = a[0].worst;
            return;
        }
        keep_worst(p, &a[0], finish);
        if (n_a > 1) {
            keep_worst(p, &a[1], finish);
        }
    }
}

struct own_busy_window {
    const struct packet *packet;
    uint64_t cost;
};

static uint64_t own_busy_demand(void *context, uint64_t span)
{
    const struct own_busy_window *b = context;
    const struct packet *p = b->packet;
    const struct tg_own_packets own = {p->lane, b->cost, own_packets(p, span)};
    const struct tg_gate_demand rx = tg_level_interrupts(p->level, span);
    uint64_t sum = tg_add(p->level->blocking.total, rx.time);

    sum = tg_add(sum, tg_level_tasks(p->level, span, 0));
    return tg_add(sum, tg_level_flows(p->level, p->view, span, rx.packets, &own));
}

/* [L_i], also where only the flow's own source keeps the window from going on for ever. A window
 * that ends without that needs no shortening: what comes after its true end is never the worst. */
static struct tg_bound busy_window(const struct packet *p, uint64_t cost, uint64_t *limit)
{
    struct tg_bound busy = p->level->busy[p->view];
    struct tg_level_shares share = p->level->share[p->view];
    struct tg_why why = tg_why(TG_WHY_NO_CONVERGENCE);
    uint32_t steps = TG_STEPS_MAX;

    if (busy.value == TG_NO_BOUND && p->late != TG_NO_BOUND) {
        struct own_busy_window b = {p, cost};

        share = tg_level_share(p->level, p->view, p->lane, p->late);
        *limit = tg_level_limit(p->level, p->view, &share, &why);
        if (*limit > 0) {
            busy.value = tg_least_fixed_point(own_busy_demand, &b, 1, *limit, &steps);
        }
        busy.why = busy.value == TG_NO_BOUND ? why : tg_why(TG_WHY_NONE);
        return busy;
    }
    *limit = tg_level_limit(p->level, p->view, &share, &why);
    return busy;
}

static struct packet first_packet(struct tg_level *level, enum tg_view view,
                                  const struct tg_lane *lane)
{
    const struct tg_analysis_flow *f = lane->in;
    struct packet p = {.level = level, .view = view, .lane = lane, .late = TG_NO_BOUND, .n = 1};

    p.own_cost = f->has_receiver && f->receiver_priority >= level->priority
                     ? tg_add(f->cost, f->receiver_wcet)
                     : f->cost;
    p.in_order = starts_in_order(level, lane, p.own_cost);
    return p;
}

static struct tg_bound bounded_delivery(struct packet p, uint64_t late)
{
    struct arrivals a = {.late = late};
    uint64_t limit;

    p.late = late;
    const struct tg_bound busy = busy_window(&p, p.own_cost, &limit);
    if (busy.value == TG_NO_BOUND) {
        return busy;
    }
    delivery(&p, busy.value, limit, &a, 1);
    return a.worst;
}

void tg_flow_delivery(struct tg_level *level, const struct tg_lane *lane, uint64_t late,
                      struct tg_flow_latency *out)
{
    struct packet p = first_packet(level, TG_VIEW_FLOOD, lane);
    const struct tg_bound *busy = &level->busy[TG_VIEW_FLOOD];
    struct arrivals a[] = {{.late = TG_NO_BOUND}, {.late = late}};
    uint64_t limit;

    if (busy->value == TG_NO_BOUND) {
        out->accepted = *busy;
        out->conforming = bounded_delivery(p, late);
    } else {
        (void)busy_window(&p, p.own_cost, &limit);
        delivery(&p, busy->value, limit, a, late == TG_NO_BOUND ? 1 : 2);
        out->accepted = a[0].worst;
        out->conforming = a[1].worst;
    }
    if (lane->late[TG_VIEW_NOMINAL] != TG_NO_BOUND) {
        out->nominal = bounded_delivery(first_packet(level, TG_VIEW_NOMINAL, lane), TG_NO_BOUND);
    }
}

/* [G] Packets in the protocol task while the n-th receiver job waits: later packets of the flow run
 * before it, their receivers after it. At least the n packets themselves. */
static uint64_t packets_before_job(const struct packet *p, uint64_t span, uint64_t packets)
{
    const struct tg_own_packets own = {p->lane, p->lane->in->cost, own_packets(p, span)};

    return tg_max(tg_mul(p->n, p->lane->in->cost),
                  tg_level_flows(p->level, p->view, span, packets, &own));
}

static uint64_t receiver_demand(void *context, uint64_t span)
{
    const struct packet *p = context;
    const struct tg_gate_demand rx = tg_level_interrupts(p->level, span);
    uint64_t sum = tg_add(p->fixed, tg_level_tasks(p->level, span, 0));

    sum = tg_add(sum, rx.time);
    return tg_add(sum, packets_before_job(p, span, rx.packets));
}

static struct tg_breakdown receiver_parts(const struct packet *p, uint64_t finish, uint64_t elapsed)
{
    const struct tg_gate_demand rx = tg_level_interrupts(p->level, finish);

    return (struct tg_breakdown){
        .blocking = p->level->blocking.total,
        .own = tg_mul(p->n, p->lane->in->receiver_wcet),
        .tasks = tg_level_tasks(p->level, finish, 0),
        .interrupts = rx.time,
        .flows = packets_before_job(p, finish, rx.packets),
        .elapsed = elapsed,
    };
}

static struct tg_bound receiver_below(struct tg_level *level, const struct tg_lane *lane,
                                      uint64_t late)
{
    const uint64_t job = lane->in->receiver_wcet;
    struct packet p = {.level = level, .view = TG_VIEW_FLOOD, .lane = lane, .late = late};
    struct tg_bound worst = {.value = 0};
    uint32_t steps = TG_STEPS_MAX;
    uint64_t limit;
    uint64_t arrival = 0;
    uint64_t finish = 1;
    const struct tg_bound busy = busy_window(&p, tg_add(lane->in->cost, job), &limit);

    if (busy.value == TG_NO_BOUND) {
        return busy;
    }
    for (p.n = 1;; p.n++) {
        arrival = earliest(&p, arrival, busy.value);
        if (arrival == TG_NO_BOUND) {
            return worst;
        }
        p.fixed = tg_add_product(level->blocking.total, p.n, job);
        finish = tg_least_fixed_point(receiver_demand, &p, finish, limit, &steps);
        if (finish == TG_NO_BOUND) {
            return tg_unbounded(tg_why(TG_WHY_NO_CONVERGENCE));
        }
        if (p.n == 1 || tg_sub(finish, arrival) > worst.value) {
            worst.value = finish - arrival;
            worst.parts = receiver_parts(&p, finish, arrival);
        }
    }
}

void tg_flow_receiver_below(struct tg_level *level, const struct tg_lane *lane, uint64_t late,
                            struct tg_flow_latency *out)
{
    out->receiver_accepted = receiver_below(level, lane, TG_NO_BOUND);
    if (late != TG_NO_BOUND) {
        out->receiver_conforming = receiver_below(level, lane, late);
    }
}

static uint64_t job_demand(void *context, uint64_t span)
{
    const struct packet *p = context;
    const struct tg_gate_demand rx = tg_level_interrupts(p->level, span);
    uint64_t sum = tg_add(p->fixed, tg_level_tasks(p->level, span, 0));

    sum = tg_add(sum, rx.time);
    return tg_add(sum, tg_level_flows(p->level, p->view, span, rx.packets, NULL));
}

struct tg_bound tg_flow_receiver_above(struct tg_level *level, const struct tg_lane *lane)
{
    const uint64_t job = lane->in->receiver_wcet;
    struct packet p = {.level = level, .view = TG_VIEW_FLOOD, .lane = lane};
    struct tg_why why = tg_why(TG_WHY_NO_CONVERGENCE);
    uint32_t steps = TG_STEPS_MAX;
    const uint64_t limit = tg_level_limit(level, p.view, &level->share[p.view], &why);

    if (limit == 0) {
        return tg_unbounded(why);
    }
    p.fixed = tg_add(level->blocking.total, job);
    const uint64_t finish = tg_least_fixed_point(job_demand, &p, 1, limit, &steps);
    if (finish == TG_NO_BOUND) {
        return tg_unbounded(why);
    }
    const struct tg_gate_demand rx = tg_level_interrupts(level, finish);
    return (struct tg_bound){
        .value = finish,
        .parts = {.blocking = level->blocking.total,
                  .own = job,
                  .tasks = tg_level_tasks(level, finish, 0),
                  .interrupts = rx.time,
                  .flows = tg_level_flows(level, p.view, finish, rx.packets, NULL)},
    };
}

struct tg_bound tg_bound_add(struct tg_bound first, struct tg_bound second)
{
    if (first.value == TG_NO_BOUND) {
        return first;
    }
    if (second.value == TG_NO_BOUND) {
        return second;
    }
    first.value = tg_add(first.value, second.value);
    first.parts.reception += second.parts.reception;
    first.parts.blocking += second.parts.blocking;
    first.parts.own += second.parts.own;
    first.parts.tasks += second.parts.tasks;
    first.parts.interrupts += second.parts.interrupts;
    first.parts.flows += second.parts.flows;
    first.parts.jitter += second.parts.jitter;
    first.parts.elapsed += second.parts.elapsed;
    return first;
}
