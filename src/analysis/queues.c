/* SPDX-License-Identifier: MIT
 *
 * queues.c - acceptance delay and loss in the ring (section 8).
 *
 * Refused, because not derived: a sporadic or token gate that can be spent (no common refill).
 */
#include "analysis/queues.h"

#include "analysis/service.h"

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
static uint64_t class_moderation(const struct tg_class *c, const struct tg_queue_result *queues,
                                 size_t *worst)
{
    uint64_t delay = 0;

    for (size_t k = 0; k < c->model->in->n_queues; k++) {
        if (tg_class_has(c, k) && queues[k].moderation > delay) {
            delay = queues[k].moderation;
            *worst = k;
        }
    }
    return delay;
}

/* Queues of the same gate: of this rank and above, or all. */
static struct tg_class own_class(const struct tg_reception *rx, size_t without)
{
    const struct tg_model *m = rx->model;
    return (struct tg_class){m, rx->gate->index, m->in->queues[rx->queue].rank, without};
}

static struct tg_class whole_gate(const struct tg_reception *rx)
{
    return (struct tg_class){rx->model, rx->gate->index, INT32_MIN, TG_NOBODY};
}

/* One of these queues has the lowest priority at its top, which is in *priority. Returns false if
 * nothing that can run is as urgent as that, or if there is no register that would care. */
static bool may_be_held(const struct tg_class *c, int32_t *priority)
{
    const struct tg_model *m = c->model;

    *priority = INT32_MAX;
    for (size_t k = 0; k < m->in->n_queues; k++) {
        if (tg_class_has(c, k) && m->in->queues[k].priority_max < *priority) {
            *priority = m->in->queues[k].priority_max;
        }
    }
    return m->in->has_register && m->most_urgent >= *priority;
}

/* Smallest j >= from with fixed + eta(start + j * P') <= j * Q; TG_NO_BOUND: none found. */
static uint64_t refills(struct tg_reception *rx, const struct tg_class *c, uint64_t fixed,
                        uint64_t start, uint64_t from)
{
    const uint64_t budget = rx->gate->in->budget;
    uint64_t j = from;

    while (rx->steps > 0) {
        const uint64_t span = tg_add(start, tg_mul(j, rx->period));
        if (span > TG_ANALYSIS_TIME_MAX) {
            break;
        }
        rx->steps--;
        const uint64_t need = tg_ceil_div(tg_add(fixed, tg_class_arrivals(c, span)), budget);
        if (need <= j) {
            return j;
        }
        j = need;
    }
    return TG_NO_BOUND;
}

/* [W] Longest wait for a refill by which this packet, its predecessors and all higher queues
 * fit. */
static uint64_t longest_wait(struct tg_reception *rx, uint64_t start, uint64_t end)
{
    const struct tg_model *m = rx->model;
    const struct tg_class higher = own_class(rx, rx->queue);
    uint64_t wait = rx->period;
    uint64_t j = 1;

    for (uint64_t a = 0; a <= end; a = tg_queue_next_arrival(m, rx->queue, a)) {
        const uint64_t arrived = tg_queue_arrivals(m, rx->queue, a + 1);
        const uint64_t least = tg_max(j, tg_ceil_div(arrived, rx->gate->in->budget));
        if (arrived == 0) {
            continue; /* no flow is listed for this queue */
        }
        j = refills(rx, &higher, arrived, start, least);
        if (j == TG_NO_BOUND) {
            return j;
        }
        wait = tg_max(wait, tg_sub(tg_mul(j, rx->period), a));
    }
    return wait;
}

/* [s] n packets, from the refill on that brings their budget. */
static uint64_t service(struct tg_reception *rx, uint64_t n)
{
    return rx->slow != 0 ? rx->slow : tg_service(rx, n);
}

