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
    uint64_t last;     /* or any from the n-th to this one: the worst of them at each instant */
    uint64_t keep_out; /* packets of other flows that own ones keep from the gate; 0: n */
    uint64_t others;   /* packets of the protocol task before this one, once started */
};

/* [N_f] of the flow itself. */
static uint64_t own_packets(const struct packet *p, uint64_t span)
{
    return tg_min(tg_lane_packets(p->lane, p->view, span),
                  tg_arrivals(p->lane->burst, p->lane->every, p->late, span));
}

/* The gate that the flow comes through; NULL: none. */
static const struct tg_gate *gate_of(const struct packet *p)
{
    const struct tg_model *m = p->level->model;
    return p->lane->gate < m->in->n_gates ? &m->gates[p->lane->gate] : NULL;
}

/* Packets that its gate can have let through so early in the window. */
static uint64_t let_through(const struct packet *p, uint64_t span)
{
    const struct tg_gate *gate = gate_of(p);
    return gate == NULL ? TG_NO_BOUND : tg_gate_accepted(gate, p->level->priority, span);
}

/* Shortest span in which it can have let through n >= 1; TG_NO_BOUND: there is none. */
static uint64_t first_through(const struct packet *p, uint64_t n)
{
    const struct tg_gate *gate = gate_of(p);
    return gate == NULL ? 1 : tg_gate_first(gate, p->level->priority, n);
}

/* [a_n] Earliest offset, before `end`, by which n packets can be accepted; TG_NO_BOUND: none. */
static uint64_t earliest(const struct packet *p, uint64_t end)
{
    const struct tg_lane *lane = p->lane;
    uint64_t span = first_through(p, p->n);

    span = tg_max(span, tg_curve_first(&lane->curve, p->n));
    span = tg_max(span, tg_arrivals_first(lane->burst, lane->every, p->late, p->n));
    span = tg_max(span, tg_arrivals_first(lane->burst, lane->every, lane->late[p->view], p->n));
    return span <= end ? span - 1 : TG_NO_BOUND;
}

static uint64_t other_flows(const struct packet *p, uint64_t span, const struct tg_room *room,
                            uint64_t keep_out)
{
    struct tg_own_packets skip = {.lane = p->lane};
    struct tg_room rest;

    for (size_t i = 0; i <= p->level->model->in->n_gates; i++) {
        rest.packets[i] = room->packets[i];
    }
    rest.packets[p->lane->gate] = tg_sub(rest.packets[p->lane->gate], keep_out);
    return tg_level_flows(p->level, p->view, span, &rest, &skip);
}

/* Packets in the protocol task before packet n: n - 1 of its flow, and of other flows what the gate
 * lets through beside n. */
static uint64_t packets_before(const struct packet *p, uint64_t span, const struct tg_room *room,
                               uint64_t n)
{
    const uint64_t others = other_flows(p, span, room, p->keep_out != 0 ? p->keep_out : n);
    return tg_add_product(others, n - 1, p->own_cost);
}

/* The most of that for any of packets n..last, and *worst, for which. One more own packet adds its
 * price and keeps out the cheapest of the others, which gets dearer each time: so the worst is
 * where a greedy choice among all stops to take own ones; or the last, where the gate has not let
 * through so many yet. */
static uint64_t most_before(const struct packet *p, uint64_t span, const struct tg_room *room,
                            uint64_t *worst)
{
    uint64_t most = 0;

    *worst = p->n;
    if (p->last > p->n) {
        struct tg_own_packets own = {p->lane, p->own_cost, p->last, 0};
        const uint64_t all = tg_level_flows(p->level, p->view, span, room, &own);
        if (own.taken >= p->n) { /* then that is the choice, but for the packet itself */
            *worst = own.taken;
            most = tg_sub(all, p->own_cost);
        }
    }
    if (most == 0) {
        most = packets_before(p, span, room, *worst);
    }
    if (p->last > room->packets[p->lane->gate]) {
        const uint64_t by_last = packets_before(p, span, room, p->last);
        if (by_last > most) {
            most = by_last;
            *worst = p->last;
        }
    }
    return most;
}

