/* SPDX-License-Identifier: MIT
 *
 * gate.c - receive interrupts behind a gate.
 */
#include "analysis/gate.h"

static bool is_moderated(const struct tg_analysis_queue *queue)
{
    return queue->absolute_timer != 0 || queue->packet_timer != 0 || queue->packets != 0;
}

/* The shorter of the timers that are set; 0: none is. */
static uint64_t shortest_timer(const struct tg_analysis_queue *queue)
{
    if (queue->absolute_timer == 0 || queue->packet_timer == 0) {
        return tg_max(queue->absolute_timer, queue->packet_timer);
    }
    return tg_min(queue->absolute_timer, queue->packet_timer);
}

/* [e] Most that one unit costs. Who is always polled never interrupts. */
static uint64_t step_of(const struct tg_analysis_input *in, const struct tg_analysis_gate *g)
{
    return g->kind == TG_CURVE_POLLING && !in->as_published ? g->packet : g->interrupt + g->packet;
}

/* Longest step or tick that the tick handler may have to wait for. */
static uint64_t longest_step(const struct tg_analysis_input *in)
{
    uint64_t longest = 0;

    for (size_t i = 0; i < in->n_gates; i++) {
        const struct tg_analysis_gate *g = &in->gates[i];
        longest = tg_max(longest, step_of(in, g));
        if (in->n_gates > 1) { /* the only gate's ticks are a period apart */
            longest = tg_max(longest, g->tick);
        }
    }
    return longest;
}

static int32_t rank_of(const struct tg_analysis_input *in, size_t gate, bool highest)
{
    int32_t rank = highest ? INT32_MIN : INT32_MAX;

    for (size_t k = 0; k < in->n_queues; k++) {
        const int32_t other = in->queues[k].rank;
        if (in->queues[k].gate == gate && (highest ? other > rank : other < rank)) {
            rank = other;
        }
    }
    return rank;
}

/* When a gate closes while another one is polled and has budget left, the tick handler is called at
 * once (section 4.5). In the tick handler polls go by rank, so only a higher queue comes in
 * between. */
static uint64_t early_tick(const struct tg_analysis_input *in, size_t index)
{
    const int32_t highest = rank_of(in, index, true);
    uint64_t tick = 0;

    for (size_t i = 0; i < in->n_gates; i++) {
        const struct tg_analysis_gate *other = &in->gates[i];
        if (i != index && other->kind != TG_CURVE_UNLIMITED &&
            (other->polled_by_task || rank_of(in, i, false) < highest)) {
            tick = tg_max(tick, other->tick);
        }
    }
    return tick;
}

void tg_gate_init(struct tg_gate *gate, const struct tg_analysis_input *in, size_t index,
                  uint64_t irq_off)
{
    const struct tg_analysis_gate *g = &in->gates[index];

    *gate = (struct tg_gate){.in = g,
                             .queues = in->queues,
                             .n_queues = in->n_queues,
                             .index = index,
                             .step = step_of(in, g),
                             .early_tick = early_tick(in, index)};
    gate->curve = (struct tg_curve){
        .kind = g->kind,
        .budget = g->budget,
        .period = g->period,
        .lateness = g->refilled_by_tick ? tg_max(irq_off, longest_step(in)) + g->tick : 0};
    gate->any = gate->curve;
    if (g->kind == TG_CURVE_POLLING && !in->as_published) {
        /* A poll may come late in its period, and the next one at once. */
        gate->any.kind = TG_CURVE_DEFERRABLE;
    }

    size_t own_queues = 0;
    bool all_moderated = true;
    for (size_t k = 0; k < in->n_queues; k++) {
        if (in->queues[k].gate == index) {
            gate->rings = tg_add(gate->rings, in->queues[k].ring);
            all_moderated = all_moderated && is_moderated(&in->queues[k]);
            own_queues++;
        }
    }
    gate->moderated = all_moderated && own_queues > 0 && !in->has_register;
    /* With moderation one interrupt may serve the whole first batch. */
    gate->shift =
        g->budget == 0 ? 0 : tg_mul(g->budget - 1, gate->moderated ? g->packet : gate->step);
    gate->accept_shift = g->wire_gap == 0 || in->as_published ? gate->shift : 0;
}

uint64_t tg_gate_units(const struct tg_gate *gate, uint64_t span)
{
    uint64_t packets = tg_curve_units(&gate->any, span);

    if (gate->in->wire_gap != 0 && span != 0) {
        packets = tg_min(packets, tg_add(gate->rings, tg_ceil_div(span, gate->in->wire_gap)));
    }
    return packets;
}

/* A task that polls below `priority` cannot run in its busy window: whoever spends the last unit
 * ends reception until the window ends (section 4.4). A token bucket earns units without a tick. */
static bool stops_when_spent(const struct tg_gate *gate, int32_t priority)
{
    return gate->in->polled_by_task && priority > gate->in->poll_priority &&
           gate->in->kind != TG_CURVE_TOKEN && gate->in->kind != TG_CURVE_UNLIMITED;
}

