/* SPDX-License-Identifier: MIT
 *
 * service.c - time at interrupt level, or in the polling task.
 *
 * A queue waits for one step that has begun, for ticks, for the packets of its own gate that are
 * served before, and for queues of other gates that are of at least its rank, as far as their gates
 * let them. What is of lower rank comes in between only if a task polls.
 */
#include "analysis/service.h"

static size_t gate_index(const struct tg_reception *rx)
{
    return rx->gate->index;
}

/* [b] Longest time that something which has begun keeps interrupt level. */
static uint64_t longest_block(const struct tg_model *m)
{
    uint64_t longest = m->irq_off;

    for (size_t g = 0; g < m->in->n_gates; g++) {
        longest = tg_max(longest, m->gates[g].step);
    }
    return longest;
}

/* Packets of another gate's queues that conform and are of higher rank: those that arrive within
 * the window, and those that arrived so shortly before that they were not accepted yet.
 * TG_NO_BOUND: there is a queue of which that is not known. */
static uint64_t conforming_units(const struct tg_reception *rx, const struct tg_class *above,
                                 bool nominal, uint64_t span)
{
    const struct tg_analysis_input *in = rx->model->in;
    uint64_t sum = 0;

    for (size_t k = 0; k < in->n_queues; k++) {
        const struct tg_analysis_queue *q = &in->queues[k];
        const struct tg_queue_result *known = &rx->queues[k];

        if (!tg_class_has(above, k)) {
            continue;
        }
        if (q->rank <= in->queues[rx->queue].rank || !(nominal || q->isolated)) {
            return TG_NO_BOUND; /* equals wait for each other */
        }
        const uint64_t late = nominal ? known->acceptance_nominal.value : known->acceptance.value;
        sum = tg_add(sum, tg_queue_arrivals(rx->model, k, tg_add(span, late)));
    }
    return sum;
}

/* [I_h] Another gate's queues of at least this rank, in any window, and the ticks that come early
 * when that gate closes. */
static uint64_t interference(const struct tg_reception *rx, size_t gate, bool nominal,
                             uint64_t span)
{
    const struct tg_model *m = rx->model;
    const struct tg_gate *other = &m->gates[gate];
    const struct tg_class above = {m, gate, m->in->queues[rx->queue].rank, TG_NOBODY};
    bool is_any = false;

    for (size_t k = 0; k < m->in->n_queues; k++) {
        is_any = is_any || tg_class_has(&above, k);
    }
    if (!is_any) {
        return 0;
    }
    const uint64_t let_through = tg_gate_units(other, span);
    const uint64_t units = tg_min(let_through, conforming_units(rx, &above, nominal, span));
    const uint64_t closings = tg_min(units, tg_gate_closings(other, span));

    return tg_add_product(tg_gate_work(other, units, span), other->early_tick, closings);
}

/* What comes from all other gates. */
static uint64_t others(const struct tg_reception *rx, bool nominal, uint64_t span)
{
    const struct tg_model *m = rx->model;
    uint64_t sum = 0;
    uint64_t early = 0; /* the step that has begun may close its gate */
    uint64_t tick = 0;

    for (size_t g = 0; g < m->in->n_gates; g++) {
        early = tg_max(early, m->gates[g].early_tick);
        tick = tg_max(tick, m->in->gates[g].tick);
    }
    for (size_t g = 0; g < m->in->n_gates; g++) {
        if (g != gate_index(rx)) {
            /* A tick waits for what has begun, and may have begun itself. */
            const uint64_t due = tg_add(span, tg_add(longest_block(m), tick));
            sum = tg_add_product(sum, m->in->gates[g].tick, tg_gate_ticks(&m->gates[g], due));
            sum = tg_add(sum, interference(rx, g, nominal, span));
        }
    }
    return tg_add(sum, early);
}

struct service {
    struct tg_reception *rx;
    uint64_t fixed;
    bool nominal;
};

