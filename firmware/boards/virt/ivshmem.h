/* SPDX-License-Identifier: MIT
 *
 * ivshmem.h - QEMU's device of this name on the PCI bus: found, placed, one interrupt line for each
 * of its vectors. docs/nic.md, "Probing", steps 1 to 4.
 *
 * Source: PCI Local Bus Specification 3.0, chapter 6; QEMU's docs/specs/ivshmem-spec.txt.
 */
#ifndef IVSHMEM_H
#define IVSHMEM_H

#include <stdint.h>

struct ivshmem {
    volatile uint32_t *registers; /* BAR 0 */
    volatile uint32_t *vectors;   /* MSI-X table */
    uint8_t *memory;              /* BAR 2 */
    uint32_t memory_bytes;
    uint32_t n_vectors;
    uint32_t peer; /* who we are */
};

/* Find the device and wait until it is connected. Without one the program stops.
 *
 * Context: start-up or a thread.
 * Cost:    waits, at most ten seconds. */
void ivshmem_init(struct ivshmem *device);

/* From now on this vector pends its line.
 *
 * Context: start-up or a thread.
 * Units:   vector < n_vectors.
 * Returns: the line, for gic_enable; it is pulsed. */
uint32_t ivshmem_line(const struct ivshmem *device, uint32_t vector);

#endif
