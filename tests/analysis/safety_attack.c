/* SPDX-License-Identifier: MIT
 *
 * safety_attack.c - adversarial arrivals and releases.
 *
 * The critical instant: tasks of the target's priority and above are released together, the first
 * jobs as late as their jitter allows and the next ones in time; a less urgent task has just
 * entered its section, a less urgent packet is in process; gate and flow budgets are full and end
 * just when a first burst has used them, so that the next follow back to back; from then on a frame
 * of the dearest flow with budget left arrives whenever interrupt level goes idle.
 */
#include "safety_attack.h"

#include <stdlib.h>
#include <string.h>

#define FLOOD_MAX   1500u
#define SPAN_MAX_NS UINT64_C(12000000)

struct flood {
    const struct attack *attack;
    struct world *w;
    int32_t level; /* what the target works at */
    tg_ns refused_until_ns[WORLD_FLOWS_MAX + 2u];
    uint32_t left;
    tg_ns wire_free_ns;
    struct rng jitter;
};

static uint32_t flow_queue(const struct tg_system *s, uint32_t flow)
{
    return flow == 0u || flow > s->n_flows ? s->best_effort.queue : s->flows[flow - 1u].queue;
}

static int32_t flow_priority(const struct tg_system *s, uint32_t flow)
{
    const uint8_t written =
        flow == 0u || flow > s->n_flows ? s->best_effort.priority : s->flows[flow - 1u].priority;

    return written > s->receive.floor ? written : s->receive.floor;
}

/* Whoever runs at this priority or above keeps the queue waiting: the polling task, or, under a
 * register with the running priority, its interrupt. */
static int32_t queue_priority(const struct world *w, uint32_t queue)
{
    const int32_t poll = w->system->receive.poll_priority;
    const int32_t top = w->system->queues[queue].priority_max;

    if (w->input.policy != TG_SIM_COMBINED) {
        return poll;
    }
    return w->system->receive.polled_by_task && poll < top ? poll : top;
}

static int32_t target_priority(const struct attack *a, const struct world *w)
{
    const struct tg_system *const s = w->system;

    switch (a->aim) {
    case ATTACK_RESPONSE:
        return s->tasks[a->target].priority;
    case ATTACK_DELIVERY:
        return flow_priority(s, a->target + 1u);
    default:
        return queue_priority(w, a->target);
    }
}

uint32_t attack_targets(const struct tg_system *s)
{
    return (uint32_t)(s->n_tasks + s->n_flows + s->n_queues);
}

