/* SPDX-License-Identifier: MIT
 *
 * check_traffic.c - sources of traffic: what they send, when, and whether that can be.
 */
#define _POSIX_C_SOURCE 200809L
#include "system/check.h"
#include "system/finder.h"
#include "system/frame_build.h"
#include "system/text.h"
#include "system/wording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NS_PER_S UINT64_C(1000000000)

/* A source that is being checked. */
struct source {
    struct tg_place place;
    struct tg_system *system;
    const struct tg_system_scenario *scenario;
    struct tg_system_traffic *traffic;
    const char *directory;          /* of captures, or NULL */
    const struct tg_finder *finder; /* with all flows */
};

/* ---- One of several fields --------------------------------------------------------------------------- */

/* The only one of these fields (ended by NULL) that is written, or NULL with an error. */
static const char *only_one(const struct tg_place *place, const char *const fields[],
                            const char *allowed)
{
    const char *first = NULL;

    for (size_t i = 0u; fields[i] != NULL; i++) {
        if (!tg_place_has(place, fields[i])) {
            continue;
        }
        if (first != NULL) {
            (void)tg_place_refuse(place, fields[i], "found beside '%s'; allowed: one of %s", first,
                                  allowed);
            return NULL;
        }
        first = fields[i];
    }
    if (first == NULL) {
        (void)tg_place_refuse(place, NULL, "found none of %s; allowed: one of them", allowed);
    }
    return first;
}

static int none_of(const struct tg_place *place, const char *const fields[], const char *with,
                   const char *allowed)
{
    int err = 0;

    for (size_t i = 0u; fields[i] != NULL; i++) {
        if (tg_place_has(place, fields[i])) {
            err = tg_place_refuse(place, fields[i], "found with '%s'; allowed: only with %s", with,
                                  allowed);
        }
    }
    return err;
}

/* ---- When -------------------------------------------------------------------------------------------- */

static int check_window(const struct source *s)
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

static int check_wire(const struct source *s, const char *when)
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

static int check_timing(const struct source *s)
{
    static const char *const whens[] = {"every", "rate", "poisson", NULL};
    static const char *const jitter[] = {"jitter", NULL};
    static const char *const repeat[] = {"repeat", NULL};
    struct tg_system_traffic *const t = s->traffic;
    const char *const when = only_one(&s->place, whens, "every, rate, poisson");
    int err = none_of(&s->place, repeat, t->match_text != NULL ? "frames" : "flow", "capture");

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
    return err | none_of(&s->place, jitter, when, "every") | check_wire(s, when);
}

/* ---- What a flow's own source may send --------------------------------------------------------------- */

static int refuse_nonconforming(const struct source *s, const char *field, const char *what)
{
    const struct tg_system_flow *const f = &s->system->flows[s->traffic->flow];

    return tg_place_refuse(&s->place, field,
                           "found %s than flow '%s' in line %u says of its source; allowed: at "
                           "most that, or 'frames' instead of 'flow' for others who send the same",
                           what, f->name, (unsigned)f->at.line);
}

