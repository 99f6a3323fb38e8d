/* SPDX-License-Identifier: MIT
 *
 * lab_fig11.c - load of the CPU and delivery of urgent packets, over their rate and the rate of a
 * flood of others, with a critical task beside them.
 */
#include "lab.h"
#include "proof.h"
#include "rate_text.h"

#include <inttypes.h>

#define HIGHS_MAX 4u
#define LOWS_MAX  4u

#define GATE      "{packets: 25, period: 2 ms}"
#define GATE_PPS  12000u /* up to here it stays open */
#define HIGH      "{packets: 24, period: 2 ms}"
#define LOW       "{packets: 3, period: 2 ms}"
#define FOR_NS    UINT64_C(3000000000)
#define QUICK_NS  UINT64_C(200000000)
#define LENGTH    18u
#define TOLERANCE 10u /* thousandths of the packets sent */
#define PER_MILLE 1000u

static const uint64_t HIGHS[] = {100u, 1000u, 5000u, 10000u};
static const uint64_t LOWS[] = {100u, 1000u, 10000u, 100000u};
static const uint64_t HIGHS_QUICK[] = {1000u};
static const uint64_t LOWS_QUICK[] = {1000u, 100000u};

struct point {
    uint64_t busy_permille;
    uint64_t sent; /* urgent packets */
    uint64_t delivered;
    uint64_t in_flight; /* at most: accepted at the end, not delivered yet */
    uint64_t closed;
    tg_ns worst_ns; /* of the critical task */
};

#define POINTS_MAX (HIGHS_MAX * LOWS_MAX * LAB_VARIANTS)

struct measure {
    const uint64_t *highs;
    const uint64_t *lows;
    size_t n_highs;
    size_t n_lows;
    uint64_t bound_ns; /* of the critical task */
    struct point points[POINTS_MAX];
    struct tg_board_cell cells[POINTS_MAX];
    struct tg_system *systems[POINTS_MAX];
};

static size_t index_of(const struct measure *m, size_t high, size_t low, size_t variant)
{
    return (high * m->n_lows + low) * LAB_VARIANTS + variant;
}

static size_t count(const struct measure *m)
{
    return m->n_highs * m->n_lows * LAB_VARIANTS;
}

static void plan_cell(const struct tg_lab *lab, struct measure *m, size_t h, size_t l, size_t v)
{
    const size_t i = index_of(m, h, l, v);
    char traffic[512] = "";
    const struct tg_lab_setup setup = {.costs = &lab->costs,
                                       .gate = GATE,
                                       .high = HIGH,
                                       .low = LOW,
                                       .rest = LOW,
                                       .traffic = traffic,
                                       .floor = 2u,
                                       .for_ns = lab->is_quick ? QUICK_NS : FOR_NS,
                                       .has_task = true};

    tg_lab_rate_line(traffic, sizeof traffic,
                     "udp dst port 5000 and src host 10.0.0.2 and dst host 10.0.0.1", m->highs[h],
                     37u, LENGTH);
    tg_lab_rate_line(traffic, sizeof traffic,
                     "udp dst port 5001 and src host 10.0.0.2 and dst host 10.0.0.1", m->lows[l],
                     11u, LENGTH);
    m->systems[i] = tg_lab_system(&setup);
    m->cells[i] = (struct tg_board_cell){.system = m->systems[i],
                                         .scenario = &m->systems[i]->scenarios[0],
                                         .policy = tg_lab_variants[v].policy,
                                         .stack = lab->stack,
                                         .shift = LAB_SHIFT_RATES,
                                         .worker_priority = LAB_PRIORITY_IDLE,
                                         .stock_gate_pkts = LAB_STOCK_GATE_PKTS,
                                         .stock_gate_period_ns = LAB_GATE_PERIOD_NS};
}

static void plan(const struct tg_lab *lab, struct measure *m)
{
    m->highs = lab->is_quick ? HIGHS_QUICK : HIGHS;
    m->lows = lab->is_quick ? LOWS_QUICK : LOWS;
    m->n_highs = lab->is_quick ? 1u : HIGHS_MAX;
    m->n_lows = lab->is_quick ? 2u : LOWS_MAX;
    for (size_t h = 0u; h < m->n_highs; h++) {
        for (size_t l = 0u; l < m->n_lows; l++) {
            for (size_t v = 0u; v < LAB_VARIANTS; v++) {
                plan_cell(lab, m, h, l, v);
            }
        }
    }
}

