/* SPDX-License-Identifier: MIT
 *
 * nic_tidegate.c - the driver with Tidegate.
 */
#include "nic_tidegate.h"
#include "arch.h"
#include "board.h"
#include "gic.h"
#include "kernel.h"

#include <stdlib.h>

#define FRAMES_PER_INTERRUPT 16u

uint64_t nic_tidegate_vectors[TG_QUEUES_MAX];

static struct nic *nic;

static struct vector {
    uint32_t number;
    uint32_t line;
    uint32_t level;
    int32_t highest; /* priority that enters the queue */
} vectors[TG_QUEUES_MAX];

/* ---- For the port ---------------------------------------------------------------------------- */

static tg_ns now_ns(void *driver)
{
    (void)driver;
    return board_ticks() * BOARD_TICK_NS;
}

static void mask(void *driver, uint32_t queue)
{
    tg_nic_driver_mask(&((struct nic *)driver)->driver, queue);
}

static void unmask(void *driver, uint32_t queue)
{
    tg_nic_driver_unmask(&((struct nic *)driver)->driver, queue);
}

const struct tg_cmsis_driver NIC_TIDEGATE_DRIVER = {
    .now_ns = now_ns, .mask = mask, .unmask = unmask};

/* ---- The interrupt --------------------------------------------------------------------------- */

static void take_frames(void *context)
{
    const struct vector *const v = context;

    nic_tidegate_vectors[v->number]++;
    if (tg_nic_driver_interrupt(&nic->driver, v->number, FRAMES_PER_INTERRUPT) == TG_WORK_MORE) {
        gic_pend(v->line);
    }
}

/* ---- One space of priorities ----------------------------------------------------------------- */

/* The interrupt mask has changed: the NIC holds back the same queues. Of those that it holds back
 * the most urgent priority says which these are. */
static void tell_the_nic(uint32_t level)
{
    int32_t running = -1;

    for (uint32_t i = 0u; i < nic->driver.n_queues; i++) {
        if (vectors[i].level >= level && vectors[i].highest > running) {
            running = vectors[i].highest;
        }
    }
    tg_nic_driver_running(&nic->driver, running);
}

/* More urgent queues have smaller levels. */
static uint32_t level_of_queue(uint32_t number)
{
    uint32_t level = BOARD_LEVEL_RECEIVE;

    for (uint32_t i = 0u; i < nic->driver.n_queues; i++) {
        level += vectors[i].highest > vectors[number].highest;
    }
    return level;
}

/* A queue waits while a thread runs that is as urgent as all that it brings. */
static uint32_t level_of_thread(int32_t priority)
{
    uint32_t level = ARCH_LEVEL_ALL;

    for (uint32_t i = 0u; i < nic->driver.n_queues; i++) {
        if (vectors[i].highest <= priority && vectors[i].level < level) {
            level = vectors[i].level;
        }
    }
    return level;
}

static void unify(osPriority_t first)
{
    static uint8_t levels[KERNEL_PRIORITIES];

    for (uint32_t p = 0u; p < KERNEL_PRIORITIES; p++) {
        levels[p] = (uint8_t)level_of_thread((int32_t)p - (int32_t)first);
    }
    kernel_unify(levels, tell_the_nic);
}

/* ---- Start-up -------------------------------------------------------------------------------- */

static void attach(struct tg_protocol *core, uint32_t number, uint32_t descriptors)
{
    struct vector *const v = &vectors[number];
    const uint32_t size = nic_ring_size(descriptors);
    struct tg_buffer **const buffers = calloc(size, sizeof(struct tg_buffer *));

    gic_enable(v->line, v->level, take_frames, v);
    if (buffers == NULL ||
        tg_nic_driver_attach(&nic->driver, core, number,
                             nic_take(nic, size * (uint32_t)sizeof(struct tg_nic_descriptor)), size,
                             buffers) != 0) {
        kernel_panic("the NIC does not take a queue", NULL);
    }
}

void nic_tidegate_start(struct nic *device, struct tg_protocol *core,
                        const struct tg_config *core_config, osPriority_t first)
{
    nic = device;
    if (core_config->n_queues != nic->driver.n_queues) {
        kernel_panic("the NIC has other queues than the tables", NULL);
    }
    for (uint32_t i = 0u; i < nic->driver.n_queues; i++) {
        const uint32_t range =
            tg_nic_driver_read(&nic->driver, TG_NIC_QUEUE(i) + TG_NIC_Q_PRIORITIES);

        vectors[i] = (struct vector){.number = i,
                                     .line = ivshmem_line(&nic->device, i),
                                     .highest = (int32_t)(range >> 8 & 0xffu)};
    }
    for (uint32_t i = 0u; i < nic->driver.n_queues; i++) {
        vectors[i].level = level_of_queue(i);
    }
    unify(first);
    for (uint32_t i = 0u; i < nic->driver.n_queues; i++) {
        attach(core, i, core_config->queues[i].ring);
    }
}