/* [s_n] until it starts; events at the very instant of the start still come first. */
static uint64_t start_demand(void *context, uint64_t span)
{
    const struct packet *p = context;
    uint64_t sum = tg_add(p->level->blocking.total, tg_level_tasks(p->level, span + 1, 0));
    struct tg_room room;
    uint64_t n;

    sum = tg_add(sum, tg_level_interrupts(p->level, span + 1, &room));
    return tg_add(sum, most_before(p, span + 1, &room, &n));
}

/* [F_n] until it is done: other packets wait now. */
static uint64_t finish_demand(void *context, uint64_t span)
{
    const struct packet *p = context;
    uint64_t sum = tg_add(p->level->blocking.total, tg_level_tasks(p->level, span, 1));
    struct tg_room unused;

    sum = tg_add(sum, tg_level_interrupts(p->level, span, &unused));
    return tg_add(sum, tg_add(p->others, p->lane->in->cost));
}

/* Returns which of n..last is the worst at the start. */
static uint64_t finish_of(struct packet *p, uint64_t start, uint64_t limit, uint32_t *steps,
                          uint64_t *finish)
{
    struct tg_room room;
    uint64_t n;

    tg_level_room(p->level, start + 1, &room);
    p->others = most_before(p, start + 1, &room, &n);
    *finish =
        tg_least_fixed_point(finish_demand, p, tg_add(start, p->lane->in->cost), limit, steps);
    return n;
}

static struct tg_breakdown parts_of(const struct packet *p, uint64_t finish, uint64_t elapsed)
{
    const uint64_t before = tg_mul(p->n - 1, p->own_cost);
    struct tg_room unused;

    return (struct tg_breakdown){
        .blocking = p->level->blocking.total,
        .own = tg_add(before, p->lane->in->cost),
        .tasks = tg_level_tasks(p->level, finish, 1),
        .interrupts = tg_level_interrupts(p->level, finish, &unused),
        .flows = tg_sub(p->others, before),
        .elapsed = elapsed,
    };
}

/* The packets of one busy window, in the order of their acceptance. */
struct window {
    struct packet p;
    uint64_t limit;
    uint64_t most;    /* packets of the flow in the whole window */
    uint64_t arrival; /* [a_n] */
    uint64_t least;   /* not later than the start of any packet of the window */
    uint64_t from;    /* nor of any that is still to be looked at */
    uint32_t steps;
    struct tg_bound worst;
};

static uint64_t start_of(struct window *w, uint64_t n, uint64_t last, uint64_t keep_out)
{
    w->p.n = n;
    w->p.last = last;
    w->p.keep_out = keep_out;
    return tg_least_fixed_point(start_demand, &w->p, w->from, w->limit, &w->steps);
}

/* A packet that keeps dearer ones out may start earlier than the one before it. What never
 * decreases is the start with as many kept out as the whole window has: from there on we search. */
static void move_on(struct window *w, uint64_t n)
{
    w->from = start_of(w, n, n, w->most);
}

static void prepare(struct window *w, uint64_t busy)
{
    struct tg_room room;

    tg_level_room(w->p.level, busy, &room);
    w->most = tg_min(own_packets(&w->p, busy), room.packets[w->p.lane->gate]);
    move_on(w, 1);
    w->least = w->from;
}

/* F_n - a_n of packet n. */
static void look_at(struct window *w, uint64_t n)
{
    uint64_t finish = TG_NO_BOUND;
    const uint64_t start = start_of(w, n, n, 0);

    if (start != TG_NO_BOUND) {
        (void)finish_of(&w->p, start, w->limit, &w->steps, &finish);
    }
    if (finish == TG_NO_BOUND) {
        w->worst = tg_unbounded(tg_why(TG_WHY_NO_CONVERGENCE));
    } else if (w->worst.value == 0 || tg_sub(finish, w->arrival) > w->worst.value) {
        w->worst.value = finish - w->arrival;
        w->worst.parts = parts_of(&w->p, finish, w->arrival);
    }
}

