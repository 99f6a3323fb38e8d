/* SPDX-License-Identifier: MIT
 *
 * main.c - for the build: write the manual pages and the completion into a directory.
 */
#include "pages.h"

#include <string.h>

static FILE *begin(const char *directory, const char *name)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    return fopen(path, "wb");
}

static int end(FILE *out)
{
    return fclose(out) == 0 ? 0 : -1;
}

static int write_command(const char *directory, const struct tg_command *command)
{
    char name[64];

    (void)snprintf(name, sizeof name, "tidegate-%s.1", command->name);

    FILE *const out = begin(directory, name);

    if (out == NULL) {
        return -1;
    }
    tg_man_command(command, out);
    return end(out);
}

static int write_whole(const char *directory, const char *name, void (*put)(FILE *out))
{
    FILE *const out = begin(directory, name);

    if (out == NULL) {
        return -1;
    }
    put(out);
    return end(out);
}

static int write_all(const char *directory)
{
    int err = write_whole(directory, "tidegate.1", tg_man_all);

    err |= write_whole(directory, "tidegate.bash", tg_completion);
    for (size_t i = 0u; tg_commands[i] != NULL; i++) {
        err |= write_command(directory, tg_commands[i]);
    }
    return err;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    if (write_all(argv[1]) != 0) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
