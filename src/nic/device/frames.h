/* SPDX-License-Identifier: MIT
 *
 * frames.h - where the frames of the NIC come from, and where those of the guest go.
 *
 *     tap:NAME               a TAP device of this name; made if there is none
 *     veth:NAME              a network interface that is up
 *     pcap:FILE              a capture, with its times; frames of the guest go nowhere
 *     generator:RATE,COUNT   frames for all rules in turn, and one for none; likewise
 *
 * The first two have frames when the network has some: their fd is readable. The others have times,
 * counted from when the guest first had all queues enabled.
 */
#ifndef TG_NIC_DEVICE_FRAMES_H
#define TG_NIC_DEVICE_FRAMES_H

#include "nic/model/model.h"

#define TG_NIC_FRAMES_ROOM_BYTES    65536u
#define TG_NIC_FRAMES_MESSAGE_BYTES 320u
#define TG_NIC_FRAMES_NEVER         UINT64_MAX

struct tg_nic_frames;

/* One kind of source. */
struct tg_nic_frames_kind {
    /* The next frame, if there is one now. Returns: its length, 0: none. */
    uint32_t (*take)(struct tg_nic_frames *f, uint8_t bytes[TG_NIC_FRAMES_ROOM_BYTES]);

    /* Returns: false if the frame is lost. NULL: there is no network. */
    bool (*send)(struct tg_nic_frames *f, const uint8_t *bytes, uint32_t len_bytes);

    /* Frames that are lost so far. NULL: those of struct tg_nic_frames. */
    uint64_t (*lost)(struct tg_nic_frames *f);

    void (*close)(struct tg_nic_frames *f);
};

/* What all kinds have; each begins with it. */
struct tg_nic_frames {
    const struct tg_nic_frames_kind *kind;
    int fd; /* readable when there are frames; -1: they have times */
    tg_ns
        next_ns; /* when the next frame is due, since the start; TG_NIC_FRAMES_NEVER: none, or fd */
    uint64_t lost; /* frames that were too long, or could not be read */
};

/* Open a source as the command line names it.
 *
 * Context: task; allocates.
 * Units:   rules: what the generator makes frames for; they outlive it.
 * Returns: 0, *out to be given to tg_nic_frames_close(); -1 with what is wrong in message.
 * Cost:    O(1). */
TG_NODISCARD int tg_nic_frames_open(const char *spec, const struct tg_nic_setup *setup,
                                    struct tg_nic_frames **out,
                                    char message[TG_NIC_FRAMES_MESSAGE_BYTES]);

/* Frames of the source that never reached the NIC.
 *
 * Context: task.
 * Cost:    O(1); of an interface a few system calls. */
uint64_t tg_nic_frames_lost(struct tg_nic_frames *f);

/* Context: task; NULL is allowed. Cost: O(1). */
void tg_nic_frames_close(struct tg_nic_frames *f);

/* The kinds, by what stands behind the colon. Contract as tg_nic_frames_open(). */
int tg_nic_frames_iface(const char *name, bool is_tap, const struct tg_nic_setup *setup,
                        struct tg_nic_frames **out, char message[TG_NIC_FRAMES_MESSAGE_BYTES]);
int tg_nic_frames_capture(const char *path, struct tg_nic_frames **out,
                          char message[TG_NIC_FRAMES_MESSAGE_BYTES]);
int tg_nic_frames_generator(const char *text, const struct tg_nic_setup *setup,
                            struct tg_nic_frames **out, char message[TG_NIC_FRAMES_MESSAGE_BYTES]);

#endif
