/* SPDX-License-Identifier: MIT
 *
 * lwip_bench.c - instructions per zero-length UDP packet: lwIP alone, and with Tidegate in front.
 *
 *   lwip_bench --count           under callgrind: one profile per path, named after it
 *   lwip_bench --counts FILE     the report; FILE has lines "name instructions" from those profiles
 *
 * All paths have the same lwIP, the same frame, and the same receiver, which frees the packet. The
 * driver of stock lwIP copies nothing either: its buffers travel as custom pbufs. Instructions are
 * those of all threads together, between a driver that has a frame and a buffer that is back.
 */
#include "posix_port.h"
#include "tg_lwip.h"
#include "tg_sys.h"

#include <lwip/etharp.h>
#include <lwip/tcpip.h>
#include <lwip/udp.h>
#include <netif/ethernet.h>

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/callgrind.h>

enum {
    BURST = 64,
    BURSTS = 64, /* per path */
    RING = BURST,
    RESERVE = BURST,
    BUFFERS = RING + 2 * RESERVE,
    BUFFER_BYTES = 256,
    FRAME_BYTES = 42,
    PORT_OPEN = 5000,
    PORT_SPENT = 5001,
    BAR_PERCENT = 12 /* a dropped packet, of one that stock lwIP takes through its thread */
};

static const char *const paths[] = {"thread", "thread_single", "locked", "accepted",
                                    "eager",  "dropped",       "pbuf",   "lock"};
static const char *const titles[] = {"lwIP through its thread, in bursts",
                                     "lwIP through its thread, one by one",
                                     "lwIP under its core lock",
                                     "Tidegate and lwIP, accepted",
                                     "  of it the eager half",
                                     "Tidegate, dropped: over budget",
                                     "custom pbuf: made, freed, buffer back",
                                     "the port's lock, taken and given back"};

enum path { THREAD, THREAD_SINGLE, LOCKED, ACCEPTED, EAGER, DROPPED, PBUF, LOCK, N_PATHS };

/* ---- lwIP ------------------------------------------------------------------------------------ */

static struct netif interface;
static sem_t burst_done;
static uint32_t awaited; /* packets until burst_done; under the core lock */

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "lwip_bench: %s\n", what);
        exit(1);
    }
}

static void receive(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                    u16_t port)
{
    (void)arg;
    (void)pcb;
    (void)from;
    (void)port;
    (void)pbuf_free(p);
    if (awaited != 0u && --awaited == 0u) {
        (void)sem_post(&burst_done);
    }
}

static err_t send_nothing(struct netif *netif, struct pbuf *p)
{
    (void)netif;
    (void)p;
    return ERR_OK;
}

static err_t init_netif(struct netif *netif)
{
    netif->mtu = 1500;
    netif->hwaddr_len = 6;
    netif->hwaddr[0] = 2u;
    netif->flags =
        NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    netif->output = etharp_output;
    netif->linkoutput = send_nothing;
    return ERR_OK;
}

static void bind_receiver(uint16_t port)
{
    struct udp_pcb *const pcb = udp_new();

    require(pcb != NULL && udp_bind(pcb, IP_ANY_TYPE, port) == ERR_OK, "cannot bind");
    udp_recv(pcb, receive, NULL);
}

static void start_lwip(void)
{
    ip4_addr_t host;
    ip4_addr_t mask;
    ip4_addr_t gateway;

    tcpip_init(NULL, NULL);
    IP4_ADDR(&host, 192, 0, 2, 1);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 192, 0, 2, 2);
    LOCK_TCPIP_CORE();
    require(netif_add(&interface, &host, &mask, &gateway, NULL, init_netif, tcpip_input) != NULL,
            "cannot add the interface");
    netif_set_up(&interface);
    bind_receiver(PORT_OPEN);
    bind_receiver(PORT_SPENT);
    UNLOCK_TCPIP_CORE();
}

/* From 192.0.2.2:4000 to the station's port, without a UDP checksum. */
static void write_frame(uint8_t *bytes, uint16_t port)
{
    static const uint8_t frame[FRAME_BYTES] = {
        0x02, 0,  0,  0,    0,    0,   0x02, 0, 0, 0,   0, 2, 0x08, 0x00, 0x45, 0, 0, 28, 0, 1, 0,
        0,    64, 17, 0xf6, 0xcc, 192, 0,    2, 2, 192, 0, 2, 1,    0x0f, 0xa0, 0, 0, 0,  8, 0, 0};

    memcpy(bytes, frame, FRAME_BYTES);
    bytes[36] = (uint8_t)(port >> 8);
    bytes[37] = (uint8_t)port;
}

/* ---- Stock ----------------------------------------------------------------------------------- */

static struct {
    struct pbuf_custom custom[BURST];
    uint8_t bytes[BURST][BUFFER_BYTES];
} stock;

static void free_nothing(struct pbuf *p)
{
    (void)p; /* the descriptor would go back into the ring here */
}

