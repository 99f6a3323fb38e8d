/* SPDX-License-Identifier: MIT
 *
 * fit.c - `tidegate fit`: the largest budgets with which every deadline of a system file holds.
 */
#include "command.h"
#include "fit_result.h"
#include "span_text.h"

#include "report/terminal.h"
#include "system/edit.h"

#include <inttypes.h>
#include <stdlib.h>

enum { OPTION_WRITE, OPTION_JSON };

static const struct tg_option options[] = {
    [OPTION_WRITE] = {"--write", "OUT", "write the file with these budgets, comments and all"},
    [OPTION_JSON] = {"--json", NULL, "one JSON document with the same figures"},
    {NULL, NULL, NULL},
};

static void add_number(struct tg_edit *edits, size_t *n, struct tg_position at, uint64_t number)
{
    edits[*n].at = at;
    (void)snprintf(edits[*n].value, sizeof edits[*n].value, "%" PRIu64, number);
    (*n)++;
}

/* What is not fixed. Returns how many edits there are. */
static size_t list_edits(const struct tg_fitted *f, struct tg_edit *edits)
{
    const struct tg_fit_candidate *const best = tg_fitted_best(f);
    size_t n = 0u;

    for (size_t g = 0u; g < f->system->n_gates; g++) {
        if (!f->gate_fixed[g]) {
            add_number(edits, &n, f->system->gates[g].packets_at, f->gate_packets[g]);
        }
    }
    if (f->system->n_gates == 1u && !f->gate_fixed[0]) {
        edits[n].at = f->system->gates[0].period_at;
        (void)tg_whole_text(best->period, edits[n++].value);
    }
    for (size_t i = 0u; i < f->result.n_flows; i++) {
        const struct tg_system_budget *const b = tg_fitted_budget(f, i);

        if (b->kind != TG_SERVER_UNLIMITED && !b->is_fixed) {
            add_number(edits, &n, b->packets_at, f->packets[i]);
        }
    }
    return n;
}

static int write_file(const struct tg_fitted *f, const char *in_path, const char *out_path)
{
    static struct tg_errors errors;
    struct tg_edit *const edits = calloc(f->result.n_flows + TG_GATES_MAX + 1u, sizeof *edits);
    int status = TG_EXIT_HOLDS;

    if (edits == NULL) {
        fputs("tidegate fit: out of memory\n", stderr);
        return TG_EXIT_LACKS;
    }
    tg_errors_init(&errors);
    if (tg_edit_file(in_path, edits, list_edits(f, edits), out_path, &errors) != 0) {
        tg_errors_print(&errors, out_path, stderr);
        status = TG_EXIT_LACKS;
    }
    free(edits);
    return status;
}

static int report(const struct tg_arguments *a, const struct tg_fitted *f)
{
    const char *const out_path = a->values[OPTION_WRITE];
    const bool holds = tg_fitted_best(f) != NULL;

    if (a->values[OPTION_JSON] != NULL) {
        tg_fit_json(f, stdout);
    } else {
        tg_fit_print(f, stdout, tg_terminal_has_colour(stdout));
    }
    if (out_path != NULL && !holds) {
        fprintf(stderr, "tidegate fit: %s is not written: there are no such budgets\n", out_path);
    }
    if (out_path != NULL && holds) {
        const int status = write_file(f, a->operands[0], out_path);

        if (status != TG_EXIT_HOLDS) {
            return status;
        }
    }
    return tg_command_finish(&tg_command_fit, holds ? TG_EXIT_HOLDS : TG_EXIT_FAILS);
}

static int fit_system(const struct tg_arguments *a, const struct tg_system *system)
{
    struct tg_fitted fitted;
    int status;

    const int err = tg_fitted_open(system, &fitted);

    if (err != 0) {
        fprintf(stderr, "tidegate fit: %s\n",
                err == TG_ANALYSIS_ERR_MEMORY ? "out of memory" : "`tidegate check` says why not");
        return err == TG_ANALYSIS_ERR_MEMORY ? TG_EXIT_LACKS : TG_EXIT_USAGE;
    }
    status = report(a, &fitted);
    tg_fitted_close(&fitted);
    return status;
}

static int run_fit(const struct tg_arguments *arguments)
{
    static struct tg_errors errors;
    struct tg_system *system;

    tg_errors_init(&errors);
    if (tg_system_load(arguments->operands[0], &system, &errors) != 0) {
        tg_errors_print(&errors, arguments->operands[0], stderr);
        return TG_EXIT_USAGE;
    }

    const int status = fit_system(arguments, system);

    tg_system_free(system);
    return status;
}

const struct tg_command tg_command_fit = {
    .name = "fit",
    .summary = "The largest budgets with which every deadline holds",
    .details =
        "First the gate gets as many packets as the proof allows, while each flow has as few as "
        "lose\n"
        "nothing of its source; then flow after flow is raised, the most urgent first. Five "
        "periods\n"
        "of the gate are tried, from a quarter of the file's to four times as long, and the one "
        "that\n"
        "lets most packets through is taken. Several gates keep their periods; the gate of the\n"
        "highest queue is raised first, and no gate beyond what it takes never to be spent. What "
        "is\n"
        "`fixed` or `unlimited` in the file stays. No single budget of the result can be raised,\n"
        "except where only the gate limits it: more makes no difference there.\n"
        "\n"
        "Exit status 1: there are no such budgets.\n",
    .operands = {"FILE", NULL},
    .options = options,
    .run = run_fit,
    .examples = "tidegate fit examples/plc.yaml\n"
                "tidegate fit examples/plc.yaml --write fitted.yaml\n",
};
