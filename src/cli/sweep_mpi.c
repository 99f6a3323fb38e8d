/* SPDX-License-Identifier: MIT
 *
 * sweep_mpi.c - `tidegate-mpi`: the cells of a sweep spread over the ranks of MPI. Every rank reads
 * the file for itself; rows go to rank 0 as messages, and nothing else is shared.
 */
#include "command.h"
#include "sweep_ranks.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define ROW 1 /* the tag of rows */

static struct tg_ranks ranks;

static bool agree(int *status, uint32_t *first, uint64_t grid)
{
    uint64_t told[2] = {grid, *first};
    const int own = *status;
    bool is_same;

    (void)MPI_Bcast(told, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    *first = (uint32_t)told[1];
    is_same = own != TG_EXIT_HOLDS || told[0] == grid || told[0] == 0u;

    const int said = is_same ? own : TG_EXIT_USAGE;

    (void)MPI_Allreduce(&said, status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return is_same;
}

static _Noreturn void give_up(int status)
{
    (void)MPI_Abort(MPI_COMM_WORLD, status);
    exit(status);
}

static char *compute(const struct tg_cell_work *work, uint32_t cell)
{
    char *const message = tg_ranks_message(work, cell);

    if (message == NULL) {
        (void)tg_command_misuse(&tg_command_sweep, "out of memory");
        give_up(TG_EXIT_LACKS);
    }
    return message;
}

static char *receive(uint32_t rank)
{
    MPI_Status status;
    int length = 0;

    (void)MPI_Probe((int)rank, ROW, MPI_COMM_WORLD, &status);
    (void)MPI_Get_count(&status, MPI_CHAR, &length);

    char *const message = malloc((size_t)length);

    if (message == NULL) {
        (void)tg_command_misuse(&tg_command_sweep, "out of memory");
        give_up(TG_EXIT_LACKS);
    }
    (void)MPI_Recv(message, length, MPI_CHAR, (int)rank, ROW, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return message;
}

/* Errors of MPI itself end all ranks: that is its default. */
static int run(const struct tg_cell_work *work, uint32_t first, tg_ranks_take *take, void *ctx)
{
    for (uint32_t cell = first; cell < work->grid->n_cells; cell++) {
        const uint32_t owner = (cell - first) % ranks.n;
        char *message = NULL;

        if (owner == ranks.rank) {
            message = compute(work, cell);
        } else if (ranks.rank == 0u) {
            message = receive(owner);
        }
        if (ranks.rank == 0u) {
            const int status = tg_ranks_receive(message, take, ctx);

            if (status != TG_EXIT_HOLDS) {
                give_up(status);
            }
        } else if (message != NULL) {
            (void)MPI_Send(message, (int)strlen(message) + 1, MPI_CHAR, 0, ROW, MPI_COMM_WORLD);
        }
        free(message);
    }
    return TG_EXIT_HOLDS;
}

int main(int argc, char **argv)
{
    int rank = 0;
    int n = 1;

    if (argc < 2 || MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        fputs("tidegate-mpi is started by `mpirun -n N tidegate sweep ...`\n", stderr);
        return TG_EXIT_USAGE;
    }
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &n);
    ranks = (struct tg_ranks){.rank = (uint32_t)rank, .n = (uint32_t)n, .agree = agree, .run = run};
    tg_ranks_mpi = &ranks;
    if (rank != 0 && freopen("/dev/null", "w", stdout) == NULL) { /* --help once is enough */
        give_up(TG_EXIT_LACKS);
    }

    const int status = tg_command_run(&tg_command_sweep, argc - 2, argv + 2);

    (void)MPI_Finalize();
    return status;
}