/* Section 8.2: only conforming packets are in this queue and above, any flood below. */
static uint64_t isolated_acceptance(struct tg_reception *rx, uint64_t before)
{
    const struct tg_class own = own_class(rx, TG_NOBODY);
    uint64_t served = TG_NO_BOUND;
    uint64_t alpha = 1;

    /* The delay depends on itself only through the number of packets that one refill serves. */
    while (rx->steps > 0 && alpha != TG_NO_BOUND) {
        const uint64_t n = tg_min(rx->gate->in->budget, tg_class_arrivals(&own, alpha));
        if (n == served) {
            return alpha;
        }
        served = n;
        const uint64_t start = tg_add(before, service(rx, n));
        const uint64_t last = refills(rx, &own, 0, start, 1);
        const uint64_t end = tg_add(start, tg_mul(last, rx->period));
        if (end == TG_NO_BOUND) {
            break;
        }
        alpha = tg_add(start, longest_wait(rx, start, end));
    }
    return TG_NO_BOUND;
}

/* Section 8.3: a flood may fill this queue; for packets that find a descriptor. */
static uint64_t shared_acceptance(struct tg_reception *rx, uint64_t before)
{
    const struct tg_class higher = own_class(rx, rx->queue);
    const uint64_t ring = rx->model->in->queues[rx->queue].ring;
    const uint64_t budget = rx->gate->in->budget;
    uint64_t served = TG_NO_BOUND;
    uint64_t alpha = 1;

    while (rx->steps > 0 && alpha != TG_NO_BOUND) {
        const uint64_t n = tg_min(budget, tg_add(ring, tg_class_arrivals(&higher, alpha)));
        if (n == served) {
            return alpha;
        }
        served = n;
        const uint64_t start = tg_add(before, service(rx, n));
        const uint64_t j = refills(rx, &higher, ring, start, tg_ceil_div(ring, budget));
        alpha = tg_add(start, tg_mul(j, rx->period));
    }
    return TG_NO_BOUND;
}

/* Does conforming traffic of the class use up the gate in the long run? eta(D) >= rate * D. */
static bool class_overload(const struct tg_reception *rx, const struct tg_class *c)
{
    const tg_share per_period = tg_share_mul(rx->period, tg_class_rate(c).lower);
    return per_period >= (tg_share)rx->gate->in->budget << 64;
}

/* Section 8.4: the longest time from arrival to acceptance at a gate that never closes; one of its
 * queues, or the worst of all. */
static uint64_t acceptance_at_once(const struct tg_reception *rx, size_t queue, bool nominal)
{
    struct tg_reception one = *rx;

    const uint64_t held = rx->queues[queue].held;

    one.queue = queue;
    return tg_add(rx->queues[queue].moderation,
                  held != 0 ? held : tg_service_at_once(&one, nominal));
}

static uint64_t longest_at_once(const struct tg_reception *rx, bool nominal)
{
    uint64_t longest = 0;

    for (size_t k = 0; k < rx->model->in->n_queues; k++) {
        if (rx->model->in->queues[k].gate == rx->gate->index) {
            longest = tg_max(longest, acceptance_at_once(rx, k, nominal));
        }
    }
    return longest;
}

/* Does what its sources send never spend the gate? All that one budget pays for arrived within a
 * period and the longest acceptance delay that there is while the gate is open. */
static bool never_closes(const struct tg_reception *rx, bool nominal)
{
    const struct tg_class all = whole_gate(rx);
    const enum tg_curve_kind kind = rx->gate->in->kind;

    if ((kind != TG_CURVE_DEFERRABLE && kind != TG_CURVE_SPORADIC) ||
        (!nominal && tg_class_flooded(&all) != TG_NOBODY) ||
        tg_class_unknown_source(&all) != TG_NOBODY || class_overload(rx, &all)) {
        return false;
    }
    const uint64_t window = tg_add(rx->period, longest_at_once(rx, nominal));
    return window != TG_NO_BOUND &&
           tg_add(tg_class_arrivals(&all, window), 1) <= rx->gate->in->budget;
}

static struct tg_why why_at(enum tg_why_code code, size_t index)
{
    struct tg_why why = tg_why(code);
    why.index = index;
    return why;
}

/* [L_i] of a level, while something outside may hold reception off. */
static struct tg_bound longest_busy_window(struct tg_level *level)
{
    const uint64_t blocking = level->blocking.total;

    level->blocking.total = tg_add(blocking, level->model->in->irq_off);
    tg_level_find_busy_window(level, TG_VIEW_FLOOD);
    level->blocking.total = blocking;
    return level->busy[TG_VIEW_FLOOD];
}

