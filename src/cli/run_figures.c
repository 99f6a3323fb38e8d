/* SPDX-License-Identifier: MIT
 *
 * run_figures.c - the figures of a report.
 */
#include "run_figures.h"
#include "rate_text.h"
#include "run_flood.h"
#include "span_text.h"

#include "report/html.h"
#include "report/plot.h"
#include "report/tracks.h"

#include <math.h>
#include <stdlib.h>

#define LATENCY_POINTS     400u
#define LATENCY_PANELS_MAX 6u
#define NS_PER_S           1e9

static const enum tg_look looks[TG_SIM_POLICIES] = {
    [TG_SIM_STOCK_HIGH] = TG_LOOK_RED,
    [TG_SIM_STOCK_LOW] = TG_LOOK_BLUE,
    [TG_SIM_STOCK_LIMITED] = TG_LOOK_PURPLE,
    [TG_SIM_STOCK_MODERATED] = TG_LOOK_ORANGE,
    [TG_SIM_NIC] = TG_LOOK_CYAN,
    [TG_SIM_TIDEGATE] = TG_LOOK_GREEN,
    [TG_SIM_COMBINED] = TG_LOOK_INK,
};

/* A drawing in both themes, and what is written below it. */
static int put_figure(int (*draw)(const void *figure, enum tg_theme theme, char **svg),
                      const void *figure, const char *alt, const char *caption, FILE *out)
{
    char *svg[TG_THEMES] = {NULL};
    int err = 0;

    for (uint32_t theme = 0u; theme < TG_THEMES && err == 0; theme++) {
        err = draw(figure, (enum tg_theme)theme, &svg[theme]);
    }
    if (err == 0) {
        fputs("<figure>\n", out);
        tg_html_picture(out, svg[TG_THEME_LIGHT], svg[TG_THEME_DARK], alt);
        fprintf(out, "<figcaption>%s</figcaption>\n</figure>\n", caption);
    }
    for (uint32_t theme = 0u; theme < TG_THEMES; theme++) {
        free(svg[theme]);
    }
    return err;
}

static int draw_plot(const void *figure, enum tg_theme theme, char **svg)
{
    return tg_plot_draw(figure, theme, svg);
}

static int draw_tracks(const void *figure, enum tg_theme theme, char **svg)
{
    return tg_tracks_draw(figure, theme, svg);
}

static void add_policies(const struct tg_run_result *r, struct tg_plot_figure *figure)
{
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (r->has[p]) {
            figure->legend[figure->n_legend++] = (struct tg_plot_legend){
                .name = tg_sim_policy_name((enum tg_sim_policy)p), .look = looks[p]};
        }
    }
}

/* ---- Over load ------------------------------------------------------------------------------- */

/* What is plotted of a point. */
typedef double (*figure_of)(const struct tg_sweep_point *point, uint32_t flow);

static double interrupts_of(const struct tg_sweep_point *point, uint32_t flow)
{
    (void)flow;
    return point->interrupts;
}

static double protocol_of(const struct tg_sweep_point *point, uint32_t flow)
{
    (void)flow;
    return point->protocol;
}

static double tasks_of(const struct tg_sweep_point *point, uint32_t flow)
{
    (void)flow;
    return point->tasks;
}

static double kept_of(const struct tg_sweep_point *point, uint32_t flow)
{
    (void)flow;
    return point->kept;
}

static double in_time_of(const struct tg_sweep_point *point, uint32_t flow)
{
    return point->in_time[flow];
}

static double rest_of(const struct tg_sweep_point *point, uint32_t flow)
{
    (void)flow;
    return point->rest_pps;
}

static double taken_of(const struct tg_sweep_point *point, uint32_t flow)
{
    (void)flow;
    return point->taken;
}

static double response_of(const struct tg_sweep_point *point, uint32_t flow)
{
    (void)flow;
    return point->response;
}

static double latency_of(const struct tg_sweep_point *point, uint32_t flow)
{
    return point->latency[flow];
}

enum { LOAD_PANELS_MAX = TG_SIM_POLICIES };

