/* SPDX-License-Identifier: MIT
 *
 * receiver.h - the real receive path for one frame at a time: what would become of it?
 *
 * One queue of one descriptor on the simulated port. A packet that passes is delivered and released
 * at once, so buffers never run out; what remains are the frame table, the matches and the budgets.
 */
#ifndef TG_CLI_RECEIVER_H
#define TG_CLI_RECEIVER_H

#include "system/rules_text.h"
#include "tidegate/rx.h"

#define TG_MTU_DEFAULT_BYTES 1500u
#define TG_MTU_MIN_BYTES     68u
#define TG_MTU_MAX_BYTES     65000u /* below what the core takes: longer is always oversize */

struct tg_receiver;

/* A frame to look at. */
struct tg_sample {
    const uint8_t *bytes;
    uint32_t n_bytes;   /* of them are known */
    uint32_t len_bytes; /* on the wire */
    uint32_t tci;       /* stripped, or TG_TCI_NONE */
    tg_ns now_ns;
};

struct tg_outcome {
    bool is_decided; /* false: too few bytes are known, the core has not seen the frame */
    enum tg_frame_class class;
    enum tg_verdict verdict;
    uint32_t flow; /* rule flow - 1 takes it; 0: best effort. Valid unless malformed */
    struct tg_frame_key key;
};

/* Set up a receive path for these rules.
 *
 * Context: task; allocates.
 * Units:   now_ns: budgets start full at this time.
 * Returns: NULL when out of memory.
 * Cost:    O(rules^2). */
struct tg_receiver *tg_receiver_open(const struct tg_rules *rules, const struct tg_station *station,
                                     tg_ns now_ns);

/* Context: task; NULL is allowed. Cost: O(1). */
void tg_receiver_close(struct tg_receiver *r);

/* Hand one frame to the receive path.
 *
 * Bytes that are not known (a capture that cut frames) do not matter if the core would not read
 * them: it goes by the length on the wire. Otherwise the frame is not decided.
 *
 * Context: task.
 * Cost:    O(length of the frame). */
void tg_receiver_frame(struct tg_receiver *r, const struct tg_sample *sample,
                       struct tg_outcome *outcome);

/* The table that the core looks flows up in, and the bytes that the last frame's key points into.
 *
 * Context: task. Cost: O(1). */
const struct tg_flow_table *tg_receiver_table(const struct tg_receiver *r);

/* Context: task. Cost: O(1). */
const uint8_t *tg_receiver_bytes(const struct tg_receiver *r);

/* A verdict in the words of the design: "passed", "malformed", "budget", "no_buffer",
 * "unregistered".
 *
 * Context: any. Cost: O(1). */
const char *tg_verdict_name(enum tg_verdict verdict);

#endif
