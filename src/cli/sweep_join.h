/* SPDX-License-Identifier: MIT
 *
 * sweep_join.h - from the command to the program that is linked with MPI.
 */
#ifndef TG_CLI_SWEEP_JOIN_H
#define TG_CLI_SWEEP_JOIN_H

#include <stdbool.h>

/* Did `mpirun` of Open MPI start this?
 *
 * Context: main task, likewise below. Cost: O(1), likewise below. */
bool tg_sweep_is_rank(void);

/* Go on as `tidegate-mpi`, which lies beside this program.
 *
 * Returns: only if there is none: an enum tg_exit, after a sentence on standard error. */
int tg_sweep_join(char **argv);

#endif
