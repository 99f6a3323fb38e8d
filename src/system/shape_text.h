/* SPDX-License-Identifier: MIT
 *
 * shape_text.h - shapes of matches in words.
 */
#ifndef TG_SYSTEM_SHAPE_TEXT_H
#define TG_SYSTEM_SHAPE_TEXT_H

#include "tidegate/flow.h"

#define TG_SHAPE_TEXT_BYTES 160u

/* A shape as a match with its values left out: "udp|tcp dst port and src port and src host".
 *
 * Context: any task.
 * Units:   fields of a pattern (struct tg_pattern): a host has its family, too.
 * Returns: text, for use in an argument list.
 * Cost:    O(1). */
const char *tg_shape_text(uint32_t fields, char text[TG_SHAPE_TEXT_BYTES]);

#endif