static struct pbuf *stock_pbuf(uint32_t i)
{
    stock.custom[i].custom_free_function = free_nothing;
    return pbuf_alloced_custom(PBUF_RAW, FRAME_BYTES, PBUF_REF, &stock.custom[i], stock.bytes[i],
                               BUFFER_BYTES);
}

static void await(uint32_t packets)
{
    LOCK_TCPIP_CORE();
    awaited = packets;
    UNLOCK_TCPIP_CORE();
}

static void through_the_thread(uint32_t at_once)
{
    for (uint32_t i = 0u; i < BURST; i += at_once) {
        await(at_once);
        for (uint32_t k = i; k < i + at_once; k++) {
            require(interface.input(stock_pbuf(k), &interface) == ERR_OK, "the mailbox is full");
        }
        (void)sem_wait(&burst_done);
    }
}

static void under_the_lock(void)
{
    for (uint32_t i = 0u; i < BURST; i++) {
        struct pbuf *const p = stock_pbuf(i);

        LOCK_TCPIP_CORE();
        (void)ethernet_input(p, &interface);
        UNLOCK_TCPIP_CORE();
    }
}

/* ---- Tidegate -------------------------------------------------------------------------------- */

static struct {
    struct tg_posix_port port;
    struct tg_protocol protocol;
    struct tg_rxq rxqs[1];
    struct tg_gate gates[1];
    struct tg_flow flows[4];
    uint32_t buckets[16];
    struct tg_buffer buffers[BUFFERS];
    uint8_t bytes[BUFFERS][BUFFER_BYTES];
    struct tg_lwip lwip;
    struct tg_lwip_pbuf pbufs[BUFFERS];
    struct tg_rxq *queue;
    struct tg_buffer *ring[RING];
    uint32_t oldest;
    uint32_t filled;
    tg_ns now_ns;
} tidegate;

static bool peek(void *ring, struct tg_rx_frame *frame)
{
    (void)ring;
    frame->now_ns = tidegate.now_ns;
    if (tidegate.filled == 0u) {
        return false;
    }
    frame->buffer = tidegate.ring[tidegate.oldest];
    frame->len_bytes = FRAME_BYTES;
    frame->tci = TG_TCI_NONE;
    return true;
}

static void advance(void *ring, struct tg_buffer *buffer)
{
    (void)ring;
    tidegate.ring[tidegate.oldest] = buffer;
    tidegate.oldest = (tidegate.oldest + 1u) % RING;
    tidegate.filled--;
}

static tg_ns now_ns(void)
{
    return tidegate.now_ns;
}

static struct tg_flow_config flow_on(uint16_t port, uint32_t budget_pkts)
{
    return (struct tg_flow_config){.match = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                                             .protocol = 17u,
                                             .dst_port = port},
                                   .budget = {.kind = TG_SERVER_DEFERRABLE,
                                              .budget_pkts = budget_pkts,
                                              .period_ns = TG_PERIOD_MAX_NS},
                                   .reserve_pkts = RESERVE,
                                   .priority = 1u};
}

static void start_tidegate(void)
{
    static const struct tg_ring_ops ops = {.peek = peek, .advance = advance};
    static const struct tg_gate_config gate = {.budget = {.kind = TG_SERVER_DEFERRABLE,
                                                          .budget_pkts = TG_SERVER_BUDGET_MAX,
                                                          .period_ns = TG_PERIOD_MAX_NS}};
    static const struct tg_queue_config queue = {.ring = RING};
    const struct tg_flow_config flows[] = {flow_on(PORT_OPEN, TG_SERVER_BUDGET_MAX),
                                           flow_on(PORT_SPENT, 1u)};
    const struct tg_config config = {.gates = &gate,
                                     .queues = &queue,
                                     .flows = flows,
                                     .station = {.mac = TG_MAC_NONE, .mtu_bytes = 1500u},
                                     .n_flows = 2u,
                                     .n_gates = 1u,
                                     .n_queues = 1u};
    const struct tg_storage storage = {.flows = tidegate.flows,
                                       .buckets = tidegate.buckets,
                                       .buffers = tidegate.buffers,
                                       .queues = tidegate.rxqs,
                                       .gates = tidegate.gates,
                                       .n_flows = 4u,
                                       .n_buckets = 16u,
                                       .n_buffers = BUFFERS};

    for (uint32_t i = 0u; i < BUFFERS; i++) {
        tidegate.buffers[i].data = tidegate.bytes[i];
        tidegate.buffers[i].size_bytes = BUFFER_BYTES;
    }
    require(tg_posix_port_init(&tidegate.port,
                               &(struct tg_posix_config){.first_priority = 1,
                                                         .poll_priority = TG_POSIX_POLL_IN_TICK}) ==
                0,
            "cannot set the port up");
    require(tg_protocol_init(&tidegate.protocol, &config, &storage, &tidegate.port, 1u, 0u, NULL) ==
                0,
            "cannot set the receive path up");
    require(tg_lwip_init(&tidegate.lwip, &(struct tg_lwip_config){.protocol = &tidegate.protocol,
                                                                  .core = &config,
                                                                  .storage = &storage,
                                                                  .pbufs = tidegate.pbufs,
                                                                  .netif = &interface,
                                                                  .now_ns = now_ns}) == 0,
            "cannot set the adaptor up");
    tidegate.queue = tg_rxq_attach(&tidegate.protocol, 0u, &ops, NULL);
    for (uint32_t i = 0u; i < RING; i++) {
        tidegate.ring[i] = tg_rxq_fill(tidegate.queue);
    }
    tg_rxq_link(tidegate.queue, true);
}

