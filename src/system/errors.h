/* SPDX-License-Identifier: MIT
 *
 * errors.h - what is wrong with a file, each with its place; several in one go.
 */
#ifndef TG_SYSTEM_ERRORS_H
#define TG_SYSTEM_ERRORS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TG_ERRORS_MAX      32u  /* kept; more are counted */
#define TG_ERROR_TEXT_SIZE 480u /* a longer text is cut */

/* A place in a text file, both counted from 1. line 0: nowhere (not written in the file). */
struct tg_position {
    uint32_t line;
    uint32_t column; /* in characters */
};

struct tg_file_error {
    struct tg_position at;
    char text[TG_ERROR_TEXT_SIZE]; /* one line, no full stop */
};

/* Start with tg_errors_init(). Sorted by place. */
struct tg_errors {
    size_t n;      /* in items */
    size_t n_more; /* that found no room */
    struct tg_file_error items[TG_ERRORS_MAX];
};

/* No error yet.
 *
 * Context: any.
 * Cost:    O(1). */
void tg_errors_init(struct tg_errors *errors);

/* Add one, behind those of the same place.
 *
 * Context: any.
 * Cost:    O(TG_ERRORS_MAX). */
__attribute__((format(printf, 3, 4))) void
tg_errors_add(struct tg_errors *errors, struct tg_position at, const char *format, ...);

/* One line each, `FILE:LINE:COLUMN: text`, and how many were left out.
 *
 * Context: any task.
 * Cost:    O(TG_ERRORS_MAX). */
void tg_errors_print(const struct tg_errors *errors, const char *file, FILE *out);

#endif
