/* SPDX-License-Identifier: MIT
 *
 * lab.c - `tidegate lab`: the published experiments on the published hardware, emulated.
 */
#include "lab.h"
#include "run_options.h"

#include "report/html.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_QUICK, OPTION_SYSTEM, OPTION_SCENARIO, OPTION_JSON, OPTION_REPORT, OPTION_CACHE };

static const struct tg_option options[] = {
    [OPTION_QUICK] = {"--quick", NULL, "fewer cells and packets: a minute or two"},
    [OPTION_SYSTEM] = {"--system", "FILE", "calibrate: for the flows of this file"},
    [OPTION_SCENARIO] = {"--scenario", "SCENARIO",
                         "calibrate: the mean of its frames; for the simulator, for no proof"},
    [OPTION_JSON] = {"--json", NULL, "one JSON document with the same figures"},
    [OPTION_REPORT] = {"--report", "FILE", "write a page with plots, too (HTML; needs gnuplot)"},
    [OPTION_CACHE] = {"--cache", "DIR", "keep results here; else in the user's cache directory"},
    {NULL, NULL, NULL},
};

const struct tg_lab_variant tg_lab_variants[LAB_VARIANTS] = {
    [LAB_VARIANT_HIGH] = {"stock-high", LAB_STOCK_HIGH, TG_LOOK_RED},
    [LAB_VARIANT_LOW] = {"stock-low", LAB_STOCK_LOW, TG_LOOK_BLUE},
    [LAB_VARIANT_GATED] = {"stock-limited", LAB_STOCK_LIMITED, TG_LOOK_PURPLE},
    [LAB_VARIANT_TIDEGATE] = {"tidegate", LAB_TIDEGATE, TG_LOOK_GREEN},
};

/* ---- For the experiments --------------------------------------------------------------------- */

void tg_lab_bar(struct tg_lab *lab, bool holds, const char *text, const char *measured, ...)
{
    struct tg_lab_bar *const bar = &lab->bars[lab->n_bars++];
    va_list args;

    va_start(args, measured);
    bar->holds = holds;
    (void)snprintf(bar->text, sizeof bar->text, "%s", text);
    (void)vsnprintf(bar->measured, sizeof bar->measured, measured, args);
    va_end(args);
}

void tg_lab_table(const struct tg_lab *lab, const char *heading, struct tg_table *t)
{
    const bool has_colour = tg_terminal_has_colour(stdout);

    printf("%s%s%s\n\n", has_colour ? tg_terminal_start(TG_STRONG) : "", heading,
           has_colour ? tg_terminal_end() : "");
    tg_table_print(t, stdout, has_colour);
    fputc('\n', stdout);
    if (lab->report != NULL) {
        fprintf(lab->report, "<h2>%s</h2>\n", heading);
        tg_table_html(t, lab->report);
    }
    tg_table_free(t);
}

int tg_lab_figure(const struct tg_lab *lab, const struct tg_plot_figure *figure, const char *alt)
{
    char *svg[TG_THEMES] = {NULL};
    int err = 0;

    for (uint32_t theme = 0u; lab->report != NULL && theme < TG_THEMES && err == 0; theme++) {
        err = tg_plot_draw(figure, (enum tg_theme)theme, &svg[theme]);
    }
    if (lab->report != NULL && err == 0) {
        fputs("<figure>\n", lab->report);
        tg_html_picture(lab->report, svg[TG_THEME_LIGHT], svg[TG_THEME_DARK], alt);
        fprintf(lab->report, "<figcaption>%s</figcaption>\n</figure>\n", alt);
    }
    for (uint32_t theme = 0u; theme < TG_THEMES; theme++) {
        free(svg[theme]);
    }
    if (err != 0) {
        fputs("tidegate lab: --report: the plot cannot be drawn; is gnuplot-nox installed?\n",
              stderr);
    }
    return err != 0 ? TG_EXIT_LACKS : TG_EXIT_HOLDS;
}

void tg_lab_rate_line(char *text, size_t size, const char *match, uint64_t rate_pps,
                      uint32_t from_us, uint32_t length)
{
    const size_t used = strlen(text);

    (void)snprintf(text + used, size - used,
                   "      - {frames: %s, rate: %" PRIu64 " /s, from: %u us, length: %u}\n", match,
                   rate_pps, (unsigned)from_us, (unsigned)length);
}

