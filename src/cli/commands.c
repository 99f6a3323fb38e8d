/* SPDX-License-Identifier: MIT
 *
 * commands.c - all subcommands, for the command itself, its manual pages and its completion.
 */
#include "command.h"

const struct tg_command *const tg_commands[] = {
    &tg_command_check,
    &tg_command_classify,
    &tg_command_explain,
    &tg_command_fit,
    &tg_command_gen,
    &tg_command_lab,
    &tg_command_nic,
    &tg_run_command,
    &tg_command_sweep,
    &tg_command_top,
    NULL,
};

const char *const tg_exit_meanings[] = {
    [TG_EXIT_HOLDS] = "holds",
    [TG_EXIT_FAILS] = "does not hold",
    [TG_EXIT_USAGE] = "bad usage or file",
    [TG_EXIT_LACKS] = "something is missing here",
    NULL,
};
