/* SPDX-License-Identifier: MIT
 *
 * gem_stock.h - the driver as it is usual: the interrupt wakes a thread, which takes the frames to
 * the stack. What Tidegate is compared with, so nothing is made worse here: buffers go round
 * without a copy, the thread drains the ring, the interrupt only releases a semaphore.
 */
#ifndef GEM_STOCK_H
#define GEM_STOCK_H

#include "gem.h"
#include "kernel.h"

struct gem_stock_buffer {
    struct gem_stock_buffer *next; /* private: free list */
    uint8_t *data;                 /* GEM_BUFFER_BYTES, at the start of a cache line */
};

/* Private; complete so that storage can be static. */
struct gem_stock {
    struct gem gem;
    struct gem_stock_buffer **buffers; /* of the ring, in the order of its descriptors */
    struct gem_stock_buffer *free;
    struct kernel_semaphore memory;
    osSemaphoreId_t frames;
    uint64_t received;
    uint64_t no_buffer; /* frames dropped because all buffers were with the stack */
};

/* Fill the ring; the other buffers are free.
 *
 * Context: start-up.
 * Units:   ring: storage for cfg->rx_slots pointers; n_buffers: more than cfg->rx_slots; level: of
 *          the interrupt (gic.h). */
void gem_stock_init(struct gem_stock *g, const struct gem_config *cfg,
                    struct gem_stock_buffer **ring, struct gem_stock_buffer *buffers,
                    uint32_t n_buffers, uint32_t level);

/* Receive from now on.
 *
 * Context: start-up or a thread. */
void gem_stock_start(struct gem_stock *g);

/* Take the oldest frame out of the ring. Frames that find no free buffer are dropped and counted.
 *
 * Context: the driver's thread.
 * Returns: its buffer, which goes back with gem_stock_release; NULL if the ring is empty. */
struct gem_stock_buffer *gem_stock_take(struct gem_stock *g, uint32_t *len_bytes);

/* Wait for an interrupt since the last wait.
 *
 * Context: the driver's thread, when the ring is empty. */
void gem_stock_wait(struct gem_stock *g);

/* Context: any. Cost: O(1). */
void gem_stock_release(struct gem_stock *g, struct gem_stock_buffer *buffer);

#endif
