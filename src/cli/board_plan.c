/* SPDX-License-Identifier: MIT
 *
 * board_plan.c - a cell as the file that the firmware reads.
 */
#define _POSIX_C_SOURCE 200809L
#include "board_plan.h"

#include "sim/traffic.h"

#include <stdlib.h>
#include <string.h>

#define UDP 17u /* of IP's protocols */

/* Frames of the scenario, each once, and when they arrive. */
struct traffic {
    const struct tg_sim_frame **frames;
    size_t n_frames;
    size_t frames_room;
    struct lab_arrival *arrivals;
    size_t n_arrivals;
    size_t arrivals_room;
    uint64_t at_ticks; /* of the last arrival */
};

/* Room for one more. Returns: 0, or -1 when out of memory. */
static int grow(void **items, size_t n, size_t *room, size_t size_bytes)
{
    if (n < *room) {
        return 0;
    }
    const size_t more = *room != 0u ? 2u * *room : 64u;
    void *const larger = realloc(*items, more * size_bytes);

    if (larger == NULL) {
        return -1;
    }
    *items = larger;
    *room = more;
    return 0;
}

/* Sources repeat a few frames; captures have many, each in turn. */
static int find_frame(struct traffic *t, const struct tg_sim_frame *frame, uint32_t *out)
{
    for (size_t i = t->n_frames; i-- > 0u && t->n_frames - i <= 64u;) {
        if (t->frames[i] == frame) {
            *out = (uint32_t)i;
            return 0;
        }
    }
    if (grow((void **)&t->frames, t->n_frames, &t->frames_room, sizeof *t->frames) != 0) {
        return -1;
    }
    *out = (uint32_t)t->n_frames;
    t->frames[t->n_frames++] = frame;
    return 0;
}

static int add_arrival(struct traffic *t, const struct tg_sim_arrival *arrival)
{
    const uint64_t at_ticks = arrival->at_ns / TG_BOARD_TICK_NS;
    struct lab_arrival out = {.gap_ticks = (uint32_t)(at_ticks - t->at_ticks)};

    if (find_frame(t, arrival->frame, &out.frame) != 0 ||
        grow((void **)&t->arrivals, t->n_arrivals, &t->arrivals_room, sizeof *t->arrivals) != 0) {
        return -1;
    }
    t->at_ticks = at_ticks;
    t->arrivals[t->n_arrivals++] = out;
    return 0;
}

static int take_arrivals(struct tg_traffic *source, tg_ns for_ns, struct traffic *t)
{
    struct tg_sim_arrival arrival;

    while (tg_traffic_next(source, &arrival) && arrival.at_ns < for_ns) {
        if (arrival.frame != NULL && add_arrival(t, &arrival) != 0) {
            return -1;
        }
    }
    return 0;
}

static bool can_be_accepted(const struct tg_system *s, const struct tg_sim_frame *frame)
{
    return frame->flow <= s->n_flows && (frame->flow != 0u || !s->best_effort.is_dropped);
}

/* Keep as many as there are samples, or all if they are fewer, and let each come alone. Frames that
 * are refused whatever the budgets are would be the same ones in every such run: they are left
 * out. */
static void spread(const struct tg_board_cell *cell, struct traffic *t)
{
    size_t n = 0u;

    for (size_t i = 0u; i < t->n_arrivals; i++) {
        if (can_be_accepted(cell->system, t->frames[t->arrivals[i].frame])) {
            t->arrivals[n++] = t->arrivals[i];
        }
    }
    const size_t step = n != 0u ? (n + cell->samples - 1u) / cell->samples : 1u;

    t->n_arrivals = n / step;
    for (size_t i = 0u; i < t->n_arrivals; i++) {
        t->arrivals[i] =
            (struct lab_arrival){.gap_ticks = (uint32_t)(cell->sample_ns / TG_BOARD_TICK_NS),
                                 .frame = t->arrivals[i * step].frame};
    }
}

/* ---- Parts of the file ----------------------------------------------------------------------- */

static void write_tasks(const struct tg_system *s, FILE *out)
{
    for (size_t i = 0u; i < s->n_tasks; i++) {
        const struct tg_system_task *const t = &s->tasks[i];
        const struct lab_task task = {.period_ns = t->period_ns,
                                      .wcet_ns = t->wcet_ns,
                                      .deadline_ns = t->deadline_ns,
                                      .section_ns = t->section_ns,
                                      .irq_off_ns = t->irq_off_ns,
                                      .lock_ns = t->calls_stack ? s->receive.lock_ns : 0u,
                                      .priority = t->priority};

        (void)fwrite(&task, sizeof task, 1u, out);
    }
    /* A time server uses all it may, once a period. */
    for (size_t i = 0u; i < s->n_servers; i++) {
        const struct tg_system_server *const server = &s->servers[i];
        const struct lab_task task = {.period_ns = server->period_ns,
                                      .wcet_ns = server->capacity_ns,
                                      .deadline_ns = UINT64_MAX,
                                      .priority = server->priority};

        (void)fwrite(&task, sizeof task, 1u, out);
    }
}

