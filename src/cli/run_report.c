/* SPDX-License-Identifier: MIT
 *
 * run_report.c - one page for readers who were not there: what was found, what was simulated, each
 * scenario, and how to do it again.
 */
#define _POSIX_C_SOURCE 200809L
#include "run_report.h"
#include "run_describe.h"
#include "run_figures.h"
#include "run_findings.h"
#include "run_sentences.h"
#include "run_table.h"
#include "rate_text.h"
#include "run_flood.h"
#include "span_text.h"

#include "report/gnuplot.h"
#include "report/html.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct tg_run_report {
    FILE *file;
    char *path;
    const struct tg_system *system;
    const char *system_path;
    const bool *policies; /* that run */
    const char *command_line;
    FILE *body; /* the scenarios, in memory: the summary stands before them */
    char *body_text;
    size_t body_size;
    struct tg_table *summary;
    const char *names[TG_SYSTEM_SCENARIOS_MAX];
    uint32_t n_scenarios;
};

static _Noreturn void no_memory(void)
{
    fputs("tidegate run: out of memory\n", stderr);
    exit(TG_EXIT_LACKS);
}

static int cannot_draw(int err)
{
    if (err == TG_GNUPLOT_ERR_MISSING) {
        fputs("tidegate run: --report needs gnuplot: install the Debian package " TG_GNUPLOT_PACKAGE
              "\n",
              stderr);
    } else {
        fprintf(stderr, "tidegate run: --report: %s\n",
                err == TG_GNUPLOT_ERR_FAILED ? "gnuplot failed" : "gnuplot cannot be started");
    }
    return TG_EXIT_LACKS;
}

/* ---- Start ----------------------------------------------------------------------------------- */

/* Before minutes of simulation, not after them. */
static int look_for_gnuplot(void)
{
    char *output;
    const int err = tg_gnuplot_run("exit\n", &output);

    free(output);
    return err != 0 ? cannot_draw(err) : TG_EXIT_HOLDS;
}

static struct tg_table *summary_table(const bool policies[TG_SIM_POLICIES])
{
    struct tg_column columns[1u + TG_SIM_POLICIES] = {{"scenario", NULL, TG_LEFT}};
    size_t n = 1u;

    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (policies[p]) {
            columns[n++] =
                (struct tg_column){tg_sim_policy_name((enum tg_sim_policy)p), NULL, TG_LEFT};
        }
    }
    return tg_table_new(columns, n);
}

int tg_run_report_open(const char *path, const struct tg_system *system, const char *system_path,
                       const bool policies[TG_SIM_POLICIES], const char *command_line,
                       struct tg_run_report **out)
{
    const int status = look_for_gnuplot();

    if (status != TG_EXIT_HOLDS) {
        return status;
    }
    FILE *const file = fopen(path, "wb");

    if (file == NULL) {
        fprintf(stderr, "tidegate run: --report: %s: %s\n", path, strerror(errno));
        return TG_EXIT_USAGE;
    }
    struct tg_run_report *const report = calloc(1u, sizeof *report);

    if (report == NULL || (report->path = strdup(path)) == NULL ||
        (report->body = open_memstream(&report->body_text, &report->body_size)) == NULL) {
        no_memory();
    }
    report->file = file;
    report->system = system;
    report->system_path = system_path;
    report->command_line = command_line;
    report->policies = policies;
    report->summary = summary_table(policies);
    *out = report;
    return TG_EXIT_HOLDS;
}

/* ---- A scenario ------------------------------------------------------------------------------ */

static void put_table(struct tg_table *t, FILE *out)
{
    tg_table_html(t, out);
    tg_table_free(t);
}

/* The sentences of the terminal: a paragraph where they have an empty line. */
static void put_sentences(const struct tg_run_result *r, FILE *out)
{
    char *text = NULL;
    size_t size = 0u;
    FILE *const sentences = open_memstream(&text, &size);

    if (sentences == NULL) {
        no_memory();
    }
    tg_run_sentences(r, sentences);
    if (fclose(sentences) != 0) {
        no_memory();
    }
    for (char *paragraph = text; *paragraph != '\0';) {
        char *const end = strstr(paragraph, "\n\n");

        if (end != NULL) {
            *end = '\0';
        }
        fputs("<p>", out);
        tg_html_text(out, paragraph);
        fputs("</p>\n", out);
        paragraph = end != NULL ? end + 2 : paragraph + strlen(paragraph);
    }
    free(text);
}

