/* SPDX-License-Identifier: MIT
 *
 * world.c - a simulation for tests.
 */
#include "world.h"

#include "sim/frames.h"
#include "system/frame_build.h"
#include "system/match_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void build(struct world *w, uint32_t flow, const struct tg_match *match,
                  enum tg_system_form form)
{
    const struct tg_frame_ends ends = {.station_mac = w->system->receive.station.mac};
    const int len_bytes =
        tg_frame_build(match, form, &ends, 0u, w->system->receive.station.mtu_bytes, w->bytes[flow],
                       WORLD_FRAME_BYTES);

    assert_true(len_bytes > 0);
    w->frames[flow].bytes = w->bytes[flow];
    w->frames[flow].len_bytes = (uint32_t)len_bytes;
}

static void build_all(struct world *w)
{
    const uint32_t n_flows = (uint32_t)w->system->n_flows;
    struct tg_finder finder;
    struct tg_match nobodys;
    struct tg_match_error error;

    assert_true(n_flows <= WORLD_FLOWS_MAX);
    assert_int_equal(tg_match_parse("udp dst port 9", &nobodys, &error), 0);
    build(w, 0u, &nobodys, TG_FORM_WHOLE);
    build(w, n_flows + 1u, &nobodys, TG_FORM_MALFORMED);
    for (uint32_t i = 0u; i < n_flows; i++) {
        build(w, i + 1u, &w->system->flows[i].match, TG_FORM_WHOLE);
    }
    assert_int_equal(tg_frames_open(&finder, w->system), 0);
    for (uint32_t i = 0u; i < n_flows + 2u; i++) {
        tg_frames_sort(&finder, &w->frames[i]);
        assert_int_equal(w->frames[i].flow, i);
    }
    tg_finder_close(&finder);
}

struct world *world_open(const char *text, tg_ns for_ns)
{
    static struct tg_errors errors;
    struct world *const w = calloc(1u, sizeof *w);

    assert_non_null(w);
    tg_errors_init(&errors);
    if (tg_system_parse(text, strlen(text), NULL, &w->system, &errors) != 0) {
        tg_errors_print(&errors, "world", stderr);
        fail();
    }
    build_all(w);
    w->input = (struct tg_sim_input){.system = w->system, .for_ns = for_ns, .seed = 1u};
    return w;
}

void world_arrive(struct world *w, tg_ns at_ns, int flow)
{
    assert_true(w->n_arrivals < WORLD_ARRIVALS_MAX);
    w->arrivals[w->n_arrivals].at_ns = at_ns;
    w->arrivals[w->n_arrivals].flow = flow;
    w->n_arrivals++;
}

static bool next(void *ctx, struct tg_sim_arrival *out)
{
    struct world *const w = ctx;

    if (w->next == w->n_arrivals) {
        return false;
    }
    *out = (struct tg_sim_arrival){.at_ns = w->arrivals[w->next].at_ns};
    if (w->arrivals[w->next].flow != WORLD_NOTHING) {
        out->frame = &w->frames[w->arrivals[w->next].flow];
    }
    w->next++;
    return true;
}

static const char *flow_name(const struct world *w, uint32_t flow)
{
    if (flow == 0u) {
        return "best";
    }
    return flow <= w->system->n_flows ? w->system->flows[flow - 1u].name : "malformed";
}

static void name_runner(const struct world *w, const struct tg_sim_event *e, char out[64])
{
    static const char *const names[] = {
        [TG_SIM_RUN_IDLE] = "idle",         [TG_SIM_RUN_TICK] = "tick",
        [TG_SIM_RUN_PROTOCOL] = "protocol", [TG_SIM_RUN_POLLER] = "poller",
        [TG_SIM_RUN_INTERRUPT] = "irq",     [TG_SIM_RUN_POLL] = "poll",
        [TG_SIM_RUN_RECEIVER] = "receiver", [TG_SIM_RUN_SERVER] = "server"};

    switch ((enum tg_sim_runner)e->value) {
    case TG_SIM_RUN_TASK:
        (void)snprintf(out, 64u, "%s", w->system->tasks[e->index].name);
        break;
    case TG_SIM_RUN_INTERRUPT:
    case TG_SIM_RUN_POLL:
        (void)snprintf(out, 64u, "%s %s", names[e->value],
                       tg_sim_queue_name(w->system, w->input.policy, e->index));
        break;
    default:
        (void)snprintf(out, 64u, "%s", names[e->value]);
        break;
    }
}

