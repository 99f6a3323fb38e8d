/* SPDX-License-Identifier: MIT
 *
 * capture_file.h - frames from a pcap or pcapng file, one after the other.
 */
#ifndef TG_SYSTEM_CAPTURE_FILE_H
#define TG_SYSTEM_CAPTURE_FILE_H

#include "tidegate/common.h"

#define TG_CAPTURE_MESSAGE_BYTES 320u

struct tg_capture_file;

/* A frame as it was captured. */
struct tg_captured {
    const uint8_t *bytes; /* valid until the next one is read */
    uint32_t n_bytes;     /* of them; fewer than len_bytes if the capture was told to cut frames */
    uint32_t len_bytes;   /* on the wire, without frame check sequence */
    tg_ns at_ns;          /* since 1970 */
};

/* What tg_capture_file_next() found. */
enum tg_capture_state {
    TG_CAPTURE_FRAME,
    TG_CAPTURE_END,
    TG_CAPTURE_TRUNCATED, /* the file ends within a frame: all before it were given */
    TG_CAPTURE_DAMAGED    /* what follows is no frame */
};

/* Open a file; "-" is standard input. Ethernet only.
 *
 * Context: task; allocates.
 * Returns: 0, *out to be given to tg_capture_file_close(); -1 with what is wrong in message.
 * Cost:    O(1). */
TG_NODISCARD int tg_capture_file_open(const char *path, struct tg_capture_file **out,
                                      char message[TG_CAPTURE_MESSAGE_BYTES]);

/* Read the next frame.
 *
 * Context: task.
 * Returns: FRAME, and *frame; otherwise there is none, and *frame is unchanged.
 * Cost:    O(length of the frame). */
TG_NODISCARD enum tg_capture_state tg_capture_file_next(struct tg_capture_file *c,
                                                        struct tg_captured *frame);

/* What libpcap says about a truncated or damaged file.
 *
 * Context: task, after one of these two states.
 * Cost:    O(1). */
const char *tg_capture_file_message(const struct tg_capture_file *c);

/* Context: task; NULL is allowed. Cost: O(1). */
void tg_capture_file_close(struct tg_capture_file *c);

#endif
