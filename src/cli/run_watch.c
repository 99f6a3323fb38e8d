/* SPDX-License-Identifier: MIT
 *
 * run_watch.c - whoever looks at the runs beside the tables.
 */
#define _POSIX_C_SOURCE 200809L
#include "run_watch.h"
#include "run_flood.h"

#include "system/value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Start ----------------------------------------------------------------------------------- */

/* A duration with or without blanks around it. */
static int read_time(const char *start, const char *end, tg_ns *out)
{
    struct tg_value_error error;

    while (start < end && *start == ' ') {
        start++;
    }
    while (end > start && end[-1] == ' ') {
        end--;
    }
    return tg_value_duration(start, (size_t)(end - start), out, &error);
}

static int read_window(const char *text, tg_ns window_ns[2])
{
    const char *const dots = strstr(text, "..");

    if (dots == NULL || read_time(text, dots, &window_ns[0]) != 0 ||
        read_time(dots + 2, text + strlen(text), &window_ns[1]) != 0 ||
        window_ns[0] >= window_ns[1]) {
        return tg_command_misuse(&tg_run_command,
                                 "--trace-window: found '%s', allowed: two times as in "
                                 "'100 ms..120 ms', the second later",
                                 text);
    }
    return TG_EXIT_HOLDS;
}

static int open_trace(struct tg_run_watch *w, const struct tg_run_wishes *wishes)
{
    tg_ns window_ns[2];

    if (wishes->trace_window != NULL) {
        const int status = read_window(wishes->trace_window, window_ns);

        if (status != TG_EXIT_HOLDS) {
            return status;
        }
        if (wishes->trace_path == NULL) {
            return tg_command_misuse(&tg_run_command, "--trace-window needs --trace");
        }
    }
    if (wishes->trace_path == NULL) {
        return TG_EXIT_HOLDS;
    }
    w->trace_path = wishes->trace_path;
    w->trace = tg_run_trace_open(wishes->trace_path, w->system,
                                 wishes->trace_window != NULL ? window_ns : NULL);
    return w->trace != NULL ? TG_EXIT_HOLDS
                            : tg_command_misuse(&tg_run_command, "--trace: %s: %s",
                                                wishes->trace_path, strerror(errno));
}

/* In single quotes where a shell would read anything else into it. */
static void put_word(FILE *out, const char *word)
{
    const bool is_plain =
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,-") ==
        strlen(word);

    if (is_plain && word[0] != '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            fputs("'\\''", out);
        } else {
            fputc(*word, out);
        }
    }
    fputc('\'', out);
}

/* Where the report is written to does not belong to what it says. */
static char *command_line(const struct tg_run_wishes *wishes)
{
    char *text = NULL;
    size_t size = 0u;
    FILE *const out = open_memstream(&text, &size);

    if (out == NULL) {
        return NULL;
    }
    fputs("tidegate run ", out);
    put_word(out, wishes->system_path);
    if (wishes->policies != NULL) {
        fputs(" --policy ", out);
        put_word(out, wishes->policies);
    }
    if (wishes->scenario != NULL) {
        fputs(" --scenario ", out);
        put_word(out, wishes->scenario);
    }
    fputs(" --report report.html", out);
    return fclose(out) == 0 ? text : NULL;
}