_Static_assert(LOAD_PANELS_MAX >= TG_SWEEP_FLOWS_MAX + 2u, "panels of what is delivered");

/* All that the panels of one figure point to. */
struct load {
    const struct tg_run_result *r;
    const struct tg_sweep *sweep;
    struct tg_plot_figure figure;
    struct tg_plot_panel panels[LOAD_PANELS_MAX];
    double x[TG_SWEEP_RATES];
    double y[LOAD_PANELS_MAX][TG_SIM_POLICIES][TG_SWEEP_RATES];
    char titles[LOAD_PANELS_MAX][TG_SYSTEM_NAME_MAX_BYTES + 32u];
    char gate[TG_RATE_TEXT_BYTES + 16u];
    char flood[TG_RATE_TEXT_BYTES + 16u];
};

static void start_load(struct load *l, const struct tg_run_result *r, const struct tg_sweep *sweep,
                       enum tg_plot_form form)
{
    l->r = r;
    l->sweep = sweep;
    l->figure = (struct tg_plot_figure){.form = form,
                                        .x_label = "rate of the flood [packets per second]",
                                        .x_format = "%.0s%c",
                                        .x_min = (double)sweep->rates_pps[0],
                                        .x_max = (double)sweep->rates_pps[TG_SWEEP_RATES - 1u],
                                        .panels = l->panels};
    for (uint32_t i = 0u; i < TG_SWEEP_RATES; i++) {
        l->x[i] = (double)sweep->rates_pps[i];
    }
}

static void add_mark(const struct load *l, struct tg_plot_panel *panel, double x, const char *text)
{
    if (x >= l->figure.x_min && x <= l->figure.x_max) {
        panel->marks[panel->n_marks++] = (struct tg_plot_mark){.x = x, .text = text};
    }
}

/* The rate of the scenario itself, and that of its gate if there is only one. */
static void add_marks(struct load *l, struct tg_plot_panel *panel)
{
    const struct tg_system_budget *const gate = &l->r->system->gates[0];
    const uint64_t own_pps = tg_flood_rate_pps(l->r->scenario);
    char text[TG_RATE_TEXT_BYTES];

    (void)snprintf(l->flood, sizeof l->flood, "scenario: %s", tg_rate_text(own_pps, text));
    add_mark(l, panel, (double)own_pps, l->flood);
    if (l->r->system->n_gates == 1u && gate->kind != TG_SERVER_UNLIMITED) {
        const double pps = (double)gate->packets * NS_PER_S / (double)gate->period_ns;

        (void)snprintf(l->gate, sizeof l->gate, "gate: %s", tg_rate_text((uint64_t)pps, text));
        add_mark(l, panel, pps, l->gate);
    }
}

static void add_series(struct load *l, uint32_t panel, enum tg_sim_policy policy, enum tg_look look,
                       figure_of figure, uint32_t flow)
{
    struct tg_plot_panel *const p = &l->panels[panel];
    double *const y = l->y[panel][p->n_series];

    for (uint32_t i = 0u; i < TG_SWEEP_RATES; i++) {
        y[i] = figure(&l->sweep->points[policy][i], flow);
    }
    p->series[p->n_series++] =
        (struct tg_plot_series){.look = look, .x = l->x, .y = y, .n = TG_SWEEP_RATES};
}

