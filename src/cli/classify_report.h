/* SPDX-License-Identifier: MIT
 *
 * classify_report.h - what `tidegate classify` prints: figures per flow and verdict, and each
 * frame.
 */
#ifndef TG_CLI_CLASSIFY_REPORT_H
#define TG_CLI_CLASSIFY_REPORT_H

#include "receiver.h"

#include "report/json.h"

#define TG_VERDICTS (TG_VERDICT_NONE + 1u)
#define TG_RULES    (TG_RULE_OVERSIZE + 1u)

struct tg_tally {
    uint64_t frames;
    uint64_t bytes; /* lengths on the wire */
};

/* Figures so far. */
struct tg_classify_report {
    const struct tg_rules *rules;
    struct tg_tally (*flows)[TG_VERDICTS]; /* [0] best effort, [i + 1] rule i */
    struct tg_tally malformed[TG_RULES];   /* by rule of the frame table */
    struct tg_tally cut;                   /* captured too short to tell */
    struct tg_tally all;
    tg_ns start_ns; /* of the first frame */
    bool is_each;
    bool is_json;
    bool has_colour;
    bool is_truncated;
    struct tg_json json;
};

/* Begin: with --each what stands above the frames.
 *
 * Context: task; allocates.
 * Returns: 0, or -1 when out of memory. */
int tg_classify_report_start(struct tg_classify_report *r, const struct tg_rules *rules,
                             const char *rules_path, const char *capture_path, bool is_each,
                             bool is_json);

/* Count one frame, and print it if each is to be printed. bytes: as the receiver holds them. */
void tg_classify_report_frame(struct tg_classify_report *r, const struct tg_sample *sample,
                              const struct tg_outcome *outcome, const uint8_t *bytes);

/* Print the figures. */
void tg_classify_report_end(struct tg_classify_report *r);

void tg_classify_report_free(struct tg_classify_report *r);

#endif