static void describe(const struct world *w, const struct tg_sim_event *e, char out[64])
{
    static const char *const verdicts[] = {[TG_VERDICT_PASSED] = "passed",
                                           [TG_VERDICT_MALFORMED] = "malformed",
                                           [TG_VERDICT_BUDGET] = "budget",
                                           [TG_VERDICT_NO_BUFFER] = "no buffer",
                                           [TG_VERDICT_UNREGISTERED] = "unregistered"};
    const char *const flow = e->kind >= TG_SIM_EVENT_ARRIVAL && e->kind <= TG_SIM_EVENT_RECEIVED
                                 ? flow_name(w, e->index)
                                 : "";

    switch (e->kind) {
    case TG_SIM_EVENT_RUN:
        name_runner(w, e, out);
        break;
    case TG_SIM_EVENT_ARRIVAL:
        (void)snprintf(out, 64u, "%s arrives", flow);
        break;
    case TG_SIM_EVENT_LOST:
        (void)snprintf(out, 64u, "%s lost", flow);
        break;
    case TG_SIM_EVENT_VERDICT:
        (void)snprintf(out, 64u, "%s %s", flow, verdicts[e->value]);
        break;
    case TG_SIM_EVENT_DONE:
        (void)snprintf(out, 64u, "%s done", flow);
        break;
    case TG_SIM_EVENT_RECEIVED:
        (void)snprintf(out, 64u, "%s received", flow);
        break;
    case TG_SIM_EVENT_RELEASE:
        (void)snprintf(out, 64u, "release %s", w->system->tasks[e->index].name);
        break;
    case TG_SIM_EVENT_FINISH:
        (void)snprintf(out, 64u, "finish %s%s", w->system->tasks[e->index].name,
                       e->value != 0u ? " late" : "");
        break;
    case TG_SIM_EVENT_POLLED:
        (void)snprintf(out, 64u, "gate %u %s", e->index, e->value != 0u ? "polled" : "open");
        break;
    case TG_SIM_EVENT_PRIORITY:
        (void)snprintf(out, 64u, "priority %u", e->value);
        break;
    }
}

static void log_event(void *ctx, const struct tg_sim_event *e)
{
    struct world *const w = ctx;
    char text[64];

    if ((w->log_kinds & 1u << e->kind) == 0u) {
        return;
    }
    describe(w, e, text);
    w->log_length += (size_t)snprintf(w->log + w->log_length, WORLD_LOG_BYTES - w->log_length,
                                      "%" PRIu64 " %s\n", e->at_ns, text);
    assert_true(w->log_length < WORLD_LOG_BYTES);
}

void world_log(struct world *w, enum tg_sim_event_kind kind)
{
    w->log_kinds |= 1u << kind;
    w->input.event = log_event;
    w->input.event_ctx = w;
}

void world_log_cpu(struct world *w)
{
    world_log(w, TG_SIM_EVENT_RUN);
}

void world_run(struct world *w, enum tg_sim_policy policy)
{
    tg_sim_results_free(&w->results);
    w->next = 0u;
    w->log_length = 0u;
    w->log[0] = '\0';
    w->input.policy = policy;
    w->input.arrivals = (struct tg_sim_arrivals){.next = next, .ctx = w};

    const int err = tg_sim_run(&w->input, &w->results);

    if (err != 0) {
        fail_msg("error %d: %s", err, w->results.failure);
    }
}

void world_close(struct world *w)
{
    tg_sim_results_free(&w->results);
    tg_system_free(w->system);
    free(w);
}

void world_expect(struct world *w, enum tg_sim_policy policy, const char *log)
{
    world_log_cpu(w);
    world_run(w, policy);
    world_assert_log(w, log);
    world_close(w);
}