int tg_figure_cpu(const struct tg_run_result *r, const struct tg_sweep *sweep, FILE *out)
{
    struct load l = {.r = r};

    start_load(&l, r, sweep, TG_PLOT_AREAS);
    l.figure.legend[0] = (struct tg_plot_legend){"interrupts, tick, polls", TG_LOOK_RED};
    l.figure.legend[1] = (struct tg_plot_legend){"protocol task", TG_LOOK_BLUE};
    l.figure.legend[2] = (struct tg_plot_legend){"tasks", TG_LOOK_GREEN};
    l.figure.n_legend = 3u;
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        const uint32_t panel = (uint32_t)l.figure.n_panels;

        if (!r->has[p]) {
            continue;
        }
        l.panels[panel] = (struct tg_plot_panel){.title = tg_sim_policy_name((enum tg_sim_policy)p),
                                                 .y_label = "share of the CPU [%]",
                                                 .y_max = 100.0};
        add_series(&l, panel, (enum tg_sim_policy)p, TG_LOOK_RED, interrupts_of, 0u);
        add_series(&l, panel, (enum tg_sim_policy)p, TG_LOOK_BLUE, protocol_of, 0u);
        add_series(&l, panel, (enum tg_sim_policy)p, TG_LOOK_GREEN, tasks_of, 0u);
        add_marks(&l, &l.panels[panel]);
        l.figure.n_panels++;
    }
    return put_figure(
        draw_plot, &l.figure,
        "Stacked areas of the CPU time for interrupts, protocol task and tasks over the rate of "
        "the flood, one panel per policy",
        "<b>Where the time of the CPU goes.</b> One panel per policy, the flood grows to the "
        "right. Interrupts stand above everything: what they take is lost to all others. The "
        "share of the tasks should stay as high as it is on the left; where it falls, jobs starve. "
        "The empty part is idle time.",
        out);
}

static void add_load_panel(struct load *l, const char *y_label, double y_max, figure_of figure,
                           uint32_t flow)
{
    const uint32_t panel = (uint32_t)l->figure.n_panels++;

    l->panels[panel] =
        (struct tg_plot_panel){.title = l->titles[panel], .y_label = y_label, .y_max = y_max};
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (l->r->has[p]) {
            add_series(l, panel, (enum tg_sim_policy)p, looks[p], figure, flow);
        }
    }
    add_marks(l, &l->panels[panel]);
}

int tg_figure_delivery(const struct tg_run_result *r, const struct tg_sweep *sweep, FILE *out)
{
    struct load l = {.r = r};

    start_load(&l, r, sweep, TG_PLOT_LINES);
    add_policies(r, &l.figure);
    if (r->system->n_tasks != 0u) {
        (void)snprintf(l.titles[0], sizeof l.titles[0], "all tasks: deadlines met");
        add_load_panel(&l, "jobs in time [%]", 104.0, kept_of, 0u);
    }
    for (uint32_t i = 0u; i < sweep->n_flows; i++) {
        char *const title = l.titles[l.figure.n_panels];

        (void)snprintf(title, sizeof l.titles[0], "%s: packets delivered%s",
                       tg_run_flow_name(r->system, sweep->flows[i]),
                       r->system->flows[sweep->flows[i] - 1u].deadline_ns != TG_SYSTEM_ABSENT
                           ? " in time"
                           : "");
        add_load_panel(&l, "of those sent [%]", 104.0, in_time_of, i);
    }
    (void)snprintf(l.titles[l.figure.n_panels], sizeof l.titles[0], "everybody else's packets");
    add_load_panel(&l, "delivered [per second]", 0.0, rest_of, 0u);
    return put_figure(
        draw_plot, &l.figure,
        "Deadlines met, packets delivered in time, and other packets delivered, over the rate of "
        "the flood, a line per policy",
        "<b>What is still delivered.</b> A line per policy, the flood grows to the right; 100 % is "
        "what should be. In the last panel more is not better: time spent on a flood is only "
        "harmless while nobody else needs it.",
        out);
}

/* Zero has no place on a logarithmic axis. */
static void add_log_panel(struct load *l, const char *y_label, const char *y_format,
                          figure_of figure)
{
    struct tg_plot_panel *const p = &l->panels[l->figure.n_panels];

    add_load_panel(l, y_label, 0.0, figure, 0u);
    p->is_y_logarithmic = true;
    p->y_format = y_format;
    for (size_t i = 0u; i < p->n_series; i++) {
        for (size_t k = 0u; k < p->series[i].n; k++) {
            if (p->series[i].y[k] <= 0.0) {
                l->y[p - l->panels][i][k] = NAN;
            }
        }
    }
}

