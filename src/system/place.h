/* SPDX-License-Identifier: MIT
 *
 * place.h - one map of a document that has been read, for checks which concern more than one field.
 */
#ifndef TG_SYSTEM_PLACE_H
#define TG_SYSTEM_PLACE_H

#include "system/read.h"

struct tg_place {
    struct tg_reader *reader;
    yaml_node_t *node;
    char path[TG_PATH_BYTES];
};

/* The file itself.
 *
 * Context, cost: any, O(length); likewise below. */
struct tg_place tg_place_file(struct tg_reader *r);

/* The map that is the value of a field which is written. */
struct tg_place tg_place_in(const struct tg_place *place, const char *field);

/* Entry i of the list that is the value of a field; name: NULL for a list without names. */
struct tg_place tg_place_item(const struct tg_place *place, const char *list, size_t i,
                              const char *name);

/* Is this field written here? */
bool tg_place_has(const struct tg_place *place, const char *field);

/* Where the value of this field stands, or the whole if it is not written. */
struct tg_position tg_place_at(const struct tg_place *place, const char *field);

/* Add an error about a field, or about the whole (NULL): "path.field: ...".
 *
 * Returns: -1. */
__attribute__((format(printf, 3, 4))) int
tg_place_refuse(const struct tg_place *place, const char *field, const char *format, ...);

#endif