int tg_run_watch_open(struct tg_run_watch *w, const struct tg_system *system,
                      const struct tg_run_wishes *wishes)
{
    w->system = system;

    const int status = open_trace(w, wishes);

    if (status != TG_EXIT_HOLDS || wishes->report_path == NULL) {
        return status;
    }
    w->command_line = command_line(wishes);
    if (w->command_line == NULL) {
        fputs("tidegate run: out of memory\n", stderr);
        return TG_EXIT_LACKS;
    }
    return tg_run_report_open(wishes->report_path, system, wishes->system_path, wishes->runs,
                              w->command_line, &w->report);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

void tg_run_watch_scenario(struct tg_run_watch *w, const struct tg_system_scenario *scenario)
{
    if (w->report != NULL) {
        w->timeline = tg_timeline_new(w->system, scenario);
    }
}

static void on_event(void *ctx, const struct tg_sim_event *event)
{
    const struct tg_run_watch *const w = ctx;

    if (w->trace != NULL) {
        tg_run_trace_event(w->trace, event);
    }
    if (w->timeline != NULL) {
        tg_timeline_event(w->timeline, event);
    }
}

void tg_run_watch_begin(struct tg_run_watch *w, const struct tg_system_scenario *scenario,
                        struct tg_sim_input *input)
{
    if (w->trace != NULL) {
        tg_run_trace_begin(w->trace, scenario, input->policy);
    }
    if (w->timeline != NULL) {
        tg_timeline_begin(w->timeline, input->policy);
    }
    if (w->trace != NULL || w->timeline != NULL) {
        input->event = on_event;
        input->event_ctx = w;
    }
}

void tg_run_watch_end(struct tg_run_watch *w)
{
    if (w->trace != NULL) {
        tg_run_trace_end(w->trace);
    }
    if (w->timeline != NULL) {
        tg_timeline_end(w->timeline);
    }
}

/* ---- The report of a scenario ---------------------------------------------------------------- */

/* A scenario before this one whose sweep is this one's; NULL: there is none. */
static const struct tg_system_scenario *swept_before(const struct tg_run_watch *w,
                                                     const struct tg_system_scenario *scenario)
{
    for (const struct tg_system_scenario *s = w->system->scenarios; s < scenario; s++) {
        if (w->is_wanted(w->is_wanted_ctx, s) && tg_flood_rate_pps(s) != 0u &&
            tg_sweep_is_same(s, scenario)) {
            return s;
        }
    }
    return NULL;
}

tg_ns tg_run_watch_to_simulate_ns(const struct tg_run_watch *w,
                                  const struct tg_system_scenario *scenario)
{
    if (w->report == NULL || tg_flood_rate_pps(scenario) == 0u ||
        swept_before(w, scenario) != NULL) {
        return 0u;
    }
    return tg_sweep_to_simulate_ns(scenario);
}

static int report_scenario(struct tg_run_watch *w, const struct tg_run_result *r,
                           const struct tg_sim_input *input)
{
    const struct tg_system_scenario *const same = swept_before(w, r->scenario);
    char text[512];
    struct tg_sweep sweep;

    if (same != NULL || tg_flood_rate_pps(r->scenario) == 0u) {
        return tg_run_report_scenario(w->report, r, NULL, same != NULL ? same->name : NULL,
                                      w->timeline);
    }
    if (tg_sweep_run(input, r->scenario, r->has, &sweep, text, sizeof text) != 0) {
        fprintf(stderr, "tidegate run: --report: scenario '%s': %s\n", r->scenario->name, text);
        return TG_EXIT_LACKS;
    }
    w->packets += sweep.packets;
    return tg_run_report_scenario(w->report, r, &sweep, NULL, w->timeline);
}

int tg_run_watch_done(struct tg_run_watch *w, const struct tg_run_result *r,
                      const struct tg_sim_input *input)
{
    const int status = w->report != NULL ? report_scenario(w, r, input) : TG_EXIT_HOLDS;

    tg_timeline_free(w->timeline);
    w->timeline = NULL;
    return status;
}

/* ---- End ------------------------------------------------------------------------------------- */

static int close_trace(struct tg_run_watch *w, bool is_complete)
{
    const uint64_t lost = w->trace != NULL ? tg_run_trace_lost(w->trace) : 0u;

    if (tg_run_trace_close(w->trace, is_complete) != 0) {
        (void)tg_command_misuse(&tg_run_command, "--trace: %s cannot be written", w->trace_path);
        return TG_EXIT_LACKS;
    }
    if (is_complete && lost != 0u) {
        fprintf(stderr,
                "tidegate run: --trace: %" PRIu64
                " events found no room, %u fit for each policy; --trace-window chooses which\n",
                lost, TG_RUN_TRACE_EVENTS_MAX);
    }
    return TG_EXIT_HOLDS;
}

int tg_run_watch_close(struct tg_run_watch *w, int status)
{
    const int trace = close_trace(w, status == TG_EXIT_HOLDS);
    const int report = tg_run_report_close(w->report, status == TG_EXIT_HOLDS);

    tg_timeline_free(w->timeline);
    free(w->command_line);
    return status != TG_EXIT_HOLDS ? status : trace != TG_EXIT_HOLDS ? trace : report;
}