int tg_figure_cost(const struct tg_run_result *r, const struct tg_sweep *sweep, FILE *out)
{
    struct load l = {.r = r};

    start_load(&l, r, sweep, TG_PLOT_LINES);
    add_policies(r, &l.figure);
    (void)snprintf(l.titles[0], sizeof l.titles[0], "interrupts and ticks");
    add_log_panel(&l, "taken [per second]", "%.0s%c", taken_of);
    (void)snprintf(l.titles[1], sizeof l.titles[0], "interrupts, ticks, polls");
    add_load_panel(&l, "share of the CPU [%]", 0.0, interrupts_of, 0u);
    if (r->system->n_tasks != 0u) {
        (void)snprintf(l.titles[l.figure.n_panels], sizeof l.titles[0], "task %s: worst response",
                       r->system->tasks[sweep->urgent].name);
        add_log_panel(&l, "from release to end", "%.0s %cs", response_of);
    }
    if (sweep->n_flows != 0u) {
        (void)snprintf(l.titles[l.figure.n_panels], sizeof l.titles[0], "flow %s: latency, p99",
                       tg_run_flow_name(r->system, sweep->flows[0]));
        add_log_panel(&l, "from arrival to delivery", "%.0s %cs", latency_of);
    }
    return put_figure(
        draw_plot, &l.figure,
        "Interrupts, their share of the CPU, the worst response of the most urgent task and the "
        "latency of the most urgent flow over the rate of the flood, a line per policy",
        "<b>What the flood costs.</b> A line per policy, the flood grows to the right; less is "
        "better in every panel. A response as long as the run is a job that never ended; a line "
        "that ends has no packet delivered any more.",
        out);
}

/* ---- Latency --------------------------------------------------------------------------------- */

struct latency {
    struct tg_plot_figure figure;
    struct tg_plot_panel panels[LATENCY_PANELS_MAX];
    double x[LATENCY_PANELS_MAX][TG_SIM_POLICIES][LATENCY_POINTS + 2u];
    double y[LATENCY_PANELS_MAX][TG_SIM_POLICIES][LATENCY_POINTS + 2u];
    char deadlines[LATENCY_PANELS_MAX][TG_SPAN_TEXT_BYTES + 16u];
};

/* Share of the packets sent that had arrived by then; the end of the axis is filled in last. */
static void add_distribution(struct latency *l, uint32_t panel, enum tg_look look,
                             const struct tg_sim_flow_result *f)
{
    struct tg_plot_panel *const p = &l->panels[panel];
    double *const x = l->x[panel][p->n_series];
    double *const y = l->y[panel][p->n_series];
    const double whole = 100.0 * (double)f->delivered / (double)f->sent;

    for (uint32_t i = 0u; i <= LATENCY_POINTS; i++) {
        const uint64_t ns = tg_hist_quantile(&f->latency, i, LATENCY_POINTS);

        x[i] = (double)(ns != 0u ? ns : 1u) / NS_PER_S;
        y[i] = whole * (double)i / LATENCY_POINTS;
    }
    l->figure.x_min = fmin(l->figure.x_min, x[0]);
    l->figure.x_max = fmax(l->figure.x_max, x[LATENCY_POINTS]);
    p->series[p->n_series++] =
        (struct tg_plot_series){.look = look, .x = x, .y = y, .n = LATENCY_POINTS + 1u};
}

static bool any_delivered(const struct tg_run_result *r, uint32_t flow)
{
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (r->has[p] && r->policies[p].flows[flow].delivered != 0u) {
            return true;
        }
    }
    return false;
}