uint32_t tg_board_port(const struct tg_system *s, const struct tg_system_flow *f)
{
    if (f->match.protocol != UDP) {
        return 0u;
    }
    for (const struct tg_system_flow *other = s->flows; other < f; other++) {
        if (other->match.protocol == UDP && other->match.dst_port == f->match.dst_port) {
            return 0u;
        }
    }
    return f->match.dst_port;
}

static void write_flow(const struct tg_board_cell *cell, const struct tg_system_flow *f, FILE *out)
{
    const tg_ns deferred_ns = f != NULL ? f->deferred_ns : cell->system->receive.deferred_ns;
    struct lab_flow flow = {.deferred_ns =
                                deferred_ns > cell->way_ns ? deferred_ns - cell->way_ns : 0u,
                            .deadline_ns = UINT64_MAX};

    if (f != NULL) {
        flow.deadline_ns = f->deadline_ns;
        flow.receiver_ns = f->receiver_wcet_ns;
        flow.receiver_priority = f->receiver_priority;
        flow.port = tg_board_port(cell->system, f);
    }
    (void)fwrite(&flow, sizeof flow, 1u, out);
}

/* The next frame begins at a multiple of 8. */
static uint32_t padded(uint32_t len_bytes)
{
    return (len_bytes + 7u) & ~7u;
}

static void write_frames(const struct traffic *t, FILE *out)
{
    uint32_t offset = 0u;

    for (size_t i = 0u; i < t->n_frames; i++) {
        const struct lab_frame frame = {
            .offset = offset, .len_bytes = t->frames[i]->len_bytes, .flow = t->frames[i]->flow};

        (void)fwrite(&frame, sizeof frame, 1u, out);
        offset += padded(frame.len_bytes);
    }
}

static void write_bytes(const struct traffic *t, FILE *out)
{
    static const uint8_t padding[8];

    for (size_t i = 0u; i < t->n_frames; i++) {
        const uint32_t n = t->frames[i]->len_bytes;

        (void)fwrite(t->frames[i]->bytes, 1u, n, out);
        (void)fwrite(padding, 1u, padded(n) - n, out);
    }
}

static void write_plan(const struct tg_board_cell *cell, const struct traffic *t, FILE *out)
{
    const struct tg_system *const s = cell->system;
    struct lab_plan plan = {.magic = LAB_MAGIC,
                            .stack = cell->stack,
                            .policy = cell->policy,
                            .shift = cell->shift,
                            .n_tasks = (uint32_t)(s->n_tasks + s->n_servers),
                            .n_flows = (uint32_t)s->n_flows + 2u,
                            .n_frames = (uint32_t)t->n_frames,
                            .n_arrivals = (uint32_t)t->n_arrivals,
                            .floor = s->receive.floor,
                            .stock_gate_pkts = cell->stock_gate_pkts,
                            .stock_gate_period_ns = cell->stock_gate_period_ns,
                            .worker_priority = cell->worker_priority,
                            .stock_ring = s->stock_queue.ring_pkts,
                            .samples = cell->samples,
                            .sample_ns = cell->sample_ns,
                            .for_ns = cell->scenario->for_ns,
                            .trace_from_ns = cell->trace_from_ns,
                            .trace_until_ns = cell->trace_until_ns,
                            .send_ns = cell->send_ns};

    if (cell->is_spread) {
        plan.samples = plan.n_arrivals;
        plan.for_ns = (plan.samples + 2u) * cell->sample_ns;
    }
    for (size_t i = 0u; i < t->n_frames; i++) {
        plan.bytes += padded(t->frames[i]->len_bytes);
    }
    (void)fwrite(&plan, sizeof plan, 1u, out);
    write_tasks(s, out);
    write_flow(cell, NULL, out); /* best effort */
    for (size_t i = 0u; i < s->n_flows; i++) {
        write_flow(cell, &s->flows[i], out);
    }
    write_flow(cell, NULL, out); /* malformed: a stock driver takes them to the stack, too */
    write_frames(t, out);
    if (t->n_arrivals != 0u) {
        (void)fwrite(t->arrivals, sizeof *t->arrivals, t->n_arrivals, out);
    }
    write_bytes(t, out);
}

int tg_board_plan(const struct tg_board_cell *cell, char **bytes, size_t *size, char *text,
                  size_t text_size)
{
    struct traffic traffic = {0};
    struct tg_traffic *source;
    int err = -1;

    *bytes = NULL;
    if (tg_traffic_open(cell->system, cell->scenario, &source, text, text_size) != 0) {
        return -1;
    }
    FILE *const out = open_memstream(bytes, size);

    /* A real network has its own. */
    if (out != NULL &&
        (cell->is_live || take_arrivals(source, cell->scenario->for_ns, &traffic) == 0)) {
        if (cell->is_spread) {
            spread(cell, &traffic);
        }
        write_plan(cell, &traffic, out);
        err = 0;
    }
    if (out != NULL && fclose(out) != 0) {
        err = -1;
    }
    if (err != 0) {
        (void)snprintf(text, text_size, "out of memory");
    }
    free(traffic.frames);
    free(traffic.arrivals);
    tg_traffic_close(source);
    return err;
}
