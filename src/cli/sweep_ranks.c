/* SPDX-License-Identifier: MIT
 *
 * sweep_ranks.c - cells of a grid computed by processes on this machine.
 */
#define _POSIX_C_SOURCE 200809L
#include "sweep_ranks.h"
#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const struct tg_ranks *tg_ranks_mpi;

/* ---- Messages -------------------------------------------------------------------------------- */

char *tg_ranks_message(const struct tg_cell_work *work, uint32_t cell)
{
    char *message = NULL;
    size_t size = 0u;
    char text[512] = "";
    FILE *const out = open_memstream(&message, &size);

    if (out == NULL) {
        return NULL;
    }
    fputc('r', out);

    const int status = tg_cell_row(work, cell, out, text, sizeof text);

    if (status != TG_EXIT_HOLDS) {
        rewind(out);
        fprintf(out, "e%dcell %u: %s\n", status, cell + 1u, text);
    }
    if (fclose(out) != 0) {
        free(message);
        return NULL;
    }
    return message;
}

int tg_ranks_receive(const char *message, tg_ranks_take *take, void *ctx)
{
    if (message[0] == 'r') {
        return take(ctx, message + 1);
    }
    fprintf(stderr, "tidegate sweep: %s", message + 2);
    return message[1] - '0';
}

/* ---- Processes ------------------------------------------------------------------------------- */

struct worker {
    pid_t pid;
    FILE *rows;
};

static _Noreturn void work_on(const struct tg_cell_work *work, uint32_t cell, uint32_t jobs, int fd)
{
    FILE *const out = fdopen(fd, "w");

    for (; out != NULL && cell < work->grid->n_cells; cell += jobs) {
        char *const message = tg_ranks_message(work, cell);

        if (message == NULL || fputs(message, out) == EOF || fflush(out) != 0) {
            _exit(TG_EXIT_LACKS);
        }
        free(message);
    }
    _exit(TG_EXIT_HOLDS);
}

static int start_worker(struct worker *w, const struct tg_cell_work *work, uint32_t cell,
                        uint32_t jobs)
{
    int ends[2];

    if (pipe(ends) != 0) {
        return -1;
    }
    w->pid = fork();
    if (w->pid == 0) {
        (void)close(ends[0]);
        work_on(work, cell, jobs, ends[1]);
    }
    (void)close(ends[1]);
    w->rows = w->pid > 0 ? fdopen(ends[0], "r") : NULL;
    if (w->rows == NULL) {
        (void)close(ends[0]);
        return -1;
    }
    return 0;
}

static int collect(struct worker *workers, uint32_t jobs, uint32_t n, tg_ranks_take *take,
                   void *ctx)
{
    char *line = NULL;
    size_t size = 0u;
    int status = TG_EXIT_HOLDS;

    for (uint32_t i = 0u; i < n && status == TG_EXIT_HOLDS; i++) {
        if (getline(&line, &size, workers[i % jobs].rows) <= 0) {
            (void)tg_command_misuse(&tg_command_sweep, "a process that computes cells has died");
            status = TG_EXIT_LACKS;
        } else {
            status = tg_ranks_receive(line, take, ctx);
        }
    }
    free(line);
    return status;
}

/* Those that are still at work end at their next row, which nobody takes any more. */
static void end_workers(struct worker *workers, uint32_t n)
{
    for (uint32_t i = 0u; i < n; i++) {
        if (workers[i].rows != NULL) {
            (void)fclose(workers[i].rows);
        }
    }
    for (uint32_t i = 0u; i < n; i++) {
        if (workers[i].pid > 0) {
            (void)waitpid(workers[i].pid, NULL, 0);
        }
    }
}

int tg_ranks_fork(const struct tg_cell_work *work, uint32_t first, uint32_t jobs,
                  tg_ranks_take *take, void *ctx)
{
    const uint32_t n = work->grid->n_cells - first;
    struct worker *const workers = calloc(jobs, sizeof *workers);
    int status = workers == NULL ? TG_EXIT_LACKS : TG_EXIT_HOLDS;

    (void)fflush(NULL); /* else children would write it again */
    for (uint32_t i = 0u; i < jobs && status == TG_EXIT_HOLDS; i++) {
        status =
            start_worker(&workers[i], work, first + i, jobs) == 0 ? TG_EXIT_HOLDS : TG_EXIT_LACKS;
    }
    if (status != TG_EXIT_HOLDS) {
        (void)tg_command_misuse(&tg_command_sweep, "no process or no memory for %u jobs", jobs);
    } else {
        status = collect(workers, jobs, n, take, ctx);
    }
    if (workers != NULL) {
        end_workers(workers, jobs);
        free(workers);
    }
    return status;
}
