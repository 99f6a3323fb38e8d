/* SPDX-License-Identifier: MIT
 *
 * lower.h - from a system file to the input of the analysis.
 */
#ifndef TG_ANALYSIS_LOWER_H
#define TG_ANALYSIS_LOWER_H

#include "analysis/analysis.h"
#include "system/system.h"

/* Arrays that belong to the input. Tasks, servers, gates and queues are numbered as in the system;
 * so are flows, and best effort, unless it is dropped, is the last flow. */
struct tg_system_analysis {
    struct tg_analysis_input input; /* points into this object: do not copy it; unit "ns" */
    struct tg_analysis_task *tasks;
    struct tg_analysis_server *servers;
    struct tg_analysis_gate gates[TG_GATES_MAX];
    struct tg_analysis_queue queues[TG_QUEUES_MAX];
    struct tg_analysis_flow *flows;
};

/* Lower to the analysis: two context switches are added to each wcet, deferred cost and receiver,
 * to the stack's lock and to the tick that wakes a polling task; a third to each deferred cost if
 * something runs at the floor or below, or is held back there. A flow works at max(priority,
 * floor). has_register: of the controller, for the running priority.
 *
 * Context: task; allocates. Names stay those of the system, which has to outlive *out.
 * Returns: 0, *out to be given to tg_system_analysis_free(); -1 when out of memory, *out is then
 *          all zero.
 * Cost:    O(tasks + flows). */
TG_NODISCARD int tg_system_lower_analysis_with(const struct tg_system *system, bool has_register,
                                               struct tg_system_analysis *out);

/* The same with the controller that the file is about: it has a register if controllers are
 * compared, which is what stock.queue is for. */
TG_NODISCARD int tg_system_lower_analysis(const struct tg_system *system,
                                          struct tg_system_analysis *out);

/* Context: task; an all-zero object is allowed.
 * Cost:    O(1). */
void tg_system_analysis_free(struct tg_system_analysis *analysis);

#endif
