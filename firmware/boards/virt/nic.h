/* SPDX-License-Identifier: MIT
 *
 * nic.h - the priority NIC on this board. What both variants of the driver share, nic_tidegate.h
 * and nic_stock.h: the device, its memory, sending.
 */
#ifndef NIC_H
#define NIC_H

#include "ivshmem.h"

#include "nic/driver/driver.h"

#define NIC_BUFFER_BYTES 1536u /* of a frame, received or sent */

struct nic {
    struct ivshmem device;
    struct tg_nic_driver driver;
    uint32_t free; /* offset of the shared memory that nobody has yet */
};

/* Find the device, reset it, and be ready to send. What does not fit stops the program.
 *
 * Context: start-up or a thread. port: that of the protocol task; not used without one. */
void nic_init(struct nic *nic, void *port);

/* Shared memory that is nobody else's, for rings and buffers; stops the program if there is none
 * left.
 *
 * Context: start-up or a thread, after nic_init.
 * Returns: its offset, a multiple of TG_NIC_RING_ALIGN. */
uint32_t nic_take(struct nic *nic, uint32_t bytes);

/* Write a register; a refusal stops the program. Context: start-up or a thread. */
void nic_set(struct nic *nic, uint32_t offset, uint32_t value);

/* Receive no more. What is in the rings already can still be taken; what no interrupt has told of
 * yet, none will.
 *
 * Context: a thread, reception has started. */
void nic_stop(struct nic *nic);

/* As if the NIC had told of what is in the ring of this queue. Context: any. */
void nic_pend(uint32_t queue);

/* The smallest ring that holds so many descriptors. Context: any. */
uint32_t nic_ring_size(uint32_t descriptors);

#endif
