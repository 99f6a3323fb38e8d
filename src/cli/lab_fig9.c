/* SPDX-License-Identifier: MIT
 *
 * lab_fig9.c - what a packet costs a thread of medium priority, in instructions: what the thread
 * does not get, divided by the packets sent.
 */
#include "lab.h"

#include "rate_text.h"

#include <inttypes.h>

#define RATES_MAX 9u
#define HEADLINE  100000u /* packets a second: "under flood" */

/* The gate stays open up to eight times the load that closes that of the stock driver, and low
 * packets are taken at the rate that one takes. */
#define GATE        "{packets: 25, period: 2 ms}"
#define FACTOR      8u
#define LOW         "{packets: 3, period: 2 ms}"
#define LESS_BAR    88u /* % */
#define LENGTH      18u /* bytes of payload: the smallest frame */
#define LENGTH_LONG 1000u

static const uint64_t RATES[] = {100u,   316u,    1000u,   3160u,   10000u,
                                 31600u, 100000u, 316000u, 1000000u};
static const uint64_t RATES_QUICK[] = {1000u, HEADLINE, 1000000u};

static const struct {
    const char *name;
    const char *match;
} FLOWS[] = {{"low", "udp dst port 5001 and src host 10.0.0.2 and dst host 10.0.0.1"},
             {"high", "udp dst port 5000 and src host 10.0.0.2 and dst host 10.0.0.1"}};

enum { LOW_FLOW, HIGH_FLOW, N_FLOWS };

/* Cells beside the grid: the gated stock driver just before it closes, Tidegate at eight times that
 * rate, and long packets under flood. */
enum { EXTRA_GATED, EXTRA_TIDEGATE, EXTRA_LONG_STOCK, EXTRA_LONG_TIDEGATE, EXTRAS };

struct point {
    size_t flow;
    size_t variant;
    uint64_t rate_pps;
    uint32_t length;
    uint64_t packets;
    uint64_t spent; /* instructions that the worker did not get */
    uint64_t total; /* there were */
    uint64_t closed;
};

#define POINTS_MAX (N_FLOWS * LAB_VARIANTS * RATES_MAX + EXTRAS)

struct measure {
    const uint64_t *rates;
    size_t n_rates;
    size_t n;
    size_t extras; /* index of the first */
    struct point points[POINTS_MAX];
    struct tg_board_cell cells[POINTS_MAX];
    struct tg_system *systems[POINTS_MAX];
};

/* Long enough for a hundred packets, short enough for the emulator. */
static tg_ns duration_of(uint64_t rate_pps)
{
    return rate_pps >= 100000u ? UINT64_C(20000000)
           : rate_pps > 1000u  ? UINT64_C(200000000)
                               : UINT64_C(1000000000);
}

static void add(const struct tg_lab *lab, struct measure *m, struct point point)
{
    char traffic[256] = "";
    const struct tg_lab_setup setup = {.costs = &lab->costs,
                                       .gate = GATE,
                                       .high = "{packets: 24, period: 2 ms}",
                                       .low = LOW,
                                       .rest = LOW,
                                       .traffic = traffic,
                                       .floor = 2u,
                                       .for_ns = duration_of(point.rate_pps)};

    tg_lab_rate_line(traffic, sizeof traffic, FLOWS[point.flow].match, point.rate_pps, 37u,
                     point.length);
    m->systems[m->n] = tg_lab_system(&setup);
    m->points[m->n] = point;
    m->cells[m->n] = (struct tg_board_cell){.system = m->systems[m->n],
                                            .scenario = &m->systems[m->n]->scenarios[0],
                                            .policy = tg_lab_variants[point.variant].policy,
                                            .stack = lab->stack,
                                            .shift = LAB_SHIFT_RATES,
                                            .worker_priority = LAB_WORKER_PRIORITY,
                                            .stock_gate_pkts = LAB_STOCK_GATE_PKTS,
                                            .stock_gate_period_ns = LAB_GATE_PERIOD_NS};
    m->n++;
}

