/* SPDX-License-Identifier: MIT
 *
 * check_traffic_times.c - when a source sends, and whether a flow's own source may.
 */
#include "system/check_traffic.h"
#include "system/wording.h"

#include <inttypes.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)

/* ---- When ------------------------------------------------------------------------------------ */

int tg_check_window(const struct tg_source_check *s)
{
    struct tg_system_traffic *const t = s->traffic;
    char found[32];
    char limit[32];

    tg_word_time(s->scenario->for_ns, limit);
    if (t->until_ns == TG_SYSTEM_ABSENT) {
        t->until_ns = s->scenario->for_ns;
    } else if (t->until_ns > s->scenario->for_ns) {
        tg_word_time(t->until_ns, found);
        return tg_place_refuse(&s->place, "until", "found %s; allowed: at most the run's %s", found,
                               limit);
    }
    if (t->from_ns >= t->until_ns) {
        tg_word_time(t->from_ns, found);
        tg_word_time(t->until_ns, limit);
        return tg_place_refuse(&s->place, "from", "found %s; allowed: before it ends at %s", found,
                               limit);
    }
    return 0;
}

static int check_wire(const struct tg_source_check *s, const char *when)
{
    const tg_ns gap_ns = s->system->receive.wire_gap_ns;

    if (gap_ns == 0u || s->traffic->rate_pps <= NS_PER_S / gap_ns) {
        return 0;
    }
    return tg_place_refuse(&s->place, when,
                           "found %" PRIu64 " /s; allowed: at most %" PRIu64
                           " /s, the wire's rate by receive.wire_gap",
                           s->traffic->rate_pps, NS_PER_S / gap_ns);
}

int tg_check_timing(const struct tg_source_check *s)
{
    static const char *const whens[] = {"every", "rate", "poisson", NULL};
    static const char *const jitter[] = {"jitter", NULL};
    static const char *const repeat[] = {"repeat", NULL};
    struct tg_system_traffic *const t = s->traffic;
    const char *const when = tg_check_only_one(&s->place, whens, "every, rate, poisson");
    int err =
        tg_check_none_of(&s->place, repeat, t->match_text != NULL ? "frames" : "flow", "capture");

    if (when == NULL) {
        return -1;
    }
    if (strcmp(when, "every") == 0) {
        t->kind = TG_TRAFFIC_PERIODIC;
        if (t->jitter_ns / t->every_ns >= TG_SYSTEM_OVERTAKE_MAX) {
            err = tg_place_refuse(&s->place, "jitter",
                                  "found more than %u times 'every'; allowed: less",
                                  TG_SYSTEM_OVERTAKE_MAX);
        }
        return err;
    }
    t->kind = strcmp(when, "rate") == 0 ? TG_TRAFFIC_RATE : TG_TRAFFIC_POISSON;
    return err | tg_check_none_of(&s->place, jitter, when, "every") | check_wire(s, when);
}

/* ---- What a flow's own source may send ------------------------------------------------------- */

static int refuse_nonconforming(const struct tg_source_check *s, const char *field,
                                const char *what)
{
    const struct tg_system_flow *const f = &s->system->flows[s->traffic->flow];

    return tg_place_refuse(&s->place, field,
                           "found %s than flow '%s' in line %u says of its source; allowed: at "
                           "most that, or 'frames' instead of 'flow' for others who send the same",
                           what, f->name, (unsigned)f->at.line);
}

static int check_pace(const struct tg_source_check *s)
{
    const struct tg_system_traffic *const t = s->traffic;
    const struct tg_system_source *const source = &s->system->flows[t->flow].source;
    int err = 0;

    if (t->burst_pkts > source->burst_pkts) {
        err = refuse_nonconforming(s, "burst", "a longer burst");
    }
    switch (t->kind) {
    case TG_TRAFFIC_POISSON:
        return refuse_nonconforming(s, "poisson", "more");
    case TG_TRAFFIC_RATE:
        return NS_PER_S / t->rate_pps < source->every_ns ? refuse_nonconforming(s, "rate", "more")
                                                         : err;
    default:
        if (t->every_ns < source->every_ns) {
            err = refuse_nonconforming(s, "every", "more");
        }
        if (t->jitter_ns > source->jitter_ns) {
            err = refuse_nonconforming(s, "jitter", "more jitter");
        }
        return err;
    }
}

/* A source of a flow that says what its source sends is the only one at its time. */
static int check_alone(const struct tg_source_check *s)
{
    const struct tg_system_traffic *const t = s->traffic;

    for (const struct tg_system_traffic *other = s->scenario->traffic; other < t; other++) {
        if (other->flow == t->flow && other->from_ns < t->until_ns &&
            t->from_ns < other->until_ns) {
            return tg_place_refuse(&s->place, "flow",
                                   "found '%s' a second time at the same time as in line %u; "
                                   "allowed: one source for a flow with 'every', or 'frames' for "
                                   "others who send the same",
                                   s->system->flows[t->flow].name, (unsigned)other->at.line);
        }
    }
    return 0;
}

int tg_check_conforming(const struct tg_source_check *s)
{
    if (s->traffic->flow < 0 || s->system->flows[s->traffic->flow].source.every_ns == 0u) {
        return 0; /* nothing is said, nothing is promised */
    }
    return check_pace(s) | check_alone(s);
}
