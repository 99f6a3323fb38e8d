/* SPDX-License-Identifier: MIT
 *
 * gem_tidegate.c - the driver with Tidegate.
 */
#include "gem_tidegate.h"
#include "board.h"
#include "gic.h"
#include "kernel.h"

#define FRAMES_PER_INTERRUPT 1u

/* ---- The ring -------------------------------------------------------------------------------- */

/* By two multiplications, for which the compiler has a longer way. */
static inline tg_ns now(void)
{
    const uint64_t ticks = board_ticks();
    uint32_t factor = BOARD_TICK_NS;

    __asm("" : "+r"(factor)); /* no number that it knows */
    return ticks * factor;
}

static bool peek(void *ring, struct tg_rx_frame *frame)
{
    const struct gem_tidegate *const g = ring;
    struct tg_buffer *const b = g->buffers[g->gem.rx_next];

    frame->now_ns = now();
    if (!gem_rx_look(&g->gem, &frame->len_bytes)) {
        return false;
    }
    frame->buffer = b;
    frame->tci = TG_TCI_NONE;
    return true;
}

static bool has_frame(const void *ring)
{
    const struct gem_tidegate *const g = ring;

    return gem_rx_has(&g->gem);
}

static void advance(void *ring, struct tg_buffer *buffer)
{
    struct gem_tidegate *const g = ring;

    g->buffers[g->gem.rx_next] = buffer;
    gem_rx_give(&g->gem, buffer->data);
}

static const struct tg_ring_ops RING = {.peek = peek, .has_frame = has_frame, .advance = advance};

/* ---- For the port ---------------------------------------------------------------------------- */

static tg_ns now_ns(void *driver)
{
    (void)driver;
    return now();
}

static void mask(void *driver, uint32_t queue)
{
    struct gem_tidegate *const g = driver;

    (void)queue; /* it has one */
    gem_rx_mask(&g->gem);
}

static void unmask(void *driver, uint32_t queue)
{
    struct gem_tidegate *const g = driver;

    (void)queue;
    gem_rx_unmask(&g->gem);
}

static __attribute__((flatten)) void invalidate(void *driver, uint8_t *data, uint32_t len_bytes)
{
    (void)driver;
    board_cache_invalidate(data, len_bytes);
}

const struct tg_cmsis_driver GEM_TIDEGATE_DRIVER = {
    .now_ns = now_ns, .mask = mask, .unmask = unmask, .invalidate = invalidate};

/* ---- The interrupt --------------------------------------------------------------------------- */

/* All of the path in one function: calls would be a tenth of it. */
static __attribute__((flatten)) void take_frame(void *context)
{
    struct gem_tidegate *const g = context;

    gem_acknowledge(&g->gem);
    if (g->queue->ops != &RING) {
        __builtin_unreachable(); /* so the compiler takes the functions of RING in line */
    }
    if (tg_rxq_interrupt(g->queue, FRAMES_PER_INTERRUPT) == TG_WORK_MORE) {
        gic_pend(g->gem.cfg.line);
    }
}

static void report(const struct gem_tidegate *g, enum tg_event_kind kind)
{
    const uint32_t state = tg_port_lock(g->core->port);

    tg_port_trace(g->core->port, kind, g->queue->number, 0u);
    tg_port_unlock(g->core->port, state);
}

static void take_frame_traced(void *context)
{
    report(context, TG_EVENT_INTERRUPT_IN);
    take_frame(context);
    report(context, TG_EVENT_INTERRUPT_OUT);
}

/* ---- Start-up -------------------------------------------------------------------------------- */

void gem_tidegate_init(struct gem_tidegate *g, const struct gem_config *cfg,
                       struct tg_protocol *core, const struct tg_config *core_config,
                       struct tg_buffer **buffers, uint32_t level)
{
    gem_init(&g->gem, cfg);
    g->core = core;
    g->buffers = buffers;
    g->queue = tg_rxq_attach(core, 0u, &RING, g);
    for (uint32_t i = 0u; i < cfg->rx_slots; i++) {
        buffers[i] = tg_rxq_fill(g->queue);
        if (buffers[i] == NULL || buffers[i]->size_bytes < GEM_BUFFER_BYTES) {
            kernel_panic("the ring and the buffers of the configuration do not fit the GEM's",
                         NULL);
        }
        gem_rx_fill(&g->gem, i, buffers[i]->data);
    }
    gic_enable(cfg->line, level, core_config->trace ? take_frame_traced : take_frame, g);
}

void gem_tidegate_start(struct gem_tidegate *g)
{
    gem_start(&g->gem);
    tg_rxq_link(g->queue, true);
    if (gem_rx_has(&g->gem)) {
        gic_pend(g->gem.cfg.line); /* it came before its cause was unmasked */
    }
}
