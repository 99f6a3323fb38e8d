/* SPDX-License-Identifier: MIT
 *
 * json_check.h - is this text one JSON document (RFC 8259), and what does it say?
 */
#ifndef TG_TESTS_JSON_CHECK_H
#define TG_TESTS_JSON_CHECK_H

#include <stddef.h>

/* True if text is one value with nothing but blanks around it. Then, with a path
 * ("flows.2.passed.frames"; an object's key or an array's index per step; "" is the whole), *found
 * and *length are the text of that value, or NULL and 0 if there is none. */
int tg_json_check(const char *text, const char *path, const char **found, size_t *length);

#endif
