/* SPDX-License-Identifier: MIT
 *
 * command.h - what a subcommand of `tidegate` is.
 */
#ifndef TG_CLI_COMMAND_H
#define TG_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit status of every command. */
enum tg_exit {
    TG_EXIT_HOLDS = 0,
    TG_EXIT_FAILS = 1, /* what was asked does not hold */
    TG_EXIT_USAGE = 2, /* bad usage, or a bad file */
    TG_EXIT_LACKS = 3  /* the environment lacks something */
};

#define TG_OPTIONS_MAX  16u
#define TG_OPERANDS_MAX 4u
#define TG_REPEATS_MAX  4u

struct tg_option {
    const char *name;  /* "--tci"; NULL ends the list */
    const char *value; /* "N"; NULL: the option takes none; "N...": it can be given several times */
    const char *help;
};

/* What was given: values[i] belongs to options[i] of the command, NULL if it was not ("" if it was
 * and takes no value). Of the one option that can be given several times, all are in repeated,
 * which NULL ends. */
struct tg_arguments {
    const char *values[TG_OPTIONS_MAX];
    const char *repeated[TG_REPEATS_MAX + 1u];
    const char *operands[TG_OPERANDS_MAX];
    char **words; /* all of it as it was given, for a command that goes on as another program */
};

struct tg_command {
    const char *name;
    const char *summary;                        /* one line, for the list of commands */
    const char *details;                        /* for --help */
    const char *operands[TG_OPERANDS_MAX + 1u]; /* all must be given; NULL ends the list */
    const struct tg_option *options;
    int (*run)(const struct tg_arguments *arguments); /* returns an enum tg_exit */
    const char *examples; /* command lines, each ended by a line feed; NULL: none */
};

extern const struct tg_command tg_command_check;
extern const struct tg_command tg_command_classify;
extern const struct tg_command tg_command_explain;
extern const struct tg_command tg_command_fit;
extern const struct tg_command tg_command_gen;
extern const struct tg_command tg_command_lab;
extern const struct tg_command tg_command_nic;
extern const struct tg_command tg_command_sweep;
extern const struct tg_command tg_command_top;
extern const struct tg_command tg_run_command;

/* All of them, by name; NULL ends the list. */
extern const struct tg_command *const tg_commands[];

/* What each enum tg_exit says; NULL ends the list. */
extern const char *const tg_exit_meanings[];

/* Read the arguments behind a command's name, answer --help, or run the command.
 *
 * Context: main task.
 * Returns: an enum tg_exit. */
int tg_command_run(const struct tg_command *command, int argc, char **argv);

/* Say on standard error what is wrong with the use of a command.
 *
 * Returns: TG_EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int tg_command_misuse(const struct tg_command *command,
                                                            const char *format, ...);

/* End of a command that wrote results: they must have arrived.
 *
 * Returns: status, or TG_EXIT_LACKS if standard output could not be written. */
int tg_command_finish(const struct tg_command *command, int status);

#endif
