/* SPDX-License-Identifier: MIT
 *
 * gem_stock.c - the driver as it is usual.
 */
#include "gem_stock.h"
#include "arch.h"
#include "board.h"
#include "gic.h"

static __attribute__((flatten)) void take_interrupt(void *context)
{
    struct gem_stock *const g = context;

    gem_acknowledge(&g->gem);
    (void)osSemaphoreRelease(g->frames); /* one token is enough: the thread drains the ring */
}

static struct gem_stock_buffer *take_free(struct gem_stock *g)
{
    const uint32_t state = arch_lock();
    struct gem_stock_buffer *const b = g->free;

    if (b != NULL) {
        g->free = b->next;
    }
    arch_unlock(state);
    return b;
}

void gem_stock_release(struct gem_stock *g, struct gem_stock_buffer *buffer)
{
    const uint32_t state = arch_lock();

    buffer->next = g->free;
    g->free = buffer;
    arch_unlock(state);
}

void gem_stock_init(struct gem_stock *g, const struct gem_config *cfg,
                    struct gem_stock_buffer **ring, struct gem_stock_buffer *buffers,
                    uint32_t n_buffers, uint32_t level)
{
    gem_init(&g->gem, cfg);
    g->buffers = ring;
    g->free = NULL;
    g->received = g->no_buffer = 0u;
    g->frames = osSemaphoreNew(
        1u, 0u, &(osSemaphoreAttr_t){.cb_mem = &g->memory, .cb_size = sizeof(g->memory)});
    for (uint32_t i = 0u; i < n_buffers; i++) {
        board_cache_invalidate(buffers[i].data, GEM_BUFFER_BYTES);
        gem_stock_release(g, &buffers[i]);
    }
    for (uint32_t i = 0u; i < cfg->rx_slots; i++) {
        ring[i] = take_free(g);
        gem_rx_fill(&g->gem, i, ring[i]->data);
    }
    gic_enable(cfg->line, level, take_interrupt, g);
}

void gem_stock_start(struct gem_stock *g)
{
    gem_start(&g->gem);
    gem_rx_unmask(&g->gem);
    gic_pend(g->gem.cfg.line); /* for what came before */
}

/* Take the oldest frame out of the ring. Returns: NULL if it is dropped for want of a buffer. */
static struct gem_stock_buffer *take_frame(struct gem_stock *g, uint32_t len_bytes)
{
    struct gem_stock_buffer *const b = g->buffers[g->gem.rx_next];
    struct gem_stock_buffer *const fresh = take_free(g);

    g->received++;
    if (fresh == NULL) {
        g->no_buffer++;
        gem_rx_give(&g->gem, b->data);
        return NULL;
    }
    /* Whatever its last user wrote must not be evicted over the next frame. */
    board_cache_invalidate(fresh->data, GEM_BUFFER_BYTES);
    g->buffers[g->gem.rx_next] = fresh;
    gem_rx_give(&g->gem, fresh->data);
    board_cache_invalidate(b->data, len_bytes);
    return b;
}

struct gem_stock_buffer *gem_stock_take(struct gem_stock *g, uint32_t *len_bytes)
{
    while (gem_rx_look(&g->gem, len_bytes)) {
        struct gem_stock_buffer *const b = take_frame(g, *len_bytes);

        if (b != NULL) {
            return b;
        }
    }
    return NULL;
}

void gem_stock_wait(struct gem_stock *g)
{
    (void)osSemaphoreAcquire(g->frames, osWaitForever);
}
