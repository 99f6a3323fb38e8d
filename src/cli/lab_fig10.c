/* SPDX-License-Identifier: MIT
 *
 * lab_fig10.c - how long a receive interrupt is, by what becomes of the frame. A thread above all
 * others sees how long each interrupt keeps it from running: vector entry to exit, all of it.
 */
#include "lab.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLE_NS UINT64_C(200000)
#define BAR       400u /* instructions */

#define UNLIMITED "unlimited"
#define SPENT     "{packets: 1, period: 3600 s}" /* the first packet takes it */
#define REFILLED  "{packets: 8, period: 1 ms}"
#define GATE      "{packets: 100, period: 2 ms}"

/* IPv4, IPv6 and a tag in turn. */
#define IN_TURN(match)                                                                             \
    "      - {frames: ip and " match ", every: 600 us, from: 200 us}\n"                            \
    "      - {frames: ip6 and " match ", every: 600 us, from: 400 us}\n"                           \
    "      - {frames: vlan 5 and ip and " match ", every: 600 us, from: 600 us}\n"

/* A packet shortly before, which the protocol task has in hand. */
#define BUSY "      - {frames: udp dst port 5001, every: 200 us, from: 140 us}\n"

struct outcome {
    const char *name;
    enum lab_policy policy;
    const char *gate;
    const char *high;
    const char *low;
    const char *rest;
    uint32_t floor;
    tg_ns deferred_ns;
    const char *traffic;
};

static const struct outcome OUTCOMES[] = {
    {"stock driver", LAB_STOCK_HIGH, GATE, UNLIMITED, UNLIMITED, UNLIMITED, 2u, 1000u,
     IN_TURN("udp dst port 5000")},
    {"enqueue low, task busy", LAB_TIDEGATE, GATE, REFILLED, UNLIMITED, UNLIMITED, 4u, 30000u,
     BUSY IN_TURN("udp dst port 5001")},
    {"enqueue low, wake", LAB_TIDEGATE, GATE, REFILLED, REFILLED, UNLIMITED, 4u, 1000u,
     IN_TURN("udp dst port 5001")},
    {"enqueue high, raise", LAB_TIDEGATE, GATE, REFILLED, UNLIMITED, UNLIMITED, 2u, 30000u,
     BUSY IN_TURN("udp dst port 5000")},
    {"enqueue high, raise and wake", LAB_TIDEGATE, GATE, REFILLED, UNLIMITED, UNLIMITED, 2u, 1000u,
     IN_TURN("udp dst port 5000")},
    {"enqueue high, gate was idle", LAB_TIDEGATE, "{packets: 100, period: 10 us}", REFILLED,
     UNLIMITED, UNLIMITED, 2u, 1000u, IN_TURN("udp dst port 5000")},
    {"drop budget", LAB_TIDEGATE, GATE, UNLIMITED, SPENT, UNLIMITED, 2u, 1000u,
     IN_TURN("udp dst port 5001")},
    {"drop best effort", LAB_TIDEGATE, GATE, UNLIMITED, UNLIMITED, SPENT, 2u, 1000u,
     IN_TURN("udp dst port 9")},
    {"malformed", LAB_TIDEGATE, GATE, UNLIMITED, UNLIMITED, UNLIMITED, 2u, 1000u,
     "      - {frames: ip and udp dst port 5000, every: 400 us, from: 200 us, form: malformed}\n"
     "      - {frames: ip6 and udp dst port 5000, every: 400 us, from: 400 us, form: malformed}\n"},
    /* The longest of all: the gate was idle, the flow's refill is due, the gate closes, its timer
     * is not running, the task is raised and woken; all of the frame's head, every comparison of
     * addresses. */
    {"enqueue high, gate closes", LAB_TIDEGATE, "{packets: 1, period: 50 us}",
     "{packets: 8, period: 190 us}", UNLIMITED, UNLIMITED, 2u, 1000u,
     "      - {frames: vlan 5 and ip6 and udp dst port 5000 and src host 2001:db8::2 and dst host "
     "2001:db8::1 and ether broadcast, every: 200 us, from: 200 us, length: 100}\n"},
};

enum { /* in OUTCOMES */
       OUTCOME_STOCK = 0,
       OUTCOME_WAKE = 2,
       OUTCOME_HIGH = 4,
       OUTCOME_DROP_BUDGET = 6,
       OUTCOME_DROP_BEST_EFFORT,
       OUTCOME_MALFORMED
};

#define N_OUTCOMES (sizeof OUTCOMES / sizeof OUTCOMES[0])

