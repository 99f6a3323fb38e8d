/* SPDX-License-Identifier: MIT
 *
 * size_probe.c - what a small target keeps in RAM; size.sh reads the sizes of these symbols.
 */
#include "tidegate/rx.h"

enum {
    FLOWS = 16,
    SLOTS = FLOWS + 1, /* and best effort */
    BUCKETS = 64,      /* the power of two from 2 per slot on */
    BUFFERS = 64
};

struct tg_rxq queues[1];
struct tg_gate gates[1];
struct tg_protocol protocol; /* with the queues of all 32 priorities */
struct tg_flow flow_slots[SLOTS];
uint32_t buckets[BUCKETS];
struct tg_buffer buffer_descriptors[BUFFERS];
