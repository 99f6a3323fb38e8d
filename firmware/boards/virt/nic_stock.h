/* SPDX-License-Identifier: MIT
 *
 * nic_stock.h - the NIC as an ordinary one, with the driver as it is usual: one queue for all
 * frames, an interrupt that wakes a thread, which takes the frames to the stack. What Tidegate is
 * compared with, so nothing is made worse here: buffers go round without a copy, the thread drains
 * the ring, the interrupt only releases a semaphore.
 */
#ifndef NIC_STOCK_H
#define NIC_STOCK_H

#include "kernel.h"
#include "nic.h"

/* What became of the frames of a flow. */
struct nic_stock_flow {
    uint64_t received;
    uint64_t no_buffer; /* of them: dropped because all buffers were with the stack */
};

struct nic_stock_config {
    uint32_t ring;                /* descriptors */
    uint32_t n_buffers;           /* more than ring */
    struct nic_stock_flow *flows; /* n_flows, counted by the NIC's rule for each; [0]: none */
    uint32_t n_flows;

    /* Moderation of the interrupt; 0: none. */
    uint32_t packets;
    uint32_t absolute_ns;
    uint32_t packet_ns;
};

struct nic_stock_buffer {
    struct nic_stock_buffer *next; /* private: free list */
    uint8_t *data;                 /* NIC_BUFFER_BYTES */
    uint32_t flow;                 /* of the frame in it: for the counts */
};

/* Private; complete so that storage can be static. */
struct nic_stock {
    struct nic *nic;
    struct tg_nic_ring ring;
    struct nic_stock_buffer *buffers;   /* n_buffers */
    struct nic_stock_buffer **in_order; /* of the ring, by slot */
    struct nic_stock_buffer *free;
    struct kernel_semaphore memory;
    osSemaphoreId_t frames;
    uint32_t token; /* of ARM */
    struct nic_stock_flow *flows;
    uint32_t n_flows;
    uint64_t interrupts;
};

/* Make one queue of the NIC's queues, fill its ring, and receive from now on.
 *
 * Context: a thread, after nic_init. */
void nic_stock_start(struct nic_stock *s, struct nic *nic, const struct nic_stock_config *cfg);

/* Take the oldest frame out of the ring. Frames that find no free buffer are dropped and counted.
 *
 * Context: the driver's thread.
 * Returns: its buffer, which goes back with nic_stock_release; NULL if the ring is empty. */
struct nic_stock_buffer *nic_stock_take(struct nic_stock *s, uint32_t *len_bytes);

/* Wait for an interrupt since the last wait.
 *
 * Context: the driver's thread, when the ring is empty. */
void nic_stock_wait(struct nic_stock *s);

/* Context: any. Cost: O(1). */
void nic_stock_release(struct nic_stock *s, struct nic_stock_buffer *buffer);

#endif
