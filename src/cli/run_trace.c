/* SPDX-License-Identifier: MIT
 *
 * run_trace.c - what happened when, as a file for Perfetto.
 */
#include "run_trace.h"
#include "receiver.h"
#include "run_flood.h"
#include "run_result.h"

#include "report/trace_json.h"

#include <errno.h>
#include <stdlib.h>

#define NAME_BYTES (2u * TG_SYSTEM_NAME_MAX_BYTES + 32u)

/* Tracks of a process, from top to bottom. Receivers and servers have tracks once they run. */
enum {
    TRACK_NIC,
    TRACK_INTERRUPTS,
    TRACK_TICK,
    TRACK_POLLER,
    TRACK_PROTOCOL,
    TRACK_TASKS,
    TRACK_SERVERS = TRACK_TASKS + TG_SYSTEM_TASKS_MAX,
    TRACK_RECEIVERS = TRACK_SERVERS + TG_SYSTEM_SERVERS_MAX,
    TRACKS = TRACK_RECEIVERS + TG_SYSTEM_FLOWS_MAX
};

struct tg_run_trace {
    FILE *file;
    const struct tg_system *system;
    struct tg_trace_json json;
    bool has_window;
    tg_ns window_ns[2];
    uint64_t lost;
    uint32_t process; /* counts from 1 */

    /* Of the run that is going on. */
    enum tg_sim_policy policy;
    tg_ns from_ns;
    tg_ns until_ns;
    uint32_t n_events;
    enum tg_sim_runner runner;
    uint32_t index; /* of the runner */
    tg_ns since_ns;
};

