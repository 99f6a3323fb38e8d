/* SPDX-License-Identifier: MIT
 *
 * sockets.c - the way of a packet into a receiver through lwIP: a thread per flow that reads a
 * socket. Parameters: scenario.h, and
 *
 *     stack=N    core priority of tcpip_thread (default: the floor; stock: 25)
 *     echo=1     the receivers send back what they get
 */
#include "kernel.h"
#include "lwip_station.h"
#include "scenario.h"
#include "semihost.h"
#include "traffic.h"

#include <lwip/api.h>
#include <lwip/stats.h>

#include <stdio.h>
#include <string.h>

#define FLOOR         1 /* of tables.c */
#define STOCK_STACK   25
#define RECEIVERS     2u
#define PAYLOAD_STAMP (TRAFFIC_STAMP - 42u) /* of a datagram */

static const struct {
    uint32_t flow;
    uint16_t port;
    uint8_t priority;
} receivers[RECEIVERS] = {{TABLES_HIGH, TABLES_PORT_HIGH, TABLES_PRIORITY_HIGH},
                          {TABLES_LOW, TABLES_PORT_LOW, TABLES_PRIORITY_LOW}};

static struct {
    struct kernel_thread threads[RECEIVERS];
    uint8_t stacks[RECEIVERS][STATION_STACK_BYTES] __attribute__((aligned(8)));
    struct netconn *sockets[RECEIVERS];
    bool echoes;
    uint32_t sent;
} app;

static void run_receiver(void *argument)
{
    const uint32_t i = (uint32_t)(uintptr_t)argument;
    struct netbuf *packet;
    uint8_t stamp[4];

    while (netconn_recv(app.sockets[i], &packet) == ERR_OK) {
        (void)netbuf_copy_partial(packet, stamp, sizeof(stamp), PAYLOAD_STAMP);
        scenario_count(receivers[i].flow, stamp);
        if (app.echoes && netconn_send(app.sockets[i], packet) == ERR_OK) {
            app.sent++;
        }
        netbuf_delete(packet);
    }
}

static void start_receiver(uint32_t i)
{
    const osThreadAttr_t attr =
        station_thread("receiver", &app.threads[i], app.stacks[i],
                       (osPriority_t)((uint32_t)STATION_FIRST_PRIORITY + receivers[i].priority));

    app.sockets[i] = netconn_new(NETCONN_UDP);
    if (app.sockets[i] == NULL ||
        netconn_bind(app.sockets[i], IP_ADDR_ANY, receivers[i].port) != ERR_OK ||
        osThreadNew(run_receiver, (void *)(uintptr_t)i, &attr) == NULL) {
        kernel_panic("a receiver does not start", NULL);
    }
}

static void prepare(const struct station_config *cfg)
{
    app.echoes = semihost_number("echo", 0) != 0;
    lwip_station_priority = (int)semihost_number("stack", cfg->core != NULL ? FLOOR : STOCK_STACK);
    lwip_station_start(cfg);
    for (uint32_t i = 0u; i < RECEIVERS; i++) {
        start_receiver(i);
    }
}

/* Buffers that somebody still holds would be a leak: all traffic is over. */
static uint32_t held(void)
{
    struct tg_flow_counters flows[TABLES_FLOWS] = {{0u}};
    struct tg_snapshot s = {.flows = flows};
    uint32_t n = 0u;

    tg_lwip_snapshot(&lwip_station, &s);
    for (uint32_t i = 0u; i < TABLES_FLOWS; i++) {
        n += flows[i].held_pkts;
    }
    return n;
}

/* Datagrams that the other GEM has got back, from a receiver's port to the sender's. */
static uint32_t answers(void)
{
    uint32_t len_bytes;
    uint32_t n = 0u;
    const uint8_t *bytes = station_take_answer(&len_bytes);

    while (bytes != NULL) {
        const uint32_t from = (uint32_t)bytes[34] << 8 | bytes[35];
        const uint32_t to = (uint32_t)bytes[36] << 8 | bytes[37];

        n += (from == TABLES_PORT_HIGH || from == TABLES_PORT_LOW) && to == TRAFFIC_PORT;
        bytes = station_take_answer(&len_bytes);
    }
    return n;
}

static void print(bool is_stock)
{
    printf("lwip: received %u, dropped %u, refused %u, sent %u, answers %u, held %u\n",
           (unsigned)lwip_stats.udp.recv, (unsigned)lwip_stats.udp.drop,
           (unsigned)lwip_station_refused, (unsigned)app.sent, (unsigned)answers(),
           is_stock ? 0u : (unsigned)held());
}

int main(void)
{
    return scenario_main(&(struct scenario){.run = lwip_station_run,
                                            .stock_run = lwip_station_stock_run,
                                            .prepare = prepare,
                                            .print = print});
}
