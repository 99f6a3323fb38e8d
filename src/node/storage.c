/* SPDX-License-Identifier: MIT
 *
 * storage.c - memory for a core of the size that the system file asks for.
 */
#include "storage.h"

#include <stdlib.h>

bool tg_storage_new(const struct tg_system_config *core, struct tg_storage *out)
{
    *out = (struct tg_storage){.flows = calloc(core->n_flows, sizeof *out->flows),
                               .buckets = calloc(core->n_buckets, sizeof *out->buckets),
                               .buffers = calloc(core->n_buffers, sizeof *out->buffers),
                               .queues = calloc(core->config.n_queues, sizeof *out->queues),
                               .gates = calloc(core->config.n_gates, sizeof *out->gates),
                               .n_flows = core->n_flows,
                               .n_buckets = core->n_buckets,
                               .n_buffers = core->n_buffers};
    return out->flows != NULL && out->buckets != NULL && out->buffers != NULL &&
           out->queues != NULL && out->gates != NULL;
}

void tg_storage_free(struct tg_storage *storage)
{
    free(storage->flows);
    free(storage->buckets);
    free(storage->buffers);
    free(storage->queues);
    free(storage->gates);
}
