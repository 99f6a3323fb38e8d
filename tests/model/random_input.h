/* SPDX-License-Identifier: MIT
 *
 * random_input.h - random frames and random matches that often have to do with each other.
 */
#ifndef TG_TESTS_RANDOM_INPUT_H
#define TG_TESTS_RANDOM_INPUT_H

#include "rng.h"
#include "test_frame.h"
#include "tidegate/flow.h"

#define RANDOM_VLAN      5u /* the only one that matches name */
#define RANDOM_PROTOCOLS 21u

extern const uint8_t HOST_A[16];
extern const uint8_t HOST_B[16];

/* Every protocol that some row of the frame table names, and some others. */
extern const uint8_t RANDOM_PROTOCOL[RANDOM_PROTOCOLS];

/* Built from random fields, then bent: single bytes, addresses alike, cut off, noise. */
struct frame random_frame(struct rng *r);

/* The same of an untagged UDP datagram over IPv4, half of them straight. */
struct frame random_udp(struct rng *r);

/* Legal, and from few values, so that matches get into each other's way. */
struct tg_match random_match(struct rng *r);

#endif