struct measure {
    struct tg_board_cell cells[N_OUTCOMES];
    struct tg_system *systems[N_OUTCOMES];
    struct tg_board_result results[N_OUTCOMES];
};

static void plan(const struct tg_system *matches_of, struct measure *m, uint32_t samples)
{
    for (size_t i = 0u; i < N_OUTCOMES; i++) {
        const struct outcome *const o = &OUTCOMES[i];
        const struct tg_lab_costs costs = {
            .eager_ns = 1u, .refused_ns = 1u, .deferred_ns = o->deferred_ns};
        const struct tg_lab_setup setup = {.costs = &costs,
                                           .gate = o->gate,
                                           .high = o->high,
                                           .low = o->low,
                                           .rest = o->rest,
                                           .traffic = o->traffic,
                                           .floor = o->floor,
                                           .for_ns = (samples + 2u) * SAMPLE_NS,
                                           .matches_of = matches_of};

        m->systems[i] = tg_lab_system(&setup);
        m->cells[i] = (struct tg_board_cell){.system = m->systems[i],
                                             .scenario = &m->systems[i]->scenarios[0],
                                             .policy = o->policy,
                                             .shift = LAB_SHIFT_EXACT,
                                             .worker_priority = LAB_PRIORITY_IDLE,
                                             .samples = samples,
                                             .sample_ns = SAMPLE_NS};
    }
}

static int run(struct tg_lab *lab, struct measure *m, uint32_t samples)
{
    plan(lab->system, m, samples);

    int status = tg_board_run(&lab->board, "lab", m->cells, N_OUTCOMES);

    for (size_t i = 0u; i < N_OUTCOMES && status == TG_EXIT_HOLDS; i++) {
        status = tg_board_read(&m->cells[i], "lab", &m->results[i]);
    }
    return status;
}

static void release(struct measure *m)
{
    for (size_t i = 0u; i < N_OUTCOMES; i++) {
        tg_board_free(&m->results[i]);
        tg_system_free(m->systems[i]);
    }
}

/* The length that this share of the interrupts (in ten thousandths) does not exceed. */
static uint64_t quantile(const struct tg_board_result *r, uint64_t ten_thousandths)
{
    uint64_t n = 0u;
    uint64_t seen = 0u;

    for (size_t i = 0u; i < r->n_samples; i++) {
        n += r->samples[i].n;
    }
    const uint64_t rank = (n * ten_thousandths + 9999u) / 10000u;

    for (size_t i = 0u; i < r->n_samples; i++) {
        seen += r->samples[i].n;
        if (seen >= rank && seen != 0u) {
            return r->samples[i].instructions;
        }
    }
    return 0u;
}

/* What the kinds of matches of lab->system add to a frame that none takes, so at most to any: with
 * is its length with them. */
static int measure_matches(struct tg_lab *lab, uint64_t with, uint64_t *more)
{
    static struct measure m;
    struct tg_board_cell *const cell = &m.cells[OUTCOME_DROP_BEST_EFFORT];
    struct tg_board_result *const result = &m.results[OUTCOME_DROP_BEST_EFFORT];

    plan(NULL, &m, LAB_SAMPLES_QUICK);
    int status = tg_board_run(&lab->board, "lab", cell, 1u);

    if (status == TG_EXIT_HOLDS) {
        status = tg_board_read(cell, "lab", result);
    }
    if (status == TG_EXIT_HOLDS) {
        const uint64_t without = quantile(result, 10000u);

        *more = with > without ? with - without : 0u;
    }
    release(&m);
    return status;
}

/* What firmware/boards/zynq/bound.sh derived from the compiled code when it was built. */
struct bounds {
    unsigned of_lab; /* for the frames of figure 10 */
    unsigned open;   /* of these: for those that leave the gate open */
    unsigned of_any; /* for any frames; flows of one shape, like the others */
};

static int read_bounds(const struct tg_board *board, struct bounds *b)
{
    char path[TG_BOARD_PATH_BYTES + 16u];

    (void)snprintf(path, sizeof path, "%s/bound.txt", board->firmware);
    FILE *const in = fopen(path, "r");
    const bool is_read =
        in != NULL && fscanf(in, "%u %u %u", &b->of_lab, &b->open, &b->of_any) == 3;

    if (in != NULL) {
        (void)fclose(in);
    }
    if (!is_read) {
        fprintf(stderr,
                "tidegate lab: %s does not hold the three bounds of the receive interrupt: build "
                "the firmware again\n",
                path);
        return TG_EXIT_LACKS;
    }
    return TG_EXIT_HOLDS;
}

