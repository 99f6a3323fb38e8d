/* SPDX-License-Identifier: MIT
 *
 * case_file.c - a case file straight into struct tg_analysis_input.
 */
#include "case_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool case_open(struct case_file *file, const char *path)
{
    yaml_parser_t parser;
    FILE *stream = fopen(path, "rb");

    *file = (struct case_file){.path = path};
    if (stream == NULL) {
        (void)fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    if (!yaml_parser_initialize(&parser)) {
        (void)fclose(stream);
        return false;
    }
    yaml_parser_set_input_file(&parser, stream);
    bool ok = yaml_parser_load(&parser, &file->document) != 0;
    if (!ok) {
        (void)fprintf(stderr, "%s:%zu: %s\n", path, parser.problem_mark.line + 1, parser.problem);
    } else if (yaml_document_get_root_node(&file->document) == NULL) {
        (void)fprintf(stderr, "%s: empty\n", path);
        yaml_document_delete(&file->document);
        ok = false;
    }
    yaml_parser_delete(&parser);
    (void)fclose(stream);
    return ok;
}

void case_close(struct case_file *file)
{
    yaml_document_delete(&file->document);
}

void case_fault(struct case_file *file, const yaml_node_t *at, const char *format, ...)
{
    va_list args;

    (void)fprintf(stderr, "%s:%zu: ", file->path, at == NULL ? 0 : at->start_mark.line + 1);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
    file->faults++;
}

yaml_node_t *case_root(struct case_file *file)
{
    return yaml_document_get_root_node(&file->document);
}

const char *case_text(const yaml_node_t *scalar)
{
    return scalar != NULL && scalar->type == YAML_SCALAR_NODE
               ? (const char *)scalar->data.scalar.value
               : NULL;
}

yaml_node_t *case_get(struct case_file *file, const yaml_node_t *map, const char *key)
{
    if (map == NULL || map->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
         p++) {
        const char *text = case_text(yaml_document_get_node(&file->document, p->key));
        if (text != NULL && strcmp(text, key) == 0) {
            return yaml_document_get_node(&file->document, p->value);
        }
    }
    return NULL;
}

size_t case_count(const yaml_node_t *list)
{
    if (list == NULL || list->type != YAML_SEQUENCE_NODE) {
        return 0;
    }
    return (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
}

yaml_node_t *case_item(struct case_file *file, const yaml_node_t *list, size_t index)
{
    return yaml_document_get_node(&file->document, list->data.sequence.items.start[index]);
}

bool case_is_null(const yaml_node_t *node)
{
    const char *text = case_text(node);

    return node == NULL || (text != NULL && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
                            (strcmp(text, "null") == 0 || text[0] == '\0'));
}

uint64_t case_number(struct case_file *file, const yaml_node_t *scalar)
{
    const char *text = case_text(scalar);
    char *end = NULL;

    if (text == NULL || text[0] < '0' || text[0] > '9') {
        case_fault(file, scalar, "not a number: %s", text == NULL ? "(none)" : text);
        return 0;
    }
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0') {
        case_fault(file, scalar, "not an integer: %s", text);
        return 0;
    }
    return value;
}

/* The number at a key; `other` if the key is missing or null. */
static uint64_t number(struct case_file *file, const yaml_node_t *map, const char *key,
                       uint64_t other)
{
    const yaml_node_t *node = case_get(file, map, key);
    return case_is_null(node) ? other : case_number(file, node);
}

static bool truth(struct case_file *file, const yaml_node_t *map, const char *key)
{
    const yaml_node_t *node = case_get(file, map, key);
    const char *text = case_text(node);

    if (case_is_null(node)) {
        return false;
    }
    if (text == NULL || (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)) {
        case_fault(file, node, "%s: neither true nor false", key);
        return false;
    }
    return text[0] == 't';
}

static int32_t priority(struct case_file *file, const yaml_node_t *map, const char *key)
{
    const yaml_node_t *node = case_get(file, map, key);
    const char *text = case_text(node);
    char *end = NULL;
    const long value = text == NULL ? 0 : strtol(text, &end, 10);

    if (text == NULL || end == text || *end != '\0' || value < INT32_MIN || value > INT32_MAX) {
        case_fault(file, node == NULL ? map : node, "%s: not a priority", key);
        return 0;
    }
    return (int32_t)value;
}

static const char *name(struct case_file *file, const yaml_node_t *map)
{
    const char *text = case_text(case_get(file, map, "name"));
    return text == NULL ? "(unnamed)" : text;
}

/* A key that nobody reads is a typing error, not a comment. */
static void check_keys(struct case_file *file, const yaml_node_t *map, const char *allowed)
{
    if (map == NULL || map->type != YAML_MAPPING_NODE) {
        case_fault(file, map, "not a mapping");
        return;
    }
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
         p++) {
        const yaml_node_t *node = yaml_document_get_node(&file->document, p->key);
        const char *key = case_text(node);
        char padded[64];
        (void)snprintf(padded, sizeof padded, " %s ", key == NULL ? "" : key);
        if (strstr(allowed, padded) == NULL) {
            case_fault(file, node, "unknown key %s; known are%s", key == NULL ? "" : key, allowed);
        }
    }
}

