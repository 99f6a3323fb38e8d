/* SPDX-License-Identifier: MIT
 *
 * capture.c - the frames of a pcap file.
 */
#include "sim/capture.h"
#include "system/capture_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPTURE_FRAME_MAX_BYTES 65535u

static int grow(struct tg_capture *c, size_t *room)
{
    if (c->n < *room) {
        return 0;
    }
    const size_t wanted = *room == 0u ? 1024u : 2u * *room;
    struct tg_sim_frame *const frames = realloc(c->frames, wanted * sizeof *frames);

    if (frames == NULL) {
        return -1;
    }
    c->frames = frames;

    tg_ns *const offsets_ns = realloc(c->offsets_ns, wanted * sizeof *offsets_ns);

    if (offsets_ns == NULL) {
        return -1;
    }
    c->offsets_ns = offsets_ns;
    *room = wanted;
    return 0;
}

static int add(struct tg_capture *c, const struct tg_finder *finder, tg_ns offset_ns,
               const struct tg_captured *captured, size_t *room)
{
    const uint32_t len_bytes = captured->len_bytes < CAPTURE_FRAME_MAX_BYTES
                                   ? captured->len_bytes
                                   : CAPTURE_FRAME_MAX_BYTES;
    const size_t size = len_bytes < TG_FRAME_HEAD_BYTES ? TG_FRAME_HEAD_BYTES : len_bytes;
    uint8_t *const copy = calloc(1u, size);

    if (copy == NULL || grow(c, room) != 0) {
        free(copy);
        return -1;
    }
    memcpy(copy, captured->bytes, captured->n_bytes < len_bytes ? captured->n_bytes : len_bytes);
    c->frames[c->n] = (struct tg_sim_frame){.bytes = copy, .len_bytes = len_bytes};
    tg_frames_sort(finder, &c->frames[c->n]);
    c->offsets_ns[c->n] = offset_ns;
    c->n++;
    return 0;
}

/* Times in a file may step back; arrivals do not. */
static int read_all(struct tg_capture_file *file, const struct tg_finder *finder,
                    struct tg_capture *out, char *text, size_t size)
{
    struct tg_captured captured;
    enum tg_capture_state state;
    size_t room = 0u;
    tg_ns first_ns = 0u;
    tg_ns offset_ns = 0u;

    while ((state = tg_capture_file_next(file, &captured)) == TG_CAPTURE_FRAME) {
        first_ns = out->n == 0u ? captured.at_ns : first_ns;
        if (captured.at_ns > first_ns + offset_ns) {
            offset_ns = captured.at_ns - first_ns;
        }
        if (add(out, finder, offset_ns, &captured, &room) != 0) {
            snprintf(text, size, "no memory");
            return -1;
        }
    }
    if (state == TG_CAPTURE_DAMAGED) {
        snprintf(text, size, "%s", tg_capture_file_message(file));
        return -1;
    }
    if (out->n == 0u) {
        snprintf(text, size, "it is empty");
        return -1;
    }
    out->mean_gap_ns = out->n > 1u ? offset_ns / (out->n - 1u) : 0u;
    out->mean_gap_ns = out->mean_gap_ns == 0u ? 1u : out->mean_gap_ns;
    return 0;
}

int tg_capture_read(const char *path, const struct tg_finder *finder, struct tg_capture *out,
                    char *text, size_t size)
{
    struct tg_capture_file *file;
    char message[TG_CAPTURE_MESSAGE_BYTES];
    int err = -1;

    *out = (struct tg_capture){0};
    if (tg_capture_file_open(path, &file, message) == 0) {
        err = read_all(file, finder, out, message, sizeof message);
        tg_capture_file_close(file);
    }
    if (err != 0) {
        snprintf(text, size, "capture '%s': %s", path, message);
    }
    return err;
}

void tg_capture_free(struct tg_capture *capture)
{
    for (size_t i = 0u; i < capture->n; i++) {
        free((void *)(uintptr_t)capture->frames[i].bytes); /* const for all others */
    }
    free(capture->frames);
    free(capture->offsets_ns);
    *capture = (struct tg_capture){0};
}
