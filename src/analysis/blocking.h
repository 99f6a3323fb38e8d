/* SPDX-License-Identifier: MIT
 *
 * blocking.h - what less urgent work can do to a priority (section 5).
 */
#ifndef TG_ANALYSIS_BLOCKING_H
#define TG_ANALYSIS_BLOCKING_H

#include "analysis/model.h"

/* [B_i] The longest delay of a busy window of `priority` by work below it, and who causes it. */
struct tg_blocking tg_blocking_at(const struct tg_model *model, int32_t priority);

#endif
