/* SPDX-License-Identifier: MIT
 *
 * nic_stock.c - the NIC as an ordinary one, with the driver as it is usual.
 */
#include "nic_stock.h"
#include "arch.h"
#include "board.h"
#include "gic.h"

#include <stdlib.h>

#define QUEUE 0u
#define BLOCK TG_NIC_QUEUE(QUEUE)

static void take_interrupt(void *context)
{
    struct nic_stock *const s = context;

    s->interrupts++;
    (void)osSemaphoreRelease(s->frames); /* one token is enough: the thread drains the ring */
}

static struct nic_stock_buffer *take_free(struct nic_stock *s)
{
    const uint32_t state = arch_lock();
    struct nic_stock_buffer *const b = s->free;

    if (b != NULL) {
        s->free = b->next;
    }
    arch_unlock(state);
    return b;
}

void nic_stock_release(struct nic_stock *s, struct nic_stock_buffer *buffer)
{
    const uint32_t state = arch_lock();

    buffer->next = s->free;
    s->free = buffer;
    arch_unlock(state);
}

static void offer(struct nic_stock *s, struct nic_stock_buffer *buffer)
{
    s->in_order[s->ring.sent & (s->ring.size - 1u)] = buffer;
    tg_nic_ring_offer(&s->ring, (uint32_t)(buffer->data - s->nic->device.memory), NIC_BUFFER_BYTES);
}

/* Take the oldest frame out of the ring. Returns: NULL if it is dropped for want of a buffer. */
static struct nic_stock_buffer *take_frame(struct nic_stock *s, uint32_t *len_bytes)
{
    const struct tg_nic_descriptor *const slot = tg_nic_ring_slot(&s->ring, s->ring.done);
    struct nic_stock_buffer *const b = s->in_order[s->ring.done & (s->ring.size - 1u)];
    struct nic_stock_buffer *const fresh = take_free(s);

    *len_bytes = tg_nic_load(&slot->len_bytes);
    b->flow = tg_nic_load(&slot->flow);
    if (b->flow >= s->n_flows || *len_bytes > NIC_BUFFER_BYTES) {
        kernel_panic("the NIC has other rules or buffers than the firmware: same file?", NULL);
    }
    s->flows[b->flow].received++;
    tg_nic_ring_take(&s->ring);
    if (fresh == NULL) {
        s->flows[b->flow].no_buffer++;
        offer(s, b);
        return NULL;
    }
    offer(s, fresh);
    return b;
}

struct nic_stock_buffer *nic_stock_take(struct nic_stock *s, uint32_t *len_bytes)
{
    while (tg_nic_ring_has_returned(&s->ring)) {
        struct nic_stock_buffer *const b = take_frame(s, len_bytes);

        if (b != NULL) {
            return b;
        }
    }
    return NULL;
}

/* What comes from now on interrupts; then the ring is looked at once more. */
void nic_stock_wait(struct nic_stock *s)
{
    s->token = s->token == UINT32_MAX ? 1u : s->token + 1u;
    tg_nic_store_in_order((uint32_t *)(void *)(s->nic->device.memory + TG_NIC_Q_ARM(QUEUE)),
                          s->token);
    if (!tg_nic_ring_has_returned(&s->ring)) {
        (void)osSemaphoreAcquire(s->frames, osWaitForever);
    }
}

/* ---- Start-up -------------------------------------------------------------------------------- */

static void make_buffers(struct nic_stock *s, uint32_t n)
{
    const uint32_t at = nic_take(s->nic, n * NIC_BUFFER_BYTES);

    s->buffers = calloc(n, sizeof(*s->buffers));
    if (s->buffers == NULL) {
        kernel_panic("no memory for the stock driver", NULL);
    }
    for (uint32_t i = 0u; i < n; i++) {
        s->buffers[i].data = s->nic->device.memory + at + i * NIC_BUFFER_BYTES;
        nic_stock_release(s, &s->buffers[i]);
    }
}

static uint32_t *word(const struct nic_stock *s, uint32_t offset)
{
    return (uint32_t *)(void *)(s->nic->device.memory + offset);
}

static void make_ring(struct nic_stock *s, uint32_t descriptors)
{
    const uint32_t size = nic_ring_size(descriptors);
    const uint32_t at = nic_take(s->nic, size * (uint32_t)sizeof(struct tg_nic_descriptor));

    s->ring = (struct tg_nic_ring){.slots = (void *)word(s, at),
                                   .offered = word(s, TG_NIC_Q_OFFERED(QUEUE)),
                                   .returned = word(s, BLOCK + TG_NIC_Q_RETURNED),
                                   .size = size};
    s->in_order = calloc(size, sizeof(struct nic_stock_buffer *));
    if (s->in_order == NULL) {
        kernel_panic("no memory for the stock driver", NULL);
    }
    tg_nic_store(s->ring.offered, 0u);
    nic_set(s->nic, BLOCK + TG_NIC_Q_RING_BASE, at);
    nic_set(s->nic, BLOCK + TG_NIC_Q_RING_SIZE, size);
    for (uint32_t i = 0u; i < descriptors; i++) {
        offer(s, take_free(s));
    }
}

/* Every frame enters queue 0, whatever its priority; the others stay disabled. */
static void make_one_queue(struct nic *nic, const struct nic_stock_config *cfg)
{
    nic_set(nic, TG_NIC_UNREGISTERED, TG_NIC_UNREGISTERED_ACCEPT);
    nic_set(nic, BLOCK + TG_NIC_Q_PRIORITIES, (TG_PRIORITIES - 1u) << 8);
    nic_set(nic, BLOCK + TG_NIC_Q_PACKETS, cfg->packets);
    nic_set(nic, BLOCK + TG_NIC_Q_ABSOLUTE_NS, cfg->absolute_ns);
    nic_set(nic, BLOCK + TG_NIC_Q_PACKET_NS, cfg->packet_ns);
    nic_set(nic, BLOCK + TG_NIC_Q_GATE_BUDGET, 0u);
}

void nic_stock_start(struct nic_stock *s, struct nic *nic, const struct nic_stock_config *cfg)
{
    *s = (struct nic_stock){.nic = nic, .flows = cfg->flows, .n_flows = cfg->n_flows};
    if (cfg->n_buffers <= cfg->ring) {
        kernel_panic("the ring of the stock driver does not fit", NULL);
    }
    s->frames = osSemaphoreNew(
        1u, 0u, &(osSemaphoreAttr_t){.cb_mem = &s->memory, .cb_size = sizeof(s->memory)});
    make_one_queue(nic, cfg);
    make_buffers(s, cfg->n_buffers);
    make_ring(s, cfg->ring);
    gic_enable(ivshmem_line(&nic->device, QUEUE), BOARD_LEVEL_RECEIVE, take_interrupt, s);
    nic_set(nic, BLOCK + TG_NIC_Q_CONTROL, TG_NIC_ENABLE);
}
