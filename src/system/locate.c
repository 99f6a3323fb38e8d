/* SPDX-License-Identifier: MIT
 *
 * locate.c - one value of a system file by its path.
 */
#include "system/locate.h"
#include "system/document.h"
#include "system/text.h"
#include "system/value.h"

#include <stdio.h>
#include <string.h>

#define ALLOWED_BYTES 256u

/* How much of path this name takes with the dot behind it; 0: it does not begin with it. */
static size_t taken(const char *path, const yaml_node_t *name)
{
    size_t length;

    if (name == NULL || name->type != YAML_SCALAR_NODE) {
        return 0u;
    }
    length = name->data.scalar.length;
    if (length == 0u || strncmp(path, (const char *)name->data.scalar.value, length) != 0 ||
        (path[length] != '.' && path[length] != '\0')) {
        return 0u;
    }
    return path[length] == '.' ? length + 1u : length;
}

static void allow(char *allowed, const char *name)
{
    tg_text_add(allowed, ALLOWED_BYTES, "%s%s", allowed[0] != '\0' ? ", " : "", name);
}

/* Names may have dots: the longest that fits is meant. */
static yaml_node_t *step_field(yaml_document_t *doc, const yaml_node_t *map, const char **path,
                               char *allowed)
{
    yaml_node_t *found = NULL;
    size_t most = 0u;

    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
         p++) {
        const yaml_node_t *const key = yaml_document_get_node(doc, p->key);
        const size_t length = taken(*path, key);

        allow(allowed, (const char *)key->data.scalar.value);
        if (length > most) {
            most = length;
            found = yaml_document_get_node(doc, p->value);
        }
    }
    *path += most;
    return found;
}

static yaml_node_t *step_item(yaml_document_t *doc, const yaml_node_t *list, const char **path,
                              char *allowed)
{
    yaml_node_t *found = NULL;
    size_t most = 0u;
    yaml_node_t *item;

    for (size_t i = 0u; (item = tg_document_item(doc, list, i)) != NULL; i++) {
        const yaml_node_t *const name =
            item->type == YAML_MAPPING_NODE ? tg_document_field(doc, item, "name") : NULL;
        char number[24];
        size_t length = taken(*path, name);

        (void)snprintf(number, sizeof number, "%zu", i);
        if (name == NULL) {
            const size_t digits = strlen(number);

            length =
                strncmp(*path, number, digits) == 0 && (*path)[digits] == '.' ? digits + 1u : 0u;
        }
        allow(allowed, name != NULL && name->type == YAML_SCALAR_NODE
                           ? (const char *)name->data.scalar.value
                           : number);
        if (length > most) {
            most = length;
            found = item;
        }
    }
    *path += most;
    return found;
}

static int classify(const yaml_node_t *node, const char *path, struct tg_located *out,
                    struct tg_errors *errors)
{
    const char *const text = (const char *)node->data.scalar.value;
    const size_t length = node->data.scalar.length;
    struct tg_value_error error;
    uint64_t value;

    out->at = tg_document_at(node);
    if (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        if (tg_value_number(text, length, &value, &error) == 0) {
            out->kind = TG_LOCATED_NUMBER;
            return 0;
        }
        if (tg_value_duration(text, length, &value, &error) == 0) {
            out->kind = TG_LOCATED_DURATION;
            return 0;
        }
        if (tg_value_rate(text, length, &value, &error) == 0) {
            out->kind = TG_LOCATED_RATE;
            return 0;
        }
    }
    tg_errors_add(errors, out->at, "%s: found '%.64s'; allowed: a number, a duration or a rate",
                  path, text);
    return -1;
}

static int walk(yaml_document_t *doc, const char *path, struct tg_located *out,
                struct tg_errors *errors)
{
    const yaml_node_t *node = yaml_document_get_root_node(doc);
    const char *rest = path;

    while (node->type != YAML_SCALAR_NODE) {
        char allowed[ALLOWED_BYTES] = "";
        const yaml_node_t *const next = node->type == YAML_MAPPING_NODE
                                            ? step_field(doc, node, &rest, allowed)
                                            : step_item(doc, node, &rest, allowed);

        if (next == NULL) {
            tg_errors_add(errors, tg_document_at(node),
                          "%s: found no '%.64s' written here; allowed: %s", path, rest, allowed);
            return -1;
        }
        node = next;
    }
    if (*rest != '\0') {
        tg_errors_add(errors, tg_document_at(node),
                      "%s: found one value here, which has no '%.64s'", path, rest);
        return -1;
    }
    return classify(node, path, out, errors);
}

int tg_locate(const char *text, size_t size_bytes, const char *path, struct tg_located *out,
              struct tg_errors *errors)
{
    yaml_document_t doc;

    if (tg_document_read(text, size_bytes, &doc, errors) != 0) {
        return -1;
    }
    const int err = walk(&doc, path, out, errors);

    yaml_document_delete(&doc);
    return err;
}
