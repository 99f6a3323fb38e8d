/* SPDX-License-Identifier: MIT
 *
 * system.c - a system file from its text to a struct tg_system, and its release.
 */
#include "system/system.h"
#include "system/check.h"
#include "system/slurp.h"

#include <stdlib.h>
#include <string.h>

static const struct tg_position nowhere = {0u, 0u};

/* ---- Release --------------------------------------------------------------------------------- */

static void release_scenarios(struct tg_system *s)
{
    for (size_t i = 0u; i < s->n_scenarios; i++) {
        for (size_t j = 0u; j < s->scenarios[i].n_traffic; j++) {
            free(s->scenarios[i].traffic[j].match_text);
            free(s->scenarios[i].traffic[j].capture_path);
        }
        free(s->scenarios[i].traffic);
        free(s->scenarios[i].name);
    }
    free(s->scenarios);
}

static void release(struct tg_system *s)
{
    for (size_t i = 0u; i < s->n_tasks; i++) {
        free(s->tasks[i].name);
    }
    for (size_t i = 0u; i < s->n_servers; i++) {
        free(s->servers[i].name);
    }
    for (size_t i = 0u; i < s->n_queues; i++) {
        free(s->queues[i].name);
    }
    for (size_t i = 0u; i < s->n_flows; i++) {
        free(s->flows[i].name);
        free(s->flows[i].match_text);
    }
    free(s->tasks);
    free(s->servers);
    free(s->flows);
    free(s->name);
    release_scenarios(s);
}

void tg_system_free(struct tg_system *system)
{
    if (system != NULL) {
        release(system);
        free(system);
    }
}

/* Queues that tg_check_complete() has not taken over. */
static void release_written(struct tg_system_written *w)
{
    for (size_t i = 0u; w->system.n_queues == 0u && i < w->n_queues; i++) {
        free(w->queues[i].queue.name);
    }
    free(w->queues);
}

/* ---- Read ------------------------------------------------------------------------------------ */

static int read_document(yaml_document_t *doc, const char *directory, struct tg_system_written *w,
                         struct tg_errors *errors)
{
    struct tg_reader reader = {.doc = doc, .errors = errors};
    int err = tg_read_file(&reader, w);

    if (err) {
        return err; /* what is missing or unread cannot be compared */
    }
    err = tg_check_complete(&reader, w);
    if (err) {
        return err;
    }
    struct tg_finder finder;
    if (tg_finder_open(&finder, &w->system) != 0) {
        tg_errors_add(errors, nowhere, "out of memory");
        return -1;
    }
    err = tg_check_names(&reader, &w->system) | tg_check_values(&reader, &w->system) |
          tg_check_services(&reader, &w->system) | tg_check_matches(&reader, &w->system, &finder);
    err |= tg_check_traffic(&reader, &w->system, &finder, directory);
    tg_finder_close(&finder);
    return err;
}

int tg_system_parse(const char *text, size_t size_bytes, const char *directory,
                    struct tg_system **out, struct tg_errors *errors)
{
    struct tg_system_written w;
    struct tg_system *const system = malloc(sizeof *system);
    yaml_document_t doc;

    *out = NULL;
    tg_errors_init(errors);
    if (system == NULL) {
        tg_errors_add(errors, nowhere, "out of memory");
        return -1;
    }
    int err = tg_document_read(text, size_bytes, &doc, errors);
    if (err) {
        free(system);
        return err;
    }
    memset(&w, 0, sizeof w);
    err = read_document(&doc, directory, &w, errors);
    yaml_document_delete(&doc);
    release_written(&w);
    if (err) {
        release(&w.system);
        free(system);
        return err;
    }
    *system = w.system;
    *out = system;
    return 0;
}

/* ---- Load ------------------------------------------------------------------------------------ */

/* The path up to its last slash, without it unless it is the root. */
static char *directory_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0u : slash == path ? 1u : (size_t)(slash - path);
    char *const directory = malloc(length + 1u);

    if (directory != NULL) {
        memcpy(directory, path, length);
        directory[length] = '\0';
    }
    return directory;
}

int tg_system_load(const char *path, struct tg_system **out, struct tg_errors *errors)
{
    size_t size_bytes = 0u;
    char *const directory = directory_of(path);

    *out = NULL;
    tg_errors_init(errors);
    if (directory == NULL) {
        tg_errors_add(errors, nowhere, "out of memory");
        return -1;
    }
    char *const text = tg_slurp(path, &size_bytes, errors);
    const int err = text != NULL ? tg_system_parse(text, size_bytes, directory, out, errors) : -1;

    free(text);
    free(directory);
    return err;
}
