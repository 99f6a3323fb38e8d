/* SPDX-License-Identifier: MIT
 *
 * nic.h - the NIC: one descriptor ring per queue that drops when it is full, and the moderation of
 * its interrupt.
 *
 * The line is level-triggered: a queue interrupts while its ring holds a frame and its moderation
 * has raised it. An emptied ring acknowledges: moderation starts anew.
 */
#ifndef TG_SIM_NIC_H
#define TG_SIM_NIC_H

#include "tidegate/moderation.h"
#include "sim/frames.h"

struct tg_nic_slot {
    tg_ns at_ns;
    const struct tg_sim_frame *frame;
    struct tg_buffer *buffer; /* in this descriptor; NULL where the policy needs none */
};

/* The ring: frames are in slots[head], slots[head + 1], ... modulo size. */
struct tg_nic_queue {
    struct tg_nic_slot *slots;
    uint32_t size;
    uint32_t head;
    uint32_t visible;  /* of them, those that were there when the current step started */
    bool is_moderated; /* else each frame raises, and nothing has to be kept */
    struct tg_moderation moderation;
    const struct tg_system_queue *cfg;
};

struct tg_nic {
    struct tg_nic_queue queues[TG_QUEUES_MAX];
    bool is_single;          /* every frame enters its one queue, whatever the system has */
    bool knows_flows;        /* what no flow takes is dropped, if the system wants no best effort */
    uint32_t malformed_flow; /* of frames */
    uint64_t unregistered;   /* dropped so */
    uint64_t malformed;      /* likewise */
    uint32_t filled_pkts[TG_QUEUES_MAX];
    uint32_t n_queues;
    uint32_t
        asking; /* bit k: queue k holds a frame and its moderation has fired, or it is spurious */
    uint32_t spurious; /* bit k: it raised an interrupt that no frame is behind */
    tg_ns timer_at_ns; /* of the first moderation timer; TG_SIM_NEVER: none runs */
};

/* The controller that a policy has.
 *
 * Context: start-up; allocates.
 * Returns: 0 or a negative enum tg_sim_error; tg_nic_free is due in either case.
 * Cost:    O(descriptors). */
TG_NODISCARD int tg_nic_init(struct tg_nic *nic, const struct tg_system *system,
                             enum tg_sim_policy policy);

/* Cost: O(1). */
void tg_nic_free(struct tg_nic *nic);

/* What becomes of a frame that arrives. */
enum tg_nic_fate { TG_NIC_ENTERS, TG_NIC_LOST, TG_NIC_REFUSED };

/* A frame arrives that would enter this queue. Cost: O(queues). */
enum tg_nic_fate tg_nic_arrive(struct tg_nic *nic, uint32_t queue, const struct tg_sim_frame *frame,
                               tg_ns now_ns);

/* An interrupt without a frame. Cost: O(1). */
void tg_nic_disturb(struct tg_nic *nic, uint32_t queue);

/* Let the moderation timers that are due fire. Cost: O(queues). */
void tg_nic_timer(struct tg_nic *nic, tg_ns now_ns);

/* From now on only the frames that are in the rings can be seen by the step that starts. Cost:
 * O(queues). */
void tg_nic_step(struct tg_nic *nic);

/* The oldest frame, or NULL. Cost: O(1). */
static inline struct tg_nic_slot *tg_nic_first(struct tg_nic *nic, uint32_t queue)
{
    struct tg_nic_queue *const q = &nic->queues[queue];

    return nic->filled_pkts[queue] != 0u ? &q->slots[q->head] : NULL;
}

/* Take it out; its descriptor is free again. Cost: O(queues). */
void tg_nic_take(struct tg_nic *nic, uint32_t queue);

#endif