bool attack_is_free(const struct tg_system *s, uint32_t flow)
{
    const bool is_isolated = s->queues[flow_queue(s, flow)].is_isolated;

    if (flow == 0u || flow > s->n_flows) {
        return !is_isolated;
    }
    const struct tg_system_flow *const f = &s->flows[flow - 1u];

    return f->source.every_ns == 0u || (!f->assume_conforming && !is_isolated);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static tg_ns step_ns(const struct tg_system *s)
{
    return s->irq_ns + s->receive.eager_ns;
}

static tg_ns gate_period_ns(const struct tg_system *s, uint32_t gate)
{
    return s->gates[gate].period_ns == 0u ? 100000u : s->gates[gate].period_ns;
}

static tg_ns longest_period_ns(const struct tg_system *s)
{
    tg_ns longest_ns = 0u;

    for (uint32_t i = 0u; i < s->n_gates; i++) {
        longest_ns = gate_period_ns(s, i) > longest_ns ? gate_period_ns(s, i) : longest_ns;
    }
    return longest_ns;
}

/* How well budgets of gates and flows end at this time: the less the better. */
static tg_ns misfit(const struct tg_system *s, int32_t level, tg_ns at_ns)
{
    tg_ns sum_ns = 0u;

    for (uint32_t i = 0u; i < s->n_gates; i++) {
        const tg_ns period_ns = gate_period_ns(s, i);

        sum_ns += (period_ns - at_ns % period_ns) % period_ns;
    }
    for (uint32_t i = 0u; i < s->n_flows; i++) {
        const tg_ns period_ns = s->flows[i].budget.period_ns;

        if (s->flows[i].budget.kind == TG_SERVER_DEFERRABLE && period_ns != 0u &&
            flow_priority(s, i + 1u) >= level) {
            sum_ns += (period_ns - at_ns % period_ns) % period_ns;
        }
    }
    return sum_ns;
}

/* A gate's whole budget but one; with several gates often those of the others before it. */
static tg_ns first_batch_ns(const struct tg_system *s, uint32_t gate, struct rng *r)
{
    const bool is_polled = s->gates[gate].kind == TG_SERVER_POLLING;
    tg_ns batch_ns =
        s->gates[gate].packets == 0u || is_polled ? 0u : (s->gates[gate].packets - 1u) * step_ns(s);

    for (uint32_t i = 0u; i < s->n_gates; i++) {
        if (i != gate && rng_percent(r, 40u)) {
            batch_ns += s->gates[i].packets * step_ns(s);
        }
    }
    return batch_ns;
}

/* Often the one that the target's packets come through. */
static uint32_t target_gate(const struct attack *a, const struct tg_system *s, struct rng *r)
{
    return a->aim == ATTACK_DELIVERY && rng_percent(r, 50u)
               ? s->queues[s->flows[a->target].queue].gate
               : rng_below(r, (uint32_t)s->n_gates);
}

/* What a polling gate lets in has been there before. */
static bool is_polled(const struct attack *a, const struct tg_system *s)
{
    return a->aim == ATTACK_DELIVERY &&
           s->gates[s->queues[s->flows[a->target].queue].gate].kind == TG_SERVER_POLLING;
}

/* A first batch ends with the gate's period, and that with the periods of flows. */
static tg_ns choose_instant(const struct attack *a, const struct tg_system *s, int32_t level,
                            tg_ns not_before_ns, struct rng *r)
{
    const uint32_t gate = target_gate(a, s, r);
    const tg_ns period_ns = gate_period_ns(s, gate);
    const tg_ns batch_ns = first_batch_ns(s, gate, r);
    const tg_ns first = (not_before_ns + batch_ns) / period_ns + 2u;
    tg_ns best = first;

    if (rng_percent(r, 10u)) {
        return not_before_ns + rng_next(r) % (4u * period_ns);
    }
    for (tg_ns m = first; m < first + 40u; m++) {
        if (misfit(s, level, m * period_ns) < misfit(s, level, best * period_ns)) {
            best = m;
        }
    }
    return best * period_ns - batch_ns % period_ns - (rng_percent(r, 50u) ? 1u : 0u);
}

/* A packet that arrives so long before is in process at the instant. */
static tg_ns packet_lead_ns(const struct tg_system *s, uint32_t flow, struct rng *r)
{
    const struct tg_system_queue *const q = &s->queues[flow_queue(s, flow)];
    tg_ns lead_ns = step_ns(s) + s->switch_ns + 1u;

    if (q->packet_timer_ns != 0u || q->absolute_timer_ns != 0u) {
        lead_ns += q->packet_timer_ns != 0u &&
                           (q->absolute_timer_ns == 0u || q->packet_timer_ns < q->absolute_timer_ns)
                       ? q->packet_timer_ns
                       : q->absolute_timer_ns;
    }
    if (s->gates[q->gate].kind == TG_SERVER_POLLING) {
        lead_ns += rng_next(r) % (gate_period_ns(s, q->gate) + 1u);
    }
    return lead_ns + (rng_percent(r, 40u) ? rng_below(r, 4000u) : 0u);
}

static void draw_blocker_packet(struct attack *a, const struct tg_system *s, int32_t level,
                                struct rng *r)
{
    a->blocker_ns = 0u;
    for (uint32_t tries = 0u; tries < 8u; tries++) {
        a->blocker = rng_below(r, (uint32_t)s->n_flows + 1u);
        if (attack_is_free(s, a->blocker) && flow_priority(s, a->blocker) < level &&
            !(a->blocker == 0u && s->best_effort.is_dropped)) {
            a->blocker_ns = a->instant_ns - packet_lead_ns(s, a->blocker, r);
            return;
        }
    }
}

/* Less urgent tasks: one has just begun, so that it is in its section. */
static void draw_releases(struct attack *a, const struct tg_system *s, int32_t level, struct rng *r)
{
    const uint32_t blocker = s->n_tasks == 0u ? 0u : rng_below(r, (uint32_t)s->n_tasks);

    for (uint32_t i = 0u; i < s->n_tasks; i++) {
        a->release_ns[i] = a->instant_ns;
        if (s->tasks[i].priority < level) {
            a->release_ns[i] = i == blocker ? a->instant_ns - s->switch_ns - 1u
                                            : a->instant_ns + rng_below(r, 2000u);
        }
    }
}

static void draw_source(struct attack *a, const struct tg_system *s, uint32_t i, struct rng *r)
{
    const uint32_t own = s->queues[flow_queue(s, i + 1u)].gate;
    const uint32_t gate = rng_percent(r, 60u) ? own : rng_below(r, (uint32_t)s->n_gates);
    const tg_ns batch_ns = s->gates[gate].packets * step_ns(s);
    const tg_ns later_ns[] = {0u, batch_ns, batch_ns + 1u, rng_next(r) % gate_period_ns(s, gate),
                              rng_below(r, 20000u)};

    a->source_ns[i] = a->instant_ns + later_ns[rng_below(r, 5u)];
}

static void draw_flows(struct attack *a, const struct tg_system *s, struct rng *r)
{
    for (uint32_t i = 0u; i < s->n_flows; i++) {
        const bool is_target = a->aim == ATTACK_DELIVERY   ? a->target == i
                               : a->aim == ATTACK_RESPONSE ? false
                                                           : a->target == flow_queue(s, i + 1u);

        a->is_conforming[i] = s->flows[i].source.every_ns != 0u &&
                              (!attack_is_free(s, i + 1u) || rng_percent(r, is_target ? 60u : 10u));
        draw_source(a, s, i, r);
    }
}

static tg_ns earliest_instant_ns(const struct tg_system *s)
{
    tg_ns longest_ns = 0u;

    for (uint32_t i = 0u; i < s->n_tasks; i++) {
        longest_ns = s->tasks[i].jitter_ns > longest_ns ? s->tasks[i].jitter_ns : longest_ns;
    }
    for (uint32_t i = 0u; i < s->n_flows; i++) {
        const tg_ns jitter_ns = s->flows[i].source.jitter_ns;

        longest_ns = jitter_ns > longest_ns ? jitter_ns : longest_ns;
    }
    /* Room for blockers, their moderation included. */
    return longest_ns + 1000000u + 2u * longest_period_ns(s);
}

uint64_t attack_bound(const struct attack *a, const struct tg_analysis_result *proven)
{
    switch (a->aim) {
    case ATTACK_RESPONSE:
        return proven->tasks[a->target].response.value;
    case ATTACK_DELIVERY:
        return proven->flows[a->target].accepted.value;
    default:
        return proven->queues[a->target].acceptance.value;
    }
}

/* Sporadic budgets, spent packet by packet, come back packet by packet, each with a tick. */
static void draw_prelude(struct attack *a, const struct tg_system *s, struct rng *r)
{
    const uint32_t gate = rng_below(r, (uint32_t)s->n_gates);
    const tg_ns period_ns = gate_period_ns(s, gate);
    const tg_ns before_ns = period_ns < a->instant_ns ? a->instant_ns - period_ns : 0u;
    const uint32_t pkts = s->gates[gate].packets;

    a->prelude = rng_below(r, 1u << s->n_queues);
    a->prelude_ns = before_ns + (rng_percent(r, 50u) ? 0u : rng_below(r, 20000u));
    a->pace_ns = step_ns(s) + (rng_percent(r, 30u) ? 0u : rng_below(r, 20000u));
    if (pkts != 0u && rng_percent(r, 40u)) { /* so that each comes back with a tick of its own */
        a->pace_ns = step_ns(s) + s->receive.tick_ns + rng_next(r) % (period_ns / pkts + 1u);
    }
}

static void draw_span(struct attack *a, const struct world *w,
                      const struct tg_analysis_result *proven, struct rng *r)
{
    const uint64_t bound = attack_bound(a, proven);
    tg_ns span_ns = 4000000u;

    if (bound != TG_NO_BOUND) {
        span_ns = bound + bound / 4u + longest_period_ns(w->system);
    }
    if (a->aim != ATTACK_RESPONSE) {
        span_ns += 2u * longest_period_ns(w->system);
    }
    if (rng_percent(r, 15u)) {
        span_ns *= 3u;
    }
    a->for_ns = a->instant_ns + (span_ns < SPAN_MAX_NS ? span_ns : SPAN_MAX_NS);
}

/* Nobody floods; every source does the worst that it may. */
static void calm_down(struct attack *a, const struct tg_system *s)
{
    a->is_flooded = false;
    a->bulk_percent = 0u;
    a->blocker_ns = 0u;
    a->own_pkts = 0u;
    a->prelude = 0u;
    for (uint32_t i = 0u; i < s->n_flows; i++) {
        a->is_conforming[i] = s->flows[i].source.every_ns != 0u;
    }
}

static void aim(struct attack *a, const struct tg_system *s, uint32_t target)
{
    a->target = target;
    if (target < s->n_tasks) {
        a->aim = ATTACK_RESPONSE;
        return;
    }
    a->target -= (uint32_t)s->n_tasks;
    a->aim = ATTACK_DELIVERY;
    if (a->target >= s->n_flows) {
        a->target -= (uint32_t)s->n_flows;
        a->aim = ATTACK_ACCEPTANCE;
    }
}

void attack_draw(struct attack *a, const struct world *w, const struct tg_analysis_result *proven,
                 uint32_t target, struct rng *r)
{
    const struct tg_system *const s = w->system;

    memset(a, 0, sizeof *a);
    aim(a, s, target);

    const int32_t level = target_priority(a, w);

    a->instant_ns = choose_instant(a, s, level, earliest_instant_ns(s), r);
    draw_releases(a, s, level, r);
    draw_flows(a, s, r);
    draw_blocker_packet(a, s, level, r);
    draw_span(a, w, proven, r);
    draw_prelude(a, s, r);
    if (rng_percent(r, 60u)) {
        a->prelude = 0u;
    }
    a->bulk_percent = rng_percent(r, 50u) ? 0u : rng_between(r, 1u, 100u);
    a->own_pkts = rng_between(r, 1u, 12u);
    a->own_ns = a->instant_ns + (rng_percent(r, 50u) ? 0u : rng_below(r, 20000u));
    if (is_polled(a, s) && rng_percent(r, 70u)) {
        a->own_ns = a->instant_ns - rng_below(r, 20000u);
    }
    a->is_flooded = !rng_percent(r, 5u);
    a->quiet = rng_percent(r, 70u) ? 0u : rng_below(r, 1u << s->n_queues);
    a->is_filled_masked = rng_percent(r, 30u);
    a->is_jitter_random = rng_percent(r, 10u);
    a->jitter_seed = rng_next(r);
    if (rng_percent(r, 8u)) {
        calm_down(a, s);
    }
}

/* Some time before or after: a lot, a little, or a nanosecond. */
static tg_ns moved(tg_ns at_ns, tg_ns most_ns, struct rng *r)
{
    const uint32_t scale = rng_below(r, 5u);
    const tg_ns by_ns = scale == 0u ? 1u : rng_next(r) % ((most_ns >> (3u * (scale - 1u))) + 2u);

    return rng_percent(r, 50u) || at_ns < by_ns ? at_ns + by_ns : at_ns - by_ns;
}

/* Everything against the budgets' periods. */
static void shift(struct attack *a, const struct tg_system *s, struct rng *r)
{
    const uint32_t gate = rng_below(r, (uint32_t)s->n_gates);
    const tg_ns at_ns = moved(a->instant_ns, gate_period_ns(s, gate), r);
    const tg_ns by_ns = at_ns - a->instant_ns; /* modulo 2^64 */

    if (at_ns < earliest_instant_ns(s)) {
        return;
    }
    a->instant_ns = at_ns;
    a->for_ns += by_ns;
    a->own_ns += by_ns;
    a->prelude_ns += by_ns;
    a->blocker_ns += a->blocker_ns == 0u ? 0u : by_ns;
    for (uint32_t i = 0u; i < s->n_tasks; i++) {
        a->release_ns[i] += by_ns;
    }
    for (uint32_t i = 0u; i < s->n_flows; i++) {
        a->source_ns[i] += by_ns;
    }
}

void attack_vary(struct attack *a, const struct world *w, struct rng *r)
{
    const struct tg_system *const s = w->system;
    const uint32_t flow = s->n_flows == 0u ? 0u : rng_below(r, (uint32_t)s->n_flows);
    const uint32_t task = s->n_tasks == 0u ? 0u : rng_below(r, (uint32_t)s->n_tasks);
    tg_ns at_ns;

    const uint32_t gate = rng_below(r, (uint32_t)s->n_gates);

    switch (rng_below(r, s->n_queues > 1u ? 16u : 15u)) {
    case 0u:
        a->is_filled_masked = !a->is_filled_masked;
        break;
    case 1u:
        a->bulk_percent = rng_percent(r, 40u) ? 0u : rng_between(r, 1u, 100u);
        break;
    case 2u:
        a->own_pkts = rng_between(r, 0u, 12u);
        break;
    case 3u:
        a->own_ns = moved(a->own_ns, gate_period_ns(s, gate), r);
        break;
    case 4u:
        at_ns = moved(a->source_ns[flow], gate_period_ns(s, gate), r);
        a->source_ns[flow] = at_ns >= a->instant_ns ? at_ns : a->source_ns[flow];
        break;
    case 5u:
        draw_source(a, s, flow, r);
        break;
    case 6u:
    case 7u:
        at_ns = moved(a->release_ns[task], 10000u, r);
        a->release_ns[task] = at_ns > s->tasks[task].jitter_ns ? at_ns : a->release_ns[task];
        break;
    case 8u:
        draw_blocker_packet(a, s, target_priority(a, w), r);
        break;
    case 9u:
        draw_releases(a, s, target_priority(a, w), r);
        break;
    case 10u:
    case 11u:
        shift(a, s, r);
        break;
    case 12u:
        a->blocker_ns = a->blocker_ns == 0u ? 0u : moved(a->blocker_ns, 4000u, r);
        break;
    case 13u:
        draw_prelude(a, s, r);
        break;
    case 14u:
        a->prelude_ns = moved(a->prelude_ns, gate_period_ns(s, gate), r);
        a->pace_ns = moved(a->pace_ns, 10000u, r);
        break;
    default:
        a->quiet ^= 1u << rng_below(r, (uint32_t)s->n_queues);
        break;
    }
}

/* ---- Arrivals that are known before ---------------------------------------------------------- */

static int by_time(const void *x, const void *y)
{
    const tg_ns a = ((const tg_ns *)x)[0];
    const tg_ns b = ((const tg_ns *)y)[0];

    return a == b ? 0 : a < b ? -1 : 1;
}

static void arrive(struct world *w, tg_ns at_ns, uint32_t flow, uint64_t pkts)
{
    for (uint64_t i = 0u; i < pkts && w->n_arrivals < WORLD_ARRIVALS_MAX / 2u; i++) {
        world_arrive(w, at_ns, (int)flow);
    }
}

/* The packets of a source that arrive first come as late as they can, all at once; later ones in
 * time. */
static void add_source(struct flood *f, uint32_t i)
{
    const struct tg_system_source *const source = &f->w->system->flows[i].source;
    const tg_ns bunch_ns = f->attack->source_ns[i];

    for (tg_ns nominal_ns = bunch_ns - source->jitter_ns; nominal_ns < f->attack->for_ns;
         nominal_ns += source->every_ns) {
        tg_ns at_ns = nominal_ns < bunch_ns ? bunch_ns : nominal_ns;

        if (f->attack->is_jitter_random) {
            at_ns = nominal_ns + rng_next(&f->jitter) % (source->jitter_ns + 1u);
        }
        arrive(f->w, at_ns, i + 1u, source->burst_pkts);
    }
}

/* The ring is loaded at the instant, with what costs most first. */
static void add_bulk(struct flood *f)
{
    const struct tg_system *const s = f->w->system;

    for (uint32_t i = 0u; i <= s->n_flows + 1u; i++) {
        const bool is_held = i != 0u && i <= s->n_flows && f->attack->is_conforming[i - 1u];

        if (attack_is_free(s, i) && !is_held) {
            const uint64_t ring = s->queues[flow_queue(s, i)].ring_pkts;

            arrive(f->w, f->attack->instant_ns, i,
                   (ring * f->attack->bulk_percent + 99u) / 100u / (s->n_flows + 1u));
        }
    }
}

/* Packets that the target itself has to wait for, if they are not those of a source. */
static void add_own(struct flood *f)
{
    const struct attack *const a = f->attack;
    const struct tg_system *const s = f->w->system;

    for (uint32_t i = 0u; i <= s->n_flows + 1u; i++) {
        const bool is_held = i != 0u && i <= s->n_flows && a->is_conforming[i - 1u];
        const bool is_own = a->aim == ATTACK_DELIVERY     ? i == a->target + 1u
                            : a->aim == ATTACK_ACCEPTANCE ? flow_queue(s, i) == a->target
                                                          : false;

        if (is_own && !is_held && attack_is_free(s, i)) {
            arrive(f->w, a->own_ns, i, a->own_pkts);
        }
    }
}

/* Frames that cost least afterwards. */
static void add_prelude(struct flood *f)
{
    const struct attack *const a = f->attack;
    const struct tg_system *const s = f->w->system;

    for (uint32_t k = 0u; k < s->n_queues; k++) {
        for (uint32_t i = (uint32_t)s->n_flows + 2u; i-- > 0u && (a->prelude & 1u << k) != 0u;) {
            const bool is_held = i != 0u && i <= s->n_flows && a->is_conforming[i - 1u];

            if (flow_queue(s, i) == k && !is_held && attack_is_free(s, i)) {
                for (uint32_t n = 0u; n < s->gates[s->queues[k].gate].packets; n++) {
                    arrive(f->w, a->prelude_ns + n * a->pace_ns, i, 1u);
                }
                break;
            }
        }
    }
}

static void add_arrivals(struct flood *f)
{
    const struct attack *const a = f->attack;
    struct world *const w = f->w;

    w->n_arrivals = 0u;
    if (a->blocker_ns != 0u) {
        const bool is_held = a->blocker != 0u && a->is_conforming[a->blocker - 1u];

        arrive(w, a->blocker_ns, a->blocker, is_held ? 0u : 1u);
    }
    add_prelude(f);
    add_bulk(f);
    for (uint32_t i = 0u; i < w->system->n_flows; i++) {
        if (a->is_conforming[i]) {
            add_source(f, i);
        }
    }
    add_own(f);
    qsort(w->arrivals, w->n_arrivals, sizeof w->arrivals[0], by_time);
    for (uint32_t i = 1u; i < w->n_arrivals; i++) { /* one after the other on the wire */
        const tg_ns free_ns = w->arrivals[i - 1u].at_ns + w->system->receive.wire_gap_ns;

        w->arrivals[i].at_ns = w->arrivals[i].at_ns < free_ns ? free_ns : w->arrivals[i].at_ns;
    }
}

static bool next_arrival(void *ctx, struct tg_sim_arrival *out)
{
    struct flood *const f = ctx;
    struct world *const w = f->w;

    if (w->next == w->n_arrivals) {
        return false;
    }
    *out = (struct tg_sim_arrival){.at_ns = w->arrivals[w->next].at_ns,
                                   .frame = &w->frames[w->arrivals[w->next].flow]};
    w->next++;
    return true;
}

/* ---- The flood that reacts ------------------------------------------------------------------- */

static uint64_t worth(const struct flood *f, uint32_t flow)
{
    const struct tg_system *const s = f->w->system;

    if (flow > s->n_flows) {
        return 0u;
    }
    if (flow == 0u) {
        return s->best_effort.is_dropped || flow_priority(s, 0u) < f->level
                   ? 0u
                   : s->receive.deferred_ns;
    }
    const struct tg_system_flow *const x = &s->flows[flow - 1u];
    uint64_t ns = flow_priority(s, flow) >= f->level ? 1u + x->deferred_ns : 0u;

    if (ns != 0u && x->receiver_wcet_ns != 0u && x->receiver_priority >= f->level) {
        ns += x->receiver_wcet_ns;
    }
    return ns;
}

/* The dearest flow with budget left; a frame that is dropped if there is none. */
static const struct tg_sim_frame *dearest(const struct flood *f, uint32_t queue, tg_ns now_ns)
{
    const struct tg_system *const s = f->w->system;
    const struct tg_sim_frame *best = NULL;
    uint64_t most = 0u;

    for (uint32_t n = (uint32_t)s->n_flows + 2u; n > 0u; n--) {
        const uint32_t i = n - 1u;
        const bool is_held = i != 0u && i <= s->n_flows && f->attack->is_conforming[i - 1u];
        const uint64_t is_worth = f->refused_until_ns[i] > now_ns ? 0u : worth(f, i);

        if (flow_queue(s, i) == queue && attack_is_free(s, i) && !is_held &&
            (best == NULL || is_worth > most)) {
            best = &f->w->frames[i];
            most = is_worth;
        }
    }
    return best;
}

static bool wants(const struct flood *f, const struct tg_sim_view *view, uint32_t queue)
{
    const struct tg_system_queue *const q = &f->w->system->queues[queue];
    const uint32_t enough =
        q->moderation_pkts != 0u && q->moderation_pkts < q->ring_pkts ? q->moderation_pkts : 1u;

    if ((view->unmasked & 1u << queue) != 0u) {
        return view->filled_pkts[queue] < enough;
    }
    return f->attack->is_filled_masked && view->filled_pkts[queue] < q->ring_pkts;
}

static bool is_wire_free(struct flood *f, tg_ns now_ns)
{
    const struct world *const w = f->w;
    const tg_ns gap_ns = w->system->receive.wire_gap_ns;
    /* The simulator has asked for the next arrival already. */
    const uint32_t coming = w->next == 0u ? 0u : w->next - 1u;

    if (gap_ns == 0u) {
        return true;
    }
    for (uint32_t i = coming == 0u ? 0u : coming - 1u; i < w->n_arrivals && i <= coming + 1u; i++) {
        const tg_ns at_ns = w->arrivals[i].at_ns;

        if (at_ns < now_ns + gap_ns && now_ns < at_ns + gap_ns) {
            return false;
        }
    }
    if (now_ns < f->wire_free_ns) {
        return false;
    }
    f->wire_free_ns = now_ns + gap_ns;
    return true;
}

static bool react(void *ctx, const struct tg_sim_view *view, struct tg_sim_arrival *out)
{
    struct flood *const f = ctx;

    if (view->now_ns < f->attack->instant_ns || !f->attack->is_flooded || f->left == 0u) {
        return false;
    }
    for (uint32_t k = 0u; k < f->w->system->n_queues; k++) {
        const struct tg_sim_frame *const frame =
            (f->attack->quiet & 1u << k) == 0u && wants(f, view, k) ? dearest(f, k, view->now_ns)
                                                                    : NULL;

        if (frame != NULL && is_wire_free(f, view->now_ns)) {
            f->left--;
            *out = (struct tg_sim_arrival){.at_ns = view->now_ns, .frame = frame};
            return true;
        }
    }
    return false;
}

/* A flow whose budget is spent is not tried again before it can have more. */
static void see(void *ctx, const struct tg_sim_event *e)
{
    struct flood *const f = ctx;
    const struct tg_system *const s = f->w->system;

    if (e->kind != TG_SIM_EVENT_VERDICT || e->value == TG_VERDICT_PASSED) {
        return;
    }
    tg_ns until_ns = e->at_ns + 5000u;

    if (e->value == TG_VERDICT_BUDGET && e->index != 0u && e->index <= s->n_flows) {
        const struct tg_system_budget *const b = &s->flows[e->index - 1u].budget;

        until_ns = b->kind == TG_SERVER_DEFERRABLE
                       ? (e->at_ns / b->period_ns + 1u) * b->period_ns - step_ns(s)
                       : e->at_ns + b->period_ns / 16u;
    }
    f->refused_until_ns[e->index] = until_ns;
}

static tg_ns delay(void *ctx, uint32_t task, uint64_t job)
{
    struct flood *const f = ctx;
    const tg_ns jitter_ns = f->w->system->tasks[task].jitter_ns;

    if (f->attack->is_jitter_random) {
        return rng_next(&f->jitter) % (jitter_ns + 1u);
    }
    return job == 0u ? jitter_ns : 0u;
}

void attack_run(const struct attack *a, struct world *w)
{
    struct flood f = {.attack = a, .w = w, .left = FLOOD_MAX};
    tg_ns offsets_ns[ATTACK_TASKS_MAX] = {0u};

    f.level = target_priority(a, w);
    rng_init_seed(&f.jitter, a->jitter_seed);
    for (uint32_t i = 0u; i < w->system->n_tasks; i++) {
        offsets_ns[i] = a->release_ns[i] - w->system->tasks[i].jitter_ns;
    }
    add_arrivals(&f);
    w->next = 0u;
    tg_sim_results_free(&w->results);
    w->input = (struct tg_sim_input){.system = w->system,
                                     .policy = w->input.policy,
                                     .arrivals = {.next = next_arrival, .ctx = &f},
                                     .for_ns = a->for_ns,
                                     .seed = a->jitter_seed,
                                     .task_offsets_ns = offsets_ns,
                                     .release_delay = delay,
                                     .release_ctx = &f,
                                     .react = react,
                                     .react_ctx = &f,
                                     .event = see,
                                     .event_ctx = &f};

    const int err = tg_sim_run(&w->input, &w->results);

    if (err != 0) {
        fail_msg("error %d: %s", err, w->results.failure);
    }
}
