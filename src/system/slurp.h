/* SPDX-License-Identifier: MIT
 *
 * slurp.h - a whole file in memory.
 */
#ifndef TG_SYSTEM_SLURP_H
#define TG_SYSTEM_SLURP_H

#include "system/errors.h"

/* Read a file, but not more than one byte beyond what a system file may have.
 *
 * Context: task; allocates.
 * Returns: its text, to be given to free(), without an end behind it; NULL with an error.
 * Cost:    O(size). */
char *tg_slurp(const char *path, size_t *size_bytes, struct tg_errors *errors);

#endif