/* A task that polls may be kept waiting over refills. Then what counts is its busy window, in which
 * it spends a budget, and the refill after that. Returns false if there is no such window. */
static bool count_refills_in_use(struct tg_reception *rx)
{
    struct tg_level *const level = rx->poll_level;

    if (level == NULL) {
        return false;
    }
    rx->slow = longest_busy_window(level).value;
    rx->period = tg_add(rx->period, rx->slow);
    return rx->slow != TG_NO_BOUND;
}

/* Sections 8.2 and 8.3: by refills. */
static struct tg_bound acceptance_by_refills(struct tg_reception *rx)
{
    const struct tg_analysis_queue *q = &rx->model->in->queues[rx->queue];
    const struct tg_class own = own_class(rx, TG_NOBODY);
    const struct tg_class higher = own_class(rx, rx->queue);
    const struct tg_class *counted = q->isolated ? &own : &higher;
    size_t worst = rx->queue;
    const uint64_t moderation = class_moderation(&own, rx->queues, &worst);
    const uint64_t full = tg_service(rx, rx->gate->in->budget);

    if (tg_class_flooded(&higher) != TG_NOBODY) {
        return tg_unbounded(why_at(TG_WHY_NOT_ISOLATED, tg_class_flooded(&higher)));
    }
    if (moderation == TG_NO_BOUND) {
        return tg_unbounded(why_at(TG_WHY_MODERATION, worst));
    }
    if (tg_class_unknown_source(counted) != TG_NOBODY) {
        return tg_unbounded(why_at(TG_WHY_NO_SOURCE, tg_class_unknown_source(counted)));
    }
    if (full > rx->gate->in->period && !count_refills_in_use(rx)) {
        struct tg_why why = why_at(TG_WHY_GATE_TOO_SLOW, rx->queue);
        why.a = rx->gate->in->budget;
        why.b = full;
        return tg_unbounded(why);
    }
    if (class_overload(rx, counted)) {
        return tg_unbounded(why_at(TG_WHY_CLASS_OVERLOAD, rx->queue));
    }
    const uint64_t before = tg_add(moderation, rx->queues[rx->queue].held);
    const uint64_t alpha =
        q->isolated ? isolated_acceptance(rx, before) : shared_acceptance(rx, before);
    return alpha == TG_NO_BOUND ? tg_unbounded(tg_why(TG_WHY_NO_CONVERGENCE))
                                : (struct tg_bound){.value = alpha};
}

static struct tg_bound acceptance(struct tg_reception *rx, bool is_never_closed)
{
    if (is_never_closed) {
        return (struct tg_bound){.value = acceptance_at_once(rx, rx->queue, false)};
    }
    switch (rx->gate->in->kind) {
    case TG_CURVE_DEFERRABLE:
    case TG_CURVE_POLLING:
        return acceptance_by_refills(rx);
    default:
        return tg_unbounded(tg_why(TG_WHY_GATE_KIND));
    }
}

/* To the letter of the published text: one queue's own delay in place of the longest. */
static struct tg_bound published_nominal(const struct tg_reception *rx, uint64_t longest)
{
    const struct tg_class all = whole_gate(rx);
    struct tg_reception by_tick = *rx;

    by_tick.poll_level = NULL;
    const uint64_t alpha = tg_service_published(&by_tick, rx->queues[rx->queue].moderation);
    const uint64_t window = tg_add(rx->period, tg_add(alpha, longest));
    if (alpha == TG_NO_BOUND || tg_add(tg_class_arrivals(&all, window), 1) > rx->gate->in->budget) {
        return tg_unbounded(tg_why(TG_WHY_GATE_BITES));
    }
    return (struct tg_bound){.value = alpha};
}

/* Section 8.4: all traffic conforms and together it never spends the gate. */
static struct tg_bound nominal_acceptance(struct tg_reception *rx)
{
    const struct tg_model *m = rx->model;
    const struct tg_class all = whole_gate(rx);
    size_t worst = rx->queue;
    const uint64_t longest = class_moderation(&all, rx->queues, &worst);

