/* SPDX-License-Identifier: MIT
 *
 * sweep_join.c - from the command to the program that is linked with MPI.
 */
#include "sweep_join.h"
#include "command.h"
#include "join.h"

#include <stdlib.h>

bool tg_sweep_is_rank(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") != NULL;
}

int tg_sweep_join(char **argv)
{
    tg_join("-mpi", argv);
    (void)tg_command_misuse(&tg_command_sweep,
                            "under mpirun this needs tidegate-mpi beside tidegate: install the "
                            "Debian package libopenmpi-dev, then configure and build again");
    return TG_EXIT_LACKS;
}
