/* SPDX-License-Identifier: MIT
 *
 * fit_maximal.c - is a file that `tidegate fit` wrote proved, and no budget in it too small?
 *
 *     fit_maximal FILE [NAME...]
 *
 * Raises one budget after the other by one packet: then something must fail. Not for the flows
 * named (and "the gate", or "gate of QUEUE"), of which `fit` says that something else limits them:
 * for those nothing may fail. A gate that is never spent is as large as it has to be.
 */
#include "analysis/lower.h"

#include <stdio.h>
#include <string.h>

static int failures;

static bool holds(const struct tg_analysis_input *in)
{
    struct tg_analysis_result result;

    if (tg_analyse(in, &result) != 0) {
        fputs("the analysis fails\n", stderr);
        failures++;
        return false;
    }
    const bool ok = result.ok;

    tg_analysis_result_free(&result);
    return ok;
}

static bool never_closes(const struct tg_analysis_input *in, size_t gate)
{
    struct tg_analysis_result result;
    bool never = false;

    if (tg_analyse(in, &result) != 0) {
        return false;
    }
    for (size_t k = 0u; k < in->n_queues; k++) {
        never = never || (in->queues[k].gate == gate && result.queues[k].never_closes);
    }
    tg_analysis_result_free(&result);
    return never;
}

static bool is_named(const char *name, char **names)
{
    while (*names != NULL && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

static void raise_one(const struct tg_analysis_input *in, uint64_t *budget, const char *name,
                      char **names)
{
    (*budget)++;
    if (holds(in) != is_named(name, names)) {
        fprintf(stderr, "%s: with one more packet everything %s\n", name,
                is_named(name, names) ? "fails" : "still holds");
        failures++;
    }
    (*budget)--;
}

static void try_all(const struct tg_system *system, struct tg_system_analysis *a, char **names)
{
    if (!holds(&a->input)) {
        fputs("it does not hold as it is\n", stderr);
        failures++;
    }
    for (size_t g = 0u; g < system->n_gates; g++) {
        if (!system->gates[g].is_fixed && !never_closes(&a->input, g)) {
            char name[80] = "the gate";

            if (system->n_gates > 1u) { /* a gate per queue, in their order */
                (void)snprintf(name, sizeof name, "gate of %s", system->queues[g].name);
            }
            raise_one(&a->input, &a->gates[g].budget, name, names);
        }
    }
    for (size_t i = 0u; i < a->input.n_flows; i++) {
        const bool is_fixed = i < system->n_flows ? system->flows[i].budget.is_fixed
                                                  : system->best_effort.budget.is_fixed;

        if (!is_fixed && a->flows[i].kind != TG_CURVE_UNLIMITED) {
            raise_one(&a->input, &a->flows[i].budget, a->flows[i].name, names);
        }
    }
}

int main(int argc, char **argv)
{
    static struct tg_errors errors;
    struct tg_system *system;
    struct tg_system_analysis analysis;

    tg_errors_init(&errors);
    if (argc < 2 || tg_system_load(argv[1], &system, &errors) != 0) {
        tg_errors_print(&errors, argc < 2 ? "FILE" : argv[1], stderr);
        return 2;
    }
    if (tg_system_lower_analysis(system, &analysis) != 0) {
        return 3;
    }
    try_all(system, &analysis, argv + 2);
    tg_system_analysis_free(&analysis);
    tg_system_free(system);
    return failures != 0;
}
