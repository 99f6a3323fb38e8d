/* SPDX-License-Identifier: MIT
 *
 * document.c - YAML text to a tree, in three passes: characters, events (which still show what the
 * tree hides), tree.
 */
#include "system/document.h"
#include "system/system.h"

#include <string.h>

static const struct tg_position file_start = {1u, 1u};

static struct tg_position position_of(yaml_mark_t mark)
{
    return (struct tg_position){(uint32_t)mark.line + 1u, (uint32_t)mark.column + 1u};
}

struct tg_position tg_document_at(const yaml_node_t *node)
{
    return position_of(node->start_mark);
}

/* ---- Characters ------------------------------------------------------------------------------ */

static bool is_continuation(uint8_t c)
{
    return (c & 0xc0u) == 0x80u;
}

/* Bytes of the UTF-8 character at p, or 0: cut, overlong, a surrogate, or beyond U+10FFFF. */
static size_t character_length(const uint8_t *p, size_t left)
{
    static const uint32_t least[] = {0u, 0u, 0x80u, 0x800u, 0x10000u};
    const size_t n = p[0] < 0x80u                     ? 1u
                     : p[0] >= 0xc2u && p[0] < 0xe0u  ? 2u
                     : p[0] >= 0xe0u && p[0] < 0xf0u  ? 3u
                     : p[0] >= 0xf0u && p[0] <= 0xf4u ? 4u
                                                      : 0u;
    uint32_t c = n < 2u ? p[0] : p[0] & (0xffu >> (n + 1u));

    if (n == 0u || n > left) {
        return 0u;
    }
    for (size_t i = 1u; i < n; i++) {
        if (!is_continuation(p[i])) {
            return 0u;
        }
        c = c << 6 | (p[i] & 0x3fu);
    }
    return c < least[n] || c > 0x10ffffu || (c >= 0xd800u && c < 0xe000u) ? 0u : n;
}

static int check_characters(const uint8_t *text, size_t size_bytes, struct tg_errors *errors)
{
    struct tg_position at = file_start;

    for (size_t i = 0u; i < size_bytes;) {
        const uint8_t c = text[i];
        const size_t n = character_length(text + i, size_bytes - i);

        if (n == 0u) {
            tg_errors_add(errors, at, "found byte 0x%02x; allowed: UTF-8 text", c);
            return -1;
        }
        if ((c < 0x20u && c != '\t' && c != '\n' && c != '\r') || c == 0x7fu) {
            tg_errors_add(errors, at, "found %s 0x%02x; allowed: text",
                          c == 0u ? "the NUL character" : "the control character", c);
            return -1;
        }
        at.column++;
        if (c == '\n' || (c == '\r' && !(i + 1u < size_bytes && text[i + 1u] == '\n'))) {
            at = (struct tg_position){at.line + 1u, 1u};
        }
        i += n;
    }
    return 0;
}

/* ---- Events ---------------------------------------------------------------------------------- */

struct scan {
    struct tg_errors *errors;
    size_t depth;
    size_t documents;
};

static int refuse(const struct scan *s, yaml_mark_t mark, const char *what)
{
    tg_errors_add(s->errors, position_of(mark), "%s", what);
    return -1;
}

static int check_node(const struct scan *s, const yaml_event_t *e, const yaml_char_t *anchor,
                      const yaml_char_t *tag)
{
    if (anchor != NULL) {
        return refuse(s, e->start_mark,
                      "found an anchor (&); anchors and aliases are not allowed, "
                      "write the value where it is used");
    }
    if (tag != NULL) {
        return refuse(s, e->start_mark, "found a tag (!); tags are not allowed");
    }
    return 0;
}

static int enter(struct scan *s, const yaml_event_t *e)
{
    s->depth++;
    if (s->depth > TG_SYSTEM_NESTING_MAX) {
        tg_errors_add(s->errors, position_of(e->start_mark),
                      "found more than %u levels of nesting; allowed: at most %u",
                      TG_SYSTEM_NESTING_MAX, TG_SYSTEM_NESTING_MAX);
        return -1;
    }
    return 0;
}

static int start_document(struct scan *s, const yaml_event_t *e)
{
    if (e->data.document_start.version_directive != NULL ||
        e->data.document_start.tag_directives.start != e->data.document_start.tag_directives.end) {
        return refuse(s, e->start_mark, "found a directive (%); directives are not allowed");
    }
    s->documents++;
    if (s->documents > 1u) {
        return refuse(s, e->start_mark, "found a second document; allowed: one for each file");
    }
    return 0;
}

static int check_event(struct scan *s, const yaml_event_t *e)
{
    int err = 0;

    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        return start_document(s, e);
    case YAML_ALIAS_EVENT:
        return refuse(s, e->start_mark,
                      "found an alias (*); anchors and aliases are not allowed, "
                      "write the value where it is used");
    case YAML_SCALAR_EVENT:
        return check_node(s, e, e->data.scalar.anchor, e->data.scalar.tag);
    case YAML_SEQUENCE_START_EVENT:
        err = check_node(s, e, e->data.sequence_start.anchor, e->data.sequence_start.tag);
        return err ? err : enter(s, e);
    case YAML_MAPPING_START_EVENT:
        err = check_node(s, e, e->data.mapping_start.anchor, e->data.mapping_start.tag);
        return err ? err : enter(s, e);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        s->depth--;
        return 0;
    default:
        return 0;
    }
}

static int report_parser(const yaml_parser_t *parser, struct tg_errors *errors)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        tg_errors_add(errors, file_start, "out of memory");
    } else {
        tg_errors_add(errors, position_of(parser->problem_mark), "not YAML: %s%s%s",
                      parser->problem != NULL ? parser->problem : "unreadable",
                      parser->context != NULL ? ", " : "",
                      parser->context != NULL ? parser->context : "");
    }
    return -1;
}

