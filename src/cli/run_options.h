/* SPDX-License-Identifier: MIT
 *
 * run_options.h - what `tidegate run` takes, on every target.
 */
#ifndef TG_CLI_RUN_OPTIONS_H
#define TG_CLI_RUN_OPTIONS_H

#include "command.h"

#include "sim/sim.h"
#include "system/system.h"

enum tg_run_option {
    TG_RUN_ON,
    TG_RUN_POLICY,
    TG_RUN_JSON,
    TG_RUN_SCENARIO,
    TG_RUN_REPORT,
    TG_RUN_TRACE,
    TG_RUN_TRACE_WINDOW,
    TG_RUN_INTERFACE,
    TG_RUN_ADDRESS,
    TG_RUN_FOR,
    TG_RUN_NAME,
    TG_RUN_OPTIONS
};

extern const struct tg_option tg_run_options[];

/* The policy with this name of so many bytes.
 *
 * Context: any, likewise below.
 * Returns: TG_SIM_POLICIES if there is none.
 * Cost:    O(1), likewise below. */
enum tg_sim_policy tg_run_policy(const char *name, size_t length);

/* Refuse the options that only the other targets have: those from first to last.
 *
 * Returns: TG_EXIT_HOLDS, or TG_EXIT_USAGE after a message. */
int tg_run_refuse(const struct tg_command *command, const struct tg_arguments *arguments,
                  enum tg_run_option first, enum tg_run_option last, const char *target);

/* Say that a file has no scenario with this name, and which it has; or that it has none at all.
 *
 * Context: command: for messages.
 * Returns: TG_EXIT_USAGE.
 * Cost:    O(scenarios). */
int tg_run_no_scenario(const char *command, const char *path, const struct tg_system *system,
                       const char *name);

#endif
