/* SPDX-License-Identifier: MIT
 *
 * lab.h - what the experiments of `tidegate lab` share.
 */
#ifndef TG_CLI_LAB_H
#define TG_CLI_LAB_H

#include "board.h"
#include "command.h"
#include "lab_system.h"

#include "report/json.h"
#include "report/plot.h"
#include "report/table.h"

/* An instruction takes 2^shift ns. A tick of the timer is 10 ns: at 5 every count is exact. Rates
 * need a faster processor. */
#define LAB_SHIFT_EXACT 5u
#define LAB_SHIFT_RATES 2u

/* Interrupts measured for each outcome. */
#define LAB_SAMPLES       100000u
#define LAB_SAMPLES_QUICK 1500u

/* A bar: what must hold, what was measured. */
struct tg_lab_bar {
    char text[96];
    char measured[64];
    bool holds;
};

#define LAB_BARS_MAX 16u

struct tg_lab {
    struct tg_board board;
    enum lab_stack stack;        /* of fig9 and fig11 */
    struct tg_lab_costs costs;   /* at LAB_SHIFT_RATES; valid after tg_lab_calibrate; safe */
    struct tg_lab_costs typical; /* likewise, of scenario, to compare with the simulator */
    tg_ns way_ns;                /* of deferred: what the way through the protocol task takes */
    struct tg_json *json;        /* NULL: tables */
    FILE *report;                /* NULL: none */
    bool is_quick;

    /* calibrate: the file that the costs are for, and whose frames are typical; or NULL */
    const struct tg_system *system;
    const struct tg_system_scenario *scenario;
    struct tg_lab_bar bars[LAB_BARS_MAX];
    size_t n_bars;
};

/* The variants that are compared. */
struct tg_lab_variant {
    const char *name;
    enum lab_policy policy;
    enum tg_look look;
};

#define LAB_VARIANTS 4u
extern const struct tg_lab_variant tg_lab_variants[LAB_VARIANTS];
enum { LAB_VARIANT_HIGH, LAB_VARIANT_LOW, LAB_VARIANT_GATED, LAB_VARIANT_TIDEGATE };

/* The published gate of the stock driver. */
#define LAB_STOCK_GATE_PKTS 3u
#define LAB_GATE_PERIOD_NS  UINT64_C(2000000)

/* Each runs its cells, prints its tables, and adds bars.
 *
 * Context: main task.
 * Returns: an enum tg_exit, after a message. */
int tg_lab_calibrate(struct tg_lab *lab);
int tg_lab_fig9(struct tg_lab *lab);
int tg_lab_fig10(struct tg_lab *lab);
int tg_lab_fig11(struct tg_lab *lab);

/* Lengths of interrupts, entry to exit, in instructions. */
struct tg_lab_paths {
    uint64_t longest; /* with the core: the bound of the code for any frame */
    uint64_t refused; /* longest of the outcomes in which the packet is not accepted */
    uint64_t waking;  /* shortest that wakes the protocol task */
    uint64_t stock;   /* longest of the stock driver */
    uint64_t irq;     /* the way into any handler and back */
};

int tg_lab_measure_paths(struct tg_lab *lab, struct tg_lab_paths *out);

/* The mean of the interrupts of the frames that lab->scenario sends, each alone: once as they are
 * accepted, once as they are refused. */
int tg_lab_measure_scenario(struct tg_lab *lab, uint64_t *accepted, uint64_t *refused);

/* Add a bar; text and measured as printf has it. */
__attribute__((format(printf, 4, 5))) void tg_lab_bar(struct tg_lab *lab, bool holds,
                                                      const char *text, const char *measured, ...);

/* Print a table with a heading, and put it into the report. Frees it. */
void tg_lab_table(const struct tg_lab *lab, const char *heading, struct tg_table *t);

/* Draw a figure into the report, if there is one. Returns: an enum tg_exit. */
int tg_lab_figure(const struct tg_lab *lab, const struct tg_plot_figure *figure, const char *alt);

/* The traffic line of a match at a constant rate, one more in text. */
void tg_lab_rate_line(char *text, size_t size, const char *match, uint64_t rate_pps,
                      uint32_t from_us, uint32_t length);

#endif
