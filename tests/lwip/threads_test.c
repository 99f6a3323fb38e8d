/* SPDX-License-Identifier: MIT
 *
 * threads_test.c - the adaptor among threads: who waits for whom, and a storm with everything at
 * once. What is counted are packets, never time.
 */
#include "check_cmocka.h"
#include "parts.h"
#include "peer_frames.h"
#include "posix_port.h"
#include "tg_lwip.h"
#include "tg_sys.h"
#include "tidegate/check.h"

#include <lwip/sockets.h>
#include <lwip/tcpip.h>

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    BUFFERS = 128,
    RING = 1, /* the frame that is being handed over */
    FLOWS = 16,
    SOCKETS = 8,
    LOW = 1,
    HIGH = 20,
    FIRST_PRIORITY = 10,
    PORT_LOW = 5000,
    PORT_HIGH = 5001,
    PORT_SEND = 5002,
    STORM_PORTS = 4,
    STORM_FRAMES = 3000,
    STORM_SOCKETS = 100,
    STORM_PRODUCERS = 2,
    LOOKS_MAX = 3000 /* each after a sleep */
};

/* One program has one lwIP and one adaptor; the machine lives as long as the program. */
static struct {
    struct tg_posix_port port;
    struct tg_protocol protocol;
    struct tg_rxq rxqs[STORM_PRODUCERS];
    struct tg_gate gates[1];
    struct tg_flow flows[FLOWS];
    uint32_t buckets[64];
    struct tg_buffer buffers[BUFFERS];
    uint8_t bytes[BUFFERS][FRAME_MAX_BYTES];
    struct tg_rxq *queues[STORM_PRODUCERS];
    struct tg_buffer *in_ring[STORM_PRODUCERS];
    struct tg_lwip lwip;
    struct tg_lwip_pbuf pbufs[BUFFERS];
    struct tg_lwip_socket sockets[SOCKETS];
    struct netif netif;
    int udp; /* a socket to send from */
} machine;

/* All under lwIP's core lock. */
static struct {
    uint32_t n_low;         /* packets that the low receiver got */
    uint32_t n_low_at_send; /* as many when the station sent */
    bool holds;             /* the next one waits for go_on */
} seen;

/* What went wrong on other threads than the test's own. */
static atomic_uint n_wrong;

static void require(bool condition)
{
    if (!condition) {
        (void)atomic_fetch_add(&n_wrong, 1u);
    }
}

static sem_t is_inside;
static sem_t go_on;

static void protocol_thread(void *arg)
{
    (void)arg;
    while (tg_posix_port_wait(&machine.port, TG_POSIX_FOREVER) != TG_POSIX_STOP) {
        while (tg_lwip_input(&machine.lwip)) {
        }
    }
}

static int spawn(void *context, uint32_t priority, void *(*body)(void *arg), void *arg,
                 pthread_t *id)
{
    return tg_posix_port_spawn(context, priority, body, arg, id);
}

static err_t count_sent(struct netif *netif, struct pbuf *p)
{
    (void)netif;
    (void)p;
    seen.n_low_at_send = seen.n_low;
    return ERR_OK;
}

static bool never_peek(void *ring, struct tg_rx_frame *frame)
{
    (void)ring;
    frame->now_ns = tg_posix_port_now_ns();
    return false;
}

/* Frames are handed to tg_rx_eager one by one. */
static const struct tg_ring_ops NO_RING = {.peek = never_peek};