/* Do packets n..last, should they be accepted at any time from `from` to `upto`, certainly all end
 * before they are worse than what is known? The work until the latest time in question is done by
 * the earliest: then no search is due. */
static bool is_harmless(struct window *w, uint64_t n, uint64_t last, uint64_t from, uint64_t upto)
{
    struct packet *p = &w->p;
    const uint64_t cost = p->lane->in->cost;
    const uint64_t earliest_end = tg_add(w->worst.value, from);
    const uint64_t latest_end = tg_add(w->worst.value, upto);
    const uint64_t start = tg_sub(latest_end, cost);
    struct tg_room room;
    uint64_t unused;

    p->n = n;
    p->last = last;
    p->keep_out = 0;
    const uint64_t interrupts = tg_level_interrupts(p->level, start + 1, &room);
    p->others = most_before(p, start + 1, &room, &unused);
    const uint64_t before = tg_add(p->level->blocking.total, tg_add(p->others, interrupts));
    return tg_add(before, tg_level_tasks(p->level, start + 1, 0)) <= tg_sub(earliest_end, cost) &&
           finish_demand(p, latest_end) <= earliest_end;
}

/* Packets n..last, all accepted at the same time. None is later than if, at each instant, the worst
 * of them were the one; often one packet is the worst throughout. If not, look at either half. */
static void look_at_group(struct window *w, uint64_t n, uint64_t last)
{
    uint64_t finish = TG_NO_BOUND;
    uint64_t candidate = n;

    if (n < last) {
        const uint64_t start = start_of(w, n, last, 0);
        if (start != TG_NO_BOUND) {
            candidate = finish_of(&w->p, start, w->limit, &w->steps, &finish);
        }
    }
    look_at(w, candidate);
    if (n == last || w->worst.value >= tg_sub(finish, w->arrival)) {
        return;
    }
    const uint64_t middle = n + (last - n) / 2;
    if (!is_harmless(w, n, middle, w->arrival, w->arrival)) {
        look_at_group(w, n, middle);
    }
    if (!is_harmless(w, middle + 1, last, w->arrival, w->arrival)) {
        look_at_group(w, middle + 1, last);
    }
}

/* First time after `at` at which its gate lets through more; TG_NO_BOUND: none in the window. */
static uint64_t next_refill(const struct packet *p, uint64_t at, uint64_t busy)
{
    const uint64_t passed = let_through(p, at + 1);
    const uint64_t span = passed == TG_NO_BOUND ? TG_NO_BOUND : first_through(p, passed + 1);

    return span > busy ? TG_NO_BOUND : span - 1;
}

/* A packet that the gate lets through keeps others out, but only from then on: where it comes late,
 * they have used all that there was before, and it waits for them. Before the gate lets through
 * more, that is no worse than coming as early as possible; so look at each time when it does. Most
 * are harmless, and the more so the later: skip ever more of them at a time. */
static void look_at_refills(struct window *w, uint64_t busy)
{
    const struct packet *p = &w->p;
    uint64_t at = next_refill(p, 0, busy);
    uint64_t stride = 0;

    while (w->worst.value != TG_NO_BOUND && at != TG_NO_BOUND && w->steps > 0 &&
           busy - at > w->worst.value) { /* no packet ends after the busy window */
        const uint64_t upto = tg_min(at + stride, busy - 1);
        const uint64_t last = tg_min(own_packets(p, upto + 1), w->most);
        w->steps--;
        if (is_harmless(w, 1, last, at, upto)) {
            const uint64_t next = next_refill(p, upto, busy);
            stride = 2 * stride + (next - at);
            at = next;
        } else if (stride > 0) {
            stride = 0;
        } else {
            w->arrival = at;
            w->from = tg_max(at, w->least);
            look_at_group(w, 1, last);
            at = next_refill(p, at, busy);
        }
    }
    if (w->steps == 0) {
        w->worst = tg_unbounded(tg_why(TG_WHY_NO_CONVERGENCE));
    }
}

