/* SPDX-License-Identifier: MIT
 *
 * gate.h - Tidegate for this board.
 */
#ifndef GATE_H
#define GATE_H

#include "tg_lwip.h"

extern struct gate {
    struct tg_protocol protocol;
    struct tg_lwip lwip;
} gate;

/* Before the NIC starts. */
void gate_start(struct netif *interface);

#endif
