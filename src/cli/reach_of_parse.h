/* SPDX-License-Identifier: MIT
 *
 * reach_of_parse.h - how far into a frame did the parser look?
 */
#ifndef TG_CLI_REACH_OF_PARSE_H
#define TG_CLI_REACH_OF_PARSE_H

#include "tidegate/frame.h"

/* No byte at or beyond this offset had a part in the class, the key or the addresses, beyond its
 * being there: replace them by any others, and the result is the same.
 *
 * Context: any.
 * Units:   key as tg_frame_parse left it.
 * Cost:    O(1). */
uint32_t tg_reach_of_parse(const struct tg_frame_key *key);

#endif
