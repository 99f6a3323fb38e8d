/* SPDX-License-Identifier: MIT
 *
 * cc.h - compiler and C library of the board, for lwIP.
 */
#ifndef FIRMWARE_LWIP_CC_H
#define FIRMWARE_LWIP_CC_H

#include "kernel.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>

#define LWIP_TIMEVAL_PRIVATE    0
#define LWIP_ERRNO_STDINCLUDE   1
#define LWIP_PLATFORM_DIAG(x)   ((void)printf x)
#define LWIP_PLATFORM_ASSERT(x) kernel_panic(x, NULL)
#define LWIP_RAND()             lwip_station_random()

uint32_t lwip_station_random(void); /* the same numbers in each run */

typedef uint32_t sys_prot_t;

#endif
