/* SPDX-License-Identifier: MIT
 *
 * sweep.c - `tidegate sweep`: check or run, for each cell of a grid of other numbers.
 */
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "run_options.h"
#include "sweep_output.h"
#include "sweep_ranks.h"
#include "sweep_report.h"

#include "system/value.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MAX 256u

enum {
    OPTION_VARY,
    OPTION_COMMAND,
    OPTION_SCENARIO,
    OPTION_POLICY,
    OPTION_MAP,
    OPTION_OUTPUT,
    OPTION_REPORT,
    OPTION_JOBS
};

static const struct tg_option options[] = {
    [OPTION_VARY] = {"--vary", "PATH=RANGE...", "a value of the file, and which ones it takes"},
    [OPTION_COMMAND] = {"--command", "COMMAND", "check, or run; check if not given"},
    [OPTION_SCENARIO] = {"--scenario", "SCENARIO", "of run: only this one"},
    [OPTION_POLICY] = {"--policy", "POLICY", "of run: this one; see tidegate run --help"},
    [OPTION_MAP] = {"--map", "COLUMN", "what the map shows; name the cell that has least of it"},
    [OPTION_OUTPUT] = {"-o", "OUT", "write the rows to this file, or go on with it"},
    [OPTION_REPORT] = {"--report", "FILE", "write a page with a map, too (HTML; needs gnuplot)"},
    [OPTION_JOBS] = {"--jobs", "N", "processes; as many as there are CPUs if not given"},
    {NULL, NULL, NULL},
};

static int take_jobs(const char *text, uint32_t *jobs)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct tg_value_error error;
    uint64_t number = cpus > 0 ? (uint64_t)cpus : 1u;

    if (text != NULL && (tg_value_number(text, strlen(text), &number, &error) != 0 ||
                         number == 0u || number > JOBS_MAX)) {
        return tg_command_misuse(&tg_command_sweep, "--jobs: found '%s'; allowed: 1..%u", text,
                                 JOBS_MAX);
    }
    *jobs = number < JOBS_MAX ? (uint32_t)number : JOBS_MAX;
    return TG_EXIT_HOLDS;
}

/* run needs scenarios, and the one that is named. */
static int look_for_scenario(const struct tg_cell_work *work)
{
    const struct tg_system *const s = work->grid->system;

    if (!work->is_run && work->scenario != NULL) {
        return tg_command_misuse(&tg_command_sweep, "--scenario is for --command run");
    }
    for (size_t i = 0u; i < s->n_scenarios; i++) {
        if (work->scenario == NULL || strcmp(s->scenarios[i].name, work->scenario) == 0) {
            return TG_EXIT_HOLDS;
        }
    }
    return work->is_run ? tg_run_no_scenario("sweep", work->grid->file, s, work->scenario)
                        : TG_EXIT_HOLDS;
}

static int take_command(struct tg_cell_work *work, const char *name)
{
    if (name != NULL && strcmp(name, "check") != 0 && strcmp(name, "run") != 0) {
        return tg_command_misuse(&tg_command_sweep, "--command: found '%s'; allowed: check, run",
                                 name);
    }
    work->is_run = name != NULL && strcmp(name, "run") == 0;
    return TG_EXIT_HOLDS;
}

/* The one that a file is judged by, unless another is named. stock-limited has a search of its
 * own. */
static int take_sweep_policy(struct tg_cell_work *work, const char *name)
{
    const struct tg_system *const s = work->grid->system;

    work->policy = s->stock_queue.ring_pkts != 0u ? TG_SIM_COMBINED : TG_SIM_TIDEGATE;
    if (name == NULL) {
        return TG_EXIT_HOLDS;
    }
    work->policy = tg_run_policy(name, strlen(name));
    if (!work->is_run) {
        return tg_command_misuse(&tg_command_sweep, "--policy is for --command run");
    }
    if (work->policy == TG_SIM_POLICIES || work->policy == TG_SIM_STOCK_LIMITED) {
        return tg_command_misuse(&tg_command_sweep,
                                 "--policy: found '%s'; allowed: stock-high, stock-low, "
                                 "stock-moderated, nic, tidegate, combined",
                                 name);
    }
    return TG_EXIT_HOLDS;
}

static void say_best(const struct tg_sweep_output *output)
{
    char text[TG_SWEEP_BEST_BYTES];

    if (tg_sweep_best_text(output, text)) {
        fprintf(stderr, "%s\n", text);
    }
}

static int compute(const struct tg_cell_work *work, struct tg_sweep_output *output, uint32_t jobs)
{
    const uint32_t left = work->grid->n_cells - output->n_rows;

    return tg_ranks_fork(work, output->n_rows, jobs < left ? jobs : left, tg_sweep_output_take,
                         output);
}

/* Without a grid there is nothing to compare. */
static uint64_t grid_hash(const struct tg_cell_work *work, int status)
{
    return status == TG_EXIT_HOLDS ? tg_sweep_hash(work) : 0u;
}

/* A rank other than 0 has no output; rank 0 says where to begin. */
static int follow(const struct tg_cell_work *work, int status)
{
    uint32_t first = 0u;

    if (!tg_ranks_mpi->agree(&status, &first, grid_hash(work, status))) {
        return tg_command_misuse(&tg_command_sweep, "rank %u: %s is not the file that rank 0 has",
                                 tg_ranks_mpi->rank, work->grid->file);
    }
    return status != TG_EXIT_HOLDS ? status : tg_ranks_mpi->run(work, first, NULL, NULL);
}

