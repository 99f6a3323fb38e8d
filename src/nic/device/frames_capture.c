/* SPDX-License-Identifier: MIT
 *
 * frames_capture.c - frames from a capture, as far apart as they were.
 */
#include "nic/device/frames.h"

#include "system/capture_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(TG_NIC_FRAMES_MESSAGE_BYTES >= TG_CAPTURE_MESSAGE_BYTES,
               "room for what libpcap says");

struct capture {
    struct tg_nic_frames frames;
    struct tg_capture_file *file;
    struct tg_captured next; /* valid while frames.next_ns is a time */
    tg_ns first_ns;
};

/* A capture whose times step back goes on at once. */
static void look_ahead(struct capture *c, bool is_first)
{
    const tg_ns last_ns = c->frames.next_ns;

    c->frames.next_ns = TG_NIC_FRAMES_NEVER;
    if (tg_capture_file_next(c->file, &c->next) == TG_CAPTURE_FRAME) {
        if (is_first) {
            c->first_ns = c->next.at_ns;
        }
        c->frames.next_ns =
            c->next.at_ns - c->first_ns < UINT64_MAX / 2u ? c->next.at_ns - c->first_ns : last_ns;
    }
}

/* A frame that was captured cut is filled up with zeros, as long as it was on the wire. */
static uint32_t take(struct tg_nic_frames *f, uint8_t bytes[TG_NIC_FRAMES_ROOM_BYTES])
{
    struct capture *const c = (struct capture *)f;
    uint32_t len_bytes = c->next.len_bytes;

    if (f->next_ns == TG_NIC_FRAMES_NEVER) {
        return 0u;
    }
    if (len_bytes == 0u || len_bytes > TG_NIC_FRAME_MAX || c->next.n_bytes > len_bytes) {
        f->lost++;
        len_bytes = 0u;
    } else {
        memcpy(bytes, c->next.bytes, c->next.n_bytes);
        memset(bytes + c->next.n_bytes, 0, len_bytes - c->next.n_bytes);
    }
    look_ahead(c, false);
    return len_bytes;
}

static void close_capture(struct tg_nic_frames *f)
{
    tg_capture_file_close(((struct capture *)f)->file);
    free(f);
}

static const struct tg_nic_frames_kind kind = {.take = take, .close = close_capture};

int tg_nic_frames_capture(const char *path, struct tg_nic_frames **out,
                          char message[TG_NIC_FRAMES_MESSAGE_BYTES])
{
    struct capture *const c = calloc(1u, sizeof *c);

    if (c == NULL) {
        (void)snprintf(message, TG_NIC_FRAMES_MESSAGE_BYTES, "out of memory");
        return -1;
    }
    if (tg_capture_file_open(path, &c->file, message) != 0) {
        free(c);
        return -1;
    }
    c->frames = (struct tg_nic_frames){.kind = &kind, .fd = -1};
    look_ahead(c, true);
    *out = &c->frames;
    return 0;
}
