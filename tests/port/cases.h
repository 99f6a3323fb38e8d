/* SPDX-License-Identifier: MIT
 *
 * cases.h - the port conformance test: what every port must do.
 */
#ifndef TG_TESTS_PORT_CASES_H
#define TG_TESTS_PORT_CASES_H

/* Run all cases on the port behind the harness.
 * Returns: the number of failed ones. */
int conformance_run(const char *name);

#endif