static void start_path(void)
{
    static const struct tg_gate_config gate = {.budget = {.kind = TG_SERVER_UNLIMITED}};
    static const struct tg_queue_config queues[STORM_PRODUCERS] = {{.ring = RING}, {.ring = RING}};
    static const struct tg_flow_config flows[] = {
        {.match = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                   .protocol = PROTO_UDP,
                   .dst_port = PORT_LOW},
         .budget = {.kind = TG_SERVER_UNLIMITED},
         .reserve_pkts = 16u,
         .priority = LOW},
        {.match = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                   .protocol = PROTO_UDP,
                   .dst_port = PORT_HIGH},
         .budget = {.kind = TG_SERVER_UNLIMITED},
         .reserve_pkts = 8u,
         .priority = HIGH}};
    static const struct tg_config config = {.gates = &gate,
                                            .queues = queues,
                                            .flows = flows,
                                            .station = {.mac = TG_MAC_NONE, .mtu_bytes = 1500u},
                                            .best_effort_budget = {.kind = TG_SERVER_UNLIMITED},
                                            .best_effort_reserve_pkts = 20u,
                                            .n_flows = 2u,
                                            .n_gates = 1u,
                                            .n_queues = STORM_PRODUCERS};
    const struct tg_storage storage = {.flows = machine.flows,
                                       .buckets = machine.buckets,
                                       .buffers = machine.buffers,
                                       .queues = machine.rxqs,
                                       .gates = machine.gates,
                                       .n_flows = FLOWS,
                                       .n_buckets = 64u,
                                       .n_buffers = BUFFERS};

    for (uint32_t i = 0u; i < BUFFERS; i++) {
        machine.buffers[i].data = machine.bytes[i];
        machine.buffers[i].size_bytes = FRAME_MAX_BYTES;
    }
    assert_int_equal(tg_protocol_init(&machine.protocol, &config, &storage, &machine.port, 1u,
                                      tg_posix_port_now_ns(), NULL),
                     0);
    assert_int_equal(
        tg_lwip_init(&machine.lwip, &(struct tg_lwip_config){.protocol = &machine.protocol,
                                                             .core = &config,
                                                             .storage = &storage,
                                                             .pbufs = machine.pbufs,
                                                             .sockets = machine.sockets,
                                                             .n_sockets = SOCKETS,
                                                             .netif = &machine.netif,
                                                             .now_ns = tg_posix_port_now_ns}),
        0);
    for (uint32_t i = 0u; i < STORM_PRODUCERS; i++) {
        machine.queues[i] = tg_rxq_attach(&machine.protocol, i, &NO_RING, NULL);
        machine.in_ring[i] = tg_rxq_fill(machine.queues[i]);
        tg_rxq_link(machine.queues[i], true);
    }
}

static int start(void **state)
{
    (void)state;

    assert_int_equal(
        tg_posix_port_init(&machine.port,
                           &(struct tg_posix_config){.first_priority = FIRST_PRIORITY,
                                                     .poll_priority = TG_POSIX_POLL_IN_TICK}),
        0);
    tg_sys_set_spawn(spawn, &machine.port);
    tcpip_init(NULL, NULL);
    parts_add_netif(&machine.netif, NULL, count_sent, false);
    start_path();
    assert_int_equal(sem_init(&is_inside, 0, 0u), 0);
    assert_int_equal(sem_init(&go_on, 0, 0u), 0);
    assert_int_equal(tg_posix_port_start(&machine.port, &machine.protocol, protocol_thread, NULL),
                     0);
    machine.udp = lwip_socket(AF_INET, SOCK_DGRAM, 0);
    return machine.udp < 0;
}

/* A datagram to this port arrives at a queue. */
static void arrive(uint32_t queue, uint16_t dst_port)
{
    const struct frame f = peer_udp(4000u, dst_port, 0u);
    struct tg_rx_frame frame = {.now_ns = tg_posix_port_now_ns(),
                                .buffer = machine.in_ring[queue],
                                .len_bytes = f.len_bytes,
                                .tci = TG_TCI_NONE};

    memcpy(frame.buffer->data, f.bytes, f.len_bytes);
    require(tg_rx_eager(machine.queues[queue], &frame) != TG_VERDICT_MALFORMED);
    machine.in_ring[queue] = frame.buffer;
}

static void receive_low(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from,
                        u16_t port)
{
    (void)arg;
    (void)pcb;
    (void)from;
    (void)port;
    (void)pbuf_free(p);
    seen.n_low++;
    if (seen.holds) {
        seen.holds = false;
        (void)sem_post(&is_inside);
        (void)sem_wait(&go_on);
    }
}