static void add_latency_panel(struct latency *l, const struct tg_run_result *r, uint32_t flow)
{
    const uint32_t panel = (uint32_t)l->figure.n_panels++;
    const tg_ns deadline_ns =
        flow != 0u ? r->system->flows[flow - 1u].deadline_ns : TG_SYSTEM_ABSENT;
    char text[TG_SPAN_TEXT_BYTES];

    l->panels[panel] = (struct tg_plot_panel){.title = tg_run_flow_name(r->system, flow),
                                              .y_label = "of the packets sent [%]",
                                              .y_max = 104.0};
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (r->has[p] && r->policies[p].flows[flow].delivered != 0u) {
            add_distribution(l, panel, looks[p], &r->policies[p].flows[flow]);
        }
    }
    if (deadline_ns != TG_SYSTEM_ABSENT) {
        const double at = (double)deadline_ns / NS_PER_S;

        (void)snprintf(l->deadlines[panel], sizeof l->deadlines[0], "deadline %s",
                       tg_whole_text(deadline_ns, text));
        l->panels[panel].marks[0] = (struct tg_plot_mark){.x = at, .text = l->deadlines[panel]};
        l->panels[panel].n_marks = 1u;
        l->figure.x_min = fmin(l->figure.x_min, at);
        l->figure.x_max = fmax(l->figure.x_max, at);
    }
}

/* All curves go on to the end of the axis, which ends at a whole decade: one that ends low has lost
 * the rest. */
static void finish_distributions(struct latency *l)
{
    l->figure.x_min = pow(10.0, floor(log10(l->figure.x_min)));
    l->figure.x_max = pow(10.0, ceil(log10(l->figure.x_max)));
    for (uint32_t panel = 0u; panel < l->figure.n_panels; panel++) {
        for (size_t i = 0u; i < l->panels[panel].n_series; i++) {
            l->x[panel][i][LATENCY_POINTS + 1u] = l->figure.x_max;
            l->y[panel][i][LATENCY_POINTS + 1u] = l->y[panel][i][LATENCY_POINTS];
            l->panels[panel].series[i].n = LATENCY_POINTS + 2u;
        }
    }
}

static int put_latency(struct latency *l, const struct tg_run_result *r, FILE *out)
{
    const uint32_t n_flows = (uint32_t)r->system->n_flows;

    l->figure = (struct tg_plot_figure){.form = TG_PLOT_STEPS,
                                        .x_label = "time from arrival to delivery",
                                        .x_format = "%.0s %cs",
                                        .x_min = 1e9,
                                        .panels = l->panels};
    add_policies(r, &l->figure);
    for (uint32_t k = 0u; k <= n_flows && l->figure.n_panels < LATENCY_PANELS_MAX; k++) {
        const uint32_t flow = k < n_flows ? k + 1u : 0u; /* best effort comes last */

        if (any_delivered(r, flow)) {
            add_latency_panel(l, r, flow);
        }
    }
    if (l->figure.n_panels == 0u) {
        return 0;
    }
    finish_distributions(l);
    return put_figure(
        draw_plot, &l->figure,
        "Distributions of the time from arrival to delivery, a panel per flow, a line per policy",
        "<b>How long packets take.</b> A panel per flow. The height of a curve at a time is the "
        "share of all packets sent that had been delivered within that time: the further left, the "
        "faster, and where it ends below 100 % the rest was lost or dropped. A steep curve means "
        "that all packets take the same time.",
        out);
}

int tg_figure_latency(const struct tg_run_result *r, FILE *out)
{
    struct latency *const l = calloc(1u, sizeof *l);

    if (l == NULL) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    const int err = put_latency(l, r, out);

    free(l);
    return err;
}

/* ---- The first milliseconds ------------------------------------------------------------------ */

int tg_figure_timeline(const struct tg_run_result *r, const struct tg_timeline *timeline, FILE *out)
{
    static const char how[] =
        "A panel per policy, all on the same arrivals. The upper tracks show the packets of flows "
        "that have a source of their own: an open triangle where one arrives, a dot where it is "
        "delivered, a cross where it is lost. Below, a bar wherever somebody has the CPU: one at a "
        "time, but where they alternate faster than a picture can show, bars run together. A small "
        "triangle at the foot of a task is the release of a job, a cross is a deadline that passed "
        "while the job was unfinished.";
    char caption[sizeof how + 64u];

    (void)snprintf(caption, sizeof caption, "<b>The first milliseconds%s.</b> %s",
                   tg_flood_any(r->scenario) ? " of the flood" : "", how);
    return put_figure(draw_tracks, tg_timeline_figure(timeline),
                      "Who has the CPU in the first milliseconds, a panel per policy", caption,
                      out);
}
