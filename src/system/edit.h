/* SPDX-License-Identifier: MIT
 *
 * edit.h - a system file with other numbers in it, everything else byte for byte as it was.
 */
#ifndef TG_SYSTEM_EDIT_H
#define TG_SYSTEM_EDIT_H

#include "system/errors.h"

#include <stdio.h>

#define TG_EDIT_VALUE_BYTES 32u

/* One plain value (a number, a duration) and what stands there instead. */
struct tg_edit {
    struct tg_position at; /* as struct tg_system keeps it: packets_at, period_at */
    char value[TG_EDIT_VALUE_BYTES];
};

/* Write a text with some of its values replaced.
 *
 * Context: task. The edits are in the order of their places, no two at the same one.
 * Returns: 0; -1 if there is no value at one of the places, or when writing fails: *out then has
 *          part of the text.
 * Cost:    O(size + edits). */
int tg_edit_text(const char *text, size_t size_bytes, const struct tg_edit *edits, size_t n,
                 FILE *out);

/* The same from file to file; in any order.
 *
 * Context: task; allocates.
 * Returns: 0; -1 with a sentence in *errors, and then out_path does not exist, or is as it was if
 *          it could not be opened.
 * Cost:    as tg_edit_text(), plus O(edits * log edits). */
int tg_edit_file(const char *in_path, struct tg_edit *edits, size_t n, const char *out_path,
                 struct tg_errors *errors);

#endif