/* An urgent task sends. */
static void *send_one(void *arg)
{
    const struct sockaddr_in peer = {.sin_len = sizeof peer,
                                     .sin_family = AF_INET,
                                     .sin_port = lwip_htons(4000u),
                                     .sin_addr.s_addr = lwip_htonl(0xc00002ffu)}; /* broadcast */

    (void)arg;
    require(lwip_sendto(machine.udp, "x", 1, 0, (const struct sockaddr *)&peer, sizeof peer) == 1);
    return NULL;
}

/* Linux marks a lock that inherits when somebody waits for it. */
static bool is_core_lock_wanted(void)
{
    return ((uint32_t)__atomic_load_n(&lock_tcpip_core.lock.__data.__lock, __ATOMIC_RELAXED) &
            0x80000000u) != 0u;
}

/* A lock that does not inherit never says so. */
static void wait_until_core_lock_is_wanted(void)
{
    uint32_t looks = 0u;

    while (!is_core_lock_wanted() && looks < LOOKS_MAX) {
        (void)usleep(1000u);
        looks++;
    }
    require(looks < LOOKS_MAX);
}

/* From several threads. */
static uint32_t held(void)
{
    struct tg_flow_counters counters[FLOWS];
    struct tg_snapshot snapshot = {.flows = counters};
    uint32_t sum = 0u;

    tg_lwip_snapshot(&machine.lwip, &snapshot);
    for (uint32_t i = 0u; i < FLOWS; i++) {
        sum += counters[i].held_pkts;
    }
    return sum;
}

static void wait_until_idle(void)
{
    while (held() != 0u) {
        (void)usleep(1000u);
    }
}

/* Ten packets wait, the first is in lwIP. An urgent caller that comes now waits for that one. */
static void urgent_caller_waits_for_one_packet(void **state)
{
    (void)state;
    struct udp_pcb *const pcb = parts_add_receiver(PORT_LOW, receive_low);
    pthread_t caller;

    for (uint32_t round = 0u; round < 20u && atomic_load(&n_wrong) == 0u; round++) {
        LOCK_TCPIP_CORE();
        seen.n_low = 0u;
        seen.n_low_at_send = UINT32_MAX;
        seen.holds = true;
        UNLOCK_TCPIP_CORE();
        for (uint32_t i = 0u; i < 10u; i++) {
            arrive(0u, PORT_LOW);
        }
        assert_int_equal(sem_wait(&is_inside), 0);
        assert_int_equal(tg_posix_port_spawn(&machine.port, HIGH, send_one, NULL, &caller), 0);
        wait_until_core_lock_is_wanted();
        assert_int_equal(sem_post(&go_on), 0);
        assert_int_equal(pthread_join(caller, NULL), 0);
        wait_until_idle();
        LOCK_TCPIP_CORE();
        const uint32_t n_low = seen.n_low;
        const uint32_t n_low_at_send = seen.n_low_at_send;
        UNLOCK_TCPIP_CORE();
        assert_int_equal(n_low, 10);
        assert_int_equal(n_low_at_send, 1);
    }
    parts_remove_receiver(pcb);
}

/* The priority at which Linux runs a thread now: -1 - the real-time one; else 0..39. */
static int effective_priority(pid_t tid)
{
    char path[64];
    char text[512];
    int priority = 0;

    (void)snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    FILE *const file = fopen(path, "r");

    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    (void)fclose(file);
    /* Field 18; the second is the name, which may hold anything but ends with the last bracket. */
    assert_int_equal(sscanf(strrchr(text, ')') + 2,
                            "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
                            &priority),
                     1);
    return priority;
}

static atomic_int holder_priority;

/* A task without urgency holds the lock while an urgent packet arrives. */
static void *hold_the_lock(void *arg)
{
    (void)arg;
    LOCK_TCPIP_CORE();
    arrive(0u, PORT_HIGH);
    wait_until_core_lock_is_wanted();
    atomic_store(&holder_priority, effective_priority((pid_t)syscall(SYS_gettid)));
    UNLOCK_TCPIP_CORE();
    return NULL;
}

static void holder_inherits_the_packets_priority(void **state)
{
    (void)state;
    pthread_t holder;

    assert_int_equal(tg_posix_port_spawn(&machine.port, 0u, hold_the_lock, NULL, &holder), 0);
    assert_int_equal(pthread_join(holder, NULL), 0);
    wait_until_idle();
    if (tg_posix_port_is_realtime(&machine.port)) {
        assert_int_equal(atomic_load(&holder_priority), -1 - (FIRST_PRIORITY + HIGH));
    } else {
        assert_in_range(atomic_load(&holder_priority), 0, 39);
    }
}

