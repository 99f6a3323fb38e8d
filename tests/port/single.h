/* SPDX-License-Identifier: MIT
 *
 * single.h - the harness of the ports without threads: all contexts take random turns on one clock.
 */
#ifndef TG_TESTS_PORT_SINGLE_H
#define TG_TESTS_PORT_SINGLE_H

#include "harness.h"
#include "sim_port.h"

/* Supplied by the port's test. A fresh instance. */
struct tg_sim_port *single_open(struct world *w, uint32_t floor);

/* Supplied by the port's test. Called between any two turns. */
void single_between(struct world *w);

/* Start the sequence of turns from this seed or TG_SEED, which is printed. */
void single_init(const char *test);

/* The generator of turns. */
struct rng *single_rng(void);

#endif