static void take(const struct tg_board_cell *cell, const struct tg_board_result *r, struct point *p)
{
    const uint64_t total = cell->scenario->for_ns >> cell->shift;
    const struct tg_board_flow *const high = &r->flows[LAB_FLOW_HIGH];

    p->busy_permille = PER_MILLE - (r->worker * PER_MILLE + total / 2u) / total;
    p->sent = high->sent;
    p->delivered = high->delivered;
    p->in_flight =
        high->sent - high->lost - high->dropped_budget - high->dropped_no_buffer - high->delivered;
    p->closed = r->closed;
    p->worst_ns = r->tasks[0].worst_ns;
}

/* The bound is of the tables, so it is the same for every cell. */
static uint64_t bound_of(const struct tg_system *system)
{
    struct tg_proof proof;
    char text[512];
    uint64_t bound_ns = TG_NO_BOUND;

    if (tg_proof_open(system, &proof, text, sizeof text) == 0) {
        bound_ns = proof.result.tasks[0].response.value;
        tg_proof_close(&proof);
    }
    return bound_ns;
}

static int run(struct tg_lab *lab, struct measure *m)
{
    plan(lab, m);

    int status = tg_board_run(&lab->board, "lab", m->cells, count(m));

    m->bound_ns = bound_of(m->systems[0]);
    for (size_t i = 0u; i < count(m); i++) {
        struct tg_board_result r;

        if (status == TG_EXIT_HOLDS) {
            status = tg_board_read(&m->cells[i], "lab", &r);
        }
        if (status == TG_EXIT_HOLDS) {
            take(&m->cells[i], &r, &m->points[i]);
            tg_board_free(&r);
        }
        tg_system_free(m->systems[i]);
    }
    return status;
}

static uint64_t delivered_permille(const struct point *p)
{
    return p->sent != 0u ? p->delivered * PER_MILLE / p->sent : PER_MILLE;
}

/* ---- What is printed ------------------------------------------------------------------------- */

static void print(const struct tg_lab *lab, const struct measure *m)
{
    struct tg_column columns[2u + LAB_VARIANTS] = {{"urgent", NULL, TG_RIGHT},
                                                   {"flood", NULL, TG_RIGHT}};

    for (size_t v = 0u; v < LAB_VARIANTS; v++) {
        columns[2u + v] =
            (struct tg_column){tg_lab_variants[v].name, "CPU %  delivered %", TG_RIGHT};
    }
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0u; i < m->n_highs * m->n_lows; i++) {
        char text[TG_RATE_TEXT_BYTES];

        tg_table_cell(t, TG_STRONG, "%s", tg_rate_text(m->highs[i / m->n_lows], text));
        tg_table_cell(t, TG_PLAIN, "%s", tg_rate_text(m->lows[i % m->n_lows], text));
        for (size_t v = 0u; v < LAB_VARIANTS; v++) {
            const struct point *const p = &m->points[i * LAB_VARIANTS + v];

            tg_table_cell(t, TG_PLAIN, "%5.1f  %6.1f", (double)p->busy_permille / 10.0,
                          (double)delivered_permille(p) / 10.0);
        }
    }
    tg_lab_table(lab, "Figure 11: load of the CPU, and urgent packets delivered", t);
}

static void write_json(struct tg_json *j, const struct measure *m)
{
    tg_json_array(j, "fig11");
    for (size_t i = 0u; i < count(m); i++) {
        const struct point *const p = &m->points[i];

        tg_json_row(j, NULL);
        tg_json_text(j, "policy", tg_lab_variants[i % LAB_VARIANTS].name);
        tg_json_count(j, "high_pps", m->highs[i / LAB_VARIANTS / m->n_lows]);
        tg_json_count(j, "low_pps", m->lows[i / LAB_VARIANTS % m->n_lows]);
        tg_json_count(j, "busy_permille", p->busy_permille);
        tg_json_count(j, "sent", p->sent);
        tg_json_count(j, "delivered", p->delivered);
        tg_json_count(j, "closed", p->closed);
        tg_json_count(j, "critical_worst_ns", p->worst_ns);
        tg_json_end(j);
    }
    tg_json_end(j);
}