int tg_lab_measure_paths(struct tg_lab *lab, struct tg_lab_paths *out)
{
    static struct measure m;
    struct bounds bounds = {0};
    int status = run(lab, &m, LAB_SAMPLES_QUICK);
    uint64_t more = 0u;

    *out = (struct tg_lab_paths){0};
    for (size_t i = 0u; i < N_OUTCOMES && status == TG_EXIT_HOLDS; i++) {
        const uint64_t longest = quantile(&m.results[i], 10000u);

        if (i == OUTCOME_STOCK) {
            out->stock = longest;
        } else if (longest > out->longest) {
            out->longest = longest;
        }
        if (i >= OUTCOME_DROP_BUDGET && i <= OUTCOME_MALFORMED && longest > out->refused) {
            out->refused = longest;
        }
        if (i == OUTCOME_WAKE) {
            out->waking = quantile(&m.results[i], 0u);
        }
        out->irq = m.results[i].around;
    }
    /* The frames above that are accepted are found by one of the first matches. */
    if (status == TG_EXIT_HOLDS && lab->system != NULL) {
        status =
            measure_matches(lab, quantile(&m.results[OUTCOME_DROP_BEST_EFFORT], 10000u), &more);
    }
    if (status == TG_EXIT_HOLDS) {
        status = read_bounds(&lab->board, &bounds);
    }
    if (bounds.of_any > out->longest) {
        out->longest = bounds.of_any;
    }
    out->longest += more;
    release(&m);
    return status;
}

/* Packets of which something else became than what is measured; a budget takes its first one. */
static uint64_t others(size_t outcome, const struct tg_board_result *r)
{
    uint64_t delivered = 0u;
    uint64_t over_budget = 0u;
    uint64_t gone = r->unregistered;

    for (uint32_t i = 0u; i < r->n_flows; i++) {
        delivered += r->flows[i].delivered;
        over_budget += r->flows[i].dropped_budget;
        gone += r->flows[i].lost + r->flows[i].dropped_no_buffer;
    }
    switch (outcome) {
    case OUTCOME_DROP_BUDGET:
    case OUTCOME_DROP_BEST_EFFORT:
        return gone + delivered + r->malformed;
    case OUTCOME_MALFORMED:
        return gone + delivered + over_budget;
    default:
        return gone + over_budget + r->malformed;
    }
}

/* ---- What is printed ------------------------------------------------------------------------- */

static const uint64_t RANKS[] = {0u, 9000u, 9900u, 9990u, 9999u, 10000u};
#define N_RANKS (sizeof RANKS / sizeof RANKS[0])

