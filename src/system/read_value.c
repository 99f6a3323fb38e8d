/* SPDX-License-Identifier: MIT
 *
 * read_value.c - one scalar of a system file.
 */
#include "system/match_text.h"
#include "system/read.h"
#include "system/value.h"

#include <stdlib.h>
#include <string.h>

void tg_read_store(char *to, uint8_t width, uint64_t value)
{
    const uint8_t byte = (uint8_t)value;
    const uint16_t half = (uint16_t)value;
    const uint32_t word = (uint32_t)value;

    switch (width) {
    case 1u:
        memcpy(to, &byte, sizeof byte);
        return;
    case 2u:
        memcpy(to, &half, sizeof half);
        return;
    case 4u:
        memcpy(to, &word, sizeof word);
        return;
    default:
        memcpy(to, &value, sizeof value);
        return;
    }
}

static int refuse(struct tg_reader *r, const struct tg_schema_field *field, const yaml_node_t *node,
                  const struct tg_value_error *error)
{
    return tg_read_refuse(r, field, node, error->offset,
                          node->data.scalar.length != 0u ? error->reason : NULL);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* The first byte of a control character, or length. */
static size_t find_control(const char *text, size_t length)
{
    for (size_t i = 0u; i < length; i++) {
        const uint8_t c = (uint8_t)text[i];
        const bool is_c1 = c == 0xc2u && i + 1u < length && (uint8_t)text[i + 1u] < 0xa0u;

        if (c < 0x20u || c == 0x7fu || is_c1) {
            return i;
        }
    }
    return length;
}

static int read_text(struct tg_reader *r, const struct tg_schema_field *field,
                     const yaml_node_t *node, char *base)
{
    const char *const text = (const char *)node->data.scalar.value;
    const size_t length = node->data.scalar.length;
    const size_t control = find_control(text, length);

    if (control < length) {
        return tg_read_refuse(r, field, node, control, "with a control character");
    }
    if (length == 0u) {
        return tg_read_refuse(r, field, node, 0u, NULL);
    }
    if (text[0] == ' ' || text[length - 1u] == ' ') {
        return tg_read_refuse(r, field, node, 0u, "with a space at its start or end");
    }
    if (field->type == TG_VALUE_NAME && length > field->max) {
        return tg_read_refuse(r, field, node, 0u, "too long");
    }
    if (field->type == TG_VALUE_REFERENCE) {
        return 0;
    }
    char *const copy = malloc(length + 1u);

    if (copy == NULL) {
        return tg_read_refuse(r, field, node, 0u, "and no memory for it");
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    memcpy(base + field->offset, &(void *){copy}, sizeof(void *));
    return 0;
}

static int read_match(struct tg_reader *r, const struct tg_schema_field *field,
                      const yaml_node_t *node, char *base)
{
    const int err = read_text(r, field, node, base);
    struct tg_match match;
    struct tg_match_error error;

    if (err) {
        return err;
    }
    if (tg_match_parse((const char *)node->data.scalar.value, &match, &error) != 0) {
        tg_errors_add(r->errors, tg_document_at_offset(node, error.offset), "%s: %s", r->path,
                      error.message);
        return -1;
    }
    memcpy(base + field->extra, &match, sizeof match);
    return 0;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static int read_number(struct tg_reader *r, const struct tg_schema_field *field,
                       const yaml_node_t *node, char *base)
{
    const char *const text = (const char *)node->data.scalar.value;
    const size_t length = node->data.scalar.length;
    struct tg_value_error error;
    uint64_t value = 0u;
    const int err = field->type == TG_VALUE_DURATION
                        ? tg_value_duration(text, length, &value, &error)
                    : field->type == TG_VALUE_RATE ? tg_value_rate(text, length, &value, &error)
                                                   : tg_value_number(text, length, &value, &error);

    if (err) {
        return refuse(r, field, node, &error);
    }
    if (value < field->min || value > field->max) {
        return tg_read_refuse(r, field, node, 0u, NULL);
    }
    tg_read_store(base + field->offset, field->width, value);
    return 0;
}

static int read_range(struct tg_reader *r, const struct tg_schema_field *field,
                      const yaml_node_t *node, char *base)
{
    struct tg_value_error error;
    uint64_t low = 0u;
    uint64_t high = 0u;

    if (tg_value_range((const char *)node->data.scalar.value, node->data.scalar.length, &low, &high,
                       &error) != 0) {
        return refuse(r, field, node, &error);
    }
    if (low < field->min || high > field->max) {
        return tg_read_refuse(r, field, node, 0u, NULL);
    }
    tg_read_store(base + field->offset, field->width, low);
    tg_read_store(base + field->extra, field->width, high);
    return 0;
}

static int read_address(struct tg_reader *r, const struct tg_schema_field *field,
                        const yaml_node_t *node, char *base)
{
    struct tg_value_error error;
    uint8_t bytes[6];

    if (tg_value_mac((const char *)node->data.scalar.value, node->data.scalar.length, bytes,
                     &error) != 0) {
        return refuse(r, field, node, &error);
    }
    tg_read_store(base + field->offset, field->width, tg_mac(bytes));
    return 0;
}

static int read_choice(struct tg_reader *r, const struct tg_schema_field *field,
                       const yaml_node_t *node, char *base)
{
    for (const struct tg_schema_choice *c = field->choices; c->name != NULL; c++) {
        if (tg_document_is(node, c->name)) {
            if (c->is_planned) {
                return tg_read_refuse(r, field, node, 0u, "which this version does not support");
            }
            tg_read_store(base + field->offset, field->width, c->value);
            return 0;
        }
    }
    return tg_read_refuse(r, field, node, 0u, NULL);
}

static int read_bool(struct tg_reader *r, const struct tg_schema_field *field,
                     const yaml_node_t *node, char *base)
{
    const bool is_true = tg_document_is(node, "true");

    if (!is_true && !tg_document_is(node, "false")) {
        return tg_read_refuse(r, field, node, 0u, NULL);
    }
    memcpy(base + field->offset, &is_true, sizeof is_true);
    return 0;
}

int tg_read_value(struct tg_reader *r, const struct tg_schema_field *field, const yaml_node_t *node,
                  char *base)
{
    const bool is_text = field->type == TG_VALUE_NAME || field->type == TG_VALUE_REFERENCE ||
                         field->type == TG_VALUE_PATH || field->type == TG_VALUE_MATCH;

    if (node->type != YAML_SCALAR_NODE) {
        return tg_read_refuse(r, field, node, 0u, NULL);
    }
    if (!is_text && node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
        return tg_read_refuse(r, field, node, 0u, "in quotes");
    }
    switch (field->type) {
    case TG_VALUE_MATCH:
        return read_match(r, field, node, base);
    case TG_VALUE_RANGE:
        return read_range(r, field, node, base);
    case TG_VALUE_ADDRESS:
        return read_address(r, field, node, base);
    case TG_VALUE_CHOICE:
        return read_choice(r, field, node, base);
    case TG_VALUE_BOOL:
        return read_bool(r, field, node, base);
    case TG_VALUE_NUMBER:
    case TG_VALUE_DURATION:
    case TG_VALUE_RATE:
        return read_number(r, field, node, base);
    default:
        return read_text(r, field, node, base);
    }
}