/* One panel a rate of urgent packets, one line a variant. */
static int draw_one(const struct tg_lab *lab, const struct measure *m, bool is_delivery)
{
    static double x[POINTS_MAX][LOWS_MAX];
    static double y[POINTS_MAX][LOWS_MAX];
    static char titles[HIGHS_MAX][64];
    struct tg_plot_panel panels[HIGHS_MAX] = {{0}};
    struct tg_plot_figure figure = {.form = TG_PLOT_LINES,
                                    .x_label = "packets of low priority a second",
                                    .x_format = "%.0s%c",
                                    .x_min = (double)m->lows[0],
                                    .x_max = (double)m->lows[m->n_lows - 1u],
                                    .panels = panels,
                                    .n_panels = m->n_highs,
                                    .n_legend = LAB_VARIANTS};

    for (size_t h = 0u; h < m->n_highs; h++) {
        (void)snprintf(titles[h], sizeof titles[h], "%" PRIu64 " urgent packets a second",
                       m->highs[h]);
        panels[h] = (struct tg_plot_panel){.title = titles[h],
                                           .y_label = is_delivery ? "delivered, %" : "CPU busy, %",
                                           .n_series = LAB_VARIANTS,
                                           .y_max = 105.0};
        for (size_t v = 0u; v < LAB_VARIANTS; v++) {
            const size_t series = h * LAB_VARIANTS + v;

            for (size_t l = 0u; l < m->n_lows; l++) {
                const struct point *const p = &m->points[index_of(m, h, l, v)];

                x[series][l] = (double)m->lows[l];
                y[series][l] =
                    (double)(is_delivery ? delivered_permille(p) : p->busy_permille) / 10.0;
            }
            panels[h].series[v] = (struct tg_plot_series){
                .look = tg_lab_variants[v].look, .x = x[series], .y = y[series], .n = m->n_lows};
            figure.legend[v] =
                (struct tg_plot_legend){tg_lab_variants[v].name, tg_lab_variants[v].look};
        }
    }
    return tg_lab_figure(lab, &figure,
                         is_delivery ? "Figure 11: urgent packets delivered, of those sent"
                                     : "Figure 11: load of the CPU");
}

/* ---- The experiment -------------------------------------------------------------------------- */

static void judge(struct tg_lab *lab, const struct measure *m)
{
    size_t kept = 0u;
    size_t whole = 0u;
    size_t below = 0u;
    tg_ns worst_ns = 0u;

    for (size_t i = 0u; i < m->n_highs * m->n_lows; i++) {
        const struct point *const p = &m->points[i * LAB_VARIANTS + LAB_VARIANT_TIDEGATE];
        const struct point *const gated = &m->points[i * LAB_VARIANTS + LAB_VARIANT_GATED];

        /* What had been accepted a moment before the end is no loss. */
        if (p->closed == 0u) {
            kept++;
            whole += p->delivered + p->in_flight == p->sent && p->in_flight <= 1u;
        }
        below += delivered_permille(p) + TOLERANCE < delivered_permille(gated);
        worst_ns = p->worst_ns > worst_ns ? p->worst_ns : worst_ns;
    }
    tg_lab_bar(lab, whole == kept && kept != 0u,
               "urgent packets: all delivered where budget and gate are kept", "%zu of %zu cells",
               whole, kept);
    tg_lab_bar(lab, below == 0u, "urgent packets: never fewer than stock-limited delivers",
               "%zu of %zu cells", m->n_highs * m->n_lows - below, m->n_highs * m->n_lows);
    tg_lab_bar(lab, worst_ns <= m->bound_ns, "critical task: worst response within its bound",
               "%.1f us, bound %.1f us", (double)worst_ns / 1e3, (double)m->bound_ns / 1e3);
}

int tg_lab_fig11(struct tg_lab *lab)
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
        status = draw_one(lab, &m, false);
    }
    return status == TG_EXIT_HOLDS ? draw_one(lab, &m, true) : status;
}
