/* SPDX-License-Identifier: MIT
 *
 * storage.h - memory for a core of the size that the system file asks for.
 */
#ifndef TG_NODE_STORAGE_H
#define TG_NODE_STORAGE_H

#include "tidegate/rx.h"

#include "system/system.h"

/* All but the bytes of the buffers.
 *
 * Context: start-up; allocates.
 * Returns: false when out of memory. *out is to be given to tg_storage_free in either case.
 * Cost:    O(size). */
TG_NODISCARD bool tg_storage_new(const struct tg_system_config *core, struct tg_storage *out);

/* Context: nobody uses it any more; an all-zero object is allowed. Cost: O(1). */
void tg_storage_free(struct tg_storage *storage);

#endif
