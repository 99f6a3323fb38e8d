/* SPDX-License-Identifier: MIT
 *
 * station.c - the board as a station of a network.
 */
#include "station.h"
#include "board.h"
#include "semihost.h"

#define SEED UINT64_C(0x9e3779b97f4a7c15) /* of the flow table; the same in each run */

static volatile struct gem_descriptor rx[2][STATION_RING] BOARD_UNCACHED;
static volatile struct gem_descriptor tx[2][GEM_TX_SLOTS] BOARD_UNCACHED;
static uint8_t tx_bytes[GEM_TX_SLOTS][GEM_BUFFER_BYTES] __attribute__((aligned(64)));
static uint8_t answers[STATION_RING][GEM_BUFFER_BYTES] __attribute__((aligned(64)));

struct tg_protocol station_protocol;
struct gem_stock station_stock;

static struct {
    struct station_config cfg;
    struct tg_cmsis_port port;
    struct gem_tidegate gem;
    struct gem sender;
    struct tg_buffer *ring[STATION_RING];
    struct gem_stock_buffer *stock_ring[STATION_RING];
    struct kernel_thread service;
    struct kernel_thread protocol;
} station;

static uint8_t service_stack[STATION_STACK_BYTES] __attribute__((aligned(8)));
static uint8_t protocol_stack[STATION_STACK_BYTES] __attribute__((aligned(8)));

tg_ns station_now_ns(void)
{
    return board_ticks() * BOARD_TICK_NS;
}

struct gem *station_sender(void)
{
    return &station.sender;
}

struct gem *station_gem(void)
{
    return station.cfg.core != NULL ? &station.gem.gem : &station_stock.gem;
}

const uint8_t *station_take_answer(uint32_t *len_bytes)
{
    const uint8_t *const bytes = answers[station.sender.rx_next];

    if (!gem_rx_look(&station.sender, len_bytes)) {
        return NULL;
    }
    gem_rx_give(&station.sender, bytes);
    board_cache_invalidate(bytes, *len_bytes);
    return bytes;
}

/* ---- With Tidegate --------------------------------------------------------------------------- */

static void init_tidegate(const struct station_config *cfg, struct gem_config *gem)
{
    static osThreadAttr_t service;
    static osThreadAttr_t protocol;
    int bad_flow;

    service = station_thread("service", &station.service, service_stack, osPriorityRealtime);
    protocol = station_thread("protocol", &station.protocol, protocol_stack, osPriorityNone);

    const struct tg_cmsis_config port = {.first_priority = STATION_FIRST_PRIORITY,
                                         .floor = cfg->core->floor,
                                         .kind = cfg->kind,
                                         .service = &service,
                                         .protocol = &protocol,
                                         .ops = &GEM_TIDEGATE_DRIVER,
                                         .driver = &station.gem,
                                         .trace = cfg->trace};

    gem->rx_slots = cfg->core->queues[0].ring;
    if (cfg->core->n_queues != 1u || gem->rx_slots > STATION_RING) {
        kernel_panic("this NIC has one queue, and a limit of descriptors", NULL);
    }
    if (tg_cmsis_port_init(&station.port, &port) != 0 ||
        tg_protocol_init(&station_protocol, cfg->core, cfg->storage, &station.port, SEED,
                         station_now_ns(), &bad_flow) != 0) {
        kernel_panic("the tables of the receive path are refused", NULL);
    }
    gem_tidegate_init(&station.gem, gem, &station_protocol, cfg->core, station.ring,
                      BOARD_LEVEL_RECEIVE);
}

static bool process(void)
{
    struct tg_buffer *const b = tg_rx_next(&station_protocol);

    if (b == NULL) {
        return false;
    }
    station.cfg.input(b);
    tg_rx_done(&station_protocol);
    return true;
}

static void run_protocol(void *arg)
{
    bool (*const run)(void) = station.cfg.run != NULL ? station.cfg.run : process;

    (void)arg;
    do {
        while (run()) {
        }
    } while (tg_cmsis_port_wait(&station.port, TG_CMSIS_FOREVER) == TG_CMSIS_WOKEN);
}

/* ---- Stock ----------------------------------------------------------------------------------- */

static void run_driver(void *arg)
{
    (void)arg;
    station.cfg.stock_run();
}

static void init_stock(const struct station_config *cfg, struct gem_config *gem)
{
    gem->rx_slots = cfg->ring;
    if (cfg->ring > STATION_RING || cfg->n_buffers <= cfg->ring) {
        kernel_panic("the ring of the stock driver does not fit", NULL);
    }
    gem_stock_init(&station_stock, gem, station.stock_ring, cfg->buffers, cfg->n_buffers,
                   BOARD_LEVEL_RECEIVE);
}

/* ---- Both ------------------------------------------------------------------------------------ */

void station_init(const struct station_config *cfg)
{
    struct gem_config gem = {.base = BOARD_GEM0,
                             .line = BOARD_LINE_GEM0,
                             .mac = STATION_MAC,
                             .rx = rx[0],
                             .tx = tx[0],
                             .tx_bytes = tx_bytes};
    const struct gem_config sender = {.base = BOARD_GEM1,
                                      .line = BOARD_LINE_GEM1,
                                      .mac = GENERATOR_MAC,
                                      .rx = rx[1],
                                      .tx = tx[1],
                                      .rx_slots = STATION_RING};

    station.cfg = *cfg;
    if (cfg->core != NULL) {
        init_tidegate(cfg, &gem);
    } else {
        init_stock(cfg, &gem);
    }
    gem_init(&station.sender, &sender);
    for (uint32_t i = 0u; i < STATION_RING; i++) {
        gem_rx_fill(&station.sender, i, answers[i]);
    }
    gem_start(&station.sender);
}

void station_start(void)
{
    if (station.cfg.core != NULL) {
        if (tg_cmsis_port_start(&station.port, &station_protocol, run_protocol, NULL) != 0) {
            kernel_panic("the threads of the port do not start", NULL);
        }
        gem_tidegate_start(&station.gem);
        return;
    }
    const osThreadAttr_t driver =
        station_thread("driver", &station.protocol, protocol_stack, station.cfg.priority);

    if (osThreadNew(run_driver, NULL, &driver) == NULL) {
        kernel_panic("the driver's thread does not start", NULL);
    }
    gem_stock_start(&station_stock);
}

void station_dump(struct tg_trace *trace, const char *path)
{
    const int file = semihost_open(path, SEMIHOST_WRITE);
    struct tg_event events[256];
    uint32_t n = 1u;

    _Static_assert(sizeof(struct tg_event) == 16u, "the records of the file");
    while (file >= 0 && n != 0u) {
        n = 0u;
        while (n < 256u && tg_trace_take(trace, &events[n])) {
            n++;
        }
        if (semihost_write(file, events, n * sizeof(events[0])) != 0u) {
            break;
        }
    }
    if (file < 0 || n != 0u) {
        kernel_panic("the trace cannot be written", NULL);
    }
    semihost_close(file);
}
