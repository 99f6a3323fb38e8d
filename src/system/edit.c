/* SPDX-License-Identifier: MIT
 *
 * edit.c - a system file with other numbers in it.
 */
#include "system/edit.h"
#include "system/slurp.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A place that walks through a text. */
struct walk {
    const char *text;
    size_t size_bytes;
    size_t i;
    struct tg_position at;
};

static void step(struct walk *w)
{
    const char c = w->text[w->i++];
    const bool is_pair = c == '\r' && w->i < w->size_bytes && w->text[w->i] == '\n';

    if (c == '\n' || (c == '\r' && !is_pair)) {
        w->at = (struct tg_position){w->at.line + 1u, 1u};
    } else if (w->i == w->size_bytes || ((unsigned char)w->text[w->i] & 0xc0u) != 0x80u) {
        w->at.column++; /* that was the last byte of a character */
    }
}

static bool is_at(const struct walk *w, struct tg_position at)
{
    return w->at.line == at.line && w->at.column == at.column;
}

/* Bytes of the plain value that begins at i, without what follows it on its line. */
static size_t value_bytes(const struct walk *w)
{
    size_t end = w->i;

    while (end < w->size_bytes && strchr(",}]#\r\n", w->text[end]) == NULL) {
        end++;
    }
    while (end > w->i && w->text[end - 1u] == ' ') {
        end--;
    }
    return end - w->i;
}

int tg_edit_text(const char *text, size_t size_bytes, const struct tg_edit *edits, size_t n,
                 FILE *out)
{
    struct walk w = {.text = text, .size_bytes = size_bytes, .at = {1u, 1u}};
    size_t copied = 0u;

    for (size_t k = 0u; k < n; k++) {
        while (w.i < size_bytes && !is_at(&w, edits[k].at)) {
            step(&w);
        }
        const size_t length = value_bytes(&w);

        if (length == 0u || text[w.i] < '0' || text[w.i] > '9') {
            return -1;
        }
        (void)fwrite(text + copied, 1u, w.i - copied, out);
        (void)fputs(edits[k].value, out);
        copied = w.i + length;
    }
    (void)fwrite(text + copied, 1u, size_bytes - copied, out);
    return ferror(out) ? -1 : 0;
}

static int compare(const void *a, const void *b)
{
    const struct tg_position p = ((const struct tg_edit *)a)->at;
    const struct tg_position q = ((const struct tg_edit *)b)->at;

    if (p.line != q.line) {
        return p.line < q.line ? -1 : 1;
    }
    return p.column < q.column ? -1 : p.column > q.column;
}

int tg_edit_file(const char *in_path, struct tg_edit *edits, size_t n, const char *out_path,
                 struct tg_errors *errors)
{
    static const struct tg_position nowhere = {0u, 0u};
    size_t size_bytes = 0u;
    char *const text = tg_slurp(in_path, &size_bytes, errors);

    if (text == NULL) {
        return -1;
    }
    FILE *const out = fopen(out_path, "wb");

    if (out == NULL) {
        tg_errors_add(errors, nowhere, "cannot be written: %s", strerror(errno));
        free(text);
        return -1;
    }
    qsort(edits, n, sizeof *edits, compare);
    int err = tg_edit_text(text, size_bytes, edits, n, out);

    free(text);
    err |= fclose(out) != 0 ? -1 : 0;
    if (err) {
        tg_errors_add(errors, nowhere, "cannot be written");
        (void)remove(out_path);
    }
    return err;
}
