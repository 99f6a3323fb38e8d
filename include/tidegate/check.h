/* SPDX-License-Identifier: MIT
 *
 * check.h - the invariants that the headers number, for tests and for a debugger's prompt.
 */
#ifndef TIDEGATE_CHECK_H
#define TIDEGATE_CHECK_H

#include "tidegate/rx.h"

/* Context: a moment at which nothing else changes the object.
 * Returns: NULL if all invariants hold, else which one does not, in words.
 * Cost:    O(everything); nothing of the core calls them, a linker drops them from firmware. */
const char *tg_server_check(const struct tg_server *s);
const char *tg_queue_check(const struct tg_queue *q);
const char *tg_flow_table_check(const struct tg_flow_table *t);
const char *tg_protocol_check(const struct tg_protocol *p); /* with all of its parts */

#endif
