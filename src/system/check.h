/* SPDX-License-Identifier: MIT
 *
 * check.h - what no single field shows: defaults that follow from other fields, and what does not
 * fit together.
 */
#ifndef TG_SYSTEM_CHECK_H
#define TG_SYSTEM_CHECK_H

#include "system/finder.h"
#include "system/place.h"

/* Each of these looks at everything of its kind and adds all errors that it finds.
 *
 * Context: task, after tg_read_file() has found nothing wrong.
 * Returns: 0; -1 with errors.
 * Cost:    O(size), but those of names, services and matches O(flows^2). */

/* Put queues and gates where struct tg_system has them, and fill in what follows from other fields.
 * First of all: the others look at what it fills in. */
int tg_check_complete(struct tg_reader *r, struct tg_system_written *w);

int tg_check_names(struct tg_reader *r, const struct tg_system *s);

/* Times, budgets and buffers that contradict each other. */
int tg_check_values(struct tg_reader *r, const struct tg_system *s);

/* Services at ports that no match names, and different ones at one port. */
int tg_check_services(struct tg_reader *r, const struct tg_system *s);

/* Two flows for the same frames, and flows that no frame reaches, as the core sees it. The finder
 * is open, and has all flows that the core admits afterwards. */
int tg_check_matches(struct tg_reader *r, const struct tg_system *s, struct tg_finder *finder);

/* Scenarios; fills in what their sources refer to. finder: of tg_check_matches(); directory: see
 * tg_system_parse(). */
int tg_check_traffic(struct tg_reader *r, struct tg_system *s, const struct tg_finder *finder,
                     const char *directory);

#endif
