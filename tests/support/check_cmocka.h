/* SPDX-License-Identifier: MIT
 *
 * check_cmocka.h - cmocka with the headers that it wants included before.
 */
#ifndef TG_TESTS_CHECK_CMOCKA_H
#define TG_TESTS_CHECK_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
