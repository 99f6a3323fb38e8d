/* SPDX-License-Identifier: MIT
 *
 * json_check.c - is this text one JSON document (RFC 8259), and what does it say?
 *
 * Written against the RFC, not against our writer; refuses duplicate commas, control characters,
 * bad escapes, leading zeros and everything else that lenient readers let through.
 */
#include "json_check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

struct reader {
    const char *at;
    const char
        *path; /* what is still to go to, from the value that is read now; NULL: not on the way */
    const char *value;
    size_t length;
    int depth;
};

static bool value(struct reader *r);

static void blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool sign(struct reader *r, char c)
{
    blanks(r);
    if (*r->at != c) {
        return false;
    }
    r->at++;
    return true;
}

static bool escape(struct reader *r)
{
    r->at++;
    if (*r->at == 'u') {
        if (strspn(r->at + 1, "0123456789abcdefABCDEF") < 4u) {
            return false;
        }
        r->at += 5;
        return true;
    }
    if (*r->at == '\0' || strchr("\"\\/bfnrt", *r->at) == NULL) {
        return false;
    }
    r->at++;
    return true;
}

static bool string(struct reader *r)
{
    if (!sign(r, '"')) {
        return false;
    }
    while (*r->at != '"') {
        if ((unsigned char)*r->at < 0x20u) {
            return false;
        }
        if (*r->at != '\\') {
            r->at++;
        } else if (!escape(r)) {
            return false;
        }
    }
    r->at++;
    return true;
}

static bool digits(struct reader *r)
{
    const size_t n = strspn(r->at, "0123456789");

    r->at += n;
    return n != 0u;
}

static bool number(struct reader *r)
{
    r->at += *r->at == '-';
    if (*r->at == '0') {
        r->at++;
    } else if (!digits(r)) {
        return false;
    }
    if (*r->at == '.') {
        r->at++;
        if (!digits(r)) {
            return false;
        }
    }
    if (*r->at == 'e' || *r->at == 'E') {
        r->at++;
        r->at += *r->at == '-' || *r->at == '+';
        return digits(r);
    }
    return true;
}

/* The path behind this step, if the step leads to this key or index. */
static const char *step(const char *path, const char *name, size_t length)
{
    if (path == NULL || path[0] == '\0' || strcspn(path, ".") != length ||
        strncmp(path, name, length) != 0) {
        return NULL;
    }
    return path[length] == '.' ? path + length + 1u : path + length;
}

static bool member(struct reader *r, const char *path)
{
    blanks(r);

    const char *const key = r->at + 1;

    if (!string(r)) {
        return false;
    }
    r->path = step(path, key, (size_t)(r->at - 1 - key));
    return sign(r, ':') && value(r);
}

static bool element(struct reader *r, const char *path, size_t index)
{
    char name[24];

    (void)snprintf(name, sizeof name, "%zu", index);
    r->path = step(path, name, strlen(name));
    return value(r);
}

static bool container(struct reader *r, bool is_object)
{
    const char *const path = r->path;
    const char end = is_object ? '}' : ']';

    r->at++;
    if (sign(r, end)) {
        return true;
    }
    for (size_t i = 0u;; i++) {
        if (is_object ? !member(r, path) : !element(r, path, i)) {
            return false;
        }
        if (sign(r, end)) {
            return true;
        }
        if (!sign(r, ',')) {
            return false;
        }
    }
}

static bool word(struct reader *r, const char *text)
{
    const size_t length = strlen(text);

    if (strncmp(r->at, text, length) != 0) {
        return false;
    }
    r->at += length;
    return true;
}

static bool value(struct reader *r)
{
    blanks(r);

    const char *const start = r->at;
    const bool is_wanted = r->path != NULL && r->path[0] == '\0';
    bool is_valid;

    if (++r->depth > DEPTH_MAX) {
        return false;
    }
    if (*start == '{' || *start == '[') {
        is_valid = container(r, *start == '{');
    } else if (*start == '"') {
        is_valid = string(r);
    } else {
        is_valid = word(r, "true") || word(r, "false") || word(r, "null") || number(r);
    }
    if (is_valid && is_wanted) {
        r->value = start;
        r->length = (size_t)(r->at - start);
    }
    r->depth--;
    return is_valid;
}

int tg_json_check(const char *text, const char *path, const char **found, size_t *length)
{
    struct reader r = {.at = text, .path = path};

    if (!value(&r)) {
        return 0;
    }
    blanks(&r);
    if (*r.at != '\0') {
        return 0;
    }
    *found = r.value;
    *length = r.length;
    return 1;
}
