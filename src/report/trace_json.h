/* SPDX-License-Identifier: MIT
 *
 * trace_json.h - write a trace that Perfetto (ui.perfetto.dev) and chrome://tracing open: the JSON
 * object form of the Trace Event Format (Google, "Trace Event Format", 2016).
 *
 * Times are written in microseconds with all three digits of nanoseconds: nothing is rounded.
 */
#ifndef TG_REPORT_TRACE_JSON_H
#define TG_REPORT_TRACE_JSON_H

#include "report/json.h"
#include "tidegate/common.h"

struct tg_trace_json {
    struct tg_json json; /* between tg_trace_json_data() and _finish(): the caller's own values */
};

/* A row of the viewer: a thread of a process. Numbers are unique in the whole trace: some readers
 * forget the process of a thread. */
struct tg_trace_track {
    uint32_t process;
    uint32_t thread;
};

/* Context: any task, for all functions here.
 * Cost:    O(length of the names), likewise. */
void tg_trace_json_start(struct tg_trace_json *t, FILE *out);

/* Name a process. */
void tg_trace_json_process(struct tg_trace_json *t, uint32_t process, const char *name);

/* Name a track. Those of a process stand in the order of `order`. */
void tg_trace_json_track(struct tg_trace_json *t, struct tg_trace_track track, const char *name,
                         uint32_t order);

/* Something went on from then to then. Slices of one track do not overlap. */
void tg_trace_json_slice(struct tg_trace_json *t, struct tg_trace_track track, const char *name,
                         tg_ns from_ns, tg_ns until_ns);

/* Something happened. */
void tg_trace_json_instant(struct tg_trace_json *t, struct tg_trace_track track, const char *name,
                           tg_ns at_ns);

/* A figure has this value from then on. */
void tg_trace_json_value(struct tg_trace_json *t, uint32_t process, const char *name, tg_ns at_ns,
                         uint64_t value);

/* No more events; what is written to t->json next are members of an object that readers show on
 * demand. */
void tg_trace_json_data(struct tg_trace_json *t);

/* Returns: 0, or -1 if not all of it could be written. */
int tg_trace_json_finish(struct tg_trace_json *t);

#endif
