/* SPDX-License-Identifier: MIT
 *
 * private.h - what the files of the driver share.
 */
#ifndef TG_NIC_DRIVER_PRIVATE_H
#define TG_NIC_DRIVER_PRIVATE_H

#include "nic/driver/driver.h"

/* A word of BAR 2. */
uint32_t *tg_nic_driver_word(const struct tg_nic_driver *d, uint32_t offset);

/* Our side of a ring that the device does not know yet. */
struct tg_nic_ring tg_nic_driver_ring(const struct tg_nic_driver *d, uint32_t base, uint32_t size,
                                      uint32_t offered, uint32_t returned);

#endif