/* ---- The command ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*run)(struct tg_lab *lab);
} EXPERIMENTS[] = {{"fig9", tg_lab_fig9}, {"fig10", tg_lab_fig10}, {"fig11", tg_lab_fig11}};

#define N_EXPERIMENTS (sizeof EXPERIMENTS / sizeof EXPERIMENTS[0])

static int run_all(struct tg_lab *lab, const char *wanted)
{
    int status = TG_EXIT_HOLDS;

    for (size_t i = 0u; i < N_EXPERIMENTS && status == TG_EXIT_HOLDS; i++) {
        if (strcmp(wanted, "all") == 0 || strcmp(wanted, EXPERIMENTS[i].name) == 0) {
            status = EXPERIMENTS[i].run(lab);
        }
    }
    return status;
}

static void print_bars(const struct tg_lab *lab)
{
    static const struct tg_column columns[] = {
        {"bar", NULL, TG_LEFT}, {"measured", NULL, TG_LEFT}, {"verdict", NULL, TG_LEFT}};
    struct tg_table *const t = tg_table_new(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0u; i < lab->n_bars; i++) {
        const struct tg_lab_bar *const bar = &lab->bars[i];

        tg_table_cell(t, TG_PLAIN, "%s", bar->text);
        tg_table_cell(t, TG_PLAIN, "%s", bar->measured);
        tg_table_cell(t, bar->holds ? TG_GOOD : TG_BAD, "%s",
                      bar->holds ? "holds" : "does not hold");
    }
    tg_lab_table(lab, "Bars", t);
}

static void write_bars(const struct tg_lab *lab)
{
    tg_json_array(lab->json, "bars");
    for (size_t i = 0u; i < lab->n_bars; i++) {
        tg_json_row(lab->json, NULL);
        tg_json_text(lab->json, "bar", lab->bars[i].text);
        tg_json_text(lab->json, "measured", lab->bars[i].measured);
        tg_json_bool(lab->json, "holds", lab->bars[i].holds);
        tg_json_end(lab->json);
    }
    tg_json_end(lab->json);
}

static int conclude(const struct tg_lab *lab)
{
    bool holds = true;

    for (size_t i = 0u; i < lab->n_bars; i++) {
        holds = holds && lab->bars[i].holds;
    }
    if (lab->json == NULL) {
        print_bars(lab);
        return holds ? TG_EXIT_HOLDS : TG_EXIT_FAILS;
    }
    write_bars(lab);
    tg_json_bool(lab->json, "holds", holds);
    tg_json_end(lab->json);
    return tg_json_finish(lab->json) != 0 ? TG_EXIT_LACKS : holds ? TG_EXIT_HOLDS : TG_EXIT_FAILS;
}

static int experiment(struct tg_lab *lab, const char *wanted)
{
    int status = tg_lab_calibrate(lab);

    if (status == TG_EXIT_HOLDS && strcmp(wanted, "calibrate") == 0) {
        tg_lab_write_costs(lab->scenario == NULL ? &lab->costs : &lab->typical, stdout);
        return TG_EXIT_HOLDS;
    }
    if (status == TG_EXIT_HOLDS && lab->json != NULL) {
        tg_json_start(lab->json, stdout);
        tg_json_object(lab->json, NULL);
    }
    if (status == TG_EXIT_HOLDS) {
        status = run_all(lab, wanted);
    }
    return status == TG_EXIT_HOLDS ? conclude(lab) : status;
}

static bool is_known(const char *wanted)
{
    bool is_known = strcmp(wanted, "all") == 0 || strcmp(wanted, "calibrate") == 0;

    for (size_t i = 0u; i < N_EXPERIMENTS; i++) {
        is_known = is_known || strcmp(wanted, EXPERIMENTS[i].name) == 0;
    }
    return is_known;
}

static int find_scenario(struct tg_lab *lab, const char *path, const char *name)
{
    const struct tg_system *const system = lab->system;

    for (size_t i = 0u; i < system->n_scenarios && name != NULL; i++) {
        if (strcmp(system->scenarios[i].name, name) == 0) {
            lab->scenario = &system->scenarios[i];
        }
    }
    if (name != NULL && lab->scenario == NULL) {
        return tg_run_no_scenario("lab", path, system, name);
    }
    return TG_EXIT_HOLDS;
}

/* What calibrate calibrates for. *system is to be given to tg_system_free. */
static int load_system(struct tg_lab *lab, const struct tg_arguments *arguments,
                       struct tg_system **system)
{
    static struct tg_errors errors;
    const char *const path = arguments->values[OPTION_SYSTEM];

