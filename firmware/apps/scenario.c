/* SPDX-License-Identifier: MIT
 *
 * scenario.c - what the small applications share.
 */
#include "scenario.h"
#include "board.h"
#include "kernel.h"
#include "semihost.h"
#include "traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRIVALS_MAX 2000000u
#define EVENTS       (1u << 18)
#define DRAIN_TICKS  (50u * (BOARD_TICK_HZ / 1000u))

static const char *const names[TABLES_FLOWS] = {"other", "high", "low"};
static const uint16_t ports[TABLES_FLOWS] = {6000u, TABLES_PORT_HIGH, TABLES_PORT_LOW};

static struct {
    struct traffic_bytes bytes[TABLES_FLOWS];
    struct generator_frame frames[TABLES_FLOWS];
    uint32_t sent[TABLES_FLOWS];
    uint32_t dropped[TABLES_FLOWS];   /* found the ring full */
    uint32_t due_ticks[ARRIVALS_MAX]; /* low half */
    struct generator_arrival arrivals[ARRIVALS_MAX];
    struct traffic traffic;
    uint64_t delivered[TABLES_FLOWS];
    uint32_t latest_ticks[TABLES_FLOWS]; /* from the arrival's time to the stack */
    struct tg_flow_counters counters[TABLES_FLOWS];
    struct tg_event events[EVENTS];
    struct tg_trace trace;
    struct scenario scenario;
    struct station_config cfg;
    struct kernel_thread thread;
    uint8_t stack[STATION_STACK_BYTES] __attribute__((aligned(8)));
} app;

void scenario_count(uint32_t flow, const uint8_t *stamp)
{
    uint32_t index;

    memcpy(&index, stamp, sizeof(index));

    const uint32_t ticks = (uint32_t)board_ticks() - app.due_ticks[index];

    app.delivered[flow]++;
    app.latest_ticks[flow] = ticks > app.latest_ticks[flow] ? ticks : app.latest_ticks[flow];
}

/* A frame is stamped with the index of its arrival, by which its receiver knows it. */
static void arrives(uint32_t index, uint32_t address, uint64_t due_ticks)
{
    const uint32_t frame = app.arrivals[index].frame;

    app.due_ticks[index] = (uint32_t)due_ticks;
    if (address == 0u) {
        app.dropped[frame]++;
        return;
    }
    app.sent[frame]++;
    memcpy(app.bytes[frame].bytes + TRAFFIC_STAMP, &index, sizeof(index));
}

static void make_traffic(void)
{
    const long ms = semihost_number("ms", 100);
    const long low_ms = semihost_number("low_ms", ms);
    const uint32_t payload = (uint32_t)semihost_number("payload", 18);
    static const long rates[TABLES_FLOWS] = {0, 1000, 20000};

    app.traffic = (struct traffic){.arrivals = app.arrivals, .size = ARRIVALS_MAX};
    for (uint32_t i = 0u; i < TABLES_FLOWS; i++) {
        const uint32_t hz = (uint32_t)semihost_number(names[i], rates[i]);

        app.frames[i] = traffic_udp(&app.bytes[i], STATION_MAC, ports[i], payload);
        if (hz != 0u) {
            traffic_add_periodic(&app.traffic, i, 1000u + 777u * i, BOARD_TICK_HZ / hz,
                                 (uint32_t)(i == TABLES_LOW ? low_ms : ms) *
                                     (BOARD_TICK_HZ / 1000u));
        }
    }
    traffic_sort(&app.traffic);
}

