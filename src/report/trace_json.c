/* SPDX-License-Identifier: MIT
 *
 * trace_json.c - write a trace in the Trace Event Format.
 */
#include "trace_json.h"

void tg_trace_json_start(struct tg_trace_json *t, FILE *out)
{
    tg_json_start(&t->json, out);
    tg_json_object(&t->json, NULL);
    tg_json_text(&t->json, "displayTimeUnit", "ns");
    tg_json_array(&t->json, "traceEvents");
}

static void begin(struct tg_trace_json *t, const char *phase, const char *name, uint32_t process)
{
    tg_json_row(&t->json, NULL);
    tg_json_text(&t->json, "ph", phase);
    tg_json_text(&t->json, "name", name);
    tg_json_count(&t->json, "pid", process);
}

static void begin_on(struct tg_trace_json *t, const char *phase, const char *name,
                     struct tg_trace_track track)
{
    begin(t, phase, name, track.process);
    tg_json_count(&t->json, "tid", track.thread);
}

/* "M" events carry one argument each. */
static void text_argument(struct tg_trace_json *t, const char *key, const char *text)
{
    tg_json_row(&t->json, "args");
    tg_json_text(&t->json, key, text);
    tg_json_end(&t->json);
    tg_json_end(&t->json);
}

static void count_argument(struct tg_trace_json *t, const char *key, uint64_t count)
{
    tg_json_row(&t->json, "args");
    tg_json_count(&t->json, key, count);
    tg_json_end(&t->json);
    tg_json_end(&t->json);
}

void tg_trace_json_process(struct tg_trace_json *t, uint32_t process, const char *name)
{
    begin(t, "M", "process_name", process);
    text_argument(t, "name", name);
    begin(t, "M", "process_sort_index", process);
    count_argument(t, "sort_index", process);
}

void tg_trace_json_track(struct tg_trace_json *t, struct tg_trace_track track, const char *name,
                         uint32_t order)
{
    begin_on(t, "M", "thread_name", track);
    text_argument(t, "name", name);
    begin_on(t, "M", "thread_sort_index", track);
    count_argument(t, "sort_index", order);
}

void tg_trace_json_slice(struct tg_trace_json *t, struct tg_trace_track track, const char *name,
                         tg_ns from_ns, tg_ns until_ns)
{
    begin_on(t, "X", name, track);
    tg_json_thousandths(&t->json, "ts", from_ns);
    tg_json_thousandths(&t->json, "dur", until_ns - from_ns);
    tg_json_end(&t->json);
}

void tg_trace_json_instant(struct tg_trace_json *t, struct tg_trace_track track, const char *name,
                           tg_ns at_ns)
{
    begin_on(t, "i", name, track);
    tg_json_thousandths(&t->json, "ts", at_ns);
    tg_json_text(&t->json, "s", "t");
    tg_json_end(&t->json);
}

void tg_trace_json_value(struct tg_trace_json *t, uint32_t process, const char *name, tg_ns at_ns,
                         uint64_t value)
{
    begin(t, "C", name, process);
    tg_json_thousandths(&t->json, "ts", at_ns);
    count_argument(t, "value", value);
}

void tg_trace_json_data(struct tg_trace_json *t)
{
    tg_json_end(&t->json);
    tg_json_object(&t->json, "otherData");
}

int tg_trace_json_finish(struct tg_trace_json *t)
{
    tg_json_end(&t->json);
    tg_json_end(&t->json);
    return tg_json_finish(&t->json);
}
