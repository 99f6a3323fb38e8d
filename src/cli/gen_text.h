/* SPDX-License-Identifier: MIT
 *
 * gen_text.h - a system as C tables for firmware: tidegate_config.h and tidegate_config.c.
 */
#ifndef TG_CLI_GEN_TEXT_H
#define TG_CLI_GEN_TEXT_H

#include "system/system.h"

#include <stdio.h>

/* The names of its flows and queues, and the declarations of what the other file defines.
 *
 * Context: any task, likewise below. source: the path of the system file, for a comment.
 * Cost:    O(flows^2), for names that are the same as identifiers. */
void tg_gen_header(const struct tg_system *system, const char *source, FILE *out);

/* The configuration as tg_system_lower_config() gives it, and storage that fits it.
 *
 * Cost:    O(flows). */
void tg_gen_tables(const struct tg_system *system, const struct tg_system_config *config,
                   const char *source, FILE *out);

#endif