/* The NIC has filled the ring with frames to this port. */
static void fill(uint16_t port)
{
    for (uint32_t i = 0u; i < RING; i++) {
        write_frame(tidegate.ring[i]->data, port);
    }
    tidegate.filled = RING;
    tidegate.now_ns++;
}

static void interrupt(void)
{
    require(tg_rxq_interrupt(tidegate.queue, RING) == TG_WORK_DONE, "frames are left");
}

static void deferred(void)
{
    while (tg_lwip_input(&tidegate.lwip)) {
    }
}

/* What tg_lwip_input and pbuf_free do to one packet, without lwIP in between. */
static void pbufs_only(void)
{
    for (uint32_t i = 0u; i < RING; i++) {
        struct tg_buffer *const b = tg_rx_next(&tidegate.protocol);

        tg_rx_done(&tidegate.protocol);
        CALLGRIND_START_INSTRUMENTATION;
        (void)pbuf_free(pbuf_alloced_custom(PBUF_RAW, (u16_t)b->len_bytes, PBUF_REF,
                                            &tidegate.pbufs[b - tidegate.buffers].custom, b->data,
                                            BUFFER_BYTES));
        CALLGRIND_STOP_INSTRUMENTATION;
    }
}

/* What every step of the receive path pays, twice in the deferred half. */
static void locks_only(void)
{
    for (uint32_t i = 0u; i < BURST; i++) {
        const uint32_t state = tg_port_lock(&tidegate.port);

        tg_port_unlock(&tidegate.port, state);
    }
}

/* ---- Counting -------------------------------------------------------------------------------- */

static void count_burst(enum path path)
{
    fill(path == DROPPED ? PORT_SPENT : PORT_OPEN);
    if (path == PBUF) {
        interrupt();
        pbufs_only();
        return;
    }
    CALLGRIND_START_INSTRUMENTATION;
    switch (path) {
    case THREAD:
        through_the_thread(BURST);
        break;
    case THREAD_SINGLE:
        through_the_thread(1u);
        break;
    case LOCKED:
        under_the_lock();
        break;
    case ACCEPTED:
        interrupt();
        deferred();
        break;
    case LOCK:
        locks_only();
        break;
    default:
        interrupt();
        break;
    }
    CALLGRIND_STOP_INSTRUMENTATION;
    if (tidegate.filled != 0u) {
        interrupt();
    }
    deferred();
}

static void count(void)
{
    for (uint32_t i = 0u; i < BURST; i++) {
        write_frame(stock.bytes[i], PORT_OPEN);
    }
    for (uint32_t path = 0u; path < N_PATHS; path++) {
        count_burst((enum path)path); /* the first one also warms up */
        CALLGRIND_ZERO_STATS;
        for (uint32_t i = 0u; i < BURSTS; i++) {
            count_burst((enum path)path);
        }
        CALLGRIND_DUMP_STATS_AT(paths[path]);
    }
}

/* ---- Report ---------------------------------------------------------------------------------- */

static void read_counts(const char *path, double counts[N_PATHS])
{
    FILE *const file = fopen(path, "r");
    char name[64];
    double n;

    require(file != NULL, "cannot read the counts");
    while (fscanf(file, "%63s %lf", name, &n) == 2) {
        for (uint32_t i = 0u; i < N_PATHS; i++) {
            if (strcmp(name, paths[i]) == 0) {
                counts[i] = n / (BURST * BURSTS);
            }
        }
    }
    (void)fclose(file);
}

static int report(const char *path)
{
    double counts[N_PATHS] = {0.0};

    read_counts(path, counts);
    printf("%-40s %12s %10s\n", "zero-length UDP packet", "instructions", "of stock");
    for (uint32_t i = 0u; i < N_PATHS; i++) {
        require(counts[i] > 0.0, "a count is missing");
        printf("%-40s %12.0f %8.1f %%\n", titles[i], counts[i], 100.0 * counts[i] / counts[THREAD]);
    }
    printf("bar: a dropped packet costs at most %d %% of stock: %s\n", BAR_PERCENT,
           100.0 * counts[DROPPED] <= BAR_PERCENT * counts[THREAD] ? "holds" : "does not hold");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--counts") == 0) {
        return report(argv[2]);
    }
    require(argc == 2 && strcmp(argv[1], "--count") == 0, "usage: --count | --counts FILE");
    require(sem_init(&burst_done, 0, 0u) == 0, "no semaphore");
    start_lwip();
    start_tidegate();
    count();
    return 0;
}
