/* SPDX-License-Identifier: MIT
 *
 * run_timeline.c - the first milliseconds of a flood as tracks: flows, interrupts, the protocol
 * task, tasks.
 */
#include "run_timeline.h"
#include "run_flood.h"

#include <stdlib.h>
#include <string.h>

#define NO_TRACK  UINT32_MAX
#define FLOWS_MAX 3u /* shown: the most urgent of those that the scenario has a source for */
#define TASKS_MAX 8u /* shown on their own: the most urgent */

/* The jobs of a task end in the order in which they were released. */
struct progress {
    uint64_t released;
    uint64_t finished;
};

struct tg_timeline {
    const struct tg_system *system;
    struct tg_track_figure figure;
    uint32_t *task_tracks;
    uint32_t *flow_tracks; /* of the flows of the results */
    struct progress *tasks;
    uint32_t interrupts;
    uint32_t protocol;
    uint32_t receivers;

    /* Of the run that is going on. */
    uint32_t panel;
    enum tg_sim_runner runner;
    uint32_t index;
    tg_ns since_ns;
};

static void *zeroed(size_t n, size_t size)
{
    void *const items = calloc(n + 1u, size);

    if (items == NULL) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    return items;
}

/* ---- Tracks ---------------------------------------------------------------------------------- */

static uint32_t add_track(struct tg_timeline *t, const char *name)
{
    t->figure.tracks[t->figure.n_tracks] = name;
    return t->figure.n_tracks++;
}

/* The next one by priority, then by place in the file, that has no track yet; n: there is none. */
static uint32_t next_task(const struct tg_timeline *t)
{
    const uint32_t n = (uint32_t)t->system->n_tasks;
    uint32_t best = n;

    for (uint32_t i = 0u; i < n; i++) {
        if (t->task_tracks[i] == NO_TRACK &&
            (best == n || t->system->tasks[i].priority > t->system->tasks[best].priority)) {
            best = i;
        }
    }
    return best;
}

static void add_tasks(struct tg_timeline *t)
{
    const uint32_t n = (uint32_t)t->system->n_tasks;

    for (uint32_t i = 0u; i < n; i++) {
        t->task_tracks[i] = NO_TRACK;
    }
    for (uint32_t shown = 0u; shown < n && shown < TASKS_MAX; shown++) {
        const uint32_t task = next_task(t);

        t->task_tracks[task] = add_track(t, t->system->tasks[task].name);
    }
    if (n > TASKS_MAX) {
        const uint32_t others = add_track(t, "other tasks");

        for (uint32_t task = next_task(t); task < n; task = next_task(t)) {
            t->task_tracks[task] = others;
        }
    }
}

static bool has_source(const struct tg_system_scenario *scenario, uint32_t flow)
{
    for (size_t i = 0u; i < scenario->n_traffic; i++) {
        if (scenario->traffic[i].flow == (int32_t)flow) {
            return true;
        }
    }
    return false;
}

static void add_flows(struct tg_timeline *t, const struct tg_system_scenario *scenario)
{
    const uint32_t n = (uint32_t)t->system->n_flows;

    for (uint32_t i = 0u; i < n + 2u; i++) {
        t->flow_tracks[i] = NO_TRACK;
    }
    for (uint32_t shown = 0u; shown < FLOWS_MAX; shown++) {
        uint32_t best = n;

        for (uint32_t i = 0u; i < n; i++) {
            if (t->flow_tracks[i + 1u] == NO_TRACK && has_source(scenario, i) &&
                (best == n || t->system->flows[i].priority > t->system->flows[best].priority)) {
                best = i;
            }
        }
        if (best == n) {
            return;
        }
        t->flow_tracks[best + 1u] = add_track(t, t->system->flows[best].name);
    }
}

static bool has_receivers(const struct tg_system *system)
{
    for (size_t i = 0u; i < system->n_flows; i++) {
        if (system->flows[i].receiver_wcet_ns != 0u) {
            return true;
        }
    }
    return false;
}

