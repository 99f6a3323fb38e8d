/* SPDX-License-Identifier: MIT
 *
 * network.c - the arrivals of the plan, for the generator.
 */
#include "lab.h"

uint64_t lab_start;

static void arrives(uint32_t index, uint32_t address, uint64_t due_ticks)
{
    const uint32_t flow = lab_frames[lab_arrivals[index].frame].flow;

    lab_counters[flow].sent++;
    if (lab_trace_ring != NULL) {
        lab_trace_add(due_ticks, address != 0u ? LAB_EVENT_ARRIVAL : LAB_EVENT_LOST, flow, 0u);
    }
    if (address != 0u) {
        lab_packet_arrives(address, flow, due_ticks);
    } else {
        lab_counters[flow].lost++;
    }
}

void lab_network_init(void)
{
    struct generator_frame *const frames = lab_memory(lab_plan->n_frames, sizeof(*frames));
    struct generator_arrival *const arrivals = lab_memory(lab_plan->n_arrivals, sizeof(*arrivals));

    for (uint32_t i = 0u; i < lab_plan->n_frames; i++) {
        frames[i] = (struct generator_frame){.bytes = lab_bytes + lab_frames[i].offset,
                                             .len_bytes = lab_frames[i].len_bytes};
    }
    for (uint32_t i = 0u; i < lab_plan->n_arrivals; i++) {
        arrivals[i] = (struct generator_arrival){.gap_ticks = lab_arrivals[i].gap_ticks,
                                                 .frame = lab_arrivals[i].frame};
    }
    generator_init(&(struct generator_config){.sender = station_sender(),
                                              .receiver = station_gem(),
                                              .frames = frames,
                                              .arrivals = arrivals,
                                              .n_arrivals = lab_plan->n_arrivals,
                                              .arrives = arrives});
}