/* ---- A storm --------------------------------------------------------------------------------- */

static atomic_uint n_producing;

static void *produce(void *arg)
{
    const uint32_t queue = *(const uint32_t *)arg;

    for (uint32_t i = 0u; i < STORM_FRAMES; i++) {
        arrive(queue, (uint16_t)(PORT_SEND + 1u + i % STORM_PORTS));
        if (i % 64u == 0u) {
            (void)usleep(500u);
        }
    }
    (void)atomic_fetch_sub(&n_producing, 1u);
    return NULL;
}

/* Opens, binds a flow, reads a little, closes with something in the mailbox. */
static void *open_and_close(void *arg)
{
    const uint32_t number = *(const uint32_t *)arg;
    const uint16_t port = (uint16_t)(PORT_SEND + 1u + number);
    const struct tg_lwip_flow flow = {.own = {.budget = {.kind = TG_SERVER_UNLIMITED},
                                              .reserve_pkts = 6u,
                                              .priority = (uint8_t)(2u + number)}};
    const struct sockaddr_in any = {
        .sin_len = sizeof any, .sin_family = AF_INET, .sin_port = lwip_htons(port)};

    for (uint32_t i = 0u; i < STORM_SOCKETS && atomic_load(&n_producing) != 0u; i++) {
        const int s = lwip_socket(AF_INET, SOCK_DGRAM, 0);
        const struct timeval patience = {.tv_usec = 2000};
        char byte;

        (void)lwip_setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        require(lwip_bind(s, (const struct sockaddr *)&any, sizeof any) == 0);
        require(lwip_setsockopt(s, SOL_TIDEGATE, TG_SO_FLOW, &flow, sizeof flow) == 0);
        require(tg_lwip_flow_id(s) != 0u);
        for (uint32_t n = 0u; n < number * 4u; n++) {
            (void)lwip_recv(s, &byte, 1, 0);
        }
        (void)lwip_close(s);
        (void)held(); /* snapshots in between */
    }
    return NULL;
}

static void everything_at_once(void **state)
{
    (void)state;
    static uint32_t numbers[STORM_PORTS] = {0u, 1u, 2u, 3u};
    pthread_t producers[STORM_PRODUCERS];
    pthread_t users[STORM_PORTS];

    atomic_store(&n_producing, STORM_PRODUCERS);
    for (uint32_t i = 0u; i < STORM_PORTS; i++) {
        assert_int_equal(
            tg_posix_port_spawn(&machine.port, 5u + i, open_and_close, &numbers[i], &users[i]), 0);
    }
    for (uint32_t i = 0u; i < STORM_PRODUCERS; i++) {
        assert_int_equal(pthread_create(&producers[i], NULL, produce, &numbers[i]), 0);
    }
    for (uint32_t i = 0u; i < STORM_PRODUCERS; i++) {
        assert_int_equal(pthread_join(producers[i], NULL), 0);
    }
    for (uint32_t i = 0u; i < STORM_PORTS; i++) {
        assert_int_equal(pthread_join(users[i], NULL), 0);
    }
    wait_until_idle();
    for (uint32_t i = 0u; i < SOCKETS; i++) {
        assert_null(machine.sockets[i].owner);
    }
}

static int stop(void **state)
{
    (void)state;
    for (uint32_t i = 0u; i < STORM_PRODUCERS; i++) {
        tg_rxq_link(machine.queues[i], false);
    }
    tg_posix_port_stop(&machine.port);
    const char *const wrong = tg_protocol_check(&machine.protocol);

    if (wrong != NULL) {
        print_error("%s\n", wrong);
    }
    return lwip_close(machine.udp) != 0 || wrong != NULL || atomic_load(&n_wrong) != 0u;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urgent_caller_waits_for_one_packet),
        cmocka_unit_test(holder_inherits_the_packets_priority),
        cmocka_unit_test(everything_at_once),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
