/* SPDX-License-Identifier: MIT
 *
 * read.c - maps and lists of a system file, as the schema has them.
 */
#include "system/read.h"
#include "system/text.h"
#include "system/wording.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 32u /* of one map */

/* ---- Where we are ---------------------------------------------------------------------------- */

static void push(struct tg_reader *r, const char *before, const char *word, const char *after)
{
    tg_text_add(r->path, sizeof r->path, "%s%s%s", before, word, after);
    r->path_length = strlen(r->path);
}

static void pop(struct tg_reader *r, size_t length)
{
    r->path_length = length;
    r->path[length] = '\0';
}

/* "[name]", or "[#2]" where there is none. */
static void push_item(struct tg_reader *r, const yaml_node_t *item, size_t i)
{
    const yaml_node_t *const name = tg_document_field(r->doc, item, "name");
    char text[TG_WORDING_BYTES];

    if (name != NULL && name->type == YAML_SCALAR_NODE && name->data.scalar.length != 0u) {
        tg_word_found(name, text);
        text[strlen(text) - 1u] = '\0'; /* without its quotes */
        push(r, "[", text + 1, "]");
    } else {
        (void)snprintf(text, sizeof text, "%zu", i + 1u);
        push(r, "[#", text, "]");
    }
}

int tg_read_refuse(struct tg_reader *r, const struct tg_schema_field *field,
                   const yaml_node_t *node, size_t offset, const char *reason)
{
    const struct tg_position at =
        node->type == YAML_SCALAR_NODE ? tg_document_at_offset(node, offset) : tg_document_at(node);
    char found[TG_WORDING_BYTES];
    char allowed[TG_WORDING_BYTES];

    tg_word_found(node, found);
    tg_word_allowed(field, allowed);
    tg_errors_add(r->errors, at, "%s: found %s%s%s; allowed: %s", r->path, found,
                  reason != NULL ? ", " : "", reason != NULL ? reason : "", allowed);
    return -1;
}

/* ---- Maps ------------------------------------------------------------------------------------ */

static int read_field(struct tg_reader *r, const struct tg_schema_field *field, yaml_node_t *node,
                      char *base);

static void set_defaults(const struct tg_schema *map, char *base)
{
    for (const struct tg_schema_field *f = map->fields; f->name != NULL; f++) {
        switch (f->type) {
        case TG_VALUE_NUMBER:
        case TG_VALUE_DURATION:
        case TG_VALUE_RATE:
        case TG_VALUE_BOOL:
        case TG_VALUE_CHOICE:
        case TG_VALUE_ADDRESS:
            tg_read_store(base + f->offset, f->width, f->absent);
            break;
        default: /* zero */
            break;
        }
    }
}

static int refuse_unknown(struct tg_reader *r, const struct tg_schema *map, const yaml_node_t *key)
{
    const char *const nearest = tg_word_nearest(map, (const char *)key->data.scalar.value);
    char found[TG_WORDING_BYTES];
    char fields[TG_WORDING_BYTES];

    tg_word_found(key, found);
    tg_word_fields(map, fields);
    tg_errors_add(
        r->errors, tg_document_at(key), "%s%sfound the unknown field %s%s%s%s; allowed: %s",
        r->path, r->path_length != 0u ? ": " : "", found, nearest != NULL ? " (did you mean '" : "",
        nearest != NULL ? nearest : "", nearest != NULL ? "'?)" : "", fields);
    return -1;
}

static const struct tg_schema_field *find_field(const struct tg_schema *map, const yaml_node_t *key,
                                                size_t *number)
{
    *number = 0u;
    for (const struct tg_schema_field *f = map->fields; f->name != NULL; f++) {
        if (tg_document_is(key, f->name)) {
            return f;
        }
        ++*number;
    }
    return NULL;
}

static int read_pair(struct tg_reader *r, const struct tg_schema *map, const yaml_node_pair_t *pair,
                     struct tg_position seen[FIELDS_MAX], char *base)
{
    const yaml_node_t *const key = yaml_document_get_node(r->doc, pair->key);
    const size_t path_length = r->path_length;
    size_t number = 0u;
    const struct tg_schema_field *const field = find_field(map, key, &number);

    if (field == NULL) {
        return refuse_unknown(r, map, key);
    }
    if (seen[number].line != 0u) {
        tg_errors_add(r->errors, tg_document_at(key),
                      "%s%sfound '%s' a second time; allowed: once, as in line %u", r->path,
                      r->path_length != 0u ? ": " : "", field->name, (unsigned)seen[number].line);
        return -1;
    }
    seen[number] = tg_document_at(key);
    push(r, r->path_length != 0u ? "." : "", field->name, "");
    const int err = read_field(r, field, yaml_document_get_node(r->doc, pair->value), base);