/* Section 3.1: the window starts idle, so a full first batch delays the refill by `shift`. */
static uint64_t admitted(const struct tg_gate *gate, uint64_t span, uint64_t shift)
{
    const struct tg_curve *c = &gate->curve;

    if (c->kind != TG_CURVE_DEFERRABLE) {
        return tg_curve_units(c, span);
    }
    if (span <= gate->shift) {
        return c->budget;
    }
    const uint64_t refills = tg_ceil_div(tg_add(span - shift, c->lateness), c->period);
    return tg_mul(c->budget, tg_add(refills, 1));
}

/* Then packets of one budget that do not end reception. Of a polling gate there are none: what is
 * left in a window is the step that the task had begun. */
static uint64_t kept_back(const struct tg_curve *c)
{
    return c->kind == TG_CURVE_POLLING ? 0 : c->budget - 1;
}

/* No more than a polling task and the wire allow. */
static uint64_t limited(const struct tg_gate *gate, int32_t priority, uint64_t span,
                        uint64_t packets)
{
    const struct tg_curve *c = &gate->curve;

    if (stops_when_spent(gate, priority)) {
        const uint64_t periods = tg_ceil_div(tg_add(span, c->lateness), c->period);
        const uint64_t before_last = tg_mul(kept_back(c), tg_add(periods, 1));
        packets = tg_min(packets, tg_add(before_last, 1));
    }
    if (gate->in->wire_gap != 0) {
        packets = tg_min(packets, tg_add(gate->rings, tg_ceil_div(span, gate->in->wire_gap)));
    }
    return packets;
}

uint64_t tg_gate_packets(const struct tg_gate *gate, int32_t priority, uint64_t span)
{
    return span == 0 ? 0 : limited(gate, priority, span, admitted(gate, span, gate->shift));
}

uint64_t tg_gate_accepted(const struct tg_gate *gate, int32_t priority, uint64_t span)
{
    return span == 0 ? 0 : limited(gate, priority, span, admitted(gate, span, gate->accept_shift));
}

uint64_t tg_gate_first(const struct tg_gate *gate, int32_t priority, uint64_t n)
{
    const struct tg_curve *c = &gate->curve;
    uint64_t first = 1;

    if (c->kind != TG_CURVE_DEFERRABLE) {
        first = tg_curve_first(c, n);
    } else if (n > c->budget) {
        /* so many periods after the first refill */
        const uint64_t later = tg_mul(tg_ceil_div(n, c->budget) - 2, c->period);
        first = tg_add(tg_add(gate->accept_shift, tg_sub(later, c->lateness)), 1);
        first = tg_max(first, tg_add(gate->shift, 1));
    }
    if (stops_when_spent(gate, priority) && n > 1) {
        if (kept_back(c) == 0) {
            return TG_NO_BOUND;
        }
        const uint64_t periods = tg_ceil_div(n - 1, kept_back(c)) - 1;
        const uint64_t start = tg_mul(tg_sub(periods, 1), c->period);
        first = tg_max(first, tg_add(tg_sub(start, c->lateness), 1));
    }
    if (gate->in->wire_gap != 0 && n > gate->rings) {
        first = tg_max(first, tg_add(tg_mul(n - gate->rings - 1, gate->in->wire_gap), 1));
    }
    return first;
}

/* Section 4.2. Two timer interrupts of a queue are a timer apart; one more was latched while
 * masked. */
static uint64_t interrupts(const struct tg_gate *gate, uint64_t packets, uint64_t span)
{
    if (!gate->moderated) {
        return packets;
    }
    uint64_t sum = 0;
    for (size_t k = 0; k < gate->n_queues; k++) {
        const struct tg_analysis_queue *q = &gate->queues[k];
        const uint64_t timer = shortest_timer(q);

        if (q->gate != gate->index) {
            continue;
        }
        if (timer != 0) {
            sum = tg_add(sum, tg_add(tg_ceil_div(span, timer), 1));
        }
        if (q->packets != 0) {
            sum = tg_add(sum, tg_add(tg_ceil_div(tg_add(packets, q->ring), q->packets), 1));
        }
    }
    return tg_min(packets, sum);
}

/* The tick of a periodic gate; a sliding window or a token bucket arms its timer per unit, but no
 * more when it has stopped. */
static uint64_t ticks(const struct tg_gate *gate, uint64_t packets, uint64_t span, bool stops)
{
    switch (gate->in->kind) {
    case TG_CURVE_SPORADIC:
    case TG_CURVE_TOKEN:
        return stops ? 1 : tg_add(packets, 1);
    case TG_CURVE_UNLIMITED:
        return 0;
    default:
        return tg_ceil_div(span, gate->in->period);
    }
}

