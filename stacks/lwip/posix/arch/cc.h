/* SPDX-License-Identifier: MIT
 *
 * cc.h - compiler and C library of a POSIX host, for lwIP.
 */
#ifndef TG_LWIP_CC_H
#define TG_LWIP_CC_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/types.h>

/* Strict C11 hides it, and lwIP would then make its own ssize_t. */
#ifndef SSIZE_MAX
#define SSIZE_MAX LONG_MAX
#endif

#define LWIP_TIMEVAL_PRIVATE    0
#define LWIP_ERRNO_STDINCLUDE   1
#define LWIP_NO_CTYPE_H         0
#define LWIP_PLATFORM_DIAG(x)   ((void)printf x)
#define LWIP_PLATFORM_ASSERT(x) tg_sys_assert_failed(x, __FILE__, __LINE__)
#define LWIP_RAND()             tg_sys_random()

/* A pointer for each fragment does not fit into the header of an IPv6 fragment on 64 bits. */
#if defined(__LP64__)
#define IPV6_FRAG_COPYHEADER 1
#endif

_Noreturn void tg_sys_assert_failed(const char *what, const char *file, int line);
uint32_t tg_sys_random(void);

typedef int sys_prot_t;

#endif
