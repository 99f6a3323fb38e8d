/* SPDX-License-Identifier: MIT
 *
 * explain_report.h - the way of one frame, for people and for programs.
 */
#ifndef TG_CLI_EXPLAIN_REPORT_H
#define TG_CLI_EXPLAIN_REPORT_H

#include "receiver.h"

struct tg_explained {
    const struct tg_rules *rules;
    const struct tg_sample *sample;
    const struct tg_outcome *outcome;
    const struct tg_flow_table *table;
    const uint8_t *bytes; /* as the receiver holds them */
};

/* Both write to standard output. Context: main task. */
void tg_explain_text(const struct tg_explained *e);
void tg_explain_json(const struct tg_explained *e);

#endif
