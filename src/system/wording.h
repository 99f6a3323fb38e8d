/* SPDX-License-Identifier: MIT
 *
 * wording.h - what was found and what is allowed, in words.
 */
#ifndef TG_SYSTEM_WORDING_H
#define TG_SYSTEM_WORDING_H

#include "system/document.h"
#include "system/schema.h"

#define TG_WORDING_BYTES 256u

/* A node as the user wrote it: 'text', nothing, a list, a mapping.
 *
 * Context, cost: any, O(length); likewise below. */
void tg_word_found(const yaml_node_t *node, char out[TG_WORDING_BYTES]);

/* What a field may have as its value. */
void tg_word_allowed(const struct tg_schema_field *field, char out[TG_WORDING_BYTES]);

/* The fields of a map, in their order. */
void tg_word_fields(const struct tg_schema *schema, char out[TG_WORDING_BYTES]);

/* A duration with the largest unit that leaves a whole number. */
void tg_word_time(tg_ns time_ns, char out[32]);

/* The field whose name is closest to this text, or NULL if none is close. */
const char *tg_word_nearest(const struct tg_schema *schema, const char *text);

#endif
