/* SPDX-License-Identifier: MIT
 *
 * setup.h - from a system file or a list of rules to what the NIC's registers hold after a reset.
 */
#ifndef TG_NIC_DEVICE_SETUP_H
#define TG_NIC_DEVICE_SETUP_H

#include "nic/model/model.h"
#include "system/system.h"

struct tg_nic_file {
    struct tg_nic_setup setup; /* points to rules */
    struct tg_nic_rule *rules;
    char queue_names[TG_NIC_QUEUES_MAX][TG_SYSTEM_NAME_MAX_BYTES + 1u];
};

/* Read a file, as `tidegate classify` does. A system file gives queues, priorities, moderation and
 * gates (a shared gate becomes one of its own for each queue, budgets of any kind become
 * deferrable). A list of rules has no priorities: two queues, `rules` (priority 1) above `rest`
 * (priority 0, best effort), unmoderated and without gates. Budgets of flows are the business of
 * software.
 *
 * Context: task; allocates.
 * Returns: 0, *out to be given to tg_nic_file_free(); -1 with what is wrong in *errors.
 * Cost:    as tg_system_load() or tg_rules_load(). */
TG_NODISCARD int tg_nic_file_load(const char *path, struct tg_nic_file *out,
                                  struct tg_errors *errors);

/* Context: task. Cost: O(1). */
void tg_nic_file_free(struct tg_nic_file *file);

#endif
