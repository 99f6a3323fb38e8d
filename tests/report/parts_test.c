/* SPDX-License-Identifier: MIT
 *
 * parts_test.c - what reports and traces are put together from: HTML, events, rates, floods at
 * other rates.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/rate_text.h"
#include "cli/run_flood.h"
#include "cli/run_sweep.h"
#include "report/html.h"
#include "report/table.h"
#include "report/trace_json.h"
#include "../support/paper.h"
#include "../system/json_check.h"

#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* ---- HTML ------------------------------------------------------------------------------------ */

static void a_table_in_html(void **state)
{
    static const struct tg_column columns[] = {{"a & b", NULL, TG_LEFT}, {"n", "<s>", TG_RIGHT}};
    struct paper *const p = *state;
    struct tg_table *const t = tg_table_new(columns, 2);

    tg_table_cell(t, TG_BAD, "\"x\" < y");
    tg_table_count(t, TG_PLAIN, 7);
    tg_table_rule(t);
    tg_table_cell(t, TG_PLAIN, "z");
    tg_table_cell(t, TG_FAINT, "0");
    tg_table_cell(t, TG_PLAIN, "short");
    tg_table_end_row(t);
    tg_table_html(t, p->out);
    tg_table_free(t);
    assert_string_equal(
        text_of(p), "<div class=\"wide\"><table>\n"
                    "<thead><tr><th>a &amp; b</th>"
                    "<th class=\"r\">n<br><small>&lt;s&gt;</small></th></tr></thead>\n"
                    "<tbody>\n"
                    "<tr><td class=\"bad\">&quot;x&quot; &lt; y</td><td class=\"r\">7</td></tr>\n"
                    "<tr class=\"rule\"><td>z</td><td class=\"r faint\">0</td></tr>\n"
                    "<tr><td>short</td><td class=\"r\"></td></tr>\n"
                    "</tbody>\n</table></div>\n");
}

/* RFC 4648, section 10. */
static void pictures_are_base64(void **state)
{
    static const char *const vectors[][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"},
                                             {"\xff\xfe\xfd\xfb\xf0", "//79+/A="}};
    struct paper *const p = *state;

    for (size_t i = 0u; i < ARRAY_LENGTH(vectors); i++) {
        char wanted[256];

        rewind(p->out);
        tg_html_picture(p->out, vectors[i][0], "dark", "a \"b\"");
        (void)snprintf(wanted, sizeof wanted,
                       "<img alt=\"a &quot;b&quot;\" "
                       "src=\"data:image/svg+xml;base64,%s\"></picture>\n",
                       vectors[i][1]);
        assert_non_null(strstr(text_of(p), wanted));
        assert_non_null(strstr(text_of(p), "srcset=\"data:image/svg+xml;base64,ZGFyaw==\""));
    }
}

/* ---- Traces ---------------------------------------------------------------------------------- */

static void says(struct paper *p, const char *path, const char *wanted)
{
    const char *value;
    size_t length;

    assert_true(tg_json_check(text_of(p), path, &value, &length));
    assert_non_null(value);
    assert_int_equal(length, strlen(wanted));
    assert_memory_equal(value, wanted, length);
}

static void events_of_a_trace(void **state)
{
    static const struct tg_trace_track track = {.process = 3, .thread = 14};
    struct paper *const p = *state;
    struct tg_trace_json t;

    tg_trace_json_start(&t, p->out);
    tg_trace_json_process(&t, 3, "a \"process\"");
    tg_trace_json_track(&t, track, "a track", 5);
    tg_trace_json_slice(&t, track, "work", 999, 1000001);
    tg_trace_json_instant(&t, track, "now", UINT64_MAX);
    tg_trace_json_value(&t, 3, "level", 0, 21);
    tg_trace_json_data(&t);
    tg_json_count(&t.json, "lost", 0);
    assert_int_equal(tg_trace_json_finish(&t), 0);

    says(p, "traceEvents.0",
         "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 3, "
         "\"args\": {\"name\": \"a \\\"process\\\"\"}}");
    says(p, "traceEvents.2.args.name", "\"a track\"");
    says(p, "traceEvents.3.args.sort_index", "5");
    says(p, "traceEvents.4",
         "{\"ph\": \"X\", \"name\": \"work\", \"pid\": 3, \"tid\": 14, "
         "\"ts\": 0.999, \"dur\": 999.002}");
    says(p, "traceEvents.5.ts", "18446744073709551.615");
    says(p, "traceEvents.5.s", "\"t\"");
    says(p, "traceEvents.6.args.value", "21");
    says(p, "otherData.lost", "0");
    says(p, "displayTimeUnit", "\"ns\"");
}

/* ---- Rates ----------------------------------------------------------------------------------- */

static void rates_in_words(void **state)
{
    static const struct {
        uint64_t pps;
        const char *text;
    } rates[] = {{0, "0 pps"},
                 {1, "1 pps"},
                 {999, "999 pps"},
                 {1000, "1 kpps"},
                 {1500, "1.5 kpps"},
                 {1449, "1.4 kpps"},
                 {1450, "1.5 kpps"},
                 {40000, "40 kpps"},
                 {148809, "149 kpps"},
                 {1000000, "1 Mpps"},
                 {2100000, "2.1 Mpps"},
                 {1000000000, "1 Gpps"},
                 {UINT64_C(25000000000), "25 Gpps"}};

    (void)state;
    for (size_t i = 0u; i < ARRAY_LENGTH(rates); i++) {
        char text[TG_RATE_TEXT_BYTES];

        assert_string_equal(tg_rate_text(rates[i].pps, text), rates[i].text);
    }
}

