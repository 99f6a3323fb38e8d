/* SPDX-License-Identifier: MIT
 *
 * demand.h - were more packets admitted in some window than the demand bound of server.h allows?
 *
 * Time here is elapsed time: the sum of all steps of the clock forwards. A step backwards takes
 * none, so the bounds must hold across it.
 */
#ifndef TG_TESTS_DEMAND_H
#define TG_TESTS_DEMAND_H

#include "tidegate/server.h"

/* Look at EVERY window that begins with one admission and ends with another.
 *
 * at_ns: n elapsed times, in order. lateness_ns: of refills by tick, else 0.
 * Returns: the number of admissions in the first window that breaks the bound, or 0. */
uint32_t demand_exceeded(const struct tg_server_config *cfg, tg_ns lateness_ns, const tg_ns *at_ns,
                         uint32_t n);

#endif
