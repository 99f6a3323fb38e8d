/* SPDX-License-Identifier: MIT
 *
 * place.c - one map of a document that has been read.
 */
#include "system/place.h"
#include "system/text.h"

#include <stdarg.h>

struct tg_place tg_place_file(struct tg_reader *r)
{
    return (struct tg_place){.reader = r, .node = yaml_document_get_root_node(r->doc)};
}

static void extend(struct tg_place *p, const char *word)
{
    tg_text_add(p->path, sizeof p->path, "%s%s", p->path[0] != '\0' ? "." : "", word);
}

struct tg_place tg_place_in(const struct tg_place *place, const char *field)
{
    struct tg_place in = *place;
    yaml_node_t *const node = tg_document_field(place->reader->doc, place->node, field);

    in.node = node;
    extend(&in, field);
    return in;
}

struct tg_place tg_place_item(const struct tg_place *place, const char *list, size_t i,
                              const char *name)
{
    struct tg_place in = *place;

    extend(&in, list);
    if (name != NULL) {
        tg_text_add(in.path, sizeof in.path, "[%s]", name);
    } else {
        tg_text_add(in.path, sizeof in.path, "[#%zu]", i + 1u);
    }
    in.node = tg_document_item(place->reader->doc,
                               tg_document_field(place->reader->doc, place->node, list), i);
    return in;
}

bool tg_place_has(const struct tg_place *place, const char *field)
{
    return tg_document_field(place->reader->doc, place->node, field) != NULL;
}

struct tg_position tg_place_at(const struct tg_place *place, const char *field)
{
    const yaml_node_t *const node =
        field != NULL ? tg_document_field(place->reader->doc, place->node, field) : NULL;

    return tg_document_at(node != NULL ? node : place->node);
}

int tg_place_refuse(const struct tg_place *place, const char *field, const char *format, ...)
{
    char text[TG_ERROR_TEXT_SIZE];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tg_errors_add(place->reader->errors, tg_place_at(place, field), "%s%s%s%s%s", place->path,
                  place->path[0] != '\0' && field != NULL ? "." : "", field != NULL ? field : "",
                  place->path[0] != '\0' || field != NULL ? ": " : "", text);
    return -1;
}
