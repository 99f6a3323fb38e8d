/* SPDX-License-Identifier: MIT
 *
 * wild_frames.h - frames of every kind, and matches that such frames have a chance to meet.
 *
 * Ports, addresses, VLANs and types come from small pools, so that unrelated frames and matches
 * agree in some fields and differ in others.
 */
#ifndef TG_TESTS_WILD_FRAMES_H
#define TG_TESTS_WILD_FRAMES_H

#include "rng.h"
#include "test_frame.h"
#include "tidegate/flow.h"

/* A match of this shape with values from the pools, which tg_match_compile accepts. */
struct tg_match wild_match(struct rng *r, uint32_t fields);

/* True if fields is what tg_match_compile gives for some match. */
bool wild_is_shape(uint32_t fields);

/* Any frame: all protocols, 0 to 3 tags, options, fragments, padding, too short, some bytes
 * changed. */
struct frame wild_frame(struct rng *r);

/* A frame that this match takes, but for what it leaves open. */
struct frame wild_aimed_frame(struct rng *r, const struct tg_match *match);

/* Damage that most frames survive with a changed field: some bytes of the headers get other values,
 * or the frame becomes longer or shorter. */
void wild_mutate(struct rng *r, struct frame *f);

#endif
