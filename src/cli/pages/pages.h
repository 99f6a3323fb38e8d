/* SPDX-License-Identifier: MIT
 *
 * pages.h - what is installed beside the command, made from the same tables as its --help.
 */
#ifndef TG_CLI_PAGES_H
#define TG_CLI_PAGES_H

#include "../command.h"

/* The manual page of one command, for section 1.
 *
 * Context: any task, likewise below.
 * Cost:    O(its length), likewise below. */
void tg_man_command(const struct tg_command *command, FILE *out);

/* The manual page of the whole. */
void tg_man_all(FILE *out);

/* Completion for bash: commands, options, and the values that can be known. */
void tg_completion(FILE *out);

#endif
