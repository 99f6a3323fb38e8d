/* SPDX-License-Identifier: MIT
 *
 * run_sentences.h - what the tables of a scenario mean.
 */
#ifndef TG_CLI_RUN_SENTENCES_H
#define TG_CLI_RUN_SENTENCES_H

#include "run_result.h"

/* The flow's source is described in the file and kept to it: what it sends should arrive.
 *
 * Context: any task, likewise below.
 * Cost:    O(1). */
bool tg_run_is_promised(const struct tg_run_result *r, enum tg_sim_policy policy, uint32_t flow);

/* Where the gate of stock-limited comes from, and why a ring lost packets of a flow that kept to
 * its promise: a paragraph each, an empty line before it.
 *
 * Cost:    O(policies * (tasks + flows)). */
void tg_run_sentences(const struct tg_run_result *r, FILE *out);

#endif