static void print_results(bool is_stock)
{
    struct tg_snapshot s = {.flows = app.counters};

    if (!is_stock) {
        tg_rx_snapshot(&station_protocol, &s);
    }
    printf("%-6s %9s %9s %9s %9s %9s %9s %12s\n", "flow", "sent", "ring full", "passed", "budget",
           "no buffer", "delivered", "latest, us");
    for (uint32_t i = 0u; i < TABLES_FLOWS; i++) {
        const struct tg_flow_counters *const c = &app.counters[i];

        printf("%-6s %9u %9u %9u %9u %9u %9u %9u.%02u\n", names[i], (unsigned)app.sent[i],
               (unsigned)app.dropped[i], (unsigned)c->passed, (unsigned)c->dropped_budget,
               (unsigned)c->dropped_no_buffer, (unsigned)app.delivered[i],
               (unsigned)app.latest_ticks[i] / 100u, (unsigned)app.latest_ticks[i] % 100u);
    }
    if (!is_stock) {
        printf("received %u, malformed %u, spurious %u, gate closed %u times\n",
               (unsigned)s.queues[0].received, (unsigned)s.queues[0].malformed,
               (unsigned)s.queues[0].spurious, (unsigned)s.closed[0]);
    } else {
        printf("received %u, no buffer %u\n", (unsigned)station_stock.received,
               (unsigned)station_stock.no_buffer);
    }
}

static void run(void *argument)
{
    const bool is_stock = app.cfg.core == NULL;
    char path[128];

    (void)argument;
    if (app.scenario.prepare != NULL) {
        app.scenario.prepare(&app.cfg);
    }
    station_start();
    generator_init(&(struct generator_config){.sender = station_sender(),
                                              .receiver = station_gem(),
                                              .frames = app.frames,
                                              .arrivals = app.arrivals,
                                              .n_arrivals = app.traffic.n,
                                              .arrives = arrives});
    generator_start(board_ticks());
    while (!generator_is_over()) {
        (void)osDelay(DRAIN_TICKS);
    }
    (void)osDelay(DRAIN_TICKS); /* what was accepted is processed */
    print_results(is_stock);
    if (app.scenario.print != NULL) {
        app.scenario.print(is_stock);
    }
    if (*semihost_word("trace", "", path, sizeof(path)) != '\0') {
        station_dump(&app.trace, path);
    }
    exit(EXIT_SUCCESS);
}

static bool is_word(const char *key, const char *value)
{
    char word[128];

    return strcmp(semihost_word(key, "", word, sizeof(word)), value) == 0;
}

static void configure_tidegate(struct station_config *cfg)
{
    static struct tg_gate_config gate;
    const uint32_t gate_pkts = (uint32_t)semihost_number("gate", 0);
    const bool traces = !is_word("trace", "");

    gate.budget.kind = gate_pkts != 0u ? TG_SERVER_DEFERRABLE : TG_SERVER_UNLIMITED;
    if (gate_pkts != 0u) {
        gate.budget.budget_pkts = gate_pkts;
        gate.budget.period_ns = (tg_ns)semihost_number("gate_us", 2000) * 1000u;
    }
    if (tg_trace_init(&app.trace, app.events, EVENTS) != 0) {
        kernel_panic("the size of the trace", NULL);
    }
    cfg->core = tables_config(&gate, traces);
    cfg->storage = tables_storage();
    cfg->kind = is_word("kind", "broker") ? TG_PORT_BROKER : TG_PORT_DIRECT;
    cfg->trace = traces ? &app.trace : NULL;
}

int scenario_main(const struct scenario *s)
{
    const osThreadAttr_t attr = station_thread("main", &app.thread, app.stack, osPriorityIdle);

    app.scenario = *s;
    app.cfg = (struct station_config){.input = s->input, .run = s->run, .stock_run = s->stock_run};
    (void)osKernelInitialize();
    make_traffic();
    if (is_word("variant", "stock")) {
        app.cfg.buffers = tables_stock_buffers();
        app.cfg.n_buffers = TABLES_BUFFERS;
        app.cfg.ring = TABLES_RING;
        app.cfg.priority = (osPriority_t)semihost_number("priority", osPriorityHigh);
    } else {
        configure_tidegate(&app.cfg);
    }
    station_init(&app.cfg);
    (void)osThreadNew(run, NULL, &attr);
    (void)osKernelStart();
    return EXIT_FAILURE;
}
