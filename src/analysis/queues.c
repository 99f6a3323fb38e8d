/* SPDX-License-Identifier: MIT
 *
 * queues.c - acceptance delay and loss in the ring.
 *
 * Refused, because not derived: several gates; a sporadic or token gate (no common refill).
 */
#include "analysis/queues.h"

#include "analysis/level.h"

/* Which queues count: those of at least this rank, with or without one of them. */
struct class
{
    const struct tg_model *model;
    int32_t rank;
    size_t without; /* TG_NOBODY: none */
};

struct reception {
    const struct tg_model *model;
    const struct tg_gate *gate;
    struct tg_level *poll_level; /* NULL: the tick handler polls */
    uint64_t period;             /* [P'] refill to refill at most */
    uint32_t steps;
};

static bool in_class(const struct class *c, size_t queue)
{
    return c->model->in->queues[queue].rank >= c->rank && queue != c->without;
}

uint64_t tg_queue_arrivals(const struct tg_model *model, size_t queue, uint64_t span)
{
    uint64_t sum = 0;

    for (size_t i = model->queue_first[queue]; i < model->queue_first[queue + 1]; i++) {
        const struct tg_lane *lane = model->by_queue[i];
        sum = tg_add(sum, tg_arrivals(lane->burst, lane->every, lane->in->jitter, span));
    }
    return sum;
}

/* [eta_X] */
static uint64_t arrivals(const struct class *c, uint64_t span)
{
    uint64_t sum = 0;

    for (size_t k = 0; k < c->model->in->n_queues; k++) {
        if (in_class(c, k)) {
            sum = tg_add(sum, tg_queue_arrivals(c->model, k, span));
        }
    }
    return sum;
}

/* Packets per time of conforming sources; every source of the class is known. */
static struct tg_share_range arrival_rate(const struct class *c)
{
    struct tg_share_range sum = {0, 0};

    for (size_t k = 0; k < c->model->in->n_queues; k++) {
        for (size_t i = c->model->queue_first[k];
             in_class(c, k) && i < c->model->queue_first[k + 1]; i++) {
            const struct tg_lane *lane = c->model->by_queue[i];
            sum = tg_share_range_add(sum, tg_share_of(lane->burst, lane->every));
        }
    }
    return sum;
}

/* First flow of the class whose source is not known; TG_NOBODY: all are. */
static size_t unknown_source(const struct class *c)
{
    for (size_t i = 0; i < c->model->in->n_flows; i++) {
        const struct tg_lane *lane = &c->model->lanes[i];
        if (lane->in->queue != TG_NOBODY && in_class(c, lane->in->queue) && lane->every == 0) {
            return i;
        }
    }
    return TG_NOBODY;
}

/* [M_k] for a packet timer alone in an isolated queue: n * timer for the smallest n such that
 * packet n + 1 cannot arrive before n * timer, the longest train with gaps below the timer. */
static uint64_t longest_train(const struct tg_model *model, size_t queue, uint64_t timer)
{
    uint64_t n = 1;

    for (uint32_t steps = TG_STEPS_MAX; steps > 0; steps--) {
        const uint64_t span = tg_mul(n, timer);
        if (span > TG_ANALYSIS_TIME_MAX) {
            break;
        }
        const uint64_t arrived = tg_queue_arrivals(model, queue, span);
        if (arrived <= n) {
            return span;
        }
        n = arrived;
    }
    return TG_NO_BOUND;
}

static uint64_t moderation_delay(const struct tg_model *model, size_t queue)
{
    const struct tg_analysis_queue *q = &model->in->queues[queue];
    uint64_t delay = TG_NO_BOUND;

    if (q->absolute_timer == 0 && q->packet_timer == 0 && q->packets == 0) {
        return 0;
    }
    if (q->absolute_timer != 0) {
        delay = q->absolute_timer;
    }
    if (q->packets == 1) {
        delay = 0;
    }
    if (q->packets != 0 && q->packet_timer != 0) {
        delay = tg_min(delay, tg_mul(q->packets - 1, q->packet_timer));
    }
    if (q->isolated && q->packet_timer != 0 && q->absolute_timer == 0 && q->packets == 0) {
        delay = longest_train(model, queue, q->packet_timer);
    }
    return delay;
}

/* Longest moderation delay of a class; *worst is the queue that has it. */
static uint64_t class_moderation(const struct class *c, const struct tg_queue_result *queues,
                                 size_t *worst)
{
    uint64_t delay = 0;

    for (size_t k = 0; k < c->model->in->n_queues; k++) {
        if (in_class(c, k) && queues[k].moderation > delay) {
            delay = queues[k].moderation;
            *worst = k;
        }
    }
    return delay;
}

struct service {
    struct reception *rx;
    uint64_t packets;
    uint64_t fixed;
};

