/* SPDX-License-Identifier: MIT
 *
 * totals.h - the CPU's long-run shares under any flood, and all buffers (sections 9.3, 9.4).
 */
#ifndef TG_ANALYSIS_TOTALS_H
#define TG_ANALYSIS_TOTALS_H

#include "analysis/level.h"

/* level: on its way down, not used again after this. flows are complete. */
struct tg_analysis_totals tg_totals(struct tg_level *level, const struct tg_flow_result *flows);

#endif
