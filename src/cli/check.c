/* SPDX-License-Identifier: MIT
 *
 * check.c - `tidegate check`: what can be proved of a system file.
 */
#include "check_report.h"
#include "command.h"
#include "run_options.h"

#include "report/terminal.h"

#include <string.h>

enum { OPTION_EXPLAIN, OPTION_POLICY, OPTION_JSON };

static const struct tg_option options[] = {
    [OPTION_EXPLAIN] = {"--explain", "NAME", "what the bounds of this task or flow are made of"},
    [OPTION_POLICY] = {"--policy", "POLICY",
                       "tidegate, or combined: a controller with a running-priority register"},
    [OPTION_JSON] = {"--json", NULL, "one JSON document with the same figures"},
    {NULL, NULL, NULL},
};

static bool is_known(const struct tg_proof *proof, const char *name)
{
    for (size_t i = 0u; i < proof->system->n_tasks; i++) {
        if (strcmp(proof->analysis.tasks[i].name, name) == 0) {
            return true;
        }
    }
    for (size_t i = 0u; i < proof->analysis.input.n_flows; i++) {
        if (strcmp(proof->analysis.flows[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static int unknown_name(const struct tg_proof *proof, const char *name)
{
    fprintf(stderr, "tidegate check: no task or flow '%s', allowed:", name);
    for (size_t i = 0u; i < proof->system->n_tasks; i++) {
        fprintf(stderr, "%s '%s'", i != 0u ? "," : "", proof->analysis.tasks[i].name);
    }
    for (size_t i = 0u; i < proof->analysis.input.n_flows; i++) {
        fprintf(stderr, "%s '%s'", i + proof->system->n_tasks != 0u ? "," : "",
                proof->analysis.flows[i].name);
    }
    fputc('\n', stderr);
    return TG_EXIT_USAGE;
}

static int report(const struct tg_arguments *a, const struct tg_proof *proof)
{
    const char *const name = a->values[OPTION_EXPLAIN];

    if (name != NULL && !is_known(proof, name)) {
        return unknown_name(proof, name);
    }
    if (a->values[OPTION_JSON] != NULL) {
        tg_check_json(proof, name, stdout);
    } else if (name != NULL) {
        tg_check_explain(proof, name, stdout);
    } else {
        tg_check_print(proof, stdout, tg_terminal_has_colour(stdout));
    }
    return tg_command_finish(&tg_command_check, proof->result.ok ? TG_EXIT_HOLDS : TG_EXIT_FAILS);
}

/* Returns TG_SIM_POLICIES if it is none that is proved. */
static enum tg_sim_policy proved_policy(const char *name)
{
    const enum tg_sim_policy policy = tg_run_policy(name, strlen(name));

    return policy != TG_SIM_POLICIES && tg_sim_runs_core(policy) ? policy : TG_SIM_POLICIES;
}

static int run_check(const struct tg_arguments *arguments)
{
    static struct tg_errors errors;
    struct tg_system *system;
    struct tg_proof proof;
    char text[512];
    const char *const name = arguments->values[OPTION_POLICY];
    const enum tg_sim_policy policy = name != NULL ? proved_policy(name) : TG_SIM_TIDEGATE;

    if (policy == TG_SIM_POLICIES) {
        return tg_command_misuse(&tg_command_check,
                                 "--policy: found '%s'; allowed: tidegate, combined", name);
    }
    tg_errors_init(&errors);
    if (tg_system_load(arguments->operands[0], &system, &errors) != 0) {
        tg_errors_print(&errors, arguments->operands[0], stderr);
        return TG_EXIT_USAGE;
    }

    const int err = name != NULL ? tg_proof_open_under(system, policy, &proof, text, sizeof text)
                                 : tg_proof_open(system, &proof, text, sizeof text);
    int status = TG_EXIT_LACKS;

    if (err == 0) {
        status = report(arguments, &proof);
        tg_proof_close(&proof);
    } else if (err == TG_ANALYSIS_ERR_INPUT) {
        fprintf(stderr, "%s: %s\n", arguments->operands[0], text);
        status = TG_EXIT_USAGE;
    } else {
        fputs("tidegate check: out of memory\n", stderr);
    }
    tg_system_free(system);
    return status;
}

const struct tg_command tg_command_check = {
    .name = "check",
    .summary = "Which deadlines hold, proved for any flood",
    .details =
        "FILE is a system file. For each task and flow: a bound that no arrival of packets can\n"
        "exceed, and whether it is within the deadline. A flow has two: of any accepted packet,\n"
        "from acceptance on, and of the packets of its source, from the NIC on. Bounds are safe,\n"
        "not exact; those that rest on `assume_conforming` say so. Tables round to the safe side,\n"
        "JSON has nanoseconds. The proof is about policy tidegate, or combined if the file has\n"
        "stock.queue (see tidegate run --help), or the one of --policy.\n"
        "\n"
        "Exit status 1: a deadline does not hold, or nothing bounds what has one.\n",
    .operands = {"FILE", NULL},
    .options = options,
    .run = run_check,
    .examples = "tidegate check examples/plc.yaml\n"
                "tidegate check examples/motor.yaml --explain control\n",
};
