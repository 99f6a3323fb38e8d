/* SPDX-License-Identifier: MIT
 *
 * safety_check.h - what was seen against what was proved.
 */
#ifndef TG_TESTS_SAFETY_CHECK_H
#define TG_TESTS_SAFETY_CHECK_H

#include "safety_attack.h"

/* The first bound that the last run of the world exceeds; NULL: none. */
const char *safety_violation(const struct world *w, const struct tg_analysis_result *proven);

/* How near the run came to the bound of the attack's target, in millionths: of a task its response,
 * of a flow acceptance to delivery, of a queue arrival to acceptance. 0 without a bound. */
uint32_t safety_reach_ppm(const struct attack *a, const struct world *w,
                          const struct tg_analysis_result *proven);

#endif
