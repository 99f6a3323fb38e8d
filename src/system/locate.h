/* SPDX-License-Identifier: MIT
 *
 * locate.h - one value of a system file by its path: receive.eager, flows.setpoint.budget.packets.
 */
#ifndef TG_SYSTEM_LOCATE_H
#define TG_SYSTEM_LOCATE_H

#include "system/errors.h"

/* What kind of number is written there. */
enum tg_located_kind { TG_LOCATED_NUMBER, TG_LOCATED_DURATION, TG_LOCATED_RATE };

struct tg_located {
    struct tg_position at; /* as struct tg_edit takes it */
    enum tg_located_kind kind;
};

/* Find the number that a path names. Fields are joined by dots; an entry of a list goes by its
 * name, or by its number from 0 on where it has none.
 *
 * Context: task; allocates.
 * Returns: 0; -1 with an error at the place in the file up to which the path leads.
 * Cost:    O(size). */
int tg_locate(const char *text, size_t size_bytes, const char *path, struct tg_located *out,
              struct tg_errors *errors);

#endif