static uint64_t tick_service(void *context, uint64_t span)
{
    const struct service *s = context;
    const struct tg_analysis_gate *g = s->rx->gate->in;

    return tg_add_product(s->fixed, g->tick, tg_add(span / g->period, 1));
}

static uint64_t task_service(void *context, uint64_t span)
{
    const struct service *s = context;
    struct tg_level *level = s->rx->poll_level;
    const struct tg_gate_demand gates = tg_level_interrupts(level, span);
    uint64_t sum = tg_add(s->fixed, tg_add(gates.time, tg_level_tasks(level, span, 0)));

    return tg_add(sum, tg_level_flows(level, TG_VIEW_FLOOD, span, gates.packets, NULL));
}

/* One lower step, n packets, and the ticks that fall into it. */
static uint64_t service_by_tick(struct reception *rx, uint64_t n)
{
    const struct tg_gate *gate = rx->gate;
    struct service s = {rx, n, tg_max(rx->model->irq_off, gate->step)};

    if (gate->in->tick >= gate->in->period) {
        return TG_NO_BOUND;
    }
    s.fixed = tg_add_product(s.fixed, n, gate->step);
    return tg_least_fixed_point(tick_service, &s, 0, TG_ANALYSIS_TIME_MAX, &rx->steps);
}

/* [svc] n packets of the most urgent kind, from the moment that budget is there. */
static uint64_t service(struct reception *rx, uint64_t n)
{
    const uint64_t by_tick = service_by_tick(rx, n);

    if (rx->poll_level == NULL) {
        return by_tick;
    }
    struct tg_why why;
    const struct tg_level *level = rx->poll_level;
    const uint64_t limit = tg_level_limit(level, TG_VIEW_FLOOD, &level->share[TG_VIEW_FLOOD], &why);
    struct service s = {rx, n, tg_add(level->blocking.total, rx->model->irq_off)};
    s.fixed = tg_add_product(s.fixed, n, rx->gate->in->packet);
    return tg_max(by_tick, tg_least_fixed_point(task_service, &s, 1, limit, &rx->steps));
}

/* Smallest j >= from with fixed + eta(start + j * P') <= j * Q; TG_NO_BOUND: none found. */
static uint64_t refills(struct reception *rx, const struct class *c, uint64_t fixed, uint64_t start,
                        uint64_t from)
{
    const uint64_t budget = rx->gate->in->budget;
    uint64_t j = from;

    while (rx->steps > 0) {
        const uint64_t span = tg_add(start, tg_mul(j, rx->period));
        if (span > TG_ANALYSIS_TIME_MAX) {
            break;
        }
        rx->steps--;
        const uint64_t need = tg_ceil_div(tg_add(fixed, arrivals(c, span)), budget);
        if (need <= j) {
            return j;
        }
        j = need;
    }
    return TG_NO_BOUND;
}

/* First offset after `after` at which more packets of a queue can have arrived. */
static uint64_t next_arrival(const struct tg_model *model, size_t queue, uint64_t after)
{
    uint64_t next = TG_NO_BOUND;

    for (size_t i = model->queue_first[queue]; i < model->queue_first[queue + 1]; i++) {
        const struct tg_lane *lane = model->by_queue[i];
        const uint64_t jitter = lane->in->jitter;
        const uint64_t count = tg_ceil_div(tg_add(after + 1, jitter), lane->every);
        next = tg_min(next, tg_sub(tg_mul(count, lane->every), jitter));
    }
    return next;
}

/* [W] Longest wait for a refill by which this packet, its predecessors and all higher queues
 * fit. */
static uint64_t longest_wait(struct reception *rx, size_t queue, const struct class *higher,
                             uint64_t start, uint64_t end)
{
    const struct tg_model *m = rx->model;
    uint64_t wait = rx->period;
    uint64_t j = 1;

    for (uint64_t a = 0; a <= end; a = next_arrival(m, queue, a)) {
        const uint64_t arrived = tg_queue_arrivals(m, queue, a + 1);
        const uint64_t least = tg_max(j, tg_ceil_div(arrived, rx->gate->in->budget));
        if (arrived == 0) {
            continue; /* no flow is listed for this queue */
        }
        j = refills(rx, higher, arrived, start, least);
        if (j == TG_NO_BOUND) {
            return j;
        }
        wait = tg_max(wait, tg_sub(tg_mul(j, rx->period), a));
    }
    return wait;
}

