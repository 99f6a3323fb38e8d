/* SPDX-License-Identifier: MIT
 *
 * main.c - the `tidegate` command: finds the subcommand.
 */
#include "command.h"
#include "sweep_join.h"

#include <string.h>

static void print_usage(FILE *out)
{
    fputs("usage: tidegate COMMAND [ARGUMENTS]\n\n", out);
    for (size_t i = 0u; tg_commands[i] != NULL; i++) {
        fprintf(out, "  %-12s%s\n", tg_commands[i]->name, tg_commands[i]->summary);
    }
    fputs("\n"
          "  COMMAND --help says more about one of them; --version says which version this is.\n"
          "\n"
          "exit status:",
          out);
    for (int i = 0; tg_exit_meanings[i] != NULL; i++) {
        fprintf(out, "%s %d %s", i != 0 ? "," : "", i, tg_exit_meanings[i]);
    }
    fputc('\n', out);
}

static int unknown_command(const char *name)
{
    fprintf(stderr, "tidegate: unknown command '%s', allowed:", name);
    for (size_t i = 0u; tg_commands[i] != NULL; i++) {
        fprintf(stderr, " %s,", tg_commands[i]->name);
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
    if (strcmp(argv[1], tg_command_sweep.name) == 0 && tg_sweep_is_rank()) {
        return tg_sweep_join(argv);
    }
    for (size_t i = 0u; tg_commands[i] != NULL; i++) {
        if (strcmp(argv[1], tg_commands[i]->name) == 0) {
            return tg_command_run(tg_commands[i], argc - 2, argv + 2);
        }
    }
    return unknown_command(argv[1]);
}