    *system = NULL;
    if (path == NULL) {
        return TG_EXIT_HOLDS;
    }
    if (tg_system_load(path, system, &errors) != 0) {
        tg_errors_print(&errors, path, stderr);
        return TG_EXIT_USAGE;
    }
    lab->system = *system;
    return find_scenario(lab, path, arguments->values[OPTION_SCENARIO]);
}

static int open_report(struct tg_lab *lab, const char *path)
{
    if (path == NULL) {
        return TG_EXIT_HOLDS;
    }
    lab->report = fopen(path, "w");
    if (lab->report == NULL) {
        fprintf(stderr, "tidegate lab: %s cannot be written\n", path);
        return TG_EXIT_LACKS;
    }
    tg_html_start(lab->report, "Tidegate on an emulated Zynq-7000");
    return TG_EXIT_HOLDS;
}

static int close_report(struct tg_lab *lab, int status)
{
    if (lab->report == NULL) {
        return status;
    }
    tg_html_end(lab->report);
    return fclose(lab->report) != 0 ? TG_EXIT_LACKS : status;
}

static int run_lab(const struct tg_arguments *arguments)
{
    struct tg_lab lab = {0};
    struct tg_json json = {0};
    const char *const wanted = arguments->operands[0];
    struct tg_system *system = NULL;
    int status;

    if (!is_known(wanted)) {
        return tg_command_misuse(&tg_command_lab,
                                 "unknown experiment '%s', allowed: fig9, fig10, fig11, all, "
                                 "calibrate",
                                 wanted);
    }
    if (arguments->values[OPTION_SYSTEM] != NULL && strcmp(wanted, "calibrate") != 0) {
        return tg_command_misuse(&tg_command_lab, "--system is for calibrate alone");
    }
    if (arguments->values[OPTION_SCENARIO] != NULL && arguments->values[OPTION_SYSTEM] == NULL) {
        return tg_command_misuse(&tg_command_lab, "--scenario needs --system FILE");
    }
    if (strcmp(wanted, "calibrate") == 0 &&
        (arguments->values[OPTION_JSON] != NULL || arguments->values[OPTION_REPORT] != NULL)) {
        return tg_command_misuse(&tg_command_lab,
                                 "--json and --report are for figures, not for calibrate");
    }
    lab.stack = LAB_STACK_LWIP;
    lab.is_quick = arguments->values[OPTION_QUICK] != NULL;
    lab.json = arguments->values[OPTION_JSON] != NULL ? &json : NULL;
    status = load_system(&lab, arguments, &system);
    if (status == TG_EXIT_HOLDS) {
        status = tg_board_open(&lab.board, TG_BOARD_ZYNQ, "lab", arguments->values[OPTION_CACHE]);
    }
    if (status == TG_EXIT_HOLDS) {
        status = open_report(&lab, arguments->values[OPTION_REPORT]);
    }
    if (status == TG_EXIT_HOLDS) {
        status = close_report(&lab, experiment(&lab, wanted));
    }
    tg_system_free(system);
    return tg_command_finish(&tg_command_lab, status);
}

const struct tg_command tg_command_lab = {
    .name = "lab",
    .summary = "The published experiments, on the published hardware in QEMU",
    .details =
        "EXPERIMENT is one of\n"
        "\n"
        "  fig9       instructions per packet, from 100 to 1000000 packets a second\n"
        "  fig10      lengths of the receive interrupt, by what becomes of the frame\n"
        "  fig11      load and delivery of urgent packets, over their rate and that of a flood\n"
        "  all        these three\n"
        "  calibrate  `cpu:` and `receive:` of a system file, with the costs on this board\n"
        "\n"
        "Firmware with lwIP runs on an emulated Zynq-7000 board, behind Tidegate and behind a "
        "stock\n"
        "driver. Instructions are counted, which is exact; docs/lab.md says what that can tell "
        "and\n"
        "what it cannot. What has been run once is kept, so a second call ends at once.\n"
        "\n"
        "Exit status 1: a bar does not hold.\n",
    .operands = {"EXPERIMENT", NULL},
    .options = options,
    .run = run_lab,
    .examples = "tidegate lab all --quick\n"
                "tidegate lab fig10 --report out.html\n"
                "tidegate lab calibrate --system examples/motor.yaml\n",
};
