/* SPDX-License-Identifier: MIT
 *
 * run_sentences.h - what the tables of a scenario mean.
 */
#ifndef TG_CLI_RUN_SENTENCES_H
#define TG_CLI_RUN_SENTENCES_H

#include "run_result.h"

/* Where the gate of stock-limited comes from, what each policy holds, and why a ring lost packets of a flow
 * that kept to its promise.
 *
 * Context: any task.
 * Cost:    O(policies * (tasks + flows)). */
void tg_run_sentences(const struct tg_run_result *r, FILE *out, bool has_colour);

#endif
