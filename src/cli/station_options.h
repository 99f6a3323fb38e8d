/* SPDX-License-Identifier: MIT
 *
 * station_options.h - options about the receiving station that commands share.
 */
#ifndef TG_CLI_STATION_OPTIONS_H
#define TG_CLI_STATION_OPTIONS_H

#include "command.h"
#include "tidegate/frame.h"

#define TG_STATION_HELP                                                                            \
    "address of the receiving station, as in 02:00:00:00:00:01 (rule 2; else a system file's, or " \
    "no "                                                                                          \
    "check)"
#define TG_MTU_HELP "largest payload of a frame in bytes (rule 4a; else a system file's, or 1500)"

/* Read both; NULL where an option was not given: then *station stays as it is.
 *
 * Context: any task.
 * Returns: TG_EXIT_HOLDS and *station, or TG_EXIT_USAGE after a message. */
int tg_station_from_options(const struct tg_command *command, const char *mac, const char *mtu,
                            struct tg_station *station);

#endif
