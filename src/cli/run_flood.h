/* SPDX-License-Identifier: MIT
 *
 * run_flood.h - the floods of a scenario: its traffic that is no flow's own source; and the same
 * floods at another rate.
 */
#ifndef TG_CLI_RUN_FLOOD_H
#define TG_CLI_RUN_FLOOD_H

#include "system/system.h"

/* The traffic comes from anybody, not from the source that a flow describes.
 *
 * Context: any, likewise below.
 * Cost:    O(1) or O(traffic), likewise below. */
bool tg_flood_is(const struct tg_system_traffic *traffic);

/* There is a flood. */
bool tg_flood_any(const struct tg_system_scenario *scenario);

/* When the first flood starts; 0 without one. */
tg_ns tg_flood_start_ns(const struct tg_system_scenario *scenario);

/* Frames per second of all floods whose rate can be set: not of captures, whose times are their
 * own. 0: there are none. */
uint64_t tg_flood_rate_pps(const struct tg_system_scenario *scenario);

/* The same traffic with its floods scaled, each by the same factor, so that they have this rate
 * together. *out shares all texts with scenario; traffic: room for as many sources as it has. */
void tg_flood_scale(const struct tg_system_scenario *scenario, uint64_t rate_pps,
                    struct tg_system_traffic *traffic, struct tg_system_scenario *out);

#endif
