/* SPDX-License-Identifier: MIT
 *
 * tasks.h - worst-case response time of one task (section 6).
 */
#ifndef TG_ANALYSIS_TASKS_H
#define TG_ANALYSIS_TASKS_H

#include "analysis/level.h"

/* The level is the task's, its flood busy window is known. task: as in the model. */
struct tg_task_result tg_task_response(struct tg_level *level, const struct tg_task *task);

/* Does it meet its deadline? Often the first job decides, and then no busy window is looked for. */
bool tg_task_meets(struct tg_level *level, const struct tg_task *task);

#endif