struct tg_timeline *tg_timeline_new(const struct tg_system *system,
                                    const struct tg_system_scenario *scenario)
{
    struct tg_timeline *const t = zeroed(1u, sizeof *t);
    const tg_ns flood_ns = tg_flood_start_ns(scenario);
    const tg_ns until_ns = flood_ns + TG_TIMELINE_AFTER_NS;

    t->system = system;
    t->task_tracks = zeroed(system->n_tasks, sizeof t->task_tracks[0]);
    t->flow_tracks = zeroed(system->n_flows + 2u, sizeof t->flow_tracks[0]);
    t->tasks = zeroed(system->n_tasks, sizeof t->tasks[0]);
    t->figure.from_ns = flood_ns > TG_TIMELINE_BEFORE_NS ? flood_ns - TG_TIMELINE_BEFORE_NS : 0u;
    t->figure.until_ns = until_ns < scenario->for_ns ? until_ns : scenario->for_ns;
    t->figure.zero_ns = flood_ns;
    t->figure.x_label = tg_flood_any(scenario) ? "time since the flood began [ms]" : "time [ms]";
    add_flows(t, scenario);
    t->interrupts = add_track(t, "interrupts");
    t->protocol = add_track(t, "protocol task");
    t->receivers = has_receivers(system) ? add_track(t, "receivers") : NO_TRACK;
    add_tasks(t);
    return t;
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* The track and the look of a runner; NO_TRACK: nobody runs. */
static uint32_t runner_track(const struct tg_timeline *t, enum tg_look *look)
{
    *look = TG_LOOK_GREEN;
    switch (t->runner) {
    case TG_SIM_RUN_INTERRUPT:
        *look = TG_LOOK_RED;
        return t->interrupts;
    case TG_SIM_RUN_TICK:
    case TG_SIM_RUN_POLL:
    case TG_SIM_RUN_POLLER:
        *look = TG_LOOK_ORANGE;
        return t->interrupts;
    case TG_SIM_RUN_PROTOCOL:
        *look = TG_LOOK_BLUE;
        return t->protocol;
    case TG_SIM_RUN_RECEIVER:
        return t->receivers;
    case TG_SIM_RUN_TASK:
        return t->task_tracks[t->index];
    case TG_SIM_RUN_SERVER:
    case TG_SIM_RUN_IDLE:
        break;
    }
    return NO_TRACK;
}

static void stop_runner(struct tg_timeline *t, tg_ns now_ns)
{
    enum tg_look look;
    const uint32_t track = runner_track(t, &look);

    if (track != NO_TRACK) {
        const struct tg_track_span span = {
            .from_ns = t->since_ns, .until_ns = now_ns, .track = track, .look = look};

        tg_tracks_span(&t->figure, t->panel, &span);
    }
    t->since_ns = now_ns;
}

static void point(struct tg_timeline *t, uint32_t track, tg_ns at_ns, enum tg_track_sign sign)
{
    if (track != NO_TRACK) {
        const struct tg_track_point p = {.at_ns = at_ns, .track = track, .sign = sign};

        tg_tracks_point(&t->figure, t->panel, &p);
    }
}

static tg_ns deadline_of(const struct tg_timeline *t, uint32_t task, uint64_t job)
{
    return job * t->system->tasks[task].period_ns + t->system->tasks[task].deadline_ns;
}

static void finish_job(struct tg_timeline *t, uint32_t task, tg_ns now_ns)
{
    const tg_ns deadline_ns = deadline_of(t, task, t->tasks[task].finished++);

    if (now_ns > deadline_ns) {
        point(t, t->task_tracks[task], deadline_ns, TG_TRACK_MISSED);
    }
}

static bool is_done(const struct tg_sim_event *e, const struct tg_timeline *t)
{
    return e->kind == TG_SIM_EVENT_RECEIVED || e->index == 0u || e->index > t->system->n_flows ||
           t->system->flows[e->index - 1u].receiver_wcet_ns == 0u;
}

void tg_timeline_event(struct tg_timeline *t, const struct tg_sim_event *event)
{
    switch (event->kind) {
    case TG_SIM_EVENT_RUN:
        stop_runner(t, event->at_ns);
        t->runner = (enum tg_sim_runner)event->value;
        t->index = event->index;
        break;
    case TG_SIM_EVENT_ARRIVAL:
        point(t, t->flow_tracks[event->index], event->at_ns, TG_TRACK_ARRIVES);
        break;
    case TG_SIM_EVENT_LOST:
        point(t, t->flow_tracks[event->index], event->at_ns, TG_TRACK_LOST);
        break;
    case TG_SIM_EVENT_VERDICT:
        if (event->value != TG_VERDICT_PASSED) {
            point(t, t->flow_tracks[event->index], event->at_ns, TG_TRACK_LOST);
        }
        break;
    case TG_SIM_EVENT_DONE:
    case TG_SIM_EVENT_RECEIVED:
        if (is_done(event, t)) {
            point(t, t->flow_tracks[event->index], event->at_ns, TG_TRACK_DONE);
        }
        break;
    case TG_SIM_EVENT_RELEASE:
        t->tasks[event->index].released++;
        point(t, t->task_tracks[event->index], event->at_ns, TG_TRACK_RELEASE);
        break;
    case TG_SIM_EVENT_FINISH:
        finish_job(t, event->index, event->at_ns);
        break;
    case TG_SIM_EVENT_POLLED:
    case TG_SIM_EVENT_PRIORITY:
        break;
    }
}

/* ---- Runs ------------------------------------------------------------------------------------ */

void tg_timeline_begin(struct tg_timeline *t, enum tg_sim_policy policy)
{
    t->panel = t->figure.n_panels++;
    t->figure.panels[t->panel].title = tg_sim_policy_name(policy);
    t->runner = TG_SIM_RUN_IDLE;
    t->since_ns = 0u;
    memset(t->tasks, 0, t->system->n_tasks * sizeof t->tasks[0]);
}

/* Jobs that never finished have missed the deadlines that passed. */
void tg_timeline_end(struct tg_timeline *t)
{
    stop_runner(t, TG_SIM_NEVER);
    for (uint32_t task = 0u; task < t->system->n_tasks; task++) {
        while (t->tasks[task].finished < t->tasks[task].released &&
               deadline_of(t, task, t->tasks[task].finished) < t->figure.until_ns) {
            finish_job(t, task, TG_SIM_NEVER);
        }
    }
}

const struct tg_track_figure *tg_timeline_figure(const struct tg_timeline *t)
{
    return &t->figure;
}

void tg_timeline_free(struct tg_timeline *t)
{
    if (t != NULL) {
        tg_tracks_free(&t->figure);
        free(t->task_tracks);
        free(t->flow_tracks);
        free(t->tasks);
        free(t);
    }
}
