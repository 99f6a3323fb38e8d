/* SPDX-License-Identifier: MIT
 *
 * scenario.h - what the small applications share: traffic from the command line, a run, a table.
 *
 *     variant=tidegate|stock  high=HZ low=HZ other=HZ  ms=N low_ms=N  payload=BYTES
 *     gate=PKTS gate_us=N     kind=direct|broker       trace=FILE
 *     priority=N (stock: osPriority of the driver's thread)
 *
 * gate=0: no gate. low_ms: the low flow ends before the others.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include "station.h"
#include "tables.h"

/* What is different about an application; the rest of struct station_config is set. */
struct scenario {
    void (*input)(struct tg_buffer *buffer); /* see struct station_config */
    bool (*run)(void);
    void (*stock_run)(void);

    /* Start a stack and receivers, in a thread, before anything is received; NULL: nothing. */
    void (*prepare)(const struct station_config *cfg);

    /* Print more, after the run; NULL: nothing. */
    void (*print)(bool is_stock);
};

/* A packet is where it should go. stamp: what stands at TRAFFIC_STAMP of its frame.
 *
 * Context: any thread; flows are TABLES_*. */
void scenario_count(uint32_t flow, const uint8_t *stamp);

/* Set up, run, print, end. Context: main. */
int scenario_main(const struct scenario *s);

#endif
