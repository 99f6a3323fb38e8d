/* SPDX-License-Identifier: MIT
 *
 * traffic.c - the arrivals of a scenario: its sources merged in order of time.
 */
#include "sim/traffic.h"
#include "sim/source.h"
#include "system/frame_build.h"

#include <stdlib.h>

struct tg_traffic {
    const struct tg_system_scenario *scenario;
    struct tg_finder finder;
    bool has_finder;
    struct tg_source *sources;
    struct tg_heap heap; /* of the next frame of each source */
    tg_ns wire_gap_ns;
    tg_ns wire_free_ns;
    uint32_t n_sources;
};

/* Room for any frame: two tags on top of the largest IP packet, and never less than the core
 * reads. */
static uint32_t frame_room(const struct tg_system *system)
{
    const uint32_t size = system->receive.station.mtu_bytes + 14u + 8u;

    return size < TG_FRAME_HEAD_BYTES ? TG_FRAME_HEAD_BYTES : size;
}

static int build(const struct tg_traffic *t, const struct tg_system *system, uint32_t index,
                 char *text, size_t size)
{
    struct tg_source *const s = &t->sources[index];
    const struct tg_frame_ends ends = {.station_mac = system->receive.station.mac,
                                       .variant = index};
    const uint32_t room = frame_room(system);
    uint8_t *const bytes = calloc(1u, room);

    s->frame.bytes = bytes;
    if (bytes == NULL) {
        snprintf(text, size, "no memory for traffic source %u", index + 1u);
        return -1;
    }
    const int len_bytes = tg_frame_build(&s->cfg->match, s->cfg->form, &ends, s->cfg->length_bytes,
                                         system->receive.station.mtu_bytes, bytes, room);

    if (len_bytes < 0) {
        snprintf(text, size, "traffic source %u: no frame of %u bytes of payload can be built",
                 index + 1u, s->cfg->length_bytes);
        return -1;
    }
    s->frame.len_bytes = (uint32_t)len_bytes;
    tg_frames_sort(&t->finder, &s->frame);
    return 0;
}

static int open_source(struct tg_traffic *t, const struct tg_system *system, uint32_t index,
                       char *text, size_t size)
{
    struct tg_source *const s = &t->sources[index];
    const uint64_t pending = tg_source_pending(&t->scenario->traffic[index]);

    s->cfg = &t->scenario->traffic[index];
    if (pending > TG_TRAFFIC_REORDER_MAX) {
        snprintf(text, size, "traffic source %u: the jitter is more than a million periods",
                 index + 1u);
        return -1;
    }
    if (pending != 0u) {
        s->pending.items = calloc(pending, sizeof *s->pending.items);
        if (s->pending.items == NULL) {
            snprintf(text, size, "no memory for traffic source %u", index + 1u);
            return -1;
        }
    }
    return s->cfg->kind == TG_TRAFFIC_CAPTURE
               ? tg_capture_read(s->cfg->capture_path, &t->finder, &s->capture, text, size)
               : build(t, system, index, text, size);
}

static int open_all(struct tg_traffic *t, const struct tg_system *system, char *text, size_t size)
{
    t->n_sources = (uint32_t)t->scenario->n_traffic;
    t->sources = calloc(t->n_sources + 1u, sizeof *t->sources);
    t->heap.items = calloc(t->n_sources + 1u, sizeof *t->heap.items);
    t->has_finder = tg_frames_open(&t->finder, system) == 0;
    if (t->sources == NULL || t->heap.items == NULL || !t->has_finder) {
        snprintf(text, size, "no memory for the traffic of scenario '%s'", t->scenario->name);
        return -1;
    }
    for (uint32_t i = 0u; i < t->n_sources; i++) {
        if (open_source(t, system, i, text, size) != 0) {
            return -1;
        }
    }
    return 0;
}

int tg_traffic_open(const struct tg_system *system, const struct tg_system_scenario *scenario,
                    struct tg_traffic **out, char *text, size_t size)
{
    struct tg_traffic *const t = calloc(1u, sizeof *t);

    *out = NULL;
    if (t == NULL) {
        snprintf(text, size, "no memory for the traffic of scenario '%s'", scenario->name);
        return -1;
    }
    t->scenario = scenario;
    t->wire_gap_ns = system->receive.wire_gap_ns;
    if (open_all(t, system, text, size) != 0) {
        tg_traffic_close(t);
        return -1;
    }
    tg_traffic_rewind(t);
    *out = t;
    return 0;
}

void tg_traffic_rewind(struct tg_traffic *t)
{
    t->heap.n = 0u;
    t->wire_free_ns = 0u;
    for (uint32_t i = 0u; i < t->n_sources; i++) {
        tg_source_rewind(&t->sources[i], t->scenario->seed, i);

        const tg_ns at_ns = tg_source_next(&t->sources[i]);

        if (at_ns != TG_SIM_NEVER) {
            tg_heap_add(&t->heap, at_ns, i);
        }
    }
}

bool tg_traffic_next(void *ctx, struct tg_sim_arrival *out)
{
    struct tg_traffic *const t = ctx;

    if (t->heap.n == 0u) {
        return false;
    }
    const struct tg_heap_item first = t->heap.items[0];
    struct tg_source *const s = &t->sources[first.number];

    *out = (struct tg_sim_arrival){.at_ns = first.at_ns, .frame = tg_source_frame(s)};
    if (out->at_ns < t->wire_free_ns) {
        out->at_ns = t->wire_free_ns;
    }
    t->wire_free_ns = out->at_ns + t->wire_gap_ns;
    tg_heap_replace(&t->heap, tg_source_next(s));
    return true;
}

void tg_traffic_close(struct tg_traffic *t)
{
    if (t == NULL) {
        return;
    }
    for (uint32_t i = 0u; t->sources != NULL && i < t->n_sources; i++) {
        free((void *)(uintptr_t)t->sources[i].frame.bytes); /* const for all others */
        free(t->sources[i].pending.items);
        tg_capture_free(&t->sources[i].capture);
    }
    if (t->has_finder) {
        tg_finder_close(&t->finder);
    }
    free(t->sources);
    free(t->heap.items);
    free(t);
}