static int check_events(yaml_parser_t *parser, struct tg_errors *errors)
{
    struct scan s = {.errors = errors};

    for (;;) {
        yaml_event_t event;

        if (!yaml_parser_parse(parser, &event)) {
            return report_parser(parser, errors);
        }
        const bool is_end = event.type == YAML_STREAM_END_EVENT;
        const int err = check_event(&s, &event);

        yaml_event_delete(&event);
        if (err || is_end) {
            return err;
        }
    }
}

/* ---- Tree ------------------------------------------------------------------------------------ */

static int check_keys(yaml_document_t *doc, struct tg_errors *errors)
{
    int err = 0;

    for (yaml_node_t *node = doc->nodes.start; node < doc->nodes.top; node++) {
        if (node->type != YAML_MAPPING_NODE) {
            continue;
        }
        for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
             p++) {
            const yaml_node_t *const key = yaml_document_get_node(doc, p->key);

            if (key->type != YAML_SCALAR_NODE) {
                tg_errors_add(errors, tg_document_at(key),
                              "found a mapping or list as the name of a field; allowed: a word");
                err = -1;
            } else if (tg_document_is(key, "<<")) {
                tg_errors_add(errors, tg_document_at(key),
                              "found a merge key (<<); merge keys are not allowed, write the "
                              "fields where they are used");
                err = -1;
            }
        }
    }
    return err;
}

static int check_tree(yaml_document_t *doc, struct tg_errors *errors)
{
    const yaml_node_t *const root = yaml_document_get_root_node(doc);

    if (root == NULL) {
        tg_errors_add(errors, file_start, "found an empty file; allowed: a system file");
        return -1;
    }
    if (root->type != YAML_MAPPING_NODE) {
        tg_errors_add(errors, tg_document_at(root),
                      "found a %s; allowed: the fields of a system file",
                      root->type == YAML_SCALAR_NODE ? "single value" : "list");
        return -1;
    }
    return check_keys(doc, errors);
}

static int with_parser(const char *text, size_t size_bytes, yaml_document_t *out,
                       struct tg_errors *errors)
{
    yaml_parser_t parser;

    if (!yaml_parser_initialize(&parser)) {
        tg_errors_add(errors, file_start, "out of memory");
        return -1;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size_bytes);
    const int err = out == NULL                      ? check_events(&parser, errors)
                    : yaml_parser_load(&parser, out) ? 0
                                                     : report_parser(&parser, errors);
    yaml_parser_delete(&parser);
    return err;
}

int tg_document_read(const char *text, size_t size_bytes, yaml_document_t *out,
                     struct tg_errors *errors)
{
    if (size_bytes > TG_SYSTEM_FILE_MAX_BYTES) {
        tg_errors_add(errors, file_start, "found a file of more than %u bytes; allowed: at most %u",
                      TG_SYSTEM_FILE_MAX_BYTES, TG_SYSTEM_FILE_MAX_BYTES);
        return -1;
    }
    if (size_bytes >= 3u && memcmp(text, "\xef\xbb\xbf", 3u) == 0) { /* byte order mark */
        text += 3;
        size_bytes -= 3u;
    }
    int err = check_characters((const uint8_t *)text, size_bytes, errors);
    if (err) {
        return err;
    }
    err = with_parser(text, size_bytes, NULL, errors);
    if (err) {
        return err;
    }
    err = with_parser(text, size_bytes, out, errors);
    if (err) {
        return err;
    }
    err = check_tree(out, errors);
    if (err) {
        yaml_document_delete(out);
    }
    return err;
}

/* ---- Access ---------------------------------------------------------------------------------- */

struct tg_position tg_document_at_offset(const yaml_node_t *scalar, size_t offset)
{
    const char *const value = (const char *)scalar->data.scalar.value;
    const yaml_scalar_style_t style = scalar->data.scalar.style;
    const size_t quotes =
        style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE ? 2u
                                                                                             : 0u;
    struct tg_position at = tg_document_at(scalar);
    size_t all = 0u;
    size_t before = 0u;

    for (size_t i = 0u; i < scalar->data.scalar.length; i++) {
        const size_t is_start = is_continuation((uint8_t)value[i]) ? 0u : 1u;

        all += is_start;
        before += i < offset ? is_start : 0u;
    }
    if (scalar->start_mark.line == scalar->end_mark.line &&
        scalar->end_mark.column - scalar->start_mark.column == all + quotes) {
        at.column += (uint32_t)(before + quotes / 2u);
    }
    return at;
}

int tg_document_is(const yaml_node_t *node, const char *text)
{
    const size_t length = strlen(text);

    return node->type == YAML_SCALAR_NODE && node->data.scalar.length == length &&
           memcmp(node->data.scalar.value, text, length) == 0;
}

yaml_node_t *tg_document_field(yaml_document_t *doc, const yaml_node_t *mapping, const char *name)
{
    if (mapping == NULL || mapping->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (yaml_node_pair_t *p = mapping->data.mapping.pairs.start;
         p < mapping->data.mapping.pairs.top; p++) {
        if (tg_document_is(yaml_document_get_node(doc, p->key), name)) {
            return yaml_document_get_node(doc, p->value);
        }
    }
    return NULL;
}

yaml_node_t *tg_document_item(yaml_document_t *doc, const yaml_node_t *list, size_t i)
{
    if (list == NULL || list->type != YAML_SEQUENCE_NODE ||
        i >= (size_t)(list->data.sequence.items.top - list->data.sequence.items.start)) {
        return NULL;
    }
    return yaml_document_get_node(doc, list->data.sequence.items.start[i]);
}
