/* SPDX-License-Identifier: MIT
 *
 * ivshmem.c - QEMU's device of this name on the PCI bus.
 */
#include "ivshmem.h"
#include "board.h"
#include "gic.h"
#include "kernel.h"

#include "nic/wire/registers.h"

#include <stddef.h>

#define PCI_SLOTS        32u
#define PCI_CONFIG_BYTES 0x8000u /* of a slot: its first function stands first */

/* Configuration space, in words. */
#define PCI_ID           0u
#define PCI_COMMAND      1u
#define COMMAND_ENABLE   0x6u /* memory space, bus master */
#define PCI_BAR(n)       (4u + (n))
#define PCI_CAPABILITIES 13u
#define CAPABILITY_MSIX  0x11u
#define MSIX_ENABLE      0x80000000u
#define MSIX_MASK_ALL    0x40000000u

/* Where the BARs go: registers and MSI-X table as a device, the rest as memory (board.c). */
#define REGISTERS  (BOARD_PCI_MEMORY)
#define MSIX_TABLE (BOARD_PCI_MEMORY + 0x1000u)
#define MEMORY     (BOARD_PCI_MEMORY + 0x800000u)
#define MEMORY_MAX 0x800000u

#define PATIENCE_TICKS (10u * (uint64_t)BOARD_TICK_HZ)

static volatile uint32_t *find(void)
{
    for (uint32_t slot = 0u; slot < PCI_SLOTS; slot++) {
        volatile uint32_t *const config =
            (volatile uint32_t *)(BOARD_PCI_CONFIG + slot * PCI_CONFIG_BYTES);

        if (config[PCI_ID] == (TG_NIC_PCI_DEVICE << 16 | TG_NIC_PCI_VENDOR)) {
            return config;
        }
    }
    kernel_panic("there is no ivshmem device", NULL);
}

/* The list ends with 0, and no list is longer than the space it stands in. */
static volatile uint32_t *find_msix(volatile uint32_t *config)
{
    uint32_t at = config[PCI_CAPABILITIES] & 0xfcu;

    for (uint32_t n = 0u; at != 0u && n < 64u; n++) {
        if ((config[at / 4u] & 0xffu) == CAPABILITY_MSIX) {
            return &config[at / 4u];
        }
        at = config[at / 4u] >> 8 & 0xfcu;
    }
    kernel_panic("the ivshmem device has no vectors: give ivshmem-doorbell", NULL);
}

static uint32_t size_of_bar(volatile uint32_t *bar)
{
    *bar = UINT32_MAX;
    return ~(*bar & ~15u) + 1u;
}

/* Connected: it has told us who we are, and the process behind it has set its memory up. */
static void wait_for_the_process(struct ivshmem *device)
{
    const volatile uint32_t *const ident = (const volatile uint32_t *)(device->memory);
    const uint64_t end = board_ticks() + PATIENCE_TICKS;

    while ((int32_t)device->registers[TG_NIC_BAR0_POSITION / 4u] < 0 ||
           *ident != TG_NIC_IDENT_VALUE) {
        if (board_ticks() > end) {
            kernel_panic("nobody serves the ivshmem device: start `tidegate nic`", NULL);
        }
    }
    device->peer = device->registers[TG_NIC_BAR0_POSITION / 4u];
}

void ivshmem_init(struct ivshmem *device)
{
    volatile uint32_t *const config = find();
    volatile uint32_t *const msix = find_msix(config);

    *device = (struct ivshmem){.registers = (volatile uint32_t *)REGISTERS,
                               .vectors = (volatile uint32_t *)MSIX_TABLE,
                               .memory = (uint8_t *)MEMORY,
                               .memory_bytes = size_of_bar(&config[PCI_BAR(2u)]),
                               .n_vectors = (*msix >> 16 & 0x7ffu) + 1u};
    if (device->memory_bytes > MEMORY_MAX) {
        kernel_panic("the shared memory of the ivshmem device is too large", NULL);
    }
    config[PCI_BAR(0u)] = REGISTERS;
    config[PCI_BAR(1u)] = MSIX_TABLE;
    config[PCI_BAR(2u)] = MEMORY;
    config[PCI_BAR(3u)] = 0u; /* upper half of BAR 2 */
    config[PCI_COMMAND] |= COMMAND_ENABLE;
    *msix = (*msix | MSIX_ENABLE) & ~MSIX_MASK_ALL;
    wait_for_the_process(device);
}

uint32_t ivshmem_line(const struct ivshmem *device, uint32_t vector)
{
    volatile uint32_t *const entry = &device->vectors[4u * vector];
    const uint32_t line = BOARD_MSI_FIRST_LINE + vector;

    gic_edge(line);
    entry[0] = BOARD_MSI;
    entry[1] = 0u;
    entry[2] = line;
    entry[3] = 0u; /* not masked */
    return line;
}