static int check_conforming(const struct source *s)
{
    const struct tg_system_traffic *const t = s->traffic;
    const struct tg_system_source *const source = &s->system->flows[t->flow].source;
    int err = 0;

    if (source->every_ns == 0u) {
        return 0; /* nothing is said, nothing is promised */
    }
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
static int check_alone(const struct source *s)
{
    const struct tg_system_traffic *const t = s->traffic;

    if (t->flow < 0 || s->system->flows[t->flow].source.every_ns == 0u) {
        return 0;
    }
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

/* ---- What -------------------------------------------------------------------------------------------- */

static int find_flow(const struct source *s)
{
    const yaml_node_t *const node = tg_document_field(s->place.reader->doc, s->place.node, "flow");
    char names[TG_WORDING_BYTES] = "";

    for (size_t i = 0u; i < s->system->n_flows; i++) {
        if (tg_document_is(node, s->system->flows[i].name)) {
            s->traffic->flow = (int32_t)i;
            s->traffic->match = s->system->flows[i].match;
            return 0;
        }
        tg_text_add(names, sizeof names, "%s%s", i != 0u ? ", " : "", s->system->flows[i].name);
    }
    return tg_place_refuse(&s->place, "flow", "found '%s', which is no flow; allowed: %s",
                           (const char *)node->data.scalar.value,
                           names[0] != '\0' ? names : "none, the file has no flows");
}

/* What `isolated` promises and what a scenario sends must not contradict each other. */
static int check_isolated(const struct source *s, size_t taker)
{
    const struct tg_system_flow *const f = &s->system->flows[taker];
    const struct tg_system_queue *const q = &s->system->queues[f->queue];

    if (s->traffic->flow >= 0 || !q->is_isolated) {
        return 0;
    }
    return tg_place_refuse(&s->place, "frames",
                           "found frames of flow '%s', whose queue '%s' is isolated: nobody but "
                           "its source can send them; allowed: other frames, or 'flow'",
                           f->name, q->name);
}

/* Can its frames be built at all? */
static int check_frames(const struct source *s)
{
    const struct tg_frame_ends ends = {.station_mac = s->system->receive.station.mac};
    uint8_t *const bytes = malloc(TG_FRAME_BUILD_MAX_BYTES);
    int length = TG_ERR_RANGE;

    if (bytes != NULL) {
        length =
            tg_frame_build(&s->traffic->match, s->traffic->form, &ends, s->traffic->length_bytes,
                           s->system->receive.station.mtu_bytes, bytes, TG_FRAME_BUILD_MAX_BYTES);
    }
    const int taker =
        length > 0 ? tg_finder_find(s->finder, bytes, (uint32_t)length) : TG_FINDER_MALFORMED;
    free(bytes);
    if (length == TG_ERR_UNREACHABLE) {
        return tg_place_refuse(
            &s->place, "form", "found %s frames for a match that has none; allowed: whole%s",
            s->traffic->form == TG_FORM_FRAGMENT ? "fragmented" : "malformed",
            s->traffic->form == TG_FORM_FRAGMENT ? ", fragments exist in IPv4" : "");
    }
    if (length < 0) {
        return tg_place_refuse(&s->place, "length",
                               "found %u bytes; allowed: what fits into receive.mtu, %u bytes "
                               "with its headers",
                               (unsigned)s->traffic->length_bytes,
                               (unsigned)s->system->receive.station.mtu_bytes);
    }
    return taker > 0 ? check_isolated(s, (size_t)taker - 1u) : 0;
}

/* ---- Captures ---------------------------------------------------------------------------------------- */

static int is_capture(const char *path)
{
    static const uint8_t magics[][4] = {{0xa1, 0xb2, 0xc3, 0xd4},  /* pcap, us, big endian */
                                        {0xd4, 0xc3, 0xb2, 0xa1},  /* little endian */
                                        {0xa1, 0xb2, 0x3c, 0x4d},  /* ns */
                                        {0x4d, 0x3c, 0xb2, 0xa1},  /* */
                                        {0x0a, 0x0d, 0x0d, 0x0a}}; /* pcapng */
    uint8_t start[4];
    FILE *const file = fopen(path, "rb");
    const size_t n = file != NULL ? fread(start, 1u, sizeof start, file) : 0u;

    if (file != NULL) {
        (void)fclose(file);
    }
    for (size_t i = 0u; n == sizeof start && i < sizeof magics / sizeof magics[0]; i++) {
        if (memcmp(start, magics[i], sizeof start) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Replace the path by one that can be opened from here. */
static int resolve(const struct source *s)
{
    const char *const written = s->traffic->capture_path;
    const size_t size = strlen(s->directory) + strlen(written) + 2u;
    char *const path = malloc(size);

    if (path == NULL) {
        return tg_place_refuse(&s->place, "capture", "out of memory");
    }
    if (written[0] == '/' || s->directory[0] == '\0') {
        (void)snprintf(path, size, "%s", written);
    } else {
        (void)snprintf(path, size, "%s/%s", s->directory, written);
    }
    free(s->traffic->capture_path);
    s->traffic->capture_path = path;
    return 0;
}

static int check_capture(const struct source *s)
{
    static const char *const others[] = {"every", "jitter", "rate", "poisson",
                                         "burst", "length", "form", NULL};
    struct stat status;
    int err = none_of(&s->place, others, "capture", "flow, frames");

    s->traffic->kind = TG_TRAFFIC_CAPTURE;
    if (s->directory == NULL) {
        return err;
    }
    if (resolve(s) != 0) {
        return -1;
    }
    if (stat(s->traffic->capture_path, &status) != 0 || !S_ISREG(status.st_mode)) {
        return tg_place_refuse(&s->place, "capture",
                               "found no file '%.200s'; allowed: a capture, its path relative to "
                               "this file",
                               s->traffic->capture_path);
    }
    if (!is_capture(s->traffic->capture_path)) {
        return tg_place_refuse(&s->place, "capture",
                               "found the file '%.200s', which is no capture or cannot be read; "
                               "allowed: pcap, pcapng",
                               s->traffic->capture_path);
    }
    return err;
}

/* ---- All --------------------------------------------------------------------------------------------- */

static int check_source(const struct source *s)
{
    static const char *const whats[] = {"flow", "frames", "capture", NULL};
    static const char *const form[] = {"form", NULL};
    const char *const what = only_one(&s->place, whats, "flow, frames, capture");

    s->traffic->flow = -1;
    if (what == NULL) {
        return -1;
    }
    int err = check_window(s);
    if (strcmp(what, "capture") == 0) {
        return err | check_capture(s);
    }
    if (strcmp(what, "flow") == 0) {
        err |= none_of(&s->place, form, what, "frames") | find_flow(s);
        if (s->traffic->flow < 0) {
            return err;
        }
    }
    err |= check_timing(s);
    err |= check_frames(s);
    if (err || s->traffic->flow < 0) {
        return err;
    }
    return check_conforming(s) | check_alone(s);
}

static int check_scenario(const struct tg_place *file, size_t i, const struct source *common)
{
    const struct tg_system_scenario *const scenario = &common->system->scenarios[i];
    const struct tg_place place = tg_place_item(file, "scenarios", i, scenario->name);
    int err = 0;

    for (size_t j = 0u; j < scenario->n_traffic; j++) {
        struct source source = *common;

        source.place = tg_place_item(&place, "traffic", j, NULL);
        source.scenario = scenario;
        source.traffic = &scenario->traffic[j];
        err |= check_source(&source);
    }
    return err;
}

int tg_check_traffic(struct tg_reader *r, struct tg_system *s, const char *directory)
{
    const struct tg_place file = tg_place_file(r);
    struct tg_finder finder;
    const struct source common = {.system = s, .directory = directory, .finder = &finder};
    int err = 0;

    if (tg_finder_open(&finder, s) != 0) {
        return tg_place_refuse(&file, NULL, "out of memory");
    }
    for (size_t i = 0u; i < s->n_flows; i++) {
        err |= tg_finder_bind(&finder, i); /* tg_check_matches() says what is wrong */
    }
    for (size_t i = 0u; i < s->n_scenarios; i++) {
        err |= check_scenario(&file, i, &common);
    }
    tg_finder_close(&finder);
    return err;
}
