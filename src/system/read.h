/* SPDX-License-Identifier: MIT
 *
 * read.h - from the tree of a document to a struct tg_system_written, driven by the schema.
 */
#ifndef TG_SYSTEM_READ_H
#define TG_SYSTEM_READ_H

#include "system/document.h"
#include "system/schema.h"

#define TG_PATH_BYTES 160u

/* The document that is being read, and where in it we are: "tasks[control].period". */
struct tg_reader {
    yaml_document_t *doc;
    struct tg_errors *errors;
    size_t path_length;
    char path[TG_PATH_BYTES];
};

/* Read all fields. What is wrong goes to the errors, and reading goes on.
 *
 * Context: task; allocates: whatever *out points to afterwards is to be released, also after
 *          errors.
 * Returns: 0; -1 with errors.
 * Cost:    O(document). */
int tg_read_file(struct tg_reader *r, struct tg_system_written *out);

/* Read one scalar field (anything but a map, a list or a budget) to its place behind base.
 *
 * Context: task; allocates. Returns: 0; -1 with an error. Cost: O(length). */
int tg_read_value(struct tg_reader *r, const struct tg_schema_field *field, const yaml_node_t *node,
                  char *base);

/* Store a number in `width` bytes.
 *
 * Context: any. Cost: O(1). */
void tg_read_store(char *to, uint8_t width, uint64_t value);

/* Add an error: "path: found ..., reason; allowed: ...". offset: of what is wrong within the
 * scalar; reason: NULL if what was found says it all.
 *
 * Context: any. Returns: -1. Cost: O(length). */
int tg_read_refuse(struct tg_reader *r, const struct tg_schema_field *field,
                   const yaml_node_t *node, size_t offset, const char *reason);

#endif