static void plan(const struct tg_lab *lab, struct measure *m)
{
    const uint64_t closing_pps = LAB_STOCK_GATE_PKTS * UINT64_C(1000000000) / LAB_GATE_PERIOD_NS;

    m->n = 0u;
    m->rates = lab->is_quick ? RATES_QUICK : RATES;
    m->n_rates =
        lab->is_quick ? sizeof RATES_QUICK / sizeof RATES_QUICK[0] : sizeof RATES / sizeof RATES[0];
    for (size_t f = 0u; f < N_FLOWS; f++) {
        for (size_t v = 0u; v < LAB_VARIANTS; v++) {
            for (size_t r = 0u; r < m->n_rates; r++) {
                add(lab, m,
                    (struct point){
                        .flow = f, .variant = v, .rate_pps = m->rates[r], .length = LENGTH});
            }
        }
    }
    m->extras = m->n;
    add(lab, m,
        (struct point){.variant = LAB_VARIANT_GATED, .rate_pps = closing_pps, .length = LENGTH});
    add(lab, m,
        (struct point){
            .variant = LAB_VARIANT_TIDEGATE, .rate_pps = FACTOR * closing_pps, .length = LENGTH});
    add(lab, m,
        (struct point){.variant = LAB_VARIANT_HIGH, .rate_pps = HEADLINE, .length = LENGTH_LONG});
    add(lab, m,
        (struct point){
            .variant = LAB_VARIANT_TIDEGATE, .rate_pps = HEADLINE, .length = LENGTH_LONG});
}

static int run(struct tg_lab *lab, struct measure *m)
{
    plan(lab, m);

    int status = tg_board_run(&lab->board, "lab", m->cells, m->n);

    for (size_t i = 0u; i < m->n && status == TG_EXIT_HOLDS; i++) {
        struct point *const p = &m->points[i];
        struct tg_board_result r;

        status = tg_board_read(&m->cells[i], "lab", &r);
        if (status == TG_EXIT_HOLDS) {
            p->total = m->cells[i].scenario->for_ns >> LAB_SHIFT_RATES;
            p->spent = p->total > r.worker ? p->total - r.worker : 0u;
            p->packets = r.flows[LAB_FLOW_HIGH].sent + r.flows[LAB_FLOW_LOW].sent;
            p->closed = r.closed;
            tg_board_free(&r);
        }
    }
    for (size_t i = 0u; i < m->n; i++) {
        tg_system_free(m->systems[i]);
    }
    return status;
}

static uint64_t per_packet(const struct point *p)
{
    return p->packets != 0u ? (p->spent + p->packets / 2u) / p->packets : 0u;
}

static const struct point *find(const struct measure *m, size_t flow, size_t variant, size_t rate)
{
    return &m->points[(flow * LAB_VARIANTS + variant) * m->n_rates + rate];
}

/* ---- What is printed ------------------------------------------------------------------------- */

static void print(const struct tg_lab *lab, const struct measure *m)
{
    struct tg_column columns[2u + LAB_VARIANTS] = {{"packets", NULL, TG_LEFT},
                                                   {"rate", NULL, TG_RIGHT}};

    for (size_t v = 0u; v < LAB_VARIANTS; v++) {
        columns[2u + v] = (struct tg_column){tg_lab_variants[v].name, "instr.", TG_RIGHT};
    }
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (size_t f = 0u; f < N_FLOWS; f++) {
        for (size_t r = 0u; r < m->n_rates; r++) {
            char text[TG_RATE_TEXT_BYTES];

            tg_table_cell(t, TG_STRONG, "%s", r == 0u ? FLOWS[f].name : "");
            tg_table_cell(t, TG_PLAIN, "%s", tg_rate_text(m->rates[r], text));
            for (size_t v = 0u; v < LAB_VARIANTS; v++) {
                tg_table_count(t, TG_PLAIN, per_packet(find(m, f, v, r)));
            }
        }
    }
    tg_lab_table(lab,
                 "Figure 9: instructions per packet sent, not left to a thread between the two "
                 "priorities",
                 t);
}

static void write_json(struct tg_json *j, const struct measure *m)
{
    tg_json_array(j, "fig9");
    for (size_t i = 0u; i < m->n; i++) {
        const struct point *const p = &m->points[i];

        tg_json_row(j, NULL);
        tg_json_text(j, "flow", FLOWS[p->flow].name);
        tg_json_text(j, "policy", tg_lab_variants[p->variant].name);
        tg_json_count(j, "rate_pps", p->rate_pps);
        tg_json_count(j, "payload_bytes", p->length);
        tg_json_count(j, "packets", p->packets);
        tg_json_count(j, "instructions", p->spent);
        tg_json_count(j, "of", p->total);
        tg_json_count(j, "closed", p->closed);
        tg_json_end(j);
    }
    tg_json_end(j);
}