    pop(r, path_length);
    return err;
}

static int check_missing(struct tg_reader *r, const struct tg_schema *map, const yaml_node_t *node,
                         const struct tg_position seen[FIELDS_MAX])
{
    char allowed[TG_WORDING_BYTES];
    int err = 0;

    for (size_t i = 0u; map->fields[i].name != NULL; i++) {
        if (map->fields[i].is_required && seen[i].line == 0u) {
            tg_word_allowed(&map->fields[i], allowed);
            tg_errors_add(r->errors, tg_document_at(node),
                          "%s%sthe field '%s' is missing, it has no default; allowed: %s", r->path,
                          r->path_length != 0u ? ": " : "", map->fields[i].name, allowed);
            err = -1;
        }
    }
    return err;
}

static int read_map(struct tg_reader *r, const struct tg_schema *map, const yaml_node_t *node,
                    char *base)
{
    struct tg_position seen[FIELDS_MAX] = {{0u, 0u}};
    int err = 0;

    set_defaults(map, base);
    if (map->has_at) {
        const struct tg_position at = tg_document_at(node);

        memcpy(base, &at, sizeof at);
    }
    for (const yaml_node_pair_t *p = node->data.mapping.pairs.start;
         p < node->data.mapping.pairs.top; p++) {
        err |= read_pair(r, map, p, seen, base);
    }
    return err | check_missing(r, map, node, seen);
}

/* ---- Budgets and lists ----------------------------------------------------------------------- */

static int read_budget(struct tg_reader *r, const struct tg_schema_field *field,
                       const yaml_node_t *node, char *base)
{
    if (node->type == YAML_MAPPING_NODE) {
        return read_map(r, field->map, node, base + field->offset);
    }
    if (node->type == YAML_SCALAR_NODE && tg_document_is(node, "unlimited")) {
        const struct tg_system_budget unlimited = {.at = tg_document_at(node),
                                                   .kind = TG_SERVER_UNLIMITED};

        memcpy(base + field->offset, &unlimited, sizeof unlimited);
        return 0;
    }
    return tg_read_refuse(r, field, node, 0u, NULL);
}

static int read_list(struct tg_reader *r, const struct tg_schema_field *field,
                     const yaml_node_t *node, char *base)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        return tg_read_refuse(r, field, node, 0u, NULL);
    }
    const size_t n = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    if (n < field->min || n > field->max) {
        char reason[64];

        (void)snprintf(reason, sizeof reason, "with %zu entries", n);
        return tg_read_refuse(r, field, node, 0u, reason);
    }
    char *const items = calloc(n != 0u ? n : 1u, field->item_size);
    int err = 0;

    if (items == NULL) {
        return tg_read_refuse(r, field, node, 0u, "and no memory for it");
    }
    memcpy(base + field->offset, &(void *){items}, sizeof(void *));
    memcpy(base + field->extra, &n, sizeof n);
    for (size_t i = 0u; i < n; i++) {
        const yaml_node_t *const item = tg_document_item(r->doc, node, i);
        const size_t path_length = r->path_length;
        const struct tg_schema_field entry = {.type = TG_VALUE_MAP, .map = field->map};

        push_item(r, item, i);
        err |= item->type == YAML_MAPPING_NODE
                   ? read_map(r, field->map, item, items + i * field->item_size)
                   : tg_read_refuse(r, &entry, item, 0u, NULL);
        pop(r, path_length);
    }
    return err;
}

static int read_field(struct tg_reader *r, const struct tg_schema_field *field, yaml_node_t *node,
                      char *base)
{
    if (field->at_offset != 0u) {
        const struct tg_position at = tg_document_at(node);

        memcpy(base + field->at_offset, &at, sizeof at);
    }
    switch (field->type) {
    case TG_VALUE_BUDGET:
        return read_budget(r, field, node, base);
    case TG_VALUE_LIST:
        return read_list(r, field, node, base);
    case TG_VALUE_MAP:
        return node->type == YAML_MAPPING_NODE ? read_map(r, field->map, node, base + field->offset)
                                               : tg_read_refuse(r, field, node, 0u, NULL);
    default:
        return tg_read_value(r, field, node, base);
    }
}

int tg_read_file(struct tg_reader *r, struct tg_system_written *out)
{
    r->path_length = 0u;
    r->path[0] = '\0';
    return read_map(r, &tg_schema_file, yaml_document_get_root_node(r->doc), (char *)out);
}