/* max over n of F_n - a_n. */
static struct tg_bound delivery(struct window *w, uint64_t busy)
{
    const struct packet *p = &w->p;
    uint64_t last = 0;

    w->worst = (struct tg_bound){.value = 0};
    w->from = w->least;
    while (w->worst.value != TG_NO_BOUND && last < w->most) {
        const uint64_t n = last + 1;
        w->p.n = n;
        w->arrival = earliest(p, busy);
        if (w->arrival == TG_NO_BOUND || (n > 1 && busy - w->arrival <= w->worst.value)) {
            break; /* no packet ends after the busy window */
        }
        last = tg_min(own_packets(p, w->arrival + 1), let_through(p, w->arrival + 1));
        last = tg_min(last, w->most);
        if (last < n) { /* what lets n through and when it does so contradict: no proof */
            w->worst = tg_unbounded(tg_why(TG_WHY_NO_CONVERGENCE));
            break;
        }
        if (w->worst.value == 0 || !is_harmless(w, n, last, w->arrival, w->arrival)) {
            if (n > 1) {
                move_on(w, n);
            }
            look_at_group(w, n, last);
        }
    }
    if (!p->level->model->in->as_published) {
        look_at_refills(w, busy);
    }
    return w->worst;
}

struct own_busy_window {
    const struct packet *packet;
    uint64_t cost;
};