static void put_tables(const struct tg_run_result *r, FILE *out)
{
    fputs("<h3>The figures</h3>\n<p>The same as on the terminal. A job counts as missed when it is "
          "unfinished past its deadline; the time beside it is the longest from release to end. A "
          "<q>&gt;</q> says that a job never ended.</p>\n",
          out);
    put_table(tg_run_verdict_table(r), out);
    if (r->system->n_tasks != 0u) {
        put_table(tg_run_task_table(r), out);
    }
    fputs(
        "<p>Latency is the time from the arrival at the network controller to the end of protocol "
        "work, or of the receiver's job. p99: 99 of 100 packets took no longer.</p>\n",
        out);
    put_table(tg_run_flow_table(r), out);
    put_table(tg_run_cpu_table(r), out);
    put_sentences(r, out);
}

static int put_load(const struct tg_run_result *r, const struct tg_sweep *sweep, FILE *out)
{
    char low[TG_RATE_TEXT_BYTES];
    char high[TG_RATE_TEXT_BYTES];
    char span[TG_SPAN_TEXT_BYTES];

    fputs("<h3>More and less of the same flood</h3>\n", out);
    fprintf(out,
            "<p>The flood of this scenario at %u rates from %s to %s, each %s long, simulated "
            "afresh under each policy; everything else stays as it is.</p>\n",
            TG_SWEEP_RATES, tg_rate_text(sweep->rates_pps[0], low),
            tg_rate_text(sweep->rates_pps[TG_SWEEP_RATES - 1u], high),
            tg_span_text(sweep->for_ns, span));
    tg_findings_load(r, sweep, out);

    int err = tg_figure_delivery(r, sweep, out);

    if (err == 0) {
        err = tg_figure_cost(r, sweep, out);
    }
    return err != 0 ? err : tg_figure_cpu(r, sweep, out);
}

static int put_figures(const struct tg_run_result *r, const struct tg_sweep *sweep,
                       const char *same_as, const struct tg_timeline *timeline, FILE *out)
{
    fputs("<h3>In time</h3>\n", out);

    int err = tg_figure_timeline(r, timeline, out);

    if (err == 0) {
        err = tg_figure_latency(r, out);
    }
    if (err == 0 && sweep != NULL) {
        err = put_load(r, sweep, out);
    }
    if (same_as != NULL) {
        fputs(
            "<h3>More and less of the same flood</h3>\n<p>Only the rate of the flood differs from "
            "scenario <q>",
            out);
        tg_html_text(out, same_as);
        fputs("</q>: its figures show this one, too.</p>\n", out);
    }
    return err;
}

int tg_run_report_scenario(struct tg_run_report *report, const struct tg_run_result *r,
                           const struct tg_sweep *sweep, const char *same_as,
                           const struct tg_timeline *timeline)
{
    FILE *const out = report->body;
    char text[TG_SPAN_TEXT_BYTES];

    report->names[report->n_scenarios++] = r->scenario->name;
    tg_table_cell(report->summary, TG_PLAIN, "%s", r->scenario->name);
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (report->policies[p]) {
            tg_findings_cell(r, (enum tg_sim_policy)p, report->summary);
        }
    }
    fprintf(out, "<h2 id=\"s%" PRIu32 "\">Scenario: ", report->n_scenarios);
    tg_html_text(out, r->scenario->name);
    fprintf(out, "</h2>\n<p>%s of simulated time, seed %" PRIu64 ".</p>\n",
            tg_whole_text(r->scenario->for_ns, text), r->scenario->seed);
    tg_describe_traffic(r->system, r->scenario, out);
    fputs("<h3>What was found</h3>\n", out);
    tg_findings_list(r, out);

    const int err = put_figures(r, sweep, same_as, timeline, out);

    if (err != 0) {
        return cannot_draw(err);
    }
    put_tables(r, out);
    return TG_EXIT_HOLDS;
}

/* ---- The page -------------------------------------------------------------------------------- */

