/* SPDX-License-Identifier: MIT
 *
 * main.c - the `tidegate` command: finds the subcommand.
 */
#include "command.h"

#include <string.h>

static const struct tg_command *const commands[] = {
    &tg_command_classify,
    &tg_command_explain,
    &tg_run_command,
};

#define N_COMMANDS (sizeof commands / sizeof commands[0])

static void print_usage(FILE *out)
{
    fputs("usage: tidegate COMMAND [ARGUMENTS]\n\n", out);
    for (size_t i = 0u; i < N_COMMANDS; i++) {
        fprintf(out, "  %-12s%s\n", commands[i]->name, commands[i]->summary);
    }
    fputs(
        "\n"
        "  COMMAND --help says more about one of them; --version says which version this is.\n"
        "\n"
        "exit status: 0 holds, 1 does not hold, 2 bad usage or file, 3 something is missing here\n",
        out);
}

static int unknown_command(const char *name)
{
    fprintf(stderr, "tidegate: unknown command '%s', allowed:", name);
    for (size_t i = 0u; i < N_COMMANDS; i++) {
        fprintf(stderr, " %s,", commands[i]->name);
    }
    fputs(" --help, --version\n", stderr);
    return TG_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return TG_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return TG_EXIT_HOLDS;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("tidegate " TG_VERSION);
        return TG_EXIT_HOLDS;
    }
    for (size_t i = 0u; i < N_COMMANDS; i++) {
        if (strcmp(argv[1], commands[i]->name) == 0) {
            return tg_command_run(commands[i], argc - 2, argv + 2);
        }
    }
    return unknown_command(argv[1]);
}
