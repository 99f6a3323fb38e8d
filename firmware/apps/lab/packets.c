/* SPDX-License-Identifier: MIT
 *
 * packets.c - where packets end: work in the protocol task, then the receiver's job if the flow has
 * one. A packet's arrival is kept beside its buffer, so nothing of it stands in the path.
 */
#include "arch.h"
#include "lab.h"

struct packet {
    uint64_t at_ticks; /* it reached the NIC */
    uint32_t flow;     /* of lab_flows */
};

/* Packets on their way to a receiver: a ring as large as the pool, so it is never full. */
struct receiver {
    osSemaphoreId_t waiting;
    uint32_t *fifo;
    uint32_t in;
    uint32_t out;
};

static struct {
    const struct tg_storage *storage;
    struct gem_stock_buffer *stock; /* the same buffers for the stock driver, or NULL */
    struct packet *packets;         /* of each buffer */
    struct receiver *receivers;     /* of each flow */
    uint32_t first_address;
    osMutexId_t stack;
    struct kernel_mutex stack_memory;
} state;

void lab_stack_lock(void)
{
    (void)osMutexAcquire(state.stack, osWaitForever);
}

void lab_stack_unlock(void)
{
    (void)osMutexRelease(state.stack);
}

/* Of the buffer that this address lies in; all have the size that the GEM wants. */
static uint32_t index_of(uint32_t address)
{
    return (address - state.first_address) / GEM_BUFFER_BYTES;
}

void lab_packet_arrives(uint32_t address, uint32_t flow, uint64_t at_ticks)
{
    state.packets[index_of(address)] = (struct packet){.at_ticks = at_ticks, .flow = flow};
}

static void release(uint32_t i)
{
    if (state.stock != NULL) {
        gem_stock_release(&station_stock, &state.stock[i]);
    } else if (tg_rx_release(&station_protocol, &state.storage->buffers[i]) != 0) {
        kernel_panic("a packet could not be released", NULL);
    }
}

static void deliver(const struct packet *p)
{
    struct lab_counters *const c = &lab_counters[p->flow];
    const uint64_t ticks = board_ticks() - p->at_ticks;
    const uint32_t lock = arch_lock(); /* the run may end here: all of it is counted, or nothing */

    c->delivered++;
    c->late += ticks * LAB_TICK_NS > lab_flows[p->flow].deadline_ns;
    c->worst_ticks = ticks > c->worst_ticks ? ticks : c->worst_ticks;
    tg_hist_add(&c->latency, ticks * LAB_TICK_NS);
    arch_unlock(lock);
}

void lab_packet_delivered(const void *payload)
{
    deliver(&state.packets[index_of((uint32_t)(uintptr_t)payload)]);
}

static void hand_over(struct receiver *r, uint32_t i)
{
    r->fifo[r->in] = i;
    r->in = r->in + 1u == state.storage->n_buffers ? 0u : r->in + 1u;
    (void)osSemaphoreRelease(r->waiting);
}

static void process(uint32_t i)
{
    const struct packet *const p = &state.packets[i];
    const struct lab_flow *const f = &lab_flows[p->flow];

    lab_trace(LAB_EVENT_PACKET_IN, p->flow, 0u);
    lab_stack_lock();
    lab_busy_ns(f->deferred_ns);
    lab_stack_unlock();
    lab_trace(LAB_EVENT_PACKET_OUT, p->flow, 0u);
    if (f->receiver_ns != 0u) {
        hand_over(&state.receivers[p->flow], i);
    } else {
        deliver(p);
        release(i);
    }
}

void lab_input(struct tg_buffer *buffer)
{
    process((uint32_t)(buffer - state.storage->buffers));
}

void lab_stock_input(struct gem_stock_buffer *buffer)
{
    process((uint32_t)(buffer - state.stock));
}

static void receive(void *argument)
{
    struct receiver *const r = argument;
    const struct lab_flow *const f = &lab_flows[r - state.receivers];

    for (;;) {
        (void)osSemaphoreAcquire(r->waiting, osWaitForever);
        const uint32_t i = r->fifo[r->out];

        r->out = r->out + 1u == state.storage->n_buffers ? 0u : r->out + 1u;
        lab_trace(LAB_EVENT_RECEIVER_IN, state.packets[i].flow, 0u);
        lab_busy_ns(f->receiver_ns);
        lab_trace(LAB_EVENT_RECEIVER_OUT, state.packets[i].flow, 0u);
        deliver(&state.packets[i]);
        release(i);
    }
}

static void start_receiver(uint32_t flow)
{
    struct receiver *const r = &state.receivers[flow];
    const osSemaphoreAttr_t attr = {.cb_mem = lab_memory(1u, sizeof(struct kernel_semaphore)),
                                    .cb_size = sizeof(struct kernel_semaphore)};

    r->fifo = lab_memory(state.storage->n_buffers, sizeof(*r->fifo));
    r->waiting = osSemaphoreNew(state.storage->n_buffers, 0u, &attr);
    (void)lab_thread("receiver", LAB_PRIORITY(lab_flows[flow].receiver_priority), receive, r);
}

void lab_packets_init(const struct tg_storage *storage)
{
    const osMutexAttr_t attr = {.attr_bits = osMutexPrioInherit,
                                .cb_mem = &state.stack_memory,
                                .cb_size = sizeof(state.stack_memory)};

    state.storage = storage;
    if (storage->buffers[0].size_bytes != GEM_BUFFER_BYTES) {
        kernel_panic("the buffers of the tables are not those of the GEM", NULL);
    }
    state.first_address = (uint32_t)(uintptr_t)storage->buffers[0].data;
    state.packets = lab_memory(storage->n_buffers, sizeof(*state.packets));
    state.receivers = lab_memory(lab_plan->n_flows, sizeof(*state.receivers));
    state.stack = osMutexNew(&attr);
    lab_flows_init();
    for (uint32_t i = 0u; i < lab_plan->n_flows; i++) {
        if (lab_flows[i].receiver_ns != 0u) {
            start_receiver(i);
        }
    }
}

struct gem_stock_buffer *lab_stock_buffers(void)
{
    state.stock = lab_memory(state.storage->n_buffers, sizeof(*state.stock));
    for (uint32_t i = 0u; i < state.storage->n_buffers; i++) {
        state.stock[i].data = state.storage->buffers[i].data;
    }
    return state.stock;
}
