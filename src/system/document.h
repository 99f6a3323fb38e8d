/* SPDX-License-Identifier: MIT
 *
 * document.h - YAML text to a tree of mappings, lists and scalars, each with its place.
 *
 * A plain subset: one document, no anchors, aliases, merge keys, tags or directives. What can refer
 * to something else in the file, or change what a text means, has no place in a file that a proof
 * rests on.
 */
#ifndef TG_SYSTEM_DOCUMENT_H
#define TG_SYSTEM_DOCUMENT_H

#include "system/errors.h"

#include <yaml.h>

/* Read a text.
 *
 * Context: task; allocates.
 * Returns: 0, *out to be given to yaml_document_delete(), its root a mapping, and every key of a
 *          mapping a scalar; -1 with *errors, then *out needs no release.
 * Cost:    O(size). */
int tg_document_read(const char *text, size_t size_bytes, yaml_document_t *out,
                     struct tg_errors *errors);

/* Context: any. Cost: O(1). */
struct tg_position tg_document_at(const yaml_node_t *node);

/* Where the byte at this offset of a scalar's value stands; where the scalar begins if that cannot
 * be told (it goes over several lines, or has escapes).
 *
 * Context: any.
 * Cost:    O(length). */
struct tg_position tg_document_at_offset(const yaml_node_t *scalar, size_t offset);

/* The value of a field of a mapping, or NULL.
 *
 * Context: any.
 * Cost:    O(fields). */
yaml_node_t *tg_document_field(yaml_document_t *doc, const yaml_node_t *mapping, const char *name);

/* Item i of a list, or NULL.
 *
 * Context: any.
 * Cost:    O(1). */
yaml_node_t *tg_document_item(yaml_document_t *doc, const yaml_node_t *list, size_t i);

/* The text of a scalar that has this text and no other.
 *
 * Context: any.
 * Cost:    O(length). */
int tg_document_is(const yaml_node_t *node, const char *text);

#endif
