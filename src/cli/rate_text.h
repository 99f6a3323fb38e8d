/* SPDX-License-Identifier: MIT
 *
 * rate_text.h - rates for people.
 */
#ifndef TG_CLI_RATE_TEXT_H
#define TG_CLI_RATE_TEXT_H

#include <stdint.h>

#define TG_RATE_TEXT_BYTES 32u

/* Three digits at most behind none or one: "640 pps", "40 kpps", "1.5 Mpps".
 *
 * Context: any.
 * Returns: text, for use in an argument list.
 * Cost:    O(1). */
const char *tg_rate_text(uint64_t rate_pps, char text[TG_RATE_TEXT_BYTES]);

#endif
