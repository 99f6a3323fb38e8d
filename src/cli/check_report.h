/* SPDX-License-Identifier: MIT
 *
 * check_report.h - a proof for people and for programs.
 */
#ifndef TG_CLI_CHECK_REPORT_H
#define TG_CLI_CHECK_REPORT_H

#include "proof.h"
#include "report/json.h"

#include <stdio.h>

/* Tables, and a sentence for each thing that does not hold.
 *
 * Context: any task, likewise below.
 * Cost:    O(tasks + flows + queues), likewise below. */
void tg_check_print(const struct tg_proof *proof, FILE *out, bool has_colour);

/* The bounds of every task and flow of this name, part by part. */
void tg_check_explain(const struct tg_proof *proof, const char *name, FILE *out);

/* All of both in one document. only: leave out tasks and flows of other names; NULL: none. */
void tg_check_json(const struct tg_proof *proof, const char *only, FILE *out);

/* A paragraph of at most 100 columns; lines after the first begin with `indent` blanks. */
void tg_check_say(FILE *out, int indent, const char *text);

#endif