/* Section 8.2: only conforming packets are in this queue and above, any flood below. */
static uint64_t isolated_acceptance(struct reception *rx, size_t queue, uint64_t moderation)
{
    const struct tg_model *m = rx->model;
    const struct class own = {m, m->in->queues[queue].rank, TG_NOBODY};
    const struct class higher = {m, own.rank, queue};
    uint64_t served = TG_NO_BOUND;
    uint64_t alpha = 1;

    /* The delay depends on itself only through the number of packets that one refill serves. */
    while (rx->steps > 0 && alpha != TG_NO_BOUND) {
        const uint64_t n = tg_min(rx->gate->in->budget, arrivals(&own, alpha));
        if (n == served) {
            return alpha;
        }
        served = n;
        const uint64_t s = service(rx, n);
        const uint64_t start = tg_add(moderation, s);
        const uint64_t last = refills(rx, &own, 0, start, 1);
        const uint64_t end = tg_add(start, tg_mul(last, rx->period));
        if (end == TG_NO_BOUND) {
            break;
        }
        alpha = tg_add(start, longest_wait(rx, queue, &higher, start, end));
    }
    return TG_NO_BOUND;
}

/* Section 8.3: a flood may fill this queue; for packets that find a descriptor. */
static uint64_t shared_acceptance(struct reception *rx, size_t queue, uint64_t moderation)
{
    const struct tg_model *m = rx->model;
    const struct class higher = {m, m->in->queues[queue].rank, queue};
    const uint64_t ring = m->in->queues[queue].ring;
    const uint64_t budget = rx->gate->in->budget;
    uint64_t served = TG_NO_BOUND;
    uint64_t alpha = 1;

    while (rx->steps > 0 && alpha != TG_NO_BOUND) {
        const uint64_t n = tg_min(budget, tg_add(ring, arrivals(&higher, alpha)));
        if (n == served) {
            return alpha;
        }
        served = n;
        const uint64_t start = tg_add(moderation, service(rx, n));
        const uint64_t j = refills(rx, &higher, ring, start, tg_ceil_div(ring, budget));
        alpha = tg_add(start, tg_mul(j, rx->period));
    }
    return TG_NO_BOUND;
}

/* First queue of this rank or above that is not isolated, the queue itself left out. */
static size_t flooded_above(const struct tg_model *model, size_t queue)
{
    const struct class higher = {model, model->in->queues[queue].rank, queue};

    for (size_t k = 0; k < model->in->n_queues; k++) {
        if (in_class(&higher, k) && !model->in->queues[k].isolated) {
            return k;
        }
    }
    return TG_NOBODY;
}

/* Does conforming traffic of the class use up the gate in the long run? eta(D) >= rate * D. */
static bool class_overload(const struct reception *rx, const struct class *c)
{
    const tg_share per_period = tg_share_mul(rx->period, arrival_rate(c).lower);
    return per_period >= (tg_share)rx->gate->in->budget << 64;
}

static struct tg_why why_at(enum tg_why_code code, size_t index)
{
    struct tg_why why = tg_why(code);
    why.index = index;
    return why;
}

static struct tg_bound acceptance(struct reception *rx, size_t queue,
                                  const struct tg_queue_result *queues)
{
    const struct tg_model *m = rx->model;
    const struct tg_analysis_queue *q = &m->in->queues[queue];
    const struct class own = {m, q->rank, TG_NOBODY};
    const struct class counted = {m, q->rank, q->isolated ? TG_NOBODY : queue};
    size_t worst = queue;
    const uint64_t moderation = class_moderation(&own, queues, &worst);
    const uint64_t full = service(rx, rx->gate->in->budget);

    if (flooded_above(m, queue) != TG_NOBODY) {
        return tg_unbounded(why_at(TG_WHY_NOT_ISOLATED, flooded_above(m, queue)));
    }
    if (moderation == TG_NO_BOUND) {
        return tg_unbounded(why_at(TG_WHY_MODERATION, worst));
    }
    if (unknown_source(&counted) != TG_NOBODY) {
        return tg_unbounded(why_at(TG_WHY_NO_SOURCE, unknown_source(&counted)));
    }
    if (full > rx->gate->in->period) {
        struct tg_why why = tg_why(TG_WHY_GATE_TOO_SLOW);
        why.a = rx->gate->in->budget;
        why.b = full;
        return tg_unbounded(why);
    }
    if (class_overload(rx, &counted)) {
        return tg_unbounded(why_at(TG_WHY_CLASS_OVERLOAD, queue));
    }
    const uint64_t alpha = q->isolated ? isolated_acceptance(rx, queue, moderation)
                                       : shared_acceptance(rx, queue, moderation);
    return alpha == TG_NO_BOUND ? tg_unbounded(tg_why(TG_WHY_NO_CONVERGENCE))
                                : (struct tg_bound){.value = alpha};
}

struct nominal {
    struct reception *rx;
    const struct class *own;
    uint64_t moderation;
};

static uint64_t nominal_delay(void *context, uint64_t span)
{
    const struct nominal *n = context;
    return tg_add(n->moderation, service_by_tick(n->rx, arrivals(n->own, span)));
}

