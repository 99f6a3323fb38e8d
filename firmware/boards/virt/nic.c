/* SPDX-License-Identifier: MIT
 *
 * nic.c - the device, its memory, sending.
 */
#include "nic.h"
#include "board.h"
#include "gic.h"
#include "kernel.h"

#define TX_SLOTS 64u

static void ring_doorbell(void *context)
{
    const struct nic *const nic = context;

    __asm volatile("dmb" ::: "memory");
    nic->device.registers[TG_NIC_BAR0_DOORBELL / 4u] = TG_NIC_DEVICE_PEER << 16;
}

static tg_ns now_ns(void *context)
{
    (void)context;
    return board_ticks() * BOARD_TICK_NS;
}

/* The device is another process of the host, which needs a CPU to answer. */
static void wait(void *context)
{
    (void)context;
    __asm volatile("yield");
}

uint32_t nic_take(struct nic *nic, uint32_t bytes)
{
    const uint32_t at = nic->free;

    if (bytes > nic->device.memory_bytes - at) {
        kernel_panic("rings and buffers do not fit the shared memory of the NIC", NULL);
    }
    nic->free = (at + bytes + TG_NIC_RING_ALIGN - 1u) & ~(TG_NIC_RING_ALIGN - 1u);
    return at;
}

void nic_set(struct nic *nic, uint32_t offset, uint32_t value)
{
    if (tg_nic_driver_write(&nic->driver, offset, value) != 0) {
        kernel_panic("the NIC does not take a setting", NULL);
    }
}

void nic_stop(struct nic *nic)
{
    for (uint32_t k = 0u; k < nic->driver.n_queues; k++) {
        nic_set(nic, TG_NIC_QUEUE(k) + TG_NIC_Q_CONTROL, 0u);
    }
}

void nic_pend(uint32_t queue)
{
    gic_pend(BOARD_MSI_FIRST_LINE + queue);
}

uint32_t nic_ring_size(uint32_t descriptors)
{
    uint32_t size = 2u;

    while (size < descriptors) {
        size *= 2u;
    }
    return size;
}

void nic_init(struct nic *nic, void *port)
{
    const struct tg_nic_board board = {
        .doorbell = ring_doorbell, .now_ns = now_ns, .wait = wait, .context = nic};

    ivshmem_init(&nic->device);
    nic->free = TG_NIC_DATA;
    if (tg_nic_driver_start(&nic->driver, nic->device.memory, nic->device.memory_bytes,
                            nic->device.peer, &board, port) != 0) {
        kernel_panic("the NIC does not start", NULL);
    }
    if (nic->driver.n_queues > nic->device.n_vectors) {
        kernel_panic("QEMU gives fewer vectors than the NIC has queues", NULL);
    }

    const uint32_t ring = nic_take(nic, TX_SLOTS * (uint32_t)sizeof(struct tg_nic_descriptor));

    if (tg_nic_driver_attach_transmit(&nic->driver, ring, TX_SLOTS,
                                      nic_take(nic, TX_SLOTS * NIC_BUFFER_BYTES),
                                      NIC_BUFFER_BYTES) != 0) {
        kernel_panic("the NIC does not take its transmit ring", NULL);
    }
}
