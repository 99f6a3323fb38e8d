/* SPDX-License-Identifier: MIT
 *
 * frames_iface.c - frames from and to an interface of this machine, a TAP device or any other.
 */
#include "nic/device/frames.h"

#include "iface/iface.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING_PKTS 1024u
#define TAG_AT    12u /* behind both addresses */
#define TAG_BYTES 4u

struct network {
    struct tg_nic_frames frames;
    struct tg_iface *iface;
};

/* The kernel took the tag out; the guest gets the frame as it was on the wire. */
static uint32_t put_tag_back(const struct tg_iface_frame *frame, uint8_t *bytes)
{
    tg_iface_copy(frame, bytes + TAG_BYTES, 0u, frame->len_bytes);
    memmove(bytes, bytes + TAG_BYTES, TAG_AT);
    bytes[TAG_AT] = (uint8_t)(frame->tpid >> 8);
    bytes[TAG_AT + 1u] = (uint8_t)frame->tpid;
    bytes[TAG_AT + 2u] = (uint8_t)(frame->tci >> 8);
    bytes[TAG_AT + 3u] = (uint8_t)frame->tci;
    return frame->len_bytes + TAG_BYTES;
}

static uint32_t take(struct tg_nic_frames *f, uint8_t bytes[TG_NIC_FRAMES_ROOM_BYTES])
{
    struct tg_iface *const iface = ((struct network *)f)->iface;
    struct tg_iface_frame frame;
    uint32_t len_bytes;

    if (!tg_iface_look(iface, &frame)) {
        if (tg_iface_is_gone(iface)) {
            f->fd = -1; /* it would be readable for ever */
        }
        return 0u;
    }
    len_bytes = frame.len_bytes;
    if (len_bytes > TG_NIC_FRAME_MAX - TAG_BYTES) {
        f->lost++;
        len_bytes = 0u;
    } else if (frame.tci != TG_TCI_NONE) {
        len_bytes = put_tag_back(&frame, bytes);
    } else {
        tg_iface_copy(&frame, bytes, 0u, len_bytes);
    }
    tg_iface_next(iface);
    return len_bytes;
}

static bool send_frame(struct tg_nic_frames *f, const uint8_t *bytes, uint32_t len_bytes)
{
    const struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len_bytes};

    return tg_iface_send(((struct network *)f)->iface, &part, 1);
}

static uint64_t lost(struct tg_nic_frames *f)
{
    return f->lost + tg_iface_lost(((struct network *)f)->iface);
}

static void close_network(struct tg_nic_frames *f)
{
    tg_iface_close(((struct network *)f)->iface);
    free(f);
}

static const struct tg_nic_frames_kind kind = {
    .take = take, .send = send_frame, .lost = lost, .close = close_network};

int tg_nic_frames_iface(const char *name, bool is_tap, const struct tg_nic_setup *setup,
                        struct tg_nic_frames **out, char message[TG_NIC_FRAMES_MESSAGE_BYTES])
{
    struct network *const n = calloc(1u, sizeof *n);

    message[0] = '\0';
    if (n == NULL) {
        (void)snprintf(message, TG_NIC_FRAMES_MESSAGE_BYTES, "out of memory");
        return -1;
    }
    const int err = (is_tap ? tg_iface_open_tap : tg_iface_open)(
        name, RING_PKTS, setup->station.mtu_bytes, &n->iface, message, TG_NIC_FRAMES_MESSAGE_BYTES);

    if (err) {
        free(n);
        return err;
    }
    n->frames = (struct tg_nic_frames){
        .kind = &kind, .fd = n->iface->receive_fd, .next_ns = TG_NIC_FRAMES_NEVER};
    *out = &n->frames;
    return 0;
}
