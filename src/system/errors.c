/* SPDX-License-Identifier: MIT
 *
 * errors.c - errors in the order of their places.
 */
#include "system/errors.h"

#include <stdarg.h>
#include <string.h>

void tg_errors_init(struct tg_errors *errors)
{
    errors->n = 0u;
    errors->n_more = 0u;
}

static int is_before(struct tg_position a, struct tg_position b)
{
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

void tg_errors_add(struct tg_errors *errors, struct tg_position at, const char *format, ...)
{
    size_t i = errors->n;

    if (errors->n == TG_ERRORS_MAX) {
        errors->n_more++;
        if (!is_before(at, errors->items[TG_ERRORS_MAX - 1u].at)) {
            return;
        }
        i = TG_ERRORS_MAX - 1u; /* the last of all gives way */
    } else {
        errors->n++;
    }
    for (; i > 0u && is_before(at, errors->items[i - 1u].at); i--) {
        errors->items[i] = errors->items[i - 1u];
    }

    struct tg_file_error *const e = &errors->items[i];
    va_list arguments;

    e->at = at;
    va_start(arguments, format);
    const int length = vsnprintf(e->text, sizeof e->text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof e->text) {
        memcpy(e->text + sizeof e->text - 4u, "...", 4u);
    }
}

void tg_errors_print(const struct tg_errors *errors, const char *file, FILE *out)
{
    for (size_t i = 0u; i < errors->n; i++) {
        const struct tg_file_error *const e = &errors->items[i];

        if (e->at.line == 0u) {
            (void)fprintf(out, "%s: %s\n", file, e->text);
        } else {
            (void)fprintf(out, "%s:%u:%u: %s\n", file, (unsigned)e->at.line, (unsigned)e->at.column,
                          e->text);
        }
    }
    if (errors->n_more != 0u) {
        (void)fprintf(out, "%s: %zu more errors\n", file, errors->n_more);
    }
}
