/* SPDX-License-Identifier: MIT
 *
 * nic_report.h - the counters of the NIC, as tables or as JSON.
 */
#ifndef TG_CLI_NIC_REPORT_H
#define TG_CLI_NIC_REPORT_H

#include "nic/device/device.h"
#include "nic/device/setup.h"

#include <stdio.h>

/* Write all counters.
 *
 * Context: main task.
 * Returns: 0, or -1 if not all of it could be written.
 * Cost:    O(queues). */
int tg_nic_report(const struct tg_nic_device *device, const struct tg_nic_file *file, bool is_json,
                  FILE *out);

#endif
