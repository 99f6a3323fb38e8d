/* SPDX-License-Identifier: MIT
 *
 * gen.c - `tidegate gen`: the C tables that firmware compiles in.
 */
#include "command.h"
#include "gen_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEADER "tidegate_config.h"
#define TABLES "tidegate_config.c"

enum { OPTION_OUTPUT };

static const struct tg_option options[] = {
    [OPTION_OUTPUT] = {"-o", "DIR",
                       "the directory for both files, always needed; made if it is not there"},
    {NULL, NULL, NULL},
};

/* DIR/NAME; NULL: out of memory. */
static char *path_of(const char *directory, const char *name)
{
    const size_t size = strlen(directory) + strlen(name) + 2u;
    char *const path = malloc(size);

    if (path != NULL) {
        (void)snprintf(path, size, "%s/%s", directory, name);
    }
    return path;
}

static int cannot_write(const char *path)
{
    fprintf(stderr, "%s: cannot be written: %s\n", path, strerror(errno));
    return TG_EXIT_LACKS;
}

static int write_path(const struct tg_arguments *a, const struct tg_system *system,
                      const struct tg_system_config *config, bool is_header, const char *path)
{
    FILE *const out = fopen(path, "w");

    if (out == NULL) {
        return cannot_write(path);
    }
    if (is_header) {
        tg_gen_header(system, a->operands[0], out);
    } else {
        tg_gen_tables(system, config, a->operands[0], out);
    }
    const bool is_bad = ferror(out) != 0;

    return fclose(out) != 0 || is_bad ? cannot_write(path) : TG_EXIT_HOLDS;
}

static int write_file(const struct tg_arguments *a, const struct tg_system *system,
                      const struct tg_system_config *config, bool is_header)
{
    char *const path = path_of(a->values[OPTION_OUTPUT], is_header ? HEADER : TABLES);
    int status = TG_EXIT_LACKS;

    if (path == NULL) {
        fputs("tidegate gen: out of memory\n", stderr);
        return status;
    }
    status = write_path(a, system, config, is_header, path);
    free(path);
    return status;
}

static int generate(const struct tg_arguments *a, const struct tg_system *system)
{
    const char *const directory = a->values[OPTION_OUTPUT];
    struct tg_system_config config;
    int status;

    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        return cannot_write(directory);
    }
    if (tg_system_lower_config(system, &config) != 0) {
        fputs("tidegate gen: out of memory\n", stderr);
        return TG_EXIT_LACKS;
    }
    status = write_file(a, system, &config, true);
    if (status == TG_EXIT_HOLDS) {
        status = write_file(a, system, &config, false);
    }
    tg_system_config_free(&config);
    return status;
}

static int run_gen(const struct tg_arguments *arguments)
{
    static struct tg_errors errors;
    struct tg_system *system;

    if (arguments->values[OPTION_OUTPUT] == NULL) {
        return tg_command_misuse(&tg_command_gen, "the directory is missing: -o DIR");
    }
    tg_errors_init(&errors);
    if (tg_system_load(arguments->operands[0], &system, &errors) != 0) {
        tg_errors_print(&errors, arguments->operands[0], stderr);
        return TG_EXIT_USAGE;
    }

    const int status = generate(arguments, system);

    tg_system_free(system);
    return status;
}

const struct tg_command tg_command_gen = {
    .name = "gen",
    .summary = "The C tables that firmware compiles in",
    .details =
        "FILE is a system file. Two files are written: " HEADER ", with the numbers of flows\n"
        "and queues by name, and " TABLES ", with the configuration and with memory of the\n"
        "right sizes: flows, buckets, buffers, queues, gates. What the simulator runs and what\n"
        "`check` proves is what they say. Firmware calls\n"
        "\n"
        "  tg_protocol_init(&protocol, &tidegate_config, tidegate_storage(), port, seed, now, "
        "NULL)\n",
    .operands = {"FILE", NULL},
    .options = options,
    .run = run_gen,
    .examples = "tidegate gen examples/motor.yaml -o firmware\n",
};
