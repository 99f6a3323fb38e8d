/* SPDX-License-Identifier: MIT
 *
 * check_traffic.h - one source of traffic while it is checked; shared by the check_traffic files
 * alone.
 */
#ifndef TG_SYSTEM_CHECK_TRAFFIC_H
#define TG_SYSTEM_CHECK_TRAFFIC_H

#include "system/check.h"

struct tg_source_check {
    struct tg_place place;
    struct tg_system *system;
    const struct tg_system_scenario *scenario;
    struct tg_system_traffic *traffic;
    const char *directory;          /* of captures, or NULL */
    const struct tg_finder *finder; /* with all flows */
};

/* The only one of these fields (ended by NULL) that is written, or NULL with an error.
 *
 * Context, cost: task, O(fields); likewise below. Returns, where it is int: 0; -1 with errors. */
const char *tg_check_only_one(const struct tg_place *place, const char *const fields[],
                              const char *allowed);

/* None of these fields may be written with that one. */
int tg_check_none_of(const struct tg_place *place, const char *const fields[], const char *with,
                     const char *allowed);

/* When it begins and ends; fills in the end. */
int tg_check_window(const struct tg_source_check *s);

/* When its frames come; fills in the kind. */
int tg_check_timing(const struct tg_source_check *s);

/* The source of a flow keeps to what the flow says. */
int tg_check_conforming(const struct tg_source_check *s);

/* Which flow it is the source of; fills in flow and match. */
int tg_check_flow(const struct tg_source_check *s);

/* Can its frames be built, and do they go where they should? The match of a flow's source is
 * narrowed until the flow takes its frames. */
int tg_check_frames(const struct tg_source_check *s);

/* A file that can be opened; fills in its path from here. */
int tg_check_capture(const struct tg_source_check *s);

#endif