static uint64_t tick_demand(void *context, uint64_t span)
{
    const struct service *s = context;
    const struct tg_analysis_gate *g = s->rx->gate->in;
    const uint64_t sum = tg_add_product(s->fixed, g->tick, tg_add(span / g->period, 1));

    return tg_add(sum, others(s->rx, false, span));
}

static uint64_t task_demand(void *context, uint64_t span)
{
    const struct service *s = context;
    struct tg_level *level = s->rx->poll_level;
    struct tg_room room;
    uint64_t sum = tg_add(s->fixed, tg_level_interrupts(level, span, &room));

    sum = tg_add(sum, tg_level_tasks(level, span, 0));
    return tg_add(sum, tg_level_flows(level, TG_VIEW_FLOOD, span, &room, NULL));
}

uint64_t tg_service(struct tg_reception *rx, uint64_t n)
{
    const struct tg_model *m = rx->model;
    struct service s = {.rx = rx};

    s.fixed = tg_add_product(longest_block(m), n, rx->gate->step);
    const uint64_t by_tick =
        rx->gate->in->tick >= rx->gate->in->period
            ? TG_NO_BOUND
            : tg_least_fixed_point(tick_demand, &s, 0, m->time_cap, &rx->steps);

    if (rx->poll_level == NULL || by_tick == TG_NO_BOUND) {
        return by_tick;
    }
    struct tg_why why;
    const struct tg_level *level = rx->poll_level;
    const uint64_t limit = tg_level_limit(level, TG_VIEW_FLOOD, &level->share[TG_VIEW_FLOOD], &why);

    s.fixed = tg_add_product(tg_add(level->blocking.total, m->irq_off), n, rx->gate->in->packet);
    return tg_max(by_tick, tg_least_fixed_point(task_demand, &s, 1, limit, &rx->steps));
}

/* Packets of the own gate's queues of this rank and above: those that may interrupt since the
 * window began arrived at most their moderation before. */
static uint64_t own_units(const struct tg_reception *rx, uint64_t span)
{
    const struct tg_model *m = rx->model;
    const struct tg_class own = {m, gate_index(rx), m->in->queues[rx->queue].rank, TG_NOBODY};
    uint64_t sum = 0;

    for (size_t k = 0; k < m->in->n_queues; k++) {
        if (tg_class_has(&own, k)) {
            sum = tg_add(sum, tg_queue_arrivals(m, k, tg_add(span, rx->queues[k].moderation)));
        }
    }
    return sum;
}

static uint64_t demand_at_once(void *context, uint64_t span)
{
    const struct service *s = context;
    const struct tg_reception *rx = s->rx;
    const uint64_t due = tg_add(span, tg_add(longest_block(rx->model), rx->gate->in->tick));
    uint64_t sum = tg_add_product(s->fixed, own_units(rx, span), rx->gate->step);

    sum = tg_add_product(sum, rx->gate->in->tick, tg_gate_ticks(rx->gate, due));
    return tg_add(sum, others(rx, s->nominal, span));
}

uint64_t tg_service_at_once(struct tg_reception *rx, bool nominal)
{
    struct service s = {.rx = rx, .fixed = longest_block(rx->model), .nominal = nominal};

    return tg_least_fixed_point(demand_at_once, &s, 1, rx->model->time_cap, &rx->steps);
}

struct published {
    struct tg_reception *rx;
    uint64_t moderation;
};

static uint64_t published_demand(void *context, uint64_t span)
{
    const struct published *p = context;
    const struct tg_model *m = p->rx->model;
    const struct tg_class own = {m, gate_index(p->rx), m->in->queues[p->rx->queue].rank, TG_NOBODY};

    return tg_add(p->moderation, tg_service(p->rx, tg_class_arrivals(&own, span)));
}

uint64_t tg_service_published(struct tg_reception *rx, uint64_t moderation)
{
    struct published p = {rx, moderation};

    return tg_least_fixed_point(published_demand, &p, 1, rx->model->time_cap, &rx->steps);
}
