/* SPDX-License-Identifier: MIT
 *
 * cc.h - compiler of the example, for lwIP.
 */
#ifndef EXAMPLE_CC_H
#define EXAMPLE_CC_H

#include <stdint.h>

#define LWIP_PLATFORM_DIAG(x)
#define LWIP_PLATFORM_ASSERT(x) board_fail()
#define LWIP_RAND()             ((uint32_t)board_random())

uint64_t board_random(void);
_Noreturn void board_fail(void);

typedef uint32_t sys_prot_t;

#endif
