/* SPDX-License-Identifier: MIT
 *
 * smoke.c - the way of a packet on the board: generator, GEM, core, protocol thread, counters.
 * Parameters: scenario.h.
 */
#include "kernel.h"
#include "scenario.h"
#include "traffic.h"

static void input(struct tg_buffer *b)
{
    scenario_count(b->flow, b->data + TRAFFIC_STAMP);
    if (tg_rx_release(&station_protocol, b) != 0) {
        kernel_panic("a packet could not be released", NULL);
    }
}

static uint32_t flow_of(const uint8_t *bytes)
{
    const uint32_t port = (uint32_t)bytes[36] << 8 | bytes[37];

    return port == TABLES_PORT_HIGH  ? TABLES_HIGH
           : port == TABLES_PORT_LOW ? TABLES_LOW
                                     : TABLES_BEST_EFFORT;
}

static void stock_run(void)
{
    for (;;) {
        uint32_t len_bytes;
        struct gem_stock_buffer *const b = gem_stock_take(&station_stock, &len_bytes);

        if (b == NULL) {
            gem_stock_wait(&station_stock);
            continue;
        }
        scenario_count(flow_of(b->data), b->data + TRAFFIC_STAMP);
        gem_stock_release(&station_stock, b);
    }
}

int main(void)
{
    return scenario_main(&(struct scenario){.input = input, .stock_run = stock_run});
}
