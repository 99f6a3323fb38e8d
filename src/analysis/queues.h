/* SPDX-License-Identifier: MIT
 *
 * queues.h - from the NIC to acceptance: moderation, wait for budget, service (section 8).
 */
#ifndef TG_ANALYSIS_QUEUES_H
#define TG_ANALYSIS_QUEUES_H

#include "analysis/model.h"

/* Fill in one result per queue. Returns 0 or TG_ANALYSIS_ERR_MEMORY. */
int tg_queues_analyse(const struct tg_model *model, struct tg_queue_result *queues);

#endif