/* It closes at most once in each budget that it has, and a kind without a count with each unit. */
static uint64_t closings(const struct tg_gate *gate, uint64_t admitted, uint64_t packets)
{
    switch (gate->in->kind) {
    case TG_CURVE_DEFERRABLE:
        return tg_min(packets, tg_ceil_div(admitted, gate->in->budget));
    case TG_CURVE_SPORADIC:
    case TG_CURVE_TOKEN:
        return packets;
    default:
        return 0;
    }
}

uint64_t tg_gate_work(const struct tg_gate *gate, uint64_t packets, uint64_t span)
{
    return tg_add_product(tg_mul(gate->in->packet, packets), gate->step - gate->in->packet,
                          interrupts(gate, packets, span));
}

uint64_t tg_gate_ticks(const struct tg_gate *gate, uint64_t span)
{
    return ticks(gate, tg_gate_units(gate, span), span, false);
}

uint64_t tg_gate_closings(const struct tg_gate *gate, uint64_t span)
{
    return closings(gate, tg_curve_units(&gate->any, span), tg_gate_units(gate, span));
}

struct tg_gate_demand tg_gate_demand(const struct tg_gate *gate, int32_t priority, uint64_t span)
{
    struct tg_gate_demand demand = {0, 0};
    const bool stops = stops_when_spent(gate, priority);

    if (span == 0) {
        return demand;
    }
    const uint64_t passed = admitted(gate, span, gate->shift);
    demand.packets = limited(gate, priority, span, passed);
    demand.time = tg_gate_work(gate, demand.packets, span);
    demand.time =
        tg_add_product(demand.time, gate->in->tick, ticks(gate, demand.packets, span, stops));
    if (gate->early_tick != 0) {
        const uint64_t closed = closings(gate, passed, demand.packets);
        demand.time =
            tg_add_product(demand.time, gate->early_tick, stops ? tg_min(closed, 1) : closed);
    }
    return demand;
}

struct tg_share_range tg_gate_packet_rate(const struct tg_gate *gate, int32_t priority)
{
    struct tg_share_range rate = tg_curve_rate(&gate->curve);

    if (stops_when_spent(gate, priority)) {
        rate = tg_share_of(kept_back(&gate->curve), gate->in->period);
    }
    if (gate->in->wire_gap != 0) {
        rate = tg_share_range_min(rate, tg_share_of(1, gate->in->wire_gap));
    }
    return rate;
}

/* packets / every: one interrupt per so many packets. */
static struct tg_share_range divided(struct tg_share_range rate, uint64_t every)
{
    return (struct tg_share_range){.lower = rate.lower / every,
                                   .upper = rate.upper == TG_SHARE_FULL
                                                ? TG_SHARE_FULL
                                                : rate.upper / every + (rate.upper % every != 0)};
}

static struct tg_share_range interrupt_rate(const struct tg_gate *gate, struct tg_share_range rate)
{
    struct tg_share_range sum = {0, 0};

    if (!gate->moderated) {
        return rate;
    }
    for (size_t k = 0; k < gate->n_queues; k++) {
        const struct tg_analysis_queue *q = &gate->queues[k];
        const uint64_t timer = shortest_timer(q);

        if (q->gate != gate->index) {
            continue;
        }
        if (timer != 0) {
            sum = tg_share_range_add(sum, tg_share_of(1, timer));
        }
        if (q->packets != 0) {
            sum = tg_share_range_add(sum, divided(rate, q->packets));
        }
    }
    return tg_share_range_min(rate, sum);
}

static struct tg_share_range tick_rate(const struct tg_gate *gate, struct tg_share_range rate,
                                       bool stops)
{
    switch (gate->in->kind) {
    case TG_CURVE_SPORADIC:
    case TG_CURVE_TOKEN:
        return stops ? (struct tg_share_range){0, 0} : rate;
    case TG_CURVE_UNLIMITED:
        return (struct tg_share_range){0, 0};
    default:
        return tg_share_of(1, gate->in->period);
    }
}

static struct tg_share_range closing_rate(const struct tg_gate *gate, struct tg_share_range rate)
{
    switch (gate->in->kind) {
    case TG_CURVE_DEFERRABLE:
        return tg_share_range_min(rate, tg_share_of(1, gate->in->period));
    case TG_CURVE_SPORADIC:
    case TG_CURVE_TOKEN:
        return rate;
    default:
        return (struct tg_share_range){0, 0};
    }
}

struct tg_share_range tg_gate_share(const struct tg_gate *gate, int32_t priority)
{
    const struct tg_share_range rate = tg_gate_packet_rate(gate, priority);
    const bool stops = stops_when_spent(gate, priority);
    struct tg_share_range share = tg_share_range_mul(gate->in->packet, rate);

    share = tg_share_range_add(
        share, tg_share_range_mul(gate->step - gate->in->packet, interrupt_rate(gate, rate)));
    share =
        tg_share_range_add(share, tg_share_range_mul(gate->in->tick, tick_rate(gate, rate, stops)));
    return stops ? share
                 : tg_share_range_add(
                       share, tg_share_range_mul(gate->early_tick, closing_rate(gate, rate)));
}