    for (size_t i = 0; i < m->in->n_flows; i++) {
        const bool is_elsewhere =
            m->lanes[i].gate < m->in->n_gates && m->lanes[i].gate != rx->gate->index;
        if (!is_elsewhere && m->lanes[i].every == 0) {
            return tg_unbounded(why_at(TG_WHY_NO_SOURCE, i));
        }
    }
    if (longest == TG_NO_BOUND) {
        return tg_unbounded(why_at(TG_WHY_MODERATION, worst));
    }
    if (rx->gate->in->kind == TG_CURVE_TOKEN || rx->gate->in->kind == TG_CURVE_UNLIMITED) {
        return tg_unbounded(tg_why(TG_WHY_GATE_KIND));
    }
    if (class_overload(rx, &all) || rx->gate->in->kind == TG_CURVE_POLLING) {
        return tg_unbounded(tg_why(TG_WHY_GATE_BITES));
    }
    if (m->in->as_published) {
        return published_nominal(rx, longest);
    }
    return never_closes(rx, true)
               ? (struct tg_bound){.value = acceptance_at_once(rx, rx->queue, true)}
               : tg_unbounded(tg_why(TG_WHY_GATE_BITES));
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

/* A level is the same for all gates that a task polls. Returns 0 or TG_ANALYSIS_ERR_MEMORY. */
static int enter_level(const struct tg_model *model, int32_t priority, struct tg_level *level)
{
    if (level->model != NULL && level->priority == priority) {
        return 0;
    }
    tg_level_free(level);
    const int err = tg_level_init(level, model);
    if (err == 0) {
        tg_level_enter(level, priority);
        level->share[TG_VIEW_FLOOD] = tg_level_share(level, TG_VIEW_FLOOD, NULL, TG_NO_BOUND);
    }
    return err;
}

static int analyse_queue(const struct tg_model *model, size_t queue, struct tg_level *level,
                         struct tg_queue_result *queues)
{
    const struct tg_gate *gate = &model->gates[model->in->queues[queue].gate];
    struct tg_reception rx = {.model = model,
                              .gate = gate,
                              .queue = queue,
                              .period = tg_add(gate->in->period, gate->curve.lateness),
                              .queues = queues,
                              .steps = TG_STEPS_MAX};

    if (gate->in->polled_by_task) {
        const int err = enter_level(model, gate->in->poll_priority, level);
        if (err != 0) {
            return err;
        }
        rx.poll_level = level;
    }
    const struct tg_reception calm = rx;
    struct tg_queue_result *out = &queues[queue];

    if (out->held == TG_NO_BOUND) {
        out->acceptance_nominal.why = out->acceptance.why;
    } else {
        out->never_closes = !model->in->as_published && never_closes(&rx, false);
        out->acceptance = acceptance(&rx, out->never_closes);
        rx = calm;
        out->acceptance_nominal = nominal_acceptance(&rx);
    }
    judge(model, queue, out);
    return 0;
}

/* [H] Section 8.6: while the register holds a queue of the class back, something at the top of that
 * queue's priorities or above runs. */
static int hold(const struct tg_model *model, size_t queue, struct tg_level *level,
                struct tg_queue_result *out)
{
    const struct tg_analysis_queue *q = &model->in->queues[queue];
    const struct tg_class own = {model, q->gate, q->rank, TG_NOBODY};
    int32_t priority;

    if (model->in->gates[q->gate].kind == TG_CURVE_POLLING || !may_be_held(&own, &priority)) {
        return 0; /* polls are no interrupts */
    }
    const int err = enter_level(model, priority, level);
    if (err == 0) {
        const struct tg_bound busy = longest_busy_window(level);
        out->held = busy.value;
        out->acceptance.why = busy.why;
    }
    return err;
}

int tg_queues_analyse(const struct tg_model *model, struct tg_queue_result *queues)
{
    struct tg_level level = {0};
    int err = 0;

    for (size_t k = 0; k < model->in->n_queues && err == 0; k++) {
        queues[k].moderation = moderation_delay(model, k);
        queues[k].acceptance.value = TG_NO_BOUND; /* until its turn comes */
        queues[k].acceptance_nominal.value = TG_NO_BOUND;
        err = hold(model, k, &level, &queues[k]);
    }
    for (size_t i = 0; i < model->in->n_queues && err == 0; i++) {
        err = analyse_queue(model, model->by_rank[i], &level, queues);
    }
    tg_level_free(&level);
    return err;
}