/* The kind named at a key; `other` if the key is missing or null. */
static enum tg_curve_kind kind(struct case_file *file, const yaml_node_t *map, const char *key,
                               enum tg_curve_kind other)
{
    static const struct {
        const char *text;
        enum tg_curve_kind kind;
    } kinds[] = {
        {"deferrable", TG_CURVE_DEFERRABLE}, {"polling", TG_CURVE_POLLING},
        {"sporadic", TG_CURVE_SPORADIC},     {"token", TG_CURVE_TOKEN},
        {"periodic", TG_CURVE_PERIODIC},     {"none", TG_CURVE_UNLIMITED},
    };
    const yaml_node_t *node = case_get(file, map, key);
    const char *text = case_text(node);

    if (case_is_null(node)) {
        return other;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (text != NULL && strcmp(text, kinds[i].text) == 0) {
            return kinds[i].kind;
        }
    }
    case_fault(file, node, "unknown kind %s", text == NULL ? "" : text);
    return other;
}

static void read_task(struct case_file *file, const yaml_node_t *map, struct tg_analysis_task *t)
{
    check_keys(file, map, " name prio C T D J B np ni calls_stack ");
    *t = (struct tg_analysis_task){.name = name(file, map),
                                   .priority = priority(file, map, "prio"),
                                   .wcet = number(file, map, "C", 0),
                                   .period = number(file, map, "T", 0),
                                   .jitter = number(file, map, "J", 0),
                                   .blocking = number(file, map, "B", 0),
                                   .section = number(file, map, "np", 0),
                                   .irq_off = number(file, map, "ni", 0),
                                   .calls_stack = truth(file, map, "calls_stack")};
    t->deadline = number(file, map, "D", t->period);
}

static void read_server(struct case_file *file, const yaml_node_t *map,
                        struct tg_analysis_server *s)
{
    check_keys(file, map, " name kind prio C T ");
    *s = (struct tg_analysis_server){.name = name(file, map),
                                     .kind = kind(file, map, "kind", TG_CURVE_DEFERRABLE),
                                     .priority = priority(file, map, "prio"),
                                     .capacity = number(file, map, "C", 0),
                                     .period = number(file, map, "T", 0)};
}

static void read_gate(struct case_file *file, const yaml_node_t *map, struct case_system *system)
{
    struct tg_analysis_gate *g = &system->gate;
    const char *replenish = case_text(case_get(file, map, "replenish"));
    const bool limited = !case_is_null(case_get(file, map, "capacity"));

    check_keys(file, map,
               " kind capacity period c_irq c_pkt c_tick poll_prio replenish irq_off wire_gap ");
    *g = (struct tg_analysis_gate){
        .kind = kind(file, map, "kind", limited ? TG_CURVE_DEFERRABLE : TG_CURVE_UNLIMITED),
        .interrupt = number(file, map, "c_irq", 0),
        .packet = number(file, map, "c_pkt", 0),
        .tick = number(file, map, "c_tick", 0),
        .wire_gap = number(file, map, "wire_gap", 0),
        .polled_by_task = !case_is_null(case_get(file, map, "poll_prio")),
        .refilled_by_tick = replenish != NULL && strcmp(replenish, "tick") == 0};
    if (replenish != NULL && !g->refilled_by_tick && strcmp(replenish, "timestamp") != 0) {
        case_fault(file, map, "replenish: neither timestamp nor tick");
    }
    if (g->kind != TG_CURVE_UNLIMITED) {
        g->budget = number(file, map, "capacity", 0);
        g->period = number(file, map, "period", 0);
    }
    if (g->polled_by_task) {
        g->poll_priority = priority(file, map, "poll_prio");
    }
    system->in.irq_off = number(file, map, "irq_off", 0);
    system->in.gates = g;
    system->in.n_gates = 1;
}

static void read_queue(struct case_file *file, const yaml_node_t *map, struct tg_analysis_queue *q)
{
    check_keys(file, map, " name level ring isolated abs pkt count ");
    *q = (struct tg_analysis_queue){
        .name = name(file, map),
        .rank = case_is_null(case_get(file, map, "level")) ? 0 : priority(file, map, "level"),
        .ring = number(file, map, "ring", 0),
        .isolated = truth(file, map, "isolated"),
        .absolute_timer = number(file, map, "abs", 0),
        .packet_timer = number(file, map, "pkt", 0),
        .packets = number(file, map, "count", 0)};
}

