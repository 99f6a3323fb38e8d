/* SPDX-License-Identifier: MIT
 *
 * driver.h - the guest's driver of the priority NIC: freestanding, through the descriptor ring and
 * port.h only.
 *
 * The board finds the device on its bus (docs/nic.md, "Probing"), maps BAR 2, and says how to ring
 * the doorbell, read the clock and wait a moment. Then, in this order:
 *
 *     tg_nic_driver_start      resets the device; the vectors of this peer are raised from now on
 *     tg_protocol_init         the receive path, with buffers that lie in BAR 2
 *     tg_nic_driver_attach     each queue: sets up its ring, fills it, brings the link up
 *     tg_nic_driver_interrupt  from vector k
 *
 * and the port's tg_port_mask and tg_port_unmask call tg_nic_driver_mask and tg_nic_driver_unmask.
 * BAR 2 is mapped as normal memory: frames stand at any address.
 */
#ifndef TG_NIC_DRIVER_DRIVER_H
#define TG_NIC_DRIVER_DRIVER_H

#include "nic/wire/registers.h"
#include "nic/wire/ring.h"
#include "tidegate/rx.h"

/* What the board does for the driver. */
struct tg_nic_board {
    /* Tell the device that something was offered: BAR 0 + TG_NIC_BAR0_DOORBELL =
     * TG_NIC_DEVICE_PEER << 16. Whatever was stored before is visible before. */
    void (*doorbell)(void *context);

    tg_ns (*now_ns)(void *context);

    /* The device has not answered yet: wait a moment. Called at most TG_NIC_PATIENCE times in a
     * row. */
    void (*wait)(void *context);

    void *context;
};

#define TG_NIC_PATIENCE 1000000u

/* One receive queue. Private. */
struct tg_nic_driver_queue {
    struct tg_nic_driver *driver;
    struct tg_rxq *rxq;
    struct tg_nic_ring ring;
    struct tg_buffer **buffers; /* by slot */
    uint32_t token;             /* of ARM, last one; never 0 once armed */
    bool is_masked;
    uint8_t number;
};

/* One device. Private; complete so that storage can be static. */
struct tg_nic_driver {
    uint8_t *memory; /* BAR 2 */
    uint32_t memory_bytes;
    struct tg_nic_board board;
    void *port;
    struct tg_nic_ring writes;
    struct tg_nic_ring transmit;
    uint32_t transmit_buffers; /* offset of the first */
    uint32_t transmit_bytes;   /* of each */
    uint32_t n_queues;         /* that the device has; valid after tg_nic_driver_start */
    struct tg_nic_driver_queue queues[TG_QUEUES_MAX];
};

/* Reset the device and make it ours.
 *
 * Context: start-up.
 * Units:   memory: BAR 2; peer: BAR 0 + TG_NIC_BAR0_POSITION, not negative; port: as given to
 *          tg_protocol_init.
 * Returns: 0; TG_ERR_RANGE if this is no such device, or larger than memory_bytes; TG_ERR_STATE if
 *          it does not answer.
 * Cost:    waits for the device, at most TG_NIC_PATIENCE moments. */
TG_NODISCARD int tg_nic_driver_start(struct tg_nic_driver *d, uint8_t *memory,
                                     uint32_t memory_bytes, uint32_t peer,
                                     const struct tg_nic_board *board, void *port);

/* What a register reads as, and a counter of 64 bits.
 *
 * Context: any, after tg_nic_driver_start.
 * Cost:    O(1); the counter may be read again once. */
uint32_t tg_nic_driver_read(const struct tg_nic_driver *d, uint32_t offset);

/* Context, cost: as tg_nic_driver_read. */
uint64_t tg_nic_driver_count(const struct tg_nic_driver *d, uint32_t offset);

/* Write a register, and wait until the device has done it.
 *
 * Context: one task at a time.
 * Returns: 0; TG_ERR_RANGE if the register does not take the value; TG_ERR_STATE if the device does
 *          not answer.
 * Cost:    as tg_nic_driver_start. */
TG_NODISCARD int tg_nic_driver_write(struct tg_nic_driver *d, uint32_t offset, uint32_t value);

