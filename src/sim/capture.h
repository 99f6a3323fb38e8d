/* SPDX-License-Identifier: MIT
 *
 * capture.h - the frames of a pcap file.
 */
#ifndef TG_SIM_CAPTURE_H
#define TG_SIM_CAPTURE_H

#include "sim/frames.h"

/* Start all zero. */
struct tg_capture {
    struct tg_sim_frame *frames; /* n; their bytes are in memory that belongs to the capture */
    tg_ns *offsets_ns;           /* n: time since the first frame, never falling */
    size_t n;
    tg_ns mean_gap_ns; /* >= 1 */
};

/* Read a capture of Ethernet frames. What the capture cut off a frame is read as zeros.
 *
 * Context: task; allocates.
 * Returns: 0; -1 with a sentence in text. *out is to be given to tg_capture_free in either case.
 * Cost:    O(size of the file). */
TG_NODISCARD int tg_capture_read(const char *path, const struct tg_finder *finder,
                                 struct tg_capture *out, char *text, size_t size);

/* Context: task; an all-zero object is allowed.
 * Cost:    O(frames). */
void tg_capture_free(struct tg_capture *capture);

#endif
