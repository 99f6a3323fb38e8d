/* SPDX-License-Identifier: MIT
 *
 * schema.h - the one table of all fields of a system file: name, type, range, default, destination.
 */
#ifndef TG_SYSTEM_SCHEMA_H
#define TG_SYSTEM_SCHEMA_H

#include "system/system.h"

enum tg_schema_type {
    TG_VALUE_NAME,      /* char *, printable text */
    TG_VALUE_REFERENCE, /* the name of something else; looked up once all is read */
    TG_VALUE_PATH,      /* char * */
    TG_VALUE_MATCH,     /* char * and, at extra, struct tg_match */
    TG_VALUE_NUMBER,    /* unsigned, of `width` bytes; likewise below */
    TG_VALUE_DURATION,  /* ns */
    TG_VALUE_RATE,      /* per second */
    TG_VALUE_BOOL,      /* bool */
    TG_VALUE_CHOICE,    /* one of choices */
    TG_VALUE_ADDRESS,   /* tg_mac() of an Ethernet address */
    TG_VALUE_RANGE,     /* two numbers, the second at extra */
    TG_VALUE_BUDGET,    /* `unlimited`, or the fields of map */
    TG_VALUE_MAP,       /* the fields of map, destinations relative to offset */
    TG_VALUE_LIST       /* of map: pointer at offset, size_t at extra; min..max of item_size */
};

struct tg_schema_choice {
    const char *name; /* NULL: end of the list */
    uint32_t value;
    bool is_planned; /* this version does not support it yet */
};

struct tg_schema;

struct tg_schema_field {
    const char *name; /* NULL: end of the map */
    const struct tg_schema *map;
    const struct tg_schema_choice *choices;
    enum tg_schema_type type;
    bool is_required;
    uint8_t width;
    size_t offset;
    size_t extra;
    size_t at_offset; /* where its place is kept, 0: not */
    size_t item_size;
    uint64_t min;
    uint64_t max;
    uint64_t absent; /* value if it is not written */
};

struct tg_schema {
    const char *name; /* as docs/system-file.md heads it */
    const struct tg_schema_field *fields;
    bool has_at; /* the destination starts with its struct tg_position */
};

/* A file as written: gates are still where they were written. */
struct tg_queue_written {
    struct tg_system_queue queue;
    struct tg_system_budget gate;
};

struct tg_system_written {
    struct tg_system system;      /* queues and gates are not filled in */
    struct tg_system_budget gate; /* top level */
    struct tg_queue_written *queues;
    size_t n_queues;
};

/* The file itself, destination struct tg_system_written. */
extern const struct tg_schema tg_schema_file;

#endif