static uint64_t own_busy_demand(void *context, uint64_t span)
{
    const struct own_busy_window *b = context;
    const struct packet *p = b->packet;
    struct tg_own_packets own = {p->lane, b->cost, own_packets(p, span), 0};
    struct tg_room room;
    uint64_t sum = tg_add(p->level->blocking.total, tg_level_interrupts(p->level, span, &room));

    sum = tg_add(sum, tg_level_tasks(p->level, span, 0));
    return tg_add(sum, tg_level_flows(p->level, p->view, span, &room, &own));
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

static struct window window_of(struct tg_level *level, enum tg_view view,
                               const struct tg_lane *lane, uint64_t late)
{
    const struct tg_analysis_flow *f = lane->in;
    const bool receiver = f->has_receiver && f->receiver_priority >= level->priority;

    return (struct window){.p = {.level = level,
                                 .view = view,
                                 .lane = lane,
                                 .late = late,
                                 .own_cost = tg_add(f->cost, receiver ? f->receiver_wcet : 0)},
                           .steps = TG_STEPS_MAX};
}

static struct tg_bound bounded_delivery(struct tg_level *level, enum tg_view view,
                                        const struct tg_lane *lane, uint64_t late)
{
    struct window w = window_of(level, view, lane, late);
    const struct tg_bound busy = busy_window(&w.p, w.p.own_cost, &w.limit);

    if (busy.value == TG_NO_BOUND) {
        return busy;
    }
    prepare(&w, busy.value);
    return delivery(&w, busy.value);
}

/* Flooded and conforming in the same busy window: what is known of starts serves both. */
static void both_deliveries(struct tg_level *level, const struct tg_lane *lane, uint64_t late,
                            struct tg_flow_latency *out)
{
    struct window w = window_of(level, TG_VIEW_FLOOD, lane, TG_NO_BOUND);
    const uint64_t busy = busy_window(&w.p, w.p.own_cost, &w.limit).value;

    prepare(&w, busy);
    out->accepted = delivery(&w, busy);
    if (late != TG_NO_BOUND) {
        w.p.late = late;
        w.steps = TG_STEPS_MAX;
        out->conforming = delivery(&w, busy);
    }
}

void tg_flow_delivery(struct tg_level *level, const struct tg_lane *lane, uint64_t late,
                      struct tg_flow_latency *out)
{
    if (level->busy[TG_VIEW_FLOOD].value != TG_NO_BOUND) {
        both_deliveries(level, lane, late, out);
    } else {
        out->accepted = level->busy[TG_VIEW_FLOOD];
        out->conforming = bounded_delivery(level, TG_VIEW_FLOOD, lane, late);
    }
    if (lane->late[TG_VIEW_NOMINAL] != TG_NO_BOUND) {
        out->nominal = bounded_delivery(level, TG_VIEW_NOMINAL, lane, TG_NO_BOUND);
    }
}

void tg_flow_conforming_delivery(struct tg_level *level, const struct tg_lane *lane, uint64_t late,
                                 struct tg_flow_latency *out)
{
    out->conforming = bounded_delivery(level, TG_VIEW_FLOOD, lane, late);
}

/* [G] Packets in the protocol task while the n-th receiver job waits: later packets of the flow run
 * before it, their receivers after it. At least the n packets themselves. */
static uint64_t packets_before_job(const struct packet *p, uint64_t span,
                                   const struct tg_room *room)
{
    struct tg_own_packets own = {p->lane, p->lane->in->cost, own_packets(p, span), 0};

    return tg_max(tg_mul(p->n, p->lane->in->cost),
                  tg_level_flows(p->level, p->view, span, room, &own));
}

static uint64_t receiver_demand(void *context, uint64_t span)
{
    const struct packet *p = context;
    uint64_t sum = tg_add_product(p->level->blocking.total, p->n, p->lane->in->receiver_wcet);
    struct tg_room room;

    sum = tg_add(sum, tg_level_interrupts(p->level, span, &room));
    sum = tg_add(sum, tg_level_tasks(p->level, span, 0));
    return tg_add(sum, packets_before_job(p, span, &room));
}

static struct tg_breakdown receiver_parts(const struct packet *p, uint64_t finish, uint64_t elapsed)
{
    struct tg_room room;
    const uint64_t interrupts = tg_level_interrupts(p->level, finish, &room);

    return (struct tg_breakdown){
        .blocking = p->level->blocking.total,
        .own = tg_mul(p->n, p->lane->in->receiver_wcet),
        .tasks = tg_level_tasks(p->level, finish, 0),
        .interrupts = interrupts,
        .flows = packets_before_job(p, finish, &room),
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
        arrival = earliest(&p, busy.value);
        if (arrival == TG_NO_BOUND) {
            return worst;
        }
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

void tg_flow_conforming_receiver(struct tg_level *level, const struct tg_lane *lane, uint64_t late,
                                 struct tg_flow_latency *out)
{
    out->receiver_conforming = receiver_below(level, lane, late);
}

static uint64_t job_demand(void *context, uint64_t span)
{
    const struct packet *p = context;
    uint64_t sum = tg_add(p->level->blocking.total, p->lane->in->receiver_wcet);
    struct tg_room room;

    sum = tg_add(sum, tg_level_interrupts(p->level, span, &room));
    sum = tg_add(sum, tg_level_tasks(p->level, span, 0));
    return tg_add(sum, tg_level_flows(p->level, p->view, span, &room, NULL));
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
    const uint64_t finish = tg_least_fixed_point(job_demand, &p, 1, limit, &steps);
    if (finish == TG_NO_BOUND) {
        return tg_unbounded(why);
    }
    struct tg_room room;
    const uint64_t interrupts = tg_level_interrupts(level, finish, &room);
    return (struct tg_bound){
        .value = finish,
        .parts = {.blocking = level->blocking.total,
                  .own = job,
                  .tasks = tg_level_tasks(level, finish, 0),
                  .interrupts = interrupts,
                  .flows = tg_level_flows(level, p.view, finish, &room, NULL)},
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
