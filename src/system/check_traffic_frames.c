/* SPDX-License-Identifier: MIT
 *
 * check_traffic_frames.c - what a source sends: frames of a flow, of a match, or of a capture.
 */
#define _POSIX_C_SOURCE 200809L
#include "system/check_traffic.h"
#include "system/frame_build.h"
#include "system/text.h"
#include "system/wording.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Frames ---------------------------------------------------------------------------------- */

int tg_check_flow(const struct tg_source_check *s)
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
static int check_isolated(const struct tg_source_check *s, size_t taker)
{
    const struct tg_system_flow *const f = &s->system->flows[taker];
    const struct tg_system_queue *const q = &s->system->queues[f->queue];

    if (!q->is_isolated) {
        return 0;
    }
    return tg_place_refuse(&s->place, "frames",
                           "found frames of flow '%s', whose queue '%s' is isolated: nobody but "
                           "its source can send them; allowed: other frames, or 'flow'",
                           f->name, q->name);
}

/* Build a frame of this match and see who takes it.
 *
 * Returns: its length, or as tg_frame_build(). */
static int try_frame(const struct tg_source_check *s, const struct tg_match *match, int *taker)
{
    const struct tg_frame_ends ends = {.station_mac = s->system->receive.station.mac};
    uint8_t *const bytes = malloc(TG_FRAME_BUILD_MAX_BYTES);
    int length = TG_ERR_RANGE;

    *taker = TG_FINDER_MALFORMED;
    if (bytes != NULL) {
        length =
            tg_frame_build(match, s->traffic->form, &ends, s->traffic->length_bytes,
                           s->system->receive.station.mtu_bytes, bytes, TG_FRAME_BUILD_MAX_BYTES);
    }
    if (length > 0) {
        *taker = tg_finder_find(s->finder, bytes, (uint32_t)length);
    }
    free(bytes);
    return length;
}

/* Not every frame of a match goes to its flow: more specific ones may take some. Fix what the match
 * leaves open until a frame is found that does. */
static int narrow(const struct tg_source_check *s)
{
    static const uint16_t more[] = {0u, TG_FIELD_BROADCAST, TG_FIELD_MULTICAST, TG_FIELD_FAMILY,
                                    TG_FIELD_FAMILY | TG_FIELD_MULTICAST};
    const int own = s->traffic->flow + 1;
    int first = 0; /* who takes the plain frames */

    for (size_t i = 0u; i < sizeof more / sizeof more[0]; i++) {
        struct tg_match match = s->traffic->match;
        int taker = 0;

        match.fields |= more[i];
        match.broadcast = (more[i] & TG_FIELD_BROADCAST) != 0u || match.broadcast;
        match.family = (more[i] & TG_FIELD_FAMILY) != 0u ? 6u : match.family;
        if (try_frame(s, &match, &taker) > 0 && taker == own) {
            s->traffic->match = match;
            return 0;
        }
        first = i == 0u ? taker : first;
    }
    return tg_place_refuse(&s->place, "flow",
                           "found '%s', whose frames go to '%s' unless they are special; allowed: "
                           "'frames' with a match that says how",
                           s->system->flows[own - 1].name, s->system->flows[first - 1].name);
}

static int refuse_form(const struct tg_source_check *s)
{
    const bool is_fragment = s->traffic->form == TG_FORM_FRAGMENT;

    return tg_place_refuse(
        &s->place, "form", "found %s frames for a match that has none; allowed: whole%s",
        is_fragment ? "fragmented" : "malformed", is_fragment ? ", fragments exist in IPv4" : "");
}

int tg_check_frames(const struct tg_source_check *s)
{
    int taker = 0;
    const int length = try_frame(s, &s->traffic->match, &taker);

    if (length == TG_ERR_UNREACHABLE) {
        return refuse_form(s);
    }
    if (length < 0) {
        return tg_place_refuse(&s->place, "length",
                               "found %u bytes; allowed: what fits into receive.mtu, %u bytes "
                               "with its headers",
                               (unsigned)s->traffic->length_bytes,
                               (unsigned)s->system->receive.station.mtu_bytes);
    }
    if (s->traffic->flow >= 0) {
        return tg_finder_is_bound(s->finder, (size_t)s->traffic->flow) ? narrow(s) : -1;
    }
    return taker > 0 ? check_isolated(s, (size_t)taker - 1u) : 0;
}

/* ---- Captures -------------------------------------------------------------------------------- */

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
static int resolve(const struct tg_source_check *s)
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

int tg_check_capture(const struct tg_source_check *s)
{
    static const char *const others[] = {"every", "jitter", "rate", "poisson",
                                         "burst", "length", "form", NULL};
    struct stat status;
    int err = tg_check_none_of(&s->place, others, "capture", "flow, frames");

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
