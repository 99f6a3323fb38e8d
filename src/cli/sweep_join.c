/* SPDX-License-Identifier: MIT
 *
 * sweep_join.c - from the command to the program that is linked with MPI.
 */
#define _POSIX_C_SOURCE 200809L
#include "sweep_join.h"
#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool tg_sweep_is_rank(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") != NULL;
}

int tg_sweep_join(char **argv)
{
    static const char suffix[] = "-mpi";
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof suffix);

    if (length > 0) {
        memcpy(path + length, suffix, sizeof suffix);
        (void)execv(path, argv);
    }
    (void)tg_command_misuse(&tg_command_sweep,
                            "under mpirun this needs tidegate-mpi beside tidegate: install the "
                            "Debian package libopenmpi-dev, then configure and build again");
    return TG_EXIT_LACKS;
}