struct tg_run_trace *tg_run_trace_open(const char *path, const struct tg_system *system,
                                       const tg_ns *window_ns)
{
    struct tg_run_trace *const t = calloc(1u, sizeof *t);

    if (t == NULL) {
        return NULL;
    }
    t->file = fopen(path, "wb");
    if (t->file == NULL) {
        const int why = errno;

        free(t);
        errno = why;
        return NULL;
    }
    t->system = system;
    t->has_window = window_ns != NULL;
    if (t->has_window) {
        t->window_ns[0] = window_ns[0];
        t->window_ns[1] = window_ns[1];
    }
    tg_trace_json_start(&t->json, t->file);
    return t;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static struct tg_trace_track track(const struct tg_run_trace *t, uint32_t number)
{
    return (struct tg_trace_track){.process = t->process, .thread = t->process * TRACKS + number};
}

static void name_track(struct tg_run_trace *t, uint32_t number, uint32_t order, const char *name)
{
    tg_trace_json_track(&t->json, track(t, number), name, order);
}

static void name_thread(struct tg_run_trace *t, uint32_t number, uint32_t priority,
                        const char *kind, const char *name)
{
    char text[NAME_BYTES];

    (void)snprintf(text, sizeof text, "%s %s (priority %u)", kind, name, priority);
    name_track(t, number, TRACK_TASKS + 31u - priority, text);
}

static void name_tracks(struct tg_run_trace *t)
{
    const struct tg_system *const s = t->system;

    name_track(t, TRACK_NIC, TRACK_NIC, "network controller");
    name_track(t, TRACK_INTERRUPTS, TRACK_INTERRUPTS, "receive interrupts");
    name_track(t, TRACK_TICK, TRACK_TICK, "tick");
    if (s->receive.polled_by_task) {
        name_track(t, TRACK_POLLER, TRACK_POLLER, "polling task");
    }
    name_track(t, TRACK_PROTOCOL, TRACK_PROTOCOL, "protocol task");
    for (uint32_t i = 0u; i < s->n_tasks; i++) {
        name_thread(t, TRACK_TASKS + i, s->tasks[i].priority, "task", s->tasks[i].name);
    }
    for (uint32_t i = 0u; i < s->n_servers; i++) {
        name_thread(t, TRACK_SERVERS + i, s->servers[i].priority, "server", s->servers[i].name);
    }
    for (uint32_t i = 0u; i < s->n_flows; i++) {
        if (s->flows[i].receiver_wcet_ns != 0u) {
            name_thread(t, TRACK_RECEIVERS + i, s->flows[i].receiver_priority, "receiver of",
                        s->flows[i].name);
        }
    }
}

/* ---- Events ---------------------------------------------------------------------------------- */

static bool has_room(struct tg_run_trace *t)
{
    if (t->n_events == TG_RUN_TRACE_EVENTS_MAX) {
        t->lost++;
        return false;
    }
    t->n_events++;
    return true;
}

/* Track and name of what a runner does. */
static uint32_t runner_track(const struct tg_run_trace *t, enum tg_sim_runner runner,
                             uint32_t index, const char **name)
{
    switch (runner) {
    case TG_SIM_RUN_INTERRUPT:
        *name = tg_sim_queue_name(t->system, t->policy, index);
        return TRACK_INTERRUPTS;
    case TG_SIM_RUN_TICK:
        *name = "tick";
        return TRACK_TICK;
    case TG_SIM_RUN_POLL:
        *name = "poll";
        return TRACK_TICK;
    case TG_SIM_RUN_POLLER:
        *name = "poll";
        return TRACK_POLLER;
    case TG_SIM_RUN_TASK:
        *name = t->system->tasks[index].name;
        return TRACK_TASKS + index;
    case TG_SIM_RUN_SERVER:
        *name = t->system->servers[index].name;
        return TRACK_SERVERS + index;
    case TG_SIM_RUN_RECEIVER:
        *name = t->system->flows[index].name;
        return TRACK_RECEIVERS + index;
    case TG_SIM_RUN_PROTOCOL:
    case TG_SIM_RUN_IDLE:
        break;
    }
    *name = "protocol";
    return TRACK_PROTOCOL;
}

/* Slices are cut where the window ends. */
void tg_run_trace_slice(struct tg_run_trace *t, enum tg_sim_runner runner, uint32_t index,
                        tg_ns from_ns, tg_ns until_ns)
{
    const tg_ns start_ns = from_ns > t->from_ns ? from_ns : t->from_ns;
    const tg_ns end_ns = until_ns < t->until_ns ? until_ns : t->until_ns;

    if (start_ns < end_ns && has_room(t)) {
        const char *name;
        const uint32_t number = runner_track(t, runner, index, &name);

        tg_trace_json_slice(&t->json, track(t, number), name, start_ns, end_ns);
    }
}

/* What has been going on ends now. */
static void stop_runner(struct tg_run_trace *t, tg_ns now_ns)
{
    if (t->runner != TG_SIM_RUN_IDLE) {
        tg_run_trace_slice(t, t->runner, t->index, t->since_ns, now_ns);
    }
    t->since_ns = now_ns;
}

static void instant(struct tg_run_trace *t, uint32_t number, tg_ns at_ns, const char *what,
                    const char *name)
{
    char text[NAME_BYTES];

    if (has_room(t)) {
        (void)snprintf(text, sizeof text, "%s%s%s", what, name[0] != '\0' ? ": " : "", name);
        tg_trace_json_instant(&t->json, track(t, number), text, at_ns);
    }
}

static void show(struct tg_run_trace *t, const struct tg_sim_event *e)
{
    switch (e->kind) {
    case TG_SIM_EVENT_ARRIVAL:
        instant(t, TRACK_NIC, e->at_ns, "arrives", tg_run_flow_name(t->system, e->index));
        break;
    case TG_SIM_EVENT_LOST:
        instant(t, TRACK_NIC, e->at_ns, "lost", tg_run_flow_name(t->system, e->index));
        break;
    case TG_SIM_EVENT_VERDICT:
        instant(t, TRACK_INTERRUPTS, e->at_ns, tg_verdict_name((enum tg_verdict)e->value),
                tg_run_flow_name(t->system, e->index));
        break;
    case TG_SIM_EVENT_DONE:
        instant(t, TRACK_PROTOCOL, e->at_ns, "done", tg_run_flow_name(t->system, e->index));
        break;
    case TG_SIM_EVENT_RECEIVED:
        instant(t, TRACK_RECEIVERS + e->index - 1u, e->at_ns, "received", "");
        break;
    case TG_SIM_EVENT_RELEASE:
        instant(t, TRACK_TASKS + e->index, e->at_ns, "released", "");
        break;
    case TG_SIM_EVENT_FINISH:
        instant(t, TRACK_TASKS + e->index, e->at_ns,
                e->value != 0u ? "finished past its deadline" : "finished", "");
        break;
    case TG_SIM_EVENT_POLLED:
        instant(t, TRACK_INTERRUPTS, e->at_ns, e->value != 0u ? "masked, polled" : "unmasked", "");
        break;
    case TG_SIM_EVENT_PRIORITY:
        if (has_room(t)) {
            tg_trace_json_value(&t->json, t->process, "priority of the protocol task", e->at_ns,
                                e->value);
        }
        break;
    case TG_SIM_EVENT_RUN:
        break;
    }
}

void tg_run_trace_event(struct tg_run_trace *t, const struct tg_sim_event *event)
{
    if (event->kind == TG_SIM_EVENT_RUN) {
        stop_runner(t, event->at_ns);
        t->runner = (enum tg_sim_runner)event->value;
        t->index = event->index;
    } else if (event->at_ns >= t->from_ns && event->at_ns < t->until_ns) {
        show(t, event);
    }
}

/* ---- Runs ------------------------------------------------------------------------------------ */

void tg_run_trace_window(const struct tg_run_trace *t, const struct tg_system_scenario *scenario,
                         tg_ns window_ns[2])
{
    const tg_ns flood_ns = tg_flood_start_ns(scenario);

    if (t->has_window) {
        window_ns[0] = t->window_ns[0];
        window_ns[1] = t->window_ns[1];
    } else {
        window_ns[0] = flood_ns > TG_RUN_TRACE_BEFORE_NS ? flood_ns - TG_RUN_TRACE_BEFORE_NS : 0u;
        window_ns[1] = flood_ns + TG_RUN_TRACE_AFTER_NS;
    }
    if (window_ns[1] > scenario->for_ns) {
        window_ns[1] = scenario->for_ns;
    }
}

static void set_window(struct tg_run_trace *t, const struct tg_system_scenario *scenario)
{
    tg_ns window_ns[2];

    tg_run_trace_window(t, scenario, window_ns);
    t->from_ns = window_ns[0];
    t->until_ns = window_ns[1];
}

void tg_run_trace_begin(struct tg_run_trace *t, const struct tg_system_scenario *scenario,
                        enum tg_sim_policy policy)
{
    char text[NAME_BYTES];

    set_window(t, scenario);
    t->policy = policy;
    t->n_events = 0u;
    t->runner = TG_SIM_RUN_IDLE;
    t->since_ns = 0u;
    t->process++;
    (void)snprintf(text, sizeof text, "%s, %s", scenario->name, tg_sim_policy_name(policy));
    tg_trace_json_process(&t->json, t->process, text);
    name_tracks(t);
}

void tg_run_trace_end(struct tg_run_trace *t)
{
    stop_runner(t, TG_SIM_NEVER);
}

void tg_run_trace_lose(struct tg_run_trace *t, uint64_t n)
{
    t->lost += n;
}

uint64_t tg_run_trace_lost(const struct tg_run_trace *t)
{
    return t->lost;
}

int tg_run_trace_close(struct tg_run_trace *t, bool is_complete)
{
    int err = 0;

    if (t == NULL) {
        return 0;
    }
    if (is_complete) {
        tg_trace_json_data(&t->json);
        tg_json_text(&t->json.json, "system", t->system->name);
        tg_json_text(&t->json.json, "by", "tidegate " TG_VERSION);
        tg_json_count(&t->json.json, "events that found no room", t->lost);
        err = tg_trace_json_finish(&t->json);
    }
    err |= fclose(t->file) != 0 ? -1 : 0;
    free(t);
    return err;
}