/* Section 8.4: all traffic conforms and together it never spends the gate. */
static struct tg_bound nominal_acceptance(struct reception *rx, size_t queue,
                                          const struct tg_queue_result *queues)
{
    const struct tg_model *m = rx->model;
    const struct class all = {m, INT32_MIN, TG_NOBODY};
    const struct class own = {m, m->in->queues[queue].rank, TG_NOBODY};
    size_t worst = queue;
    const uint64_t longest = class_moderation(&all, queues, &worst);

    for (size_t i = 0; i < m->in->n_flows; i++) {
        if (m->lanes[i].every == 0) {
            return tg_unbounded(why_at(TG_WHY_NO_SOURCE, i));
        }
    }
    if (longest == TG_NO_BOUND) {
        return tg_unbounded(why_at(TG_WHY_MODERATION, worst));
    }
    if (class_overload(rx, &all) || rx->gate->in->kind == TG_CURVE_POLLING) {
        return tg_unbounded(tg_why(TG_WHY_GATE_BITES));
    }
    struct nominal n = {rx, &own, queues[queue].moderation};
    const uint64_t alpha =
        tg_least_fixed_point(nominal_delay, &n, 1, TG_ANALYSIS_TIME_MAX, &rx->steps);
    const uint64_t window = tg_add(rx->period, tg_add(alpha, longest));
    if (alpha == TG_NO_BOUND || tg_add(arrivals(&all, window), 1) > rx->gate->in->budget) {
        return tg_unbounded(tg_why(TG_WHY_GATE_BITES));
    }
    return (struct tg_bound){.value = alpha};
}

/* Is acceptance derived at all for this reception? */
static enum tg_why_code refused(const struct tg_model *model)
{
    if (model->in->n_gates != 1) {
        return TG_WHY_SEVERAL_GATES; /* a queue has a gate, so there is at least one */
    }
    switch (model->in->gates[0].kind) {
    case TG_CURVE_DEFERRABLE:
    case TG_CURVE_POLLING:
        return TG_WHY_NONE;
    default:
        return TG_WHY_GATE_KIND;
    }
}

/* What the delay means for the ring. */
static void judge(const struct tg_model *model, size_t queue, struct tg_queue_result *out)
{
    const struct tg_analysis_queue *q = &model->in->queues[queue];

    out->ring_need = TG_NO_BOUND;
    if (!q->isolated) {
        out->why = why_at(TG_WHY_SHARED_RING, queue);
        return;
    }
    if (out->acceptance.value == TG_NO_BOUND) {
        out->why = out->acceptance.why;
        return;
    }
    out->ring_need = tg_queue_arrivals(model, queue, out->acceptance.value);
    out->lossless = out->ring_need <= q->ring;
    if (!out->lossless) {
        out->why = why_at(TG_WHY_RING_TOO_SMALL, queue);
        out->why.a = out->ring_need;
        out->why.b = q->ring;
    }
}

static void analyse_queue(struct reception *rx, size_t queue, struct tg_queue_result *queues)
{
    const enum tg_why_code why = refused(rx->model);

    rx->steps = TG_STEPS_MAX;
    if (why == TG_WHY_NONE) {
        queues[queue].acceptance = acceptance(rx, queue, queues);
        rx->steps = TG_STEPS_MAX;
        queues[queue].acceptance_nominal = nominal_acceptance(rx, queue, queues);
    } else {
        queues[queue].acceptance = tg_unbounded(tg_why(why));
        queues[queue].acceptance_nominal = tg_unbounded(tg_why(why));
    }
    judge(rx->model, queue, &queues[queue]);
}

int tg_queues_analyse(const struct tg_model *model, struct tg_queue_result *queues)
{
    const struct tg_gate *gate = model->gates;
    struct tg_level poll_level = {0};
    struct reception rx = {.model = model, .gate = gate, .steps = TG_STEPS_MAX};

    if (refused(model) == TG_WHY_NONE) {
        rx.period = tg_add(gate->in->period, gate->curve.lateness);
        if (gate->in->polled_by_task) {
            const int err = tg_level_init(&poll_level, model);
            if (err != 0) {
                return err;
            }
            tg_level_enter(&poll_level, gate->in->poll_priority);
            poll_level.share[TG_VIEW_FLOOD] =
                tg_level_share(&poll_level, TG_VIEW_FLOOD, NULL, TG_NO_BOUND);
            rx.poll_level = &poll_level;
        }
    }
    for (size_t k = 0; k < model->in->n_queues; k++) {
        queues[k].moderation = moderation_delay(model, k);
    }
    for (size_t k = 0; k < model->in->n_queues; k++) {
        analyse_queue(&rx, k, queues);
    }
    tg_level_free(&poll_level);
    return 0;
}
