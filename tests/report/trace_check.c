/* SPDX-License-Identifier: MIT
 *
 * trace_check.c - for scripts: trace_check < TRACE. Is this a trace (JSON, the fields of each
 * event, tracks that are named, slices of a track that do not overlap), and who had the CPU for how
 * long?
 *
 * Prints a line per process: PROCESS INTERRUPTS PROTOCOL RECEIVERS TASKS in ns, SLICES INSTANTS,
 * NAME; then `lost N`. Exit status: 0, or 1 after a message.
 */
#include "json_check.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES_MAX 64u
#define TRACKS_MAX    1024u
#define NAME_BYTES    256u

enum kind { INTERRUPTS, PROTOCOL, RECEIVERS, TASKS, KINDS };

struct process {
    uint64_t number;
    char name[NAME_BYTES];
    uint64_t ns[KINDS];
    uint64_t slices;
    uint64_t instants;
};

struct track {
    uint64_t number;
    uint64_t process;
    enum kind kind;
    uint64_t until_ns; /* its last slice */
};

struct trace {
    struct process processes[PROCESSES_MAX];
    size_t n_processes;
    struct track tracks[TRACKS_MAX];
    size_t n_tracks;
};

static void refuse(const char *why, const char *event)
{
    fprintf(stderr, "trace_check: %s: %.200s\n", why, event);
    exit(1);
}

/* A field that has to be there. */
static const char *field(const char *event, const char *path, size_t *length)
{
    const char *value;

    if (!tg_json_check(event, path, &value, length) || value == NULL) {
        fprintf(stderr, "trace_check: no %s: %.200s\n", path, event);
        exit(1);
    }
    return value;
}

static uint64_t count(const char *event, const char *path)
{
    size_t length;

    return strtoull(field(event, path, &length), NULL, 10);
}

/* Microseconds with exactly three digits behind the point. */
static uint64_t time_ns(const char *event, const char *path)
{
    size_t length;
    const char *const text = field(event, path, &length);
    char *end;
    const uint64_t us = strtoull(text, &end, 10);

    if (*end != '.' || strspn(end + 1, "0123456789") != 3u || end + 4 != text + length) {
        refuse("no time with three digits behind the point", event);
    }
    return us * 1000u + strtoull(end + 1, NULL, 10);
}

static void name_of(const char *event, const char *path, char name[NAME_BYTES])
{
    size_t length;
    const char *const text = field(event, path, &length);

    if (text[0] != '"' || length - 2u >= NAME_BYTES) {
        refuse("no name", event);
    }
    memcpy(name, text + 1, length - 2u);
    name[length - 2u] = '\0';
}

static struct process *process_of(struct trace *t, const char *event)
{
    const uint64_t number = count(event, "pid");

    for (size_t i = 0u; i < t->n_processes; i++) {
        if (t->processes[i].number == number) {
            return &t->processes[i];
        }
    }
    refuse("a process without a name", event);
    return NULL;
}

static struct track *track_of(struct trace *t, const char *event)
{
    const uint64_t number = count(event, "tid");

    for (size_t i = 0u; i < t->n_tracks; i++) {
        if (t->tracks[i].number == number && t->tracks[i].process == count(event, "pid")) {
            return &t->tracks[i];
        }
    }
    refuse("a track without a name", event);
    return NULL;
}

static enum kind kind_of(const char *name)
{
    static const struct {
        const char *start;
        enum kind kind;
    } kinds[] = {{"receive interrupts", INTERRUPTS},
                 {"tick", INTERRUPTS},
                 {"polling task", INTERRUPTS},
                 {"network controller", INTERRUPTS},
                 {"protocol task", PROTOCOL},
                 {"receiver of ", RECEIVERS},
                 {"task ", TASKS},
                 {"server ", TASKS}};

    for (size_t i = 0u; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strncmp(name, kinds[i].start, strlen(kinds[i].start)) == 0) {
            return kinds[i].kind;
        }
    }
    refuse("a track of nobody", name);
    return KINDS;
}