static void print(const struct tg_lab *lab, const struct measure *m)
{
    static const struct tg_column columns[] = {
        {"interrupt", NULL, TG_LEFT},   {"0 %", "instr.", TG_RIGHT},
        {"90 %", "instr.", TG_RIGHT},   {"99 %", "instr.", TG_RIGHT},
        {"99.9 %", "instr.", TG_RIGHT}, {"99.99 %", "instr.", TG_RIGHT},
        {"max", "instr.", TG_RIGHT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0u; i < N_OUTCOMES; i++) {
        tg_table_cell(t, TG_STRONG, "%s", OUTCOMES[i].name);
        for (size_t k = 0u; k < N_RANKS; k++) {
            tg_table_count(t, TG_PLAIN, quantile(&m->results[i], RANKS[k]));
        }
    }
    tg_lab_table(lab, "Figure 10: length of the receive interrupt, vector entry to exit", t);
}

static void write_json(struct tg_json *j, const struct measure *m)
{
    tg_json_array(j, "fig10");
    for (size_t i = 0u; i < N_OUTCOMES; i++) {
        tg_json_object(j, NULL);
        tg_json_text(j, "outcome", OUTCOMES[i].name);
        tg_json_count(j, "others", others(i, &m->results[i]));
        tg_json_array(j, "lengths");
        for (size_t k = 0u; k < m->results[i].n_samples; k++) {
            tg_json_row(j, NULL);
            tg_json_count(j, "instructions", m->results[i].samples[k].instructions);
            tg_json_count(j, "interrupts", m->results[i].samples[k].n);
            tg_json_end(j);
        }
        tg_json_end(j);
        tg_json_end(j);
    }
    tg_json_end(j);
}

#define POINTS_MAX 512u

/* A distribution as a staircase. Returns: how many points. */
static size_t points_of(const struct tg_board_result *r, double *x, double *y)
{
    double n = 0.0;
    double seen = 0.0;
    size_t points = 1u;

    for (size_t i = 0u; i < r->n_samples; i++) {
        n += (double)r->samples[i].n;
    }
    x[0] = 0.0;
    y[0] = 0.0;
    for (size_t i = 0u; i < r->n_samples && points + 2u <= POINTS_MAX; i++) {
        x[points] = (double)r->samples[i].instructions;
        y[points++] = 100.0 * seen / n;
        seen += (double)r->samples[i].n;
        x[points] = (double)r->samples[i].instructions;
        y[points++] = 100.0 * seen / n;
    }
    return points;
}

/* What is drawn, and its name in the legend; the stock driver stands in both panels. */
static const struct {
    size_t outcome;
    enum tg_look look;
    const char *name;
    size_t panel;
} SHOWN[] = {{OUTCOME_STOCK, TG_LOOK_RED, "stock", 0u},
             {OUTCOME_STOCK, TG_LOOK_RED, NULL, 1u},
             {OUTCOME_WAKE, TG_LOOK_BLUE, "low", 0u},
             {OUTCOME_HIGH, TG_LOOK_GREEN, "high", 0u},
             {OUTCOME_DROP_BUDGET, TG_LOOK_ORANGE, "budget", 1u},
             {OUTCOME_DROP_BEST_EFFORT, TG_LOOK_PURPLE, "best effort", 1u},
             {OUTCOME_MALFORMED, TG_LOOK_CYAN, "malformed", 1u}};

#define N_SHOWN (sizeof SHOWN / sizeof SHOWN[0])

static int draw(const struct tg_lab *lab, const struct measure *m)
{
    static double x[N_SHOWN][POINTS_MAX];
    static double y[N_SHOWN][POINTS_MAX];
    struct tg_plot_panel panels[2] = {
        {.title = "accepted: low, and high that raises and wakes", .y_label = "interrupts, %"},
        {.title = "refused: budget, best effort, malformed", .y_label = "interrupts, %"}};
    struct tg_plot_figure figure = {.form = TG_PLOT_STEPS,
                                    .x_label = "instructions, at most",
                                    .x_format = "%g",
                                    .x_max = 1000.0,
                                    .panels = panels,
                                    .n_panels = 2u};

    for (size_t i = 0u; i < 2u; i++) {
        panels[i].y_max = 100.0;
        panels[i].marks[panels[i].n_marks++] = (struct tg_plot_mark){BAR, "bar: 400"};
    }
    for (size_t i = 0u; i < N_SHOWN; i++) {
        struct tg_plot_panel *const p = &panels[SHOWN[i].panel];

        p->series[p->n_series++] =
            (struct tg_plot_series){.look = SHOWN[i].look,
                                    .x = x[i],
                                    .y = y[i],
                                    .n = points_of(&m->results[SHOWN[i].outcome], x[i], y[i])};
        if (SHOWN[i].name != NULL) {
            figure.legend[figure.n_legend++] =
                (struct tg_plot_legend){SHOWN[i].name, SHOWN[i].look};
        }
    }
    return tg_lab_figure(lab, &figure,
                         "Figure 10: share of the receive interrupts that are not longer");
}

/* ---- The experiment -------------------------------------------------------------------------- */

static void judge(struct tg_lab *lab, const struct measure *m, const struct bounds *bounds)
{
    uint64_t longest = 0u;
    const char *name = "";

    for (size_t i = 0u; i < N_OUTCOMES; i++) {
        if (i != OUTCOME_STOCK && quantile(&m->results[i], 10000u) > longest) {
            longest = quantile(&m->results[i], 10000u);
            name = OUTCOMES[i].name;
        }
    }
    tg_lab_bar(lab, longest <= BAR, "receive interrupt, every outcome: at most 400 instructions",
               "%u (%s)", (unsigned)longest, name);
    tg_lab_bar(lab, longest == bounds->of_lab,
               "receive interrupt: the longest is the bound of the code", "%u, bound %u",
               (unsigned)longest, bounds->of_lab);
}

int tg_lab_fig10(struct tg_lab *lab)
{
    static struct measure m;
    struct bounds bounds;
    int status = run(lab, &m, lab->is_quick ? LAB_SAMPLES_QUICK : LAB_SAMPLES);

    if (status == TG_EXIT_HOLDS) {
        status = read_bounds(&lab->board, &bounds);
    }
    if (status == TG_EXIT_HOLDS) {
        judge(lab, &m, &bounds);
        if (lab->json != NULL) {
            write_json(lab->json, &m);
        } else {
            print(lab, &m);
        }
        status = draw(lab, &m);
    }
    release(&m);
    return status;
}