static int draw(const struct tg_lab *lab, const struct measure *m)
{
    static double x[N_FLOWS][LAB_VARIANTS][RATES_MAX];
    static double y[N_FLOWS][LAB_VARIANTS][RATES_MAX];
    struct tg_plot_panel panels[N_FLOWS] = {
        {.title = "packets of low priority", .y_label = "instructions per packet"},
        {.title = "packets of high priority", .y_label = "instructions per packet"}};
    struct tg_plot_figure figure = {.form = TG_PLOT_LINES,
                                    .x_label = "packets a second",
                                    .x_format = "%.0s%c",
                                    .x_min = (double)m->rates[0],
                                    .x_max = (double)m->rates[m->n_rates - 1u],
                                    .panels = panels,
                                    .n_panels = N_FLOWS,
                                    .n_legend = LAB_VARIANTS};

    for (size_t f = 0u; f < N_FLOWS; f++) {
        panels[f].n_series = LAB_VARIANTS;
        panels[f].y_format = "%g";
        for (size_t v = 0u; v < LAB_VARIANTS; v++) {
            for (size_t r = 0u; r < m->n_rates; r++) {
                x[f][v][r] = (double)m->rates[r];
                y[f][v][r] = (double)per_packet(find(m, f, v, r));
            }
            panels[f].series[v] = (struct tg_plot_series){
                .look = tg_lab_variants[v].look, .x = x[f][v], .y = y[f][v], .n = m->n_rates};
            figure.legend[v] =
                (struct tg_plot_legend){tg_lab_variants[v].name, tg_lab_variants[v].look};
        }
    }
    return tg_lab_figure(lab, &figure, "Figure 9: instructions per packet over the rate");
}

/* ---- The experiment -------------------------------------------------------------------------- */

static void judge_saving(struct tg_lab *lab, const struct point *stock, const struct point *p)
{
    const uint64_t before = per_packet(stock);
    const uint64_t after = per_packet(p);
    char text[96];

    (void)snprintf(text, sizeof text,
                   "low packets at 100 kpps, %u bytes: %u %% fewer instructions than stock-high",
                   (unsigned)p->length, LESS_BAR);
    tg_lab_bar(lab, 100u * (before - after) >= LESS_BAR * before && after < before, text,
               "%" PRIu64 " and %" PRIu64 ": %.1f %% fewer", before, after,
               100.0 * (double)(before - after) / (double)before);
}

static void judge(struct tg_lab *lab, const struct measure *m)
{
    const struct point *const extra = &m->points[m->extras];
    const double gated =
        100.0 * (double)extra[EXTRA_GATED].spent / (double)extra[EXTRA_GATED].total;
    const double ours =
        100.0 * (double)extra[EXTRA_TIDEGATE].spent / (double)extra[EXTRA_TIDEGATE].total;
    size_t headline = 0u;

    while (m->rates[headline] != HEADLINE) {
        headline++;
    }
    judge_saving(lab, find(m, LOW_FLOW, LAB_VARIANT_HIGH, headline),
                 find(m, LOW_FLOW, LAB_VARIANT_TIDEGATE, headline));
    judge_saving(lab, &extra[EXTRA_LONG_STOCK], &extra[EXTRA_LONG_TIDEGATE]);
    tg_lab_bar(lab, extra[EXTRA_TIDEGATE].closed == 0u && ours <= gated,
               "interrupts stay on up to 8 times the load of gated stock, for its share of the CPU",
               "%.1f times: %.2f %% at 8 times, stock %.2f %%", (double)FACTOR * gated / ours, ours,
               gated);
}

int tg_lab_fig9(struct tg_lab *lab)
{
    static struct measure m;
    int status = run(lab, &m);

    if (status == TG_EXIT_HOLDS) {
        judge(lab, &m);
        if (lab->json != NULL) {
            write_json(lab->json, &m);
        } else {
            print(lab, &m);
        }
        status = draw(lab, &m);
    }
    return status;
}