static void take_name(struct trace *t, const char *event)
{
    char what[NAME_BYTES];
    char name[NAME_BYTES];

    name_of(event, "name", what);
    if (strcmp(what, "process_name") == 0) {
        if (t->n_processes == PROCESSES_MAX) {
            refuse("too many processes", event);
        }
        struct process *const p = &t->processes[t->n_processes++];

        p->number = count(event, "pid");
        name_of(event, "args.name", p->name);
    } else if (strcmp(what, "thread_name") == 0) {
        if (t->n_tracks == TRACKS_MAX) {
            refuse("too many tracks", event);
        }
        struct track *const track = &t->tracks[t->n_tracks++];

        name_of(event, "args.name", name);
        *track = (struct track){.number = count(event, "tid"),
                                .process = process_of(t, event)->number,
                                .kind = kind_of(name)};
    } else {
        (void)count(event, "args.sort_index");
    }
}

static void take_slice(struct trace *t, const char *event)
{
    struct process *const process = process_of(t, event);
    struct track *const track = track_of(t, event);
    const uint64_t from_ns = time_ns(event, "ts");
    const uint64_t span_ns = time_ns(event, "dur");

    if (from_ns < track->until_ns) {
        refuse("overlaps the slice before", event);
    }
    track->until_ns = from_ns + span_ns;
    process->ns[track->kind] += span_ns;
    process->slices++;
}

static void take_event(struct trace *t, const char *event)
{
    size_t length;
    char name[NAME_BYTES];
    const char *const phase = field(event, "ph", &length);

    name_of(event, "name", name);
    switch (phase[1]) {
    case 'M':
        take_name(t, event);
        break;
    case 'X':
        take_slice(t, event);
        break;
    case 'i':
        (void)track_of(t, event);
        (void)time_ns(event, "ts");
        process_of(t, event)->instants++;
        break;
    case 'C':
        (void)process_of(t, event);
        (void)time_ns(event, "ts");
        (void)count(event, "args.value");
        break;
    default:
        refuse("a phase that no event should have", event);
    }
}

/* Each event has a line of its own, which our writer promises and a reader need not know. */
static void take_events(struct trace *t, char *text)
{
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        const size_t length = strlen(line);
        char *const event = line + strspn(line, " ");

        if (strncmp(event, "{\"ph\"", 5u) == 0) {
            line[length - (line[length - 1u] == ',' ? 1u : 0u)] = '\0';
            take_event(t, event);
        }
    }
}

static void *or_exit(void *memory)
{
    if (memory == NULL) {
        fputs("trace_check: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static char *read_all(void)
{
    size_t room = 1u << 16;
    size_t length = 0u;
    char *text = or_exit(malloc(room));

    while (!feof(stdin) && !ferror(stdin)) {
        length += fread(text + length, 1u, room - 1u - length, stdin);
        if (length == room - 1u) {
            room *= 2u;
            text = or_exit(realloc(text, room));
        }
    }
    text[length] = '\0';
    return text;
}

int main(void)
{
    static struct trace trace;
    char *const text = read_all();
    const char *value;
    size_t length;

    if (!tg_json_check(text, "traceEvents", &value, &length) || value == NULL || value[0] != '[') {
        fputs("trace_check: no JSON with traceEvents\n", stderr);
        return 1;
    }
    const uint64_t lost = count(text, "otherData.events that found no room");

    take_events(&trace, text);
    free(text);
    for (size_t i = 0u; i < trace.n_processes; i++) {
        const struct process *const p = &trace.processes[i];

        printf("%" PRIu64, p->number);
        for (uint32_t k = 0u; k < KINDS; k++) {
            printf(" %" PRIu64, p->ns[k]);
        }
        printf(" %" PRIu64 " %" PRIu64 " %s\n", p->slices, p->instants, p->name);
    }
    printf("lost %" PRIu64 "\n", lost);
    return 0;
}