/* Set up queue `number` of the device as queue `number` of the protocol, with a ring of ring_size
 * descriptors at offset ring_base of BAR 2, and bring its link up. The buffers that tg_rxq_fill
 * gives lie in BAR 2.
 *
 * Context: start-up, or while the queue's link is down.
 * Units:   ring_size: a power of two, at least the ring of the protocol's queue; ring_base: a
 *          multiple of TG_NIC_RING_ALIGN, TG_NIC_DATA or more; buffers: room for ring_size
 *          pointers.
 * Returns: 0; TG_ERR_RANGE if the device does not take the ring, or the ring is smaller than the
 *          queue's; TG_ERR_STATE if the device does not answer.
 * Cost:    as tg_nic_driver_start, and O(ring_size). */
TG_NODISCARD int tg_nic_driver_attach(struct tg_nic_driver *d, struct tg_protocol *p,
                                      uint32_t number, uint32_t ring_base, uint32_t ring_size,
                                      struct tg_buffer **buffers);

/* The reverse: queue disabled, link down, buffers back to the pool. Frames that wait in the ring
 * are given up; the device has counted them as delivered.
 *
 * Context: a task; the queue is attached.
 * Returns: 0; TG_ERR_STATE if the device does not answer; then nothing has changed.
 * Cost:    as tg_nic_driver_attach. */
TG_NODISCARD int tg_nic_driver_detach(struct tg_nic_driver *d, uint32_t number);

/* Serve vector k: tg_rxq_interrupt, and arm the queue again when its ring is empty.
 *
 * Context: receive vector of the queue, lock not held.
 * Returns: MORE if frames are left: re-pend the vector.
 * Cost:    as tg_rxq_interrupt. */
TG_NODISCARD enum tg_work tg_nic_driver_interrupt(struct tg_nic_driver *d, uint32_t number,
                                                  uint32_t max_frames);

/* What tg_port_mask and tg_port_unmask do for a queue of this device.
 *
 * Context: as those. Cost: O(1). */
void tg_nic_driver_mask(struct tg_nic_driver *d, uint32_t number);

/* Context, cost: as tg_nic_driver_mask. */
void tg_nic_driver_unmask(struct tg_nic_driver *d, uint32_t number);

/* Tell the device which task runs: interrupts of queues that bring nothing above it are held back.
 * The doorbell is rung only if one of them is waiting for this.
 *
 * Context: context switch.
 * Units:   priority 0..TG_PRIORITIES - 1, or -1: hold nothing back (idle, or the core does not want
 *          it).
 * Cost:    O(1): one store and one load, in order. */
void tg_nic_driver_running(struct tg_nic_driver *d, int priority);

/* Set up the transmit ring, and one buffer of buffer_bytes for each descriptor.
 *
 * Context: start-up.
 * Units:   ring_base, ring_size: as tg_nic_driver_attach; buffers_base: offset in BAR 2.
 * Returns: 0; TG_ERR_RANGE; TG_ERR_STATE if the device does not answer.
 * Cost:    as tg_nic_driver_start. */
TG_NODISCARD int tg_nic_driver_attach_transmit(struct tg_nic_driver *d, uint32_t ring_base,
                                               uint32_t ring_size, uint32_t buffers_base,
                                               uint32_t buffer_bytes);

/* Send a frame: it is copied.
 *
 * Context: one task at a time.
 * Returns: 0; TG_ERR_FULL if no descriptor is free; TG_ERR_RANGE if the frame is shorter than
 *          TG_NIC_FRAME_MIN or longer than a buffer.
 * Cost:    O(length + ring size). */
TG_NODISCARD int tg_nic_driver_send(struct tg_nic_driver *d, const uint8_t *bytes,
                                    uint32_t len_bytes);

/* Bind a rule of the device: these frames belong to a receiver of this priority.
 *
 * Context: one task at a time.
 * Returns: its id, 1 or more; what the core says about the match (tg_match_compile,
 *          tg_flow_table_admits); TG_ERR_RANGE for a priority; TG_ERR_STATE if the device does not
 *          answer.
 * Cost:    as tg_nic_driver_start. */
TG_NODISCARD int tg_nic_driver_bind(struct tg_nic_driver *d, const struct tg_match *match,
                                    uint32_t priority);

/* Context, cost: as tg_nic_driver_bind.
 * Returns: 0; TG_ERR_STATE if there is no such rule, or the device does not answer. */
TG_NODISCARD int tg_nic_driver_unbind(struct tg_nic_driver *d, uint32_t rule);

#endif