/* ---- Floods ---------------------------------------------------------------------------------- */

enum { OWN, RATE, POISSON, BURSTS, CAPTURE, SOURCES };

/* 40 + 10 + 20 = 70 thousand packets a second that can be scaled. */
static const struct tg_system_traffic traffic[SOURCES] = {
    [OWN] = {.kind = TG_TRAFFIC_PERIODIC, .flow = 0, .every_ns = 1000000, .burst_pkts = 1},
    [RATE] =
        {.kind = TG_TRAFFIC_RATE, .flow = -1, .rate_pps = 40000, .burst_pkts = 1, .from_ns = 100},
    [POISSON] =
        {.kind = TG_TRAFFIC_POISSON, .flow = -1, .rate_pps = 5000, .burst_pkts = 2, .from_ns = 50},
    [BURSTS] = {.kind = TG_TRAFFIC_PERIODIC,
                .flow = -1,
                .every_ns = 500000,
                .burst_pkts = 10,
                .from_ns = 200},
    [CAPTURE] = {.kind = TG_TRAFFIC_CAPTURE, .flow = -1, .repeat = 3, .from_ns = 70},
};

static struct tg_system_scenario scenario_of(struct tg_system_traffic own[SOURCES])
{
    memcpy(own, traffic, sizeof traffic);
    return (struct tg_system_scenario){
        .for_ns = 1000000000, .seed = 1, .traffic = own, .n_traffic = SOURCES};
}

static void floods_are_scaled_together(void **state)
{
    static const uint64_t rates_pps[] = {7, 700, 70000, 7000000, 700000000};
    struct tg_system_traffic own[SOURCES];
    struct tg_system_traffic scaled[SOURCES];
    struct tg_system_scenario out;
    const struct tg_system_scenario scenario = scenario_of(own);

    (void)state;
    assert_int_equal(tg_flood_rate_pps(&scenario), 70000);
    assert_int_equal(tg_flood_start_ns(&scenario), 50);
    for (size_t i = 0u; i < ARRAY_LENGTH(rates_pps); i++) {
        tg_flood_scale(&scenario, rates_pps[i], scaled, &out);

        const uint64_t is_pps = tg_flood_rate_pps(&out);

        /* Whole numbers of bursts: within a packet of each source, and within 1 %. */
        assert_in_range(is_pps, rates_pps[i] - rates_pps[i] / 100u - 3u,
                        rates_pps[i] + rates_pps[i] / 100u + 3u);
        assert_memory_equal(&scaled[OWN], &traffic[OWN], sizeof scaled[OWN]);
        assert_memory_equal(&scaled[CAPTURE], &traffic[CAPTURE], sizeof scaled[CAPTURE]);
        assert_int_equal(scaled[BURSTS].burst_pkts, 10);
    }
    tg_flood_scale(&scenario, 140000, scaled, &out);
    assert_int_equal(scaled[RATE].rate_pps, 80000);
    assert_int_equal(scaled[POISSON].rate_pps, 10000);
    assert_int_equal(scaled[BURSTS].every_ns, 250000);
}

static void only_the_rate_of_the_flood_differs(void **state)
{
    struct tg_system_traffic own[SOURCES];
    struct tg_system_traffic more[SOURCES];
    struct tg_system_scenario out;
    const struct tg_system_scenario scenario = scenario_of(own);

    (void)state;
    tg_flood_scale(&scenario, 7000000, more, &out);
    assert_true(tg_sweep_is_same(&scenario, &out));
    more[RATE].rate_pps *= 2u; /* another mixture */
    assert_false(tg_sweep_is_same(&scenario, &out));
    tg_flood_scale(&scenario, 7000000, more, &out);
    more[OWN].every_ns *= 2u;
    assert_false(tg_sweep_is_same(&scenario, &out));
    tg_flood_scale(&scenario, 7000000, more, &out);
    out.seed = 2u;
    assert_false(tg_sweep_is_same(&scenario, &out));
}

static void a_scenario_without_a_flood(void **state)
{
    struct tg_system_traffic own[SOURCES];
    struct tg_system_scenario scenario = scenario_of(own);

    (void)state;
    assert_true(tg_flood_any(&scenario));
    scenario.n_traffic = 1u;
    assert_false(tg_flood_any(&scenario));
    assert_int_equal(tg_flood_rate_pps(&scenario), 0);
    assert_int_equal(tg_flood_start_ns(&scenario), 0);
    own[0] = traffic[CAPTURE]; /* a flood whose rate cannot be set */
    assert_true(tg_flood_any(&scenario));
    assert_int_equal(tg_flood_rate_pps(&scenario), 0);
    assert_int_equal(tg_flood_start_ns(&scenario), 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_table_in_html, open_paper, close_paper),
        cmocka_unit_test_setup_teardown(pictures_are_base64, open_paper, close_paper),
        cmocka_unit_test_setup_teardown(events_of_a_trace, open_paper, close_paper),
        cmocka_unit_test(rates_in_words),
        cmocka_unit_test(floods_are_scaled_together),
        cmocka_unit_test(only_the_rate_of_the_flood_differs),
        cmocka_unit_test(a_scenario_without_a_flood),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
