/* SPDX-License-Identifier: MIT
 *
 * frames.c - which flow and which NIC queue take a frame.
 */
#include "sim/frames.h"

int tg_frames_open(struct tg_finder *finder, const struct tg_system *system)
{
    if (tg_finder_open(finder, system) != 0) {
        return TG_SIM_ERR_MEMORY;
    }
    for (size_t i = 0u; i < system->n_flows; i++) {
        if (tg_finder_bind(finder, i) != 0) {
            tg_finder_close(finder);
            return TG_SIM_ERR_CONFIG;
        }
    }
    return 0;
}

void tg_frames_sort(const struct tg_finder *finder, struct tg_sim_frame *frame)
{
    const struct tg_system *const system = finder->system;
    const int flow = tg_finder_find(finder, frame->bytes, frame->len_bytes);

    frame->flow =
        (uint16_t)(flow == TG_FINDER_MALFORMED ? tg_sim_malformed(system) : (uint32_t)flow);
    frame->queue = flow > 0 ? system->flows[flow - 1].queue : system->best_effort.queue;
}
