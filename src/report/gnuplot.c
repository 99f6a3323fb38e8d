/* SPDX-License-Identifier: MIT
 *
 * gnuplot.c - run gnuplot. Its ends are temporary files, not pipes: nobody waits for the other.
 */
#define _POSIX_C_SOURCE 200809L
#include "gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Numbers are written the same way everywhere, and so are the pictures. */
static char *const environment[] = {"LC_ALL=C.UTF-8", NULL};

static int spawn(FILE *in, FILE *out, pid_t *pid)
{
    static char program[] = "gnuplot";
    static char no_user_settings[] = "-d";
    static char from_input[] = "-";
    char *const arguments[] = {program, no_user_settings, from_input, NULL};
    posix_spawn_file_actions_t actions;

    if (posix_spawn_file_actions_init(&actions) != 0) {
        return TG_GNUPLOT_ERR_SYSTEM;
    }
    int err = posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);

    if (err == 0) {
        err = posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    }
    if (err == 0) {
        err = posix_spawnp(pid, program, &actions, NULL, arguments, environment);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return err == 0                         ? 0
           : err == ENOENT || err == EACCES ? TG_GNUPLOT_ERR_MISSING
                                            : TG_GNUPLOT_ERR_SYSTEM;
}

static int wait_for(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return TG_GNUPLOT_ERR_SYSTEM;
        }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : TG_GNUPLOT_ERR_FAILED;
}

static char *read_all(FILE *file)
{
    if (fseek(file, 0L, SEEK_END) != 0) {
        return NULL;
    }
    const long size = ftell(file);
    char *const text = size >= 0 ? malloc((size_t)size + 1u) : NULL;

    rewind(file);
    if (text != NULL) {
        text[fread(text, 1u, (size_t)size, file)] = '\0';
    }
    return text;
}

static int run(const char *script, FILE *in, FILE *out, char **output)
{
    pid_t pid;

    if (fputs(script, in) < 0 || fflush(in) != 0) {
        return TG_GNUPLOT_ERR_SYSTEM;
    }
    rewind(in);

    int err = spawn(in, out, &pid);

    if (err == 0) {
        err = wait_for(pid);
    }
    if (err != 0) {
        return err;
    }
    *output = read_all(out);
    return *output != NULL ? 0 : TG_GNUPLOT_ERR_SYSTEM;
}

int tg_gnuplot_run(const char *script, char **output)
{
    FILE *const in = tmpfile();
    FILE *const out = tmpfile();

    *output = NULL;

    const int err =
        in != NULL && out != NULL ? run(script, in, out, output) : TG_GNUPLOT_ERR_SYSTEM;

    if (in != NULL) {
        (void)fclose(in);
    }
    if (out != NULL) {
        (void)fclose(out);
    }
    return err;
}