static size_t queue_index(struct case_file *file, const yaml_node_t *map,
                          const struct tg_analysis_input *in)
{
    const yaml_node_t *node = case_get(file, map, "queue");
    const char *text = case_text(node);

    if (in->n_gates == 0) {
        return TG_NOBODY; /* no receive model: a queue means nothing */
    }
    if (case_is_null(node)) {
        return in->n_queues == 1 ? 0 : TG_NOBODY;
    }
    for (size_t k = 0; k < in->n_queues; k++) {
        if (text != NULL && strcmp(text, in->queues[k].name) == 0) {
            return k;
        }
    }
    case_fault(file, node, "no such queue: %s", text == NULL ? "" : text);
    return TG_NOBODY;
}

static void read_flow(struct case_file *file, const yaml_node_t *map,
                      const struct tg_analysis_input *in, struct tg_analysis_flow *f)
{
    const yaml_node_t *receiver = case_get(file, map, "recv");
    const bool limited = !case_is_null(case_get(file, map, "capacity"));

    check_keys(file, map,
               " name prio c np ni queue server capacity period qlimit T J burst D trusted recv ");
    *f = (struct tg_analysis_flow){.name = name(file, map),
                                   .priority = priority(file, map, "prio"),
                                   .cost = number(file, map, "c", 0),
                                   .section = number(file, map, "np", 0),
                                   .irq_off = number(file, map, "ni", 0),
                                   .queue = queue_index(file, map, in),
                                   .kind = limited ? kind(file, map, "server", TG_CURVE_DEFERRABLE)
                                                   : TG_CURVE_UNLIMITED,
                                   .reserve = TG_NO_BOUND,
                                   .has_source = !case_is_null(case_get(file, map, "T")),
                                   .every = number(file, map, "T", 0),
                                   .jitter = number(file, map, "J", 0),
                                   .burst = number(file, map, "burst", 1),
                                   .deadline = number(file, map, "D", TG_NO_BOUND),
                                   .trusted = truth(file, map, "trusted"),
                                   .has_receiver = !case_is_null(receiver)};
    if (f->kind != TG_CURVE_UNLIMITED) {
        f->budget = number(file, map, "capacity", 0);
        f->period = number(file, map, "period", 0);
    }
    if (!case_is_null(case_get(file, map, "qlimit"))) {
        f->reserve = number(file, map, "qlimit", 0) + 1; /* one more is in process */
    }
    if (f->has_receiver) {
        check_keys(file, receiver, " prio C ");
        f->receiver_priority = priority(file, receiver, "prio");
        f->receiver_wcet = number(file, receiver, "C", 0);
    }
}

static void *array(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

void case_system_read(struct case_file *file, const yaml_node_t *map, struct case_system *system)
{
    const yaml_node_t *tasks = case_get(file, map, "tasks");
    const yaml_node_t *servers = case_get(file, map, "servers");
    const yaml_node_t *queues = case_get(file, map, "queues");
    const yaml_node_t *flows = case_get(file, map, "flows");
    const yaml_node_t *rx = case_get(file, map, "rx");
    const yaml_node_t *options = case_get(file, map, "options");
    const char *unit = case_text(case_get(file, case_root(file), "unit"));
    struct tg_analysis_input *in = &system->in;

    *system = (struct case_system){.in = {.unit = unit == NULL ? "" : unit}};
    check_keys(file, map, " tasks servers rx queues flows options ");
    in->tasks = system->tasks = array(case_count(tasks), sizeof *system->tasks);
    in->servers = system->servers = array(case_count(servers), sizeof *system->servers);
    in->queues = system->queues = array(case_count(queues), sizeof *system->queues);
    in->flows = system->flows = array(case_count(flows), sizeof *system->flows);
    if (!case_is_null(rx)) {
        read_gate(file, rx, system);
        for (; in->n_queues < case_count(queues); in->n_queues++) {
            read_queue(file, case_item(file, queues, in->n_queues), &system->queues[in->n_queues]);
        }
    }
    for (; in->n_tasks < case_count(tasks); in->n_tasks++) {
        read_task(file, case_item(file, tasks, in->n_tasks), &system->tasks[in->n_tasks]);
    }
    for (; in->n_servers < case_count(servers); in->n_servers++) {
        read_server(file, case_item(file, servers, in->n_servers), &system->servers[in->n_servers]);
    }
    for (; in->n_flows < case_count(flows); in->n_flows++) {
        read_flow(file, case_item(file, flows, in->n_flows), in, &system->flows[in->n_flows]);
    }
    if (!case_is_null(options)) {
        check_keys(file, options, " discrete_blocking ");
        in->discrete_blocking = truth(file, options, "discrete_blocking");
    }
}

void case_system_free(struct case_system *system)
{
    free(system->tasks);
    free(system->servers);
    free(system->queues);
    free(system->flows);
}
