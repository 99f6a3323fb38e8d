/* SPDX-License-Identifier: MIT
 *
 * source.c - one traffic source: periodic, constant rate, Poisson, or a capture.
 */
#include "sim/source.h"

#define NS_PER_S UINT64_C(1000000000)

uint64_t tg_source_pending(const struct tg_system_traffic *cfg)
{
    const bool overtakes = cfg->kind == TG_TRAFFIC_PERIODIC && cfg->jitter_ns > cfg->every_ns;

    return overtakes ? cfg->jitter_ns / cfg->every_ns + 2u : 0u;
}

void tg_source_rewind(struct tg_source *s, uint64_t seed, uint32_t index)
{
    tg_random_init(&s->random, seed, TG_RANDOM_TRAFFIC, index);
    s->pending.n = 0u;
    s->nominal_ns = s->cfg->from_ns;
    s->rest = 0u;
    s->position = 0u;
    s->round_ns = s->cfg->from_ns;
    s->rounds_left = s->cfg->repeat;
    s->burst_left = 0u;
    s->at_ns = 0u;
    s->has_begun = false;
}

static tg_ns jittered(struct tg_source *s)
{
    const tg_ns jitter_ns = s->cfg->jitter_ns;
    const tg_ns delay_ns = jitter_ns == 0u ? 0u : tg_random_below(&s->random, jitter_ns + 1u);
    const tg_ns at_ns = s->nominal_ns + delay_ns;

    s->nominal_ns += s->cfg->every_ns;
    return at_ns;
}

static tg_ns next_periodic(struct tg_source *s)
{
    if (s->pending.items == NULL) {
        return s->nominal_ns < s->cfg->until_ns ? jittered(s) : TG_SIM_NEVER;
    }
    while (s->nominal_ns < s->cfg->until_ns && s->nominal_ns <= tg_heap_at_ns(&s->pending)) {
        tg_heap_add(&s->pending, jittered(s), 0u);
    }

    const tg_ns at_ns = tg_heap_at_ns(&s->pending);

    if (at_ns != TG_SIM_NEVER) {
        tg_heap_replace(&s->pending, UINT64_MAX);
    }
    return at_ns;
}

static tg_ns next_at_rate(struct tg_source *s)
{
    const uint64_t rate_pps = s->cfg->rate_pps;

    if (s->has_begun) {
        s->nominal_ns += NS_PER_S / rate_pps;
        s->rest += NS_PER_S % rate_pps;
        if (s->rest >= rate_pps) {
            s->rest -= rate_pps;
            s->nominal_ns++;
        }
    }
    s->has_begun = true;
    return s->nominal_ns;
}

static tg_ns next_poisson(struct tg_source *s)
{
    /* Below 2^29 * 2^30. */
    s->rest += tg_random_exponential(&s->random) * NS_PER_S / s->cfg->rate_pps;
    s->nominal_ns += s->rest >> TG_RANDOM_ONE_BITS;
    s->rest &= (UINT64_C(1) << TG_RANDOM_ONE_BITS) - 1u;
    return s->nominal_ns;
}

static tg_ns next_captured(struct tg_source *s)
{
    const struct tg_capture *const c = &s->capture;

    if (s->has_begun && ++s->position == c->n) {
        s->position = 0u;
        s->round_ns += c->offsets_ns[c->n - 1u] + c->mean_gap_ns;
        s->rounds_left--;
    }
    s->has_begun = true;
    return s->rounds_left != 0u ? s->round_ns + c->offsets_ns[s->position] : TG_SIM_NEVER;
}

static tg_ns next_arrival(struct tg_source *s)
{
    switch (s->cfg->kind) {
    case TG_TRAFFIC_PERIODIC:
        return next_periodic(s);
    case TG_TRAFFIC_RATE:
        return next_at_rate(s);
    case TG_TRAFFIC_POISSON:
        return next_poisson(s);
    case TG_TRAFFIC_CAPTURE:
        return next_captured(s);
    }
    return TG_SIM_NEVER;
}

tg_ns tg_source_next(struct tg_source *s)
{
    if (s->burst_left == 0u) {
        s->at_ns = next_arrival(s);
        s->burst_left = s->cfg->burst_pkts;
    }
    s->burst_left--;
    /* Only jitter can bring a frame to its end before another one that still counts, and those come
     * in order, too: the first at or past the end is the last. */
    return s->at_ns < s->cfg->until_ns ? s->at_ns : TG_SIM_NEVER;
}

const struct tg_sim_frame *tg_source_frame(const struct tg_source *s)
{
    return s->cfg->kind == TG_TRAFFIC_CAPTURE ? &s->capture.frames[s->position] : &s->frame;
}