static int verdict_of_all(const struct tg_sweep_output *output)
{
    for (uint32_t i = 0u; i < output->n_rows; i++) {
        if (output->rows[i].verdict != TG_CELL_HOLDS) {
            return TG_EXIT_FAILS;
        }
    }
    return TG_EXIT_HOLDS;
}

static int sweep(const struct tg_arguments *a, const struct tg_cell_work *work, uint32_t jobs)
{
    struct tg_sweep_output output;
    const char *const report = a->values[OPTION_REPORT];
    int status = report != NULL ? tg_sweep_report_can() : TG_EXIT_HOLDS;

    if (status == TG_EXIT_HOLDS) {
        status = tg_sweep_output_open(&output, work, a->values[OPTION_OUTPUT]);
    } else {
        output = (struct tg_sweep_output){.work = work};
    }
    if (tg_ranks_mpi != NULL) {
        (void)tg_ranks_mpi->agree(&status, &output.n_rows, grid_hash(work, status));
    }
    if (status == TG_EXIT_HOLDS && output.n_rows < work->grid->n_cells) {
        status = tg_ranks_mpi != NULL
                     ? tg_ranks_mpi->run(work, output.n_rows, tg_sweep_output_take, &output)
                     : compute(work, &output, jobs);
    }
    if (status == TG_EXIT_HOLDS && report != NULL) {
        status = tg_sweep_report(&output, report);
    }
    if (status == TG_EXIT_HOLDS) {
        say_best(&output);
        status = verdict_of_all(&output);
    }
    return tg_command_finish(&tg_command_sweep, tg_sweep_output_close(&output, status));
}

static int run_sweep(const struct tg_arguments *arguments)
{
    struct tg_grid grid = {0};
    struct tg_cell_work work = {.grid = &grid,
                                .scenario = arguments->values[OPTION_SCENARIO],
                                .map = arguments->values[OPTION_MAP]};
    uint32_t jobs = 1u;
    int status = take_command(&work, arguments->values[OPTION_COMMAND]);

    if (status == TG_EXIT_HOLDS && arguments->repeated[0] == NULL) {
        status = tg_command_misuse(&tg_command_sweep, "--vary is missing");
    }
    if (status == TG_EXIT_HOLDS) {
        status = take_jobs(arguments->values[OPTION_JOBS], &jobs);
    }
    if (status == TG_EXIT_HOLDS) {
        status = tg_grid_open(&grid, arguments->operands[0], arguments->repeated);
    }
    if (status == TG_EXIT_HOLDS) {
        status = look_for_scenario(&work);
    }
    if (status == TG_EXIT_HOLDS) {
        status = take_sweep_policy(&work, arguments->values[OPTION_POLICY]);
    }
    if (tg_ranks_mpi != NULL && tg_ranks_mpi->rank != 0u) {
        status = follow(&work, status);
    } else if (status == TG_EXIT_HOLDS) {
        status = sweep(arguments, &work, jobs);
    } else if (tg_ranks_mpi != NULL) {
        (void)tg_ranks_mpi->agree(&status, &jobs, 0u); /* the others wait for it */
    }
    tg_grid_close(&grid);
    return status;
}

const struct tg_command tg_command_sweep = {
    .name = "sweep",
    .summary = "Check or run for each cell of a grid of other numbers in the file",
    .details =
        "FILE is a system file. PATH names a number, a duration or a rate that is written in it:\n"
        "receive.eager, flows.setpoint.budget.packets, queues.all.gate.period. RANGE is\n"
        "FROM..TO, in steps of one of FROM's unit (1us..10us has ten values); FROM..TO:N, which\n"
        "has N values; FROM..TO:xK, where each is K times the one before. --vary can be given\n"
        "four times; the last one varies fastest. A grid has up to 100000 cells.\n"
        "\n"
        "One row for each cell, in order: what was varied, then holds, fails, or invalid (the\n"
        "loader refuses these values), then bounds (check), or what the simulator counted under\n"
        "one policy, all scenarios together (run): tidegate, combined if the file has "
        "stock.queue,\n"
        "or what --policy says. Comma-separated; the first line says which sweep it is. A sweep\n"
        "that was killed goes on with the rows that OUT has.\n"
        "\n"
        "With --map COLUMN (interrupts, 'tasks.control.worst (ns)', ...) the report maps that\n"
        "column, and standard error names the cell that has least of it, of those that hold.\n"
        "\n"
        "Under Open MPI (mpirun -n N tidegate sweep ...) the cells are spread over its ranks, one\n"
        "process each; the output is the same. That takes a build with libopenmpi-dev.\n"
        "\n"
        "Exit status 1: some cell does not hold.\n",
    .operands = {"FILE", NULL},
    .options = options,
    .run = run_sweep,
    .examples = "tidegate sweep examples/plc.yaml --vary receive.eager=1us..10us\n"
                "tidegate sweep examples/plc.yaml --vary gate.packets=4..64:x2 --vary "
                "receive.eager=1us..6us "
                "-o out.csv --report out.html\n",
};
