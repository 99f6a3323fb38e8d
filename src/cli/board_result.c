/* SPDX-License-Identifier: MIT
 *
 * board_result.c - what the firmware printed. It comes from outside, through a file that others can
 * write to: whatever stands in it, a result is whole and its figures fit together, or it is none.
 */
#define _POSIX_C_SOURCE 200809L
#include "board_plan.h"
#include "command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LATENCY_BITS 40u
#define NUMBERS_MAX  10u
#define DIGITS_MAX   15u /* so that figures can be added up and converted to ns */
#define LINE_BYTES   256u

struct parser {
    struct tg_board_result *out;
    uint32_t n_tasks;
    bool *has_task;
    bool *has_flow;
    uint64_t n_samples;
};

static int prepare(struct parser *p)
{
    const uint32_t n_buckets = TG_HIST_BUCKETS(LATENCY_BITS);
    struct tg_board_result *const out = p->out;

    p->has_task = calloc(p->n_tasks + 1u, sizeof *p->has_task);
    p->has_flow = calloc(out->n_flows + 1u, sizeof *p->has_flow);
    out->tasks = calloc(p->n_tasks + 1u, sizeof *out->tasks);
    out->flows = calloc(out->n_flows + 1u, sizeof *out->flows);
    if (p->has_task == NULL || p->has_flow == NULL || out->tasks == NULL || out->flows == NULL) {
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

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Each returns false if the figures cannot be. */

static bool take_around(struct parser *p, const uint64_t *v)
{
    p->out->around = v[0];
    return true;
}

static bool take_queue(struct parser *p, const uint64_t *v)
{
    p->out->received = v[0];
    p->out->malformed = v[1];
    p->out->unregistered = v[2];
    p->out->spurious = v[3];
    p->out->closed = v[4];
    p->out->most_filled = v[5];
    return v[1] <= v[0] && v[2] <= v[0];
}

static bool take_stock(struct parser *p, const uint64_t *v)
{
    p->out->stock_no_buffer = v[0];
    return true;
}

static bool take_worker(struct parser *p, const uint64_t *v)
{
    p->out->worker = v[0];
    return true;
}

static bool take_trace(struct parser *p, const uint64_t *v)
{
    p->out->trace_lost = v[0];
    return true;
}

static bool take_task(struct parser *p, const uint64_t *v)
{
    if (v[0] >= p->n_tasks || p->has_task[v[0]] || v[2] > v[1] || v[3] > v[1]) {
        return false;
    }
    p->has_task[v[0]] = true;
    p->out->tasks[v[0]] = (struct tg_board_task){
        .released = v[1], .finished = v[2], .missed = v[3], .worst_ns = v[4] * TG_BOARD_TICK_NS};
    return true;
}

static bool take_flow(struct parser *p, const uint64_t *v)
{
    if (v[0] >= p->out->n_flows || p->has_flow[v[0]] || v[4] > v[3] ||
        v[2] + v[3] + v[6] + v[7] > v[1]) {
        return false;
    }
    struct tg_board_flow *const f = &p->out->flows[v[0]];

    p->has_flow[v[0]] = true;
    f->sent = v[1];
    f->lost = v[2];
    f->delivered = v[3];
    f->late = v[4];
    f->worst_ns = v[5] * TG_BOARD_TICK_NS;
    f->dropped_budget = v[6];
    f->dropped_no_buffer = v[7];
    f->most_held = v[8];
    return true;
}

static bool take_range(struct parser *p, const uint64_t *v)
{
    if (v[0] >= p->out->n_flows || v[1] > v[2]) {
        return false;
    }
    p->out->flows[v[0]].latency.min = v[1];
    p->out->flows[v[0]].latency.max = v[2];
    return true;
}

static bool take_latency(struct parser *p, const uint64_t *v)
{
    if (v[0] >= p->out->n_flows) {
        return false;
    }
    struct tg_hist *const h = &p->out->flows[v[0]].latency;

    if (v[1] >= h->n_buckets || h->buckets[v[1]] != 0u || v[2] > UINT32_MAX) {
        return false;
    }
    h->buckets[v[1]] = (uint32_t)v[2];
    h->count += v[2];
    return true;
}

static bool take_sample(struct parser *p, const uint64_t *v)
{
    struct tg_board_result *const out = p->out;
    const size_t n = out->n_samples;

    p->n_samples += v[1];
    if (v[1] == 0u || p->n_samples > UINT32_MAX ||
        (n != 0u && v[0] <= out->samples[n - 1u].instructions)) {
        return false;
    }
    struct tg_board_sample *const more = realloc(out->samples, (n + 1u) * sizeof *more);

    if (more == NULL) {
        return false;
    }
    out->samples = more;
    out->samples[out->n_samples++] = (struct tg_board_sample){.instructions = v[0], .n = v[1]};
    return true;
}

/* Of the priority NIC; a board with another one has no such lines. */
static bool take_nic_queue(struct parser *p, const uint64_t *v)
{
    if (v[0] != p->out->n_queues || v[0] >= TG_QUEUES_MAX || v[2] + v[3] + v[4] != v[1]) {
        return false;
    }
    p->out->queues[p->out->n_queues++] = (struct tg_board_queue){.frames = v[1],
                                                                 .delivered = v[2],
                                                                 .ring_empty = v[3],
                                                                 .dropped = v[4],
                                                                 .raised = v[5],
                                                                 .held_running = v[6],
                                                                 .held_gate = v[7],
                                                                 .vectors = v[8],
                                                                 .accepted = v[9]};
    return true;
}

static bool take_unanswered(struct parser *p, const uint64_t *v)
{
    p->out->unanswered = v[0];
    return true;
}

/* In the order in which the firmware prints them; the first four once each. */
static const struct {
    const char *word;
    size_t n; /* numbers */
    bool (*take)(struct parser *p, const uint64_t *v);
} LINES[] = {{"around", 2u, take_around},
             {"queue", 6u, take_queue},
             {"stock", 1u, take_stock},
             {"worker", 1u, take_worker},
             {"task", 5u, take_task},
             {"flow", 9u, take_flow},
             {"range_ns", 3u, take_range},
             {"latency", 3u, take_latency},
             {"sample", 2u, take_sample},
             {"trace", 1u, take_trace},
             {"nic_queue", 10u, take_nic_queue},
             {"unanswered", 1u, take_unanswered}};

#define N_LINES (sizeof LINES / sizeof LINES[0])
#define N_ONCE  4u

/* A word and numbers, one space between. Returns: how many numbers, or -1. */
static int split(char *line, uint64_t *numbers)
{
    char *at = strchr(line, ' ');
    int n = 0;

    while (at != NULL) {
        *at++ = '\0';
        const size_t digits = strspn(at, "0123456789");

        if (digits == 0u || digits > DIGITS_MAX || (at[digits] != ' ' && at[digits] != '\0') ||
            n == (int)NUMBERS_MAX) {
            return -1;
        }
        numbers[n++] = strtoull(at, NULL, 10);
        at = at[digits] == ' ' ? at + digits : NULL;
    }
    return n;
}

/* Returns: the index in LINES; N_LINES if it is none of them. */
static size_t take(struct parser *p, const char *line)
{
    uint64_t numbers[NUMBERS_MAX] = {0};
    char words[LINE_BYTES];
    size_t i = 0u;

    (void)snprintf(words, sizeof words, "%s", line);
    const int n = split(words, numbers);

    while (i < N_LINES && (strcmp(LINES[i].word, words) != 0 || n != (int)LINES[i].n)) {
        i++;
    }
    return i < N_LINES && LINES[i].take(p, numbers) ? i : N_LINES;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Nothing is missing, and the latencies are those of the packets; on a real network not all packets
 * say when they were sent. */
static bool is_whole(const struct parser *p)
{
    bool is_whole = true;

    for (uint32_t i = 0u; i < p->n_tasks; i++) {
        is_whole = is_whole && p->has_task[i];
    }
    for (uint32_t i = 0u; i < p->out->n_flows; i++) {
        const struct tg_hist *const h = &p->out->flows[i].latency;

        is_whole = is_whole && p->has_flow[i] && h->count <= p->out->flows[i].delivered &&
                   (h->count == p->out->flows[i].delivered || p->out->n_queues != 0u) &&
                   (h->count == 0u) == (h->min > h->max);
    }
    return is_whole;
}

/* Returns: 0; the number of the line that cannot be. */
static unsigned read_lines(FILE *in, struct parser *p, char *line)
{
    bool is_there[N_LINES] = {false};
    bool has_all = true;
    unsigned number = 1u;

    for (; fgets(line, (int)LINE_BYTES, in) != NULL && strcmp(line, "end 0\n") != 0; number++) {
        const size_t length = strcspn(line, "\n");
        const bool is_cut = line[length] != '\n';

        line[length] = '\0';
        const size_t i = is_cut ? N_LINES : take(p, line);

        if (i == N_LINES || (i < N_ONCE && is_there[i])) {
            return number;
        }
        is_there[i] = true;
    }
    for (size_t i = 0u; i < N_ONCE; i++) {
        has_all = has_all && is_there[i];
    }
    /* Nothing stands behind the end. */
    const bool is_at_end = !ferror(in) && strcmp(line, "end 0\n") == 0 && fgetc(in) == EOF;

    return has_all && is_at_end && is_whole(p) ? 0u : number;
}

/* A line as it can be shown: from a file of any bytes. */
static void show(char *line)
{
    for (; *line != '\0'; line++) {
        *line = *line >= ' ' && *line <= '~' ? *line : '?';
    }
}

int tg_board_parse(FILE *in, uint32_t n_tasks, uint32_t n_flows, struct tg_board_result *out,
                   char *text, size_t text_size)
{
    struct parser p = {.out = out, .n_tasks = n_tasks};
    char line[LINE_BYTES] = "";
    int err = -1;

    *out = (struct tg_board_result){.n_flows = n_flows};
    if (prepare(&p) != 0) {
        (void)snprintf(text, text_size, "1: out of memory");
    } else {
        const unsigned bad = read_lines(in, &p, line);

        show(line);
        (void)snprintf(text, text_size, "%u: this is no result of the board: '%.40s'", bad, line);
        err = bad != 0u ? -1 : 0;
    }
    free(p.has_task);
    free(p.has_flow);
    if (err != 0) {
        tg_board_free(out);
    }
    return err;
}

int tg_board_read(const struct tg_board_cell *cell, const char *command,
                  struct tg_board_result *out)
{
    const struct tg_system *const s = cell->system;
    FILE *const in = fopen(cell->result, "r");
    char text[128] = "1: it cannot be read";
    int err = -1;

    *out = (struct tg_board_result){0};
    if (in != NULL) {
        err = tg_board_parse(in, (uint32_t)(s->n_tasks + s->n_servers), (uint32_t)s->n_flows + 2u,
                             out, text, sizeof text);
        (void)fclose(in);
    }
    if (err != 0) {
        fprintf(stderr, "tidegate %s: %s:%s\n", command, cell->result, text);
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
