/* SPDX-License-Identifier: MIT
 *
 * cmsis_assert.c - a broken invariant, for who has a C library with a standard error stream. A
 * program that defines tg_port_assert_failed itself does not get this file from the library.
 */
#include "tidegate/common.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void tg_port_assert_failed(const char *file, int line)
{
    fprintf(stderr, "%s:%d: a broken invariant\n", file, line);
    abort();
}