static void put_policies(const struct tg_run_report *report, FILE *out)
{
    static const char *const texts[TG_SIM_POLICIES] = {
        [TG_SIM_STOCK_HIGH] = "one queue for all packets, one priority for the protocol task, "
                              "above every task.",
        [TG_SIM_STOCK_LOW] = "the same with the protocol task below the tasks, at its floor.",
        [TG_SIM_STOCK_LIMITED] = "as stock-high, but reception stops after so many packets per "
                                 "period.",
        [TG_SIM_STOCK_MODERATED] = "as stock-high, but one interrupt stands for several packets.",
        [TG_SIM_NIC] = "a controller with a receive queue for each range of priorities, each with "
                       "its own interrupt and moderation, below the same driver.",
        [TG_SIM_TIDEGATE] = "each flow has a priority, a budget and buffers of its own, decided "
                            "in the receive interrupt. This is the code that runs in firmware, not "
                            "a model of it.",
        [TG_SIM_COMBINED] = "the code of Tidegate on that controller, which also holds back the "
                            "interrupts of queues that are not above the running task.",
    };

    fputs("<p>Each scenario ran under each policy on the same arrivals:</p>\n<ul>\n", out);
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (report->policies[p]) {
            fprintf(out, "<li><b>%s</b>: %s</li>\n", tg_sim_policy_name((enum tg_sim_policy)p),
                    texts[p]);
        }
    }
    fputs("</ul>\n", out);
}

static void put_summary(const struct tg_run_report *report, FILE *out)
{
    fputs(
        "<h2 id=\"found\">What was found</h2>\n"
        "<p>Deadlines that tasks missed, packets that came too late, packets that were lost on the "
        "way. Packets count if the file describes the source of their flow and it kept to "
        "that.</p>\n",
        out);
    tg_table_html(report->summary, out);
}

static void put_contents(const struct tg_run_report *report, FILE *out)
{
    fputs("<nav><ul>\n<li><a href=\"#found\">What was found</a></li>\n"
          "<li><a href=\"#system\">What was simulated</a></li>\n",
          out);
    for (uint32_t i = 0u; i < report->n_scenarios; i++) {
        fprintf(out, "<li><a href=\"#s%" PRIu32 "\">Scenario: ", i + 1u);
        tg_html_text(out, report->names[i]);
        fputs("</a></li>\n", out);
    }
    fputs("<li><a href=\"#again\">How to do it again</a></li>\n</ul></nav>\n", out);
}

static void put_system_file(const struct tg_run_report *report, FILE *out)
{
    FILE *const in = fopen(report->system_path, "rb");
    char part[4096];
    size_t length;

    if (in == NULL) {
        return;
    }
    fputs("<details><summary>The system file</summary>\n<pre>", out);
    while ((length = fread(part, 1u, sizeof part - 1u, in)) != 0u) {
        part[length] = '\0';
        tg_html_text(out, part);
    }
    fputs("</pre></details>\n", out);
    (void)fclose(in);
}

static void put_again(const struct tg_run_report *report, FILE *out)
{
    fputs("<h2 id=\"again\">How to do it again</h2>\n<p>tidegate " TG_VERSION
          ", on the system file below:</p>\n<pre>",
          out);
    tg_html_text(out, report->command_line);
    fputs("</pre>\n<p>The same file gives the same figures on every machine: simulated time is "
          "counted in whole nanoseconds, and everything random comes from the seed of the "
          "scenario.</p>\n",
          out);
    put_system_file(report, out);
}

static void put_page(const struct tg_run_report *report, FILE *out)
{
    char title[TG_SYSTEM_NAME_MAX_BYTES + 32u];

    (void)snprintf(title, sizeof title, "%s under flood", report->system->name);
    tg_html_start(out, title);
    fputs("<h1>", out);
    tg_html_text(out, title);
    fputs("</h1>\n<p class=\"soft\">Simulated by tidegate " TG_VERSION
          ". This page is complete in itself.</p>\n",
          out);
    put_contents(report, out);
    put_summary(report, out);
    fputs("<h2 id=\"system\">What was simulated</h2>\n", out);
    put_policies(report, out);
    tg_describe_system(report->system, out);
    fwrite(report->body_text, 1u, report->body_size, out);
    put_again(report, out);
    tg_html_end(out);
}

int tg_run_report_close(struct tg_run_report *report, bool is_complete)
{
    int status = TG_EXIT_HOLDS;

    if (report == NULL) {
        return status;
    }
    if (fclose(report->body) != 0) {
        no_memory();
    }
    if (is_complete) {
        put_page(report, report->file);
    }
    const bool is_written = ferror(report->file) == 0;

    if (fclose(report->file) != 0 || !is_written) {
        fprintf(stderr, "tidegate run: --report: %s cannot be written\n", report->path);
        status = TG_EXIT_LACKS;
    }
    tg_table_free(report->summary);
    free(report->body_text);
    free(report->path);
    free(report);
    return status;
}
