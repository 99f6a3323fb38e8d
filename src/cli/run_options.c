/* SPDX-License-Identifier: MIT
 *
 * run_options.c - what `tidegate run` takes, on every target.
 */
#include "run_options.h"

#include <string.h>

const struct tg_option tg_run_options[] = {
    [TG_RUN_ON] =
        {"--on", "TARGET",
         "where to run: sim, if not given; lwip, a network node; zynq, virt, boards in QEMU"},
    [TG_RUN_POLICY] = {"--policy", "POLICIES",
                       "only these, and judge them: stock-high,stock-low,... (see above)"},
    [TG_RUN_JSON] = {"--json", NULL, "one JSON document with the same figures"},
    [TG_RUN_SCENARIO] = {"--scenario", "SCENARIO", "sim, zynq, virt: only this one"},
    [TG_RUN_REPORT] = {"--report", "FILE",
                       "sim: write a page with figures, too (HTML; needs gnuplot)"},
    [TG_RUN_TRACE] = {"--trace", "FILE",
                      "sim, zynq: write what happened when, too (JSON for Perfetto)"},
    [TG_RUN_TRACE_WINDOW] =
        {"--trace-window", "FROM..UNTIL",
         "sim, zynq: this part of each run; else 21 ms, from 1 ms before the flood on"},
    [TG_RUN_INTERFACE] = {"--interface", "NAME",
                          "lwip: a tap device, or an Ethernet interface without addresses (veth)"},
    [TG_RUN_ADDRESS] = {"--address", "ADDRESS",
                        "lwip: IPv4 address with its prefix, as in 10.0.0.2/24; else IPv6 alone"},
    [TG_RUN_FOR] = {"--for", "DURATION", "lwip: stop after so long, as in 10s; else on Ctrl-C"},
    [TG_RUN_NAME] = {"--name", "NAME", "lwip: what `tidegate top` knows it by; else the interface"},
    {NULL, NULL, NULL},
};

enum tg_sim_policy tg_run_policy(const char *name, size_t length)
{
    uint32_t p = 0u;

    while (p < TG_SIM_POLICIES) {
        const char *const known = tg_sim_policy_name((enum tg_sim_policy)p);

        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            break;
        }
        p++;
    }
    return (enum tg_sim_policy)p;
}

int tg_run_refuse(const struct tg_command *command, const struct tg_arguments *arguments,
                  enum tg_run_option first, enum tg_run_option last, const char *target)
{
    for (uint32_t i = first; i <= (uint32_t)last; i++) {
        if (arguments->values[i] != NULL) {
            return tg_command_misuse(command, "%s is not for target %s", tg_run_options[i].name,
                                     target);
        }
    }
    return TG_EXIT_HOLDS;
}

int tg_run_no_scenario(const char *command, const char *path, const struct tg_system *system,
                       const char *name)
{
    if (system->n_scenarios == 0u) {
        fprintf(stderr, "tidegate %s: %s has no scenarios\n", command, path);
        return TG_EXIT_USAGE;
    }
    fprintf(stderr, "tidegate %s: %s has no scenario '%s', allowed:", command, path, name);
    for (size_t i = 0u; i < system->n_scenarios; i++) {
        fprintf(stderr, "%s '%s'", i != 0u ? "," : "", system->scenarios[i].name);
    }
    fputc('\n', stderr);
    return TG_EXIT_USAGE;
}
