/* SPDX-License-Identifier: MIT
 *
 * tables.h - the receive path of the smoke application and its test: an urgent flow, one that is
 * flooded, and best effort.
 */
#ifndef TABLES_H
#define TABLES_H

#include "gem_stock.h"
#include "tidegate/rx.h"

/* Flow ids; best effort is 0. */
enum { TABLES_BEST_EFFORT, TABLES_HIGH, TABLES_LOW, TABLES_FLOWS };

#define TABLES_PORT_HIGH 5000u /* of UDP */
#define TABLES_PORT_LOW  5001u

#define TABLES_PRIORITY_HIGH 20u
#define TABLES_PRIORITY_LOW  4u

#define TABLES_RING    64u
#define TABLES_BUFFERS 112u

/* The configuration with this gate. */
const struct tg_config *tables_config(const struct tg_gate_config *gate, bool traces);

const struct tg_storage *tables_storage(void);

/* The same memory for the stock driver. */
struct gem_stock_buffer *tables_stock_buffers(void);

#endif
