/* SPDX-License-Identifier: MIT
 *
 * stock.c - the stock driver's thread, plain or behind the usual countermeasure: after so many
 * packets within a period reception is masked until the next refill, and what has come stays in the
 * ring.
 */
#include "gic.h"
#include "lab.h"
#include "lwip_station.h"

#define FLAG_CLOSED 1u

uint32_t lab_stock_closed;

static struct {
    struct tg_server server;
    osThreadId_t refiller; /* NULL: no gate */
    volatile bool is_closed;
} gate;

static void charge(void)
{
    const tg_ns now_ns = station_now_ns();

    if (!tg_server_take(&gate.server, now_ns) || !tg_server_left(&gate.server, now_ns)) {
        gate.is_closed = true;
        lab_stock_closed++;
        gem_rx_mask(station_gem());
        (void)osThreadFlagsSet(gate.refiller, FLAG_CLOSED);
    }
}

static void refill(void *argument)
{
    (void)argument;
    for (;;) {
        (void)osThreadFlagsWait(FLAG_CLOSED, osFlagsWaitAny, osWaitForever);
        (void)osDelayUntil((uint32_t)(tg_server_next_ns(&gate.server) / LAB_TICK_NS));
        gate.is_closed = false;
        gem_rx_unmask(station_gem());
        gic_pend(station_gem()->cfg.line); /* for what came meanwhile */
    }
}

void lab_stock_run(void)
{
    struct gem_stock_buffer *b;
    uint32_t len_bytes;

    for (;;) {
        while (!gate.is_closed && (b = gem_stock_take(&station_stock, &len_bytes)) != NULL) {
            if (gate.refiller != NULL) {
                charge();
            }
            if (lab_plan->stack == LAB_STACK_LWIP) {
                lwip_station_stock_input(b, len_bytes);
            } else {
                lab_stock_input(b);
            }
        }
        gem_stock_wait(&station_stock);
    }
}

void lab_stock_init(void)
{
    const struct tg_server_config cfg = {.kind = TG_SERVER_DEFERRABLE,
                                         .budget_pkts = lab_plan->stock_gate_pkts,
                                         .period_ns = lab_plan->stock_gate_period_ns};

    if (lab_plan->policy != LAB_STOCK_LIMITED) {
        return;
    }
    if (tg_server_init_gate(&gate.server, &cfg, TG_REFILL_TIMESTAMP, station_now_ns()) != 0) {
        kernel_panic("the gate of the stock driver is out of range", NULL);
    }
    gate.refiller = lab_thread("refill", LAB_SERVICE, refill, NULL);
}
