/* SPDX-License-Identifier: MIT
 *
 * board_result.c - what the firmware printed.
 */
#define _POSIX_C_SOURCE 200809L
#include "board_plan.h"
#include "command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LATENCY_BITS 40u
#define NUMBERS_MAX  12u

static int prepare(const struct tg_system *system, struct tg_board_result *out)
{
    const uint32_t n_buckets = TG_HIST_BUCKETS(LATENCY_BITS);

    *out = (struct tg_board_result){.n_flows = (uint32_t)system->n_flows + 2u};
    out->tasks = calloc(system->n_tasks + system->n_servers + 1u, sizeof *out->tasks);
    out->flows = calloc(out->n_flows, sizeof *out->flows);
    if (out->tasks == NULL || out->flows == NULL) {
        return -1;
    }
    for (uint32_t i = 0u; i < out->n_flows; i++) {
        uint32_t *const buckets = malloc(n_buckets * sizeof *buckets);

        if (buckets == NULL || tg_hist_init(&out->flows[i].latency, buckets, n_buckets) != 0) {
            free(buckets);
            return -1;
        }
    }
    return 0;
}

static void take_flow(struct tg_board_flow *f, const uint64_t *v)
{
    f->sent = v[1];
    f->lost = v[2];
    f->delivered = v[3];
    f->late = v[4];
    f->worst_ns = v[5] * TG_BOARD_TICK_NS;
    f->dropped_budget = v[6];
    f->dropped_no_buffer = v[7];
    f->most_held = v[8];
}

static bool take_latency(struct tg_hist *h, const uint64_t *v)
{
    if (v[1] >= h->n_buckets) {
        return false;
    }
    h->buckets[v[1]] = (uint32_t)v[2];
    h->count += v[2];
    return true;
}

static bool take_sample(struct tg_board_result *out, const uint64_t *v)
{
    struct tg_board_sample *const more =
        realloc(out->samples, (out->n_samples + 1u) * sizeof *more);

    if (more == NULL) {
        return false;
    }
    out->samples = more;
    out->samples[out->n_samples++] = (struct tg_board_sample){.instructions = v[0], .n = v[1]};
    return true;
}

/* One line: a word, and n numbers. Returns: false if it is not what the firmware says. */
static bool take(const struct tg_system *s, struct tg_board_result *out, const char *word,
                 const uint64_t *v, size_t n)
{
    if (strcmp(word, "queue") == 0 && n == 6u) {
        out->received = v[0];
        out->malformed = v[1];
        out->unregistered = v[2];
        out->spurious = v[3];
        out->closed = v[4];
        out->most_filled = v[5];
        return true;
    }
    if (strcmp(word, "stock") == 0 && n == 1u) {
        out->stock_no_buffer = v[0];
        return true;
    }
    if (strcmp(word, "around") == 0 && n == 2u) {
        out->around = v[0];
        return true;
    }
    if (strcmp(word, "worker") == 0 && n == 1u) {
        out->worker = v[0];
        return true;
    }
    if (strcmp(word, "task") == 0 && n == 5u && v[0] < s->n_tasks + s->n_servers) {
        out->tasks[v[0]] = (struct tg_board_task){.released = v[1],
                                                  .finished = v[2],
                                                  .missed = v[3],
                                                  .worst_ns = v[4] * TG_BOARD_TICK_NS};
        return true;
    }
    if (strcmp(word, "sample") == 0 && n == 2u) {
        return take_sample(out, v);
    }
    if (n == 0u || v[0] >= out->n_flows) {
        return false;
    }
    struct tg_board_flow *const f = &out->flows[v[0]];

    if (strcmp(word, "flow") == 0 && n == 9u) {
        take_flow(f, v);
        return true;
    }
    if (strcmp(word, "range_ns") == 0 && n == 3u) {
        f->latency.min = v[1];
        f->latency.max = v[2];
        return true;
    }
    return strcmp(word, "latency") == 0 && n == 3u && take_latency(&f->latency, v);
}

/* Returns: false at the end of the file, or after a line that makes no sense. */
static bool read_lines(FILE *in, const struct tg_system *system, struct tg_board_result *out)
{
    char line[512];

    while (fgets(line, sizeof line, in) != NULL) {
        uint64_t numbers[NUMBERS_MAX];
        size_t n = 0u;
        char *rest;
        const char *const word = strtok_r(line, " \n", &rest);

        for (const char *at = strtok_r(NULL, " \n", &rest); at != NULL && n < NUMBERS_MAX;
             at = strtok_r(NULL, " \n", &rest)) {
            numbers[n++] = strtoull(at, NULL, 10);
        }
        if (word != NULL && strcmp(word, "end") == 0) {
            return true;
        }
        if (word == NULL || !take(system, out, word, numbers, n)) {
            return false;
        }
    }
    return false;
}

int tg_board_read(const struct tg_board_cell *cell, const char *command,
                  struct tg_board_result *out)
{
    FILE *const in = fopen(cell->result, "r");
    bool is_whole = false;

    *out = (struct tg_board_result){0};
    if (in != NULL) {
        is_whole = prepare(cell->system, out) == 0 && read_lines(in, cell->system, out);
        (void)fclose(in);
    }
    if (!is_whole) {
        fprintf(stderr, "tidegate %s: %s is no result of the board\n", command, cell->result);
        tg_board_free(out);
        return TG_EXIT_LACKS;
    }
    return TG_EXIT_HOLDS;
}

void tg_board_free(struct tg_board_result *result)
{
    for (uint32_t i = 0u; result->flows != NULL && i < result->n_flows; i++) {
        free(result->flows[i].latency.buckets);
    }
    free(result->flows);
    free(result->tasks);
    free(result->samples);
    *result = (struct tg_board_result){0};
}
