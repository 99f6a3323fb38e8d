/* SPDX-License-Identifier: MIT
 *
 * iface_test.c - both drivers and the ring on real interfaces, in a network namespace of this
 * program's own. Bytes enter and are looked at on the other end of the wire.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iface.h"
#include "ring.h"

#include "check_cmocka.h"
#include "posix_port.h"
#include "test_frame.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define RING       8u
#define MTU        1500u
#define TEXT_SIZE  512u
#define PATIENCE_S 20 /* for what comes at once unless something is broken */

/* ---- The wire -------------------------------------------------------------------------------- */

/* Interfaces are made by the program that everybody makes them with. */
static void ip(const char *arguments)
{
    char line[256];

    (void)snprintf(line, sizeof line, "ip %s", arguments);
    assert_int_equal(system(line), 0); /* NOLINT(cert-env33-c): a constant text */
}

/* The other end: a socket that sends and receives frames as they are. */
static int open_peer(const char *name)
{
    const struct sockaddr_ll to = {.sll_family = AF_PACKET,
                                   .sll_protocol = htons(ETH_P_ALL),
                                   .sll_ifindex = (int)if_nametoindex(name)};
    const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    const int one = 1;

    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void send_frame(int fd, const struct frame *frame)
{
    assert_int_equal(send(fd, frame->bytes, frame->len_bytes, 0), frame->len_bytes);
}

struct wire {
    struct tg_iface *iface;
    int peer;
};

static struct wire wire;

/* The kernel drops what is sent until it has noticed that the other end is there. It holds its lock
 * for interfaces meanwhile, which `ip` waits for. */
static void wait_for_carrier(const char *name)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    struct ifreq request = {0};
    char again[64];

    (void)snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    for (int i = 0; i < PATIENCE_S * 1000 && (request.ifr_flags & IFF_RUNNING) == 0; i++) {
        (void)nanosleep(&moment, NULL);
        assert_int_equal(ioctl(wire.peer, SIOCGIFFLAGS, &request), 0);
    }
    (void)snprintf(again, sizeof again, "link set %s up", name);
    ip(again);
}

static int open_veth(void **state)
{
    char text[TEXT_SIZE] = "";

    (void)state;
    /* No IPv6: nothing is on the wire but what a test sends. */
    ip("link add node0 type veth peer name peer0");
    ip("link set node0 mtu 9000 addrgenmode none up");
    ip("link set peer0 mtu 9000 addrgenmode none up");
    wire.peer = open_peer("peer0");
    wait_for_carrier("node0");
    return tg_iface_open("node0", RING, MTU, &wire.iface, text, sizeof text);
}

static int close_veth(void **state)
{
    (void)state;
    tg_iface_close(wire.iface);
    (void)close(wire.peer);
    ip("link del node0");
    return 0;
}

/* Of a tap device the kernel itself is the other end; a packet socket puts frames into it. */
static int open_tap(void **state)
{
    char text[TEXT_SIZE] = "";

    (void)state;
    ip("tuntap add tap0 mode tap");
    ip("link set tap0 mtu 9000 addrgenmode none up");
    wire.peer = open_peer("tap0");
    const int err = tg_iface_open("tap0", RING, MTU, &wire.iface, text, sizeof text);

    wait_for_carrier("tap0");
    return err;
}

static int close_tap(void **state)
{
    (void)state;
    tg_iface_close(wire.iface);
    (void)close(wire.peer);
    ip("tuntap del tap0 mode tap");
    return 0;
}

/* The oldest frame, once there is one. */
static void look(struct tg_iface_frame *frame)
{
    const struct itimerspec patience = {.it_value.tv_sec = PATIENCE_S};
    const int late = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    uint64_t times;

    assert_int_equal(timerfd_settime(late, 0, &patience, NULL), 0);
    while (!tg_iface_look(wire.iface, frame)) {
        tg_iface_wait(wire.iface, late);
        assert_int_equal(read(late, &times, sizeof times), -1);
    }
    (void)close(late);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static void test_frame_arrives_whole(void **state)
{
    const struct frame sent = frame_udp(5000u);
    const tg_ns before_ns = tg_posix_port_now_ns();
    struct tg_iface_frame got;
    uint8_t bytes[FRAME_MAX_BYTES];

    (void)state;
    assert_false(tg_iface_look(wire.iface, &got));
    send_frame(wire.peer, &sent);
    look(&got);
    assert_int_equal(got.len_bytes, sent.len_bytes);
    assert_int_equal(got.tci, TG_TCI_NONE);
    assert_int_equal(got.sum_from, 0u);
    assert_true(got.arrival_ns <= tg_posix_port_now_ns());
    /* Two clocks are read one after the other. */
    assert_true(got.arrival_ns + 1000000u >= before_ns);
    tg_iface_copy(&got, bytes, 0u, got.len_bytes);
    assert_memory_equal(bytes, sent.bytes, sent.len_bytes);

    /* It stays until it is taken. */
    assert_true(tg_iface_look(wire.iface, &got));
    tg_iface_next(wire.iface);
    assert_false(tg_iface_look(wire.iface, &got));
}

static void test_order(void **state)
{
    (void)state;
    for (uint32_t i = 0u; i < 3u * RING; i++) {
        struct frame sent = frame_udp((uint16_t)i);
        struct tg_iface_frame got;

        send_frame(wire.peer, &sent);
        look(&got);
        assert_memory_equal(got.bytes, sent.bytes, sent.len_bytes);
        tg_iface_next(wire.iface);
    }
}

/* As many as the ring holds; the others are counted. */
static void test_full_ring(void **state)
{
    const struct frame sent = frame_udp(5000u);
    struct tg_iface_frame got;
    uint32_t n = 0u;

    (void)state;
    assert_int_equal(tg_iface_lost(wire.iface), 0u);
    for (uint32_t i = 0u; i < RING + 5u; i++) {
        (void)send(wire.peer, sent.bytes, sent.len_bytes, 0);
    }
    while (tg_iface_look(wire.iface, &got)) {
        tg_iface_next(wire.iface);
        n++;
    }
    assert_int_equal(n, RING);
    assert_int_equal(tg_iface_lost(wire.iface), 5u);
    assert_int_equal(tg_iface_lost(wire.iface), 5u);
}

static void test_tag_is_taken_out(void **state)
{
    const struct frame_spec spec = {.n_tags = 1u, .tags = {{.tci = 0x6007u}}, .dst_port = 5000u};
    const struct frame sent = frame_build(&spec);
    struct tg_iface_frame got;

    (void)state;
    send_frame(wire.peer, &sent);
    look(&got);
    assert_int_equal(got.tci, 0x6007u);
    assert_int_equal(got.len_bytes, sent.len_bytes - 4u);
    assert_memory_equal(got.bytes, sent.bytes, 12u);
    assert_memory_equal(got.bytes + 12u, sent.bytes + 16u, got.len_bytes - 12u);
    tg_iface_next(wire.iface);
}

/* However long it was, what is handed out shows that it was too long. */
static void test_giant(void **state)
{
    uint8_t bytes[8000] = {0};
    struct tg_iface_frame got;

    (void)state;
    memset(bytes, 0xff, 6u);
    assert_int_equal(send(wire.peer, bytes, sizeof bytes, 0), sizeof bytes);
    look(&got);
    assert_true(got.len_bytes > MTU + 22u);
    assert_true(got.len_bytes <= sizeof bytes);
    tg_iface_next(wire.iface);
    assert_int_equal(atomic_load(&wire.iface->giants), 1u);
}

static void test_sent_frame_does_not_come_back(void **state)
{
    struct frame sent = frame_udp(5000u);
    const struct iovec parts[] = {{sent.bytes, 14u}, {sent.bytes + 14u, sent.len_bytes - 14u}};
    uint8_t bytes[FRAME_MAX_BYTES];
    struct tg_iface_frame got;

    (void)state;
    assert_true(tg_iface_send(wire.iface, parts, 2));
    assert_int_equal(recv(wire.peer, bytes, sizeof bytes, 0), sent.len_bytes);
    assert_memory_equal(bytes, sent.bytes, sent.len_bytes);
    assert_false(tg_iface_look(wire.iface, &got));
    assert_int_equal(atomic_load(&wire.iface->unsent), 0u);
}

static void test_refused_frame_is_counted(void **state)
{
    uint8_t too_short[4] = {0};
    const struct iovec part = {too_short, sizeof too_short};

    (void)state;
    assert_false(tg_iface_send(wire.iface, &part, 1));
    assert_int_equal(atomic_load(&wire.iface->unsent), 1u);
}

/* ---- Checksums that the sender left to its hardware ------------------------------------------ */

/* The sum of RFC 1071 over 16-bit words. */
static uint32_t sum_of(const uint8_t *bytes, uint32_t n, uint32_t sum)
{
    for (uint32_t i = 0u; i < n; i++) {
        sum += i % 2u == 0u ? (uint32_t)bytes[i] << 8 : bytes[i];
    }
    while (sum > UINT16_MAX) {
        sum = (sum & UINT16_MAX) + (sum >> 16);
    }
    return sum;
}

/* A UDP datagram over IPv4 without options adds up. */
static bool has_good_sum(const uint8_t *frame)
{
    const uint8_t *const header = frame + 14u;
    const uint32_t length = (uint32_t)header[24] << 8 | header[25];
    const uint32_t pseudo = sum_of(header + 12u, 8u, PROTO_UDP + length);

    return sum_of(header + 20u, length, pseudo) == UINT16_MAX;
}

static void expect_datagram(uint32_t payload_bytes)
{
    struct tg_iface_frame got;
    uint8_t bytes[FRAME_MAX_BYTES];

    look(&got);
    assert_int_equal(got.len_bytes, 42u + payload_bytes);
    assert_int_not_equal(got.sum_from, 0u);
    tg_iface_copy(&got, bytes, 0u, got.len_bytes);
    assert_true(has_good_sum(bytes));

    /* In two pieces, as the ring copies. */
    memset(bytes, 0, sizeof bytes);
    const uint32_t head = got.len_bytes < 64u ? got.len_bytes : 64u;

    tg_iface_copy(&got, bytes, 0u, head);
    if (head < got.len_bytes) {
        tg_iface_copy(&got, bytes, head, got.len_bytes);
    }
    assert_true(has_good_sum(bytes));
    tg_iface_next(wire.iface);
}

static void test_open_checksum_is_closed(void **state)
{
    static const uint32_t lengths[] = {0u, 1u, 2u, 21u, 22u, 23u, 100u, 999u, 1400u};
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(5000u), .sin_addr.s_addr = inet_addr("192.0.2.1")};
    uint8_t payload[1400];
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    (void)state;
    memset(payload, 0x5a, sizeof payload);
    ip("address add 192.0.2.2/24 dev peer0");
    ip("neighbour add 192.0.2.1 lladdr 02:00:00:00:00:01 dev peer0");
    for (size_t i = 0u; i < sizeof lengths / sizeof lengths[0]; i++) {
        assert_int_equal(
            sendto(fd, payload, lengths[i], 0, (const struct sockaddr *)&to, sizeof to),
            lengths[i]);
        expect_datagram(lengths[i]);
    }
    (void)close(fd);
}

/* ---- Wait ------------------------------------------------------------------------------------ */

static void test_wait_ends_with_stop(void **state)
{
    const int stop = eventfd(1u, 0);

    (void)state;
    tg_iface_wait(wire.iface, stop);
    tg_iface_wait(wire.iface, stop); /* nobody reads it */
    (void)close(stop);
}

static void *remove_then_stop(void *arg)
{
    const struct timespec moment = {.tv_nsec = 50000000};
    const int *const stop = arg;

    ip("link del node0");
    (void)nanosleep(&moment, NULL);
    (void)eventfd_write(*stop, 1u);
    return NULL;
}

/* A removed interface does not end the wait: each end would be an interrupt for nothing. */
static void test_wait_outlives_the_interface(void **state)
{
    int stop = eventfd(0u, 0);
    pthread_t thread;
    eventfd_t value = 0u;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, remove_then_stop, &stop), 0);
    tg_iface_wait(wire.iface, stop);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(eventfd_read(stop, &value), 0);
    assert_true(wire.iface->is_gone);
    ip("link add node0 type veth peer name peer0"); /* for the end of the test */
    (void)close(stop);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void expect_refusal(const char *name, const char *why)
{
    struct tg_iface *iface = NULL;
    char text[TEXT_SIZE] = "";

    assert_int_equal(tg_iface_open(name, RING, MTU, &iface, text, sizeof text), -1);
    if (strstr(text, why) == NULL) {
        fail_msg("'%s' does not say '%s'", text, why);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    expect_refusal("nowhere0", "there is no interface 'nowhere0' here");
    expect_refusal("", "is no name of an interface");
    expect_refusal("a-name-of-16-byt", "is no name of an interface");
    expect_refusal("lo", "does not carry Ethernet frames");
    ip("link set node0 down");
    expect_refusal("node0", "is down: ip link set node0 up");
}

static void test_tap_is_taken(void **state)
{
    (void)state;
    expect_refusal("tap0", "another program has it open");
}

/* ---- The ring, with all threads of the port -------------------------------------------------- */

#define BUFFERS 64u
#define BYTES   2048u
#define FLOOD   3000u

static struct {
    struct tg_posix_port port;
    struct tg_protocol protocol;
    struct tg_flow flows[2];
    uint32_t buckets[8];
    struct tg_buffer buffers[BUFFERS];
    uint8_t bytes[BUFFERS][BYTES];
    struct tg_rxq queues[1];
    struct tg_gate gates[1];
    struct tg_ring ring;
    uint64_t delivered;
    uint64_t damaged;
} rig;

/* Longer than the head that the ring copies of every frame. */
static struct frame long_frame(uint16_t dst_port)
{
    const struct frame_spec spec = {.dst_port = dst_port, .payload_bytes = 300u};
    struct frame frame = frame_build(&spec);

    memset(frame.bytes + frame.len_bytes - 300u, 0x5a, 300u);
    return frame;
}

static void deliver(struct tg_buffer *buffer)
{
    const struct frame expected = long_frame(5000u);

    rig.damaged += buffer->flow != 1u || buffer->len_bytes != expected.len_bytes ||
                   memcmp(buffer->data, expected.bytes, expected.len_bytes) != 0 ||
                   tg_ring_arrival_ns(&rig.ring, buffer) > tg_posix_port_now_ns();
    rig.delivered++;
    tg_rx_done(&rig.protocol);
    assert_int_equal(tg_rx_release(&rig.protocol, buffer), 0);
}

static void run_protocol(void *arg)
{
    struct tg_buffer *buffer;

    (void)arg;
    while (tg_posix_port_wait(&rig.port, TG_POSIX_FOREVER) != TG_POSIX_STOP) {
        while ((buffer = tg_rx_next(&rig.protocol)) != NULL) {
            deliver(buffer);
        }
    }
}

static void open_rig(void)
{
    const struct tg_flow_config flow = {.match = {.fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT,
                                                  .protocol = PROTO_UDP,
                                                  .dst_port = 5000u},
                                        .budget = {.kind = TG_SERVER_UNLIMITED},
                                        .reserve_pkts = 16u,
                                        .priority = 5u};
    const struct tg_gate_config gate = {
        .budget = {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 4u, .period_ns = 200000u}};
    const struct tg_queue_config queue = {.ring = RING};
    const struct tg_config config = {.gates = &gate,
                                     .queues = &queue,
                                     .flows = &flow,
                                     .station = {.mac = TG_MAC_NONE, .mtu_bytes = MTU},
                                     .best_effort_budget = {.kind = TG_SERVER_UNLIMITED},
                                     .best_effort_reserve_pkts = 1u,
                                     .n_flows = 1u,
                                     .n_gates = 1u,
                                     .n_queues = 1u};
    const struct tg_storage storage = {.flows = rig.flows,
                                       .buckets = rig.buckets,
                                       .buffers = rig.buffers,
                                       .queues = rig.queues,
                                       .gates = rig.gates,
                                       .n_flows = 2u,
                                       .n_buckets = 8u,
                                       .n_buffers = BUFFERS};
    const struct tg_posix_config port = {.first_priority = 5,
                                         .poll_priority = TG_POSIX_POLL_IN_TICK};

    for (uint32_t i = 0u; i < BUFFERS; i++) {
        rig.buffers[i].data = rig.bytes[i];
        rig.buffers[i].size_bytes = BYTES;
    }
    assert_int_equal(tg_posix_port_init(&rig.port, &port), 0);
    assert_int_equal(tg_protocol_init(&rig.protocol, &config, &storage, &rig.port, 1u,
                                      tg_posix_port_now_ns(), NULL),
                     0);
    assert_int_equal(tg_ring_attach(&rig.ring, &rig.protocol, wire.iface, rig.buffers, BUFFERS), 0);
    assert_int_equal(tg_posix_port_start(&rig.port, &rig.protocol, run_protocol, NULL), 0);
    assert_int_equal(tg_posix_port_receive(&rig.port, &rig.queues[0], tg_ring_wait, &rig.ring), 0);
    tg_rxq_link(&rig.queues[0], true);
}

static struct tg_snapshot read_counters(struct tg_flow_counters flows[2])
{
    struct tg_snapshot snapshot = {.flows = flows};

    tg_rx_snapshot(&rig.protocol, &snapshot);
    return snapshot;
}

/* Wait until all that was sent has been read or was lost. */
static void settle(uint64_t sent)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    struct tg_flow_counters flows[2];

    for (int i = 0; i < PATIENCE_S * 1000; i++) {
        if (read_counters(flows).queues[0].received + tg_iface_lost(wire.iface) == sent) {
            return;
        }
        (void)nanosleep(&moment, NULL);
    }
    fail_msg("frames are missing");
}

/* A flood of wanted and of other frames: the gate closes, the tick polls, all is accounted for. */
static void test_ring_under_flood(void **state)
{
    const struct frame wanted = long_frame(5000u);
    const struct frame other = long_frame(9u);
    struct tg_flow_counters flows[2];

    (void)state;
    open_rig();
    for (uint32_t i = 0u; i < FLOOD; i++) {
        (void)send(wire.peer, i % 2u == 0u ? wanted.bytes : other.bytes, wanted.len_bytes, 0);
    }
    settle(FLOOD);
    tg_rxq_link(&rig.queues[0], false);
    tg_posix_port_stop(&rig.port);

    const struct tg_snapshot after = read_counters(flows);

    assert_true(after.closed[0] > 0u);
    assert_true(tg_ring_polled(&rig.ring) > 0u);
    assert_true(tg_ring_interrupts(&rig.ring) > 0u);
    assert_int_equal(after.queues[0].received, flows[0].passed + flows[0].dropped_no_buffer +
                                                   flows[1].passed + flows[1].dropped_no_buffer);
    assert_int_equal(rig.delivered, flows[0].passed + flows[1].passed);
    assert_int_equal(rig.damaged, flows[0].passed); /* what is not of the flow */
    assert_int_equal(flows[0].held_pkts + flows[1].held_pkts, 0u);
    assert_int_equal(tg_ring_free(&rig.ring, &rig.queues[0]), 0);
    tg_posix_port_destroy(&rig.port);
}

/* ---- All ------------------------------------------------------------------------------------- */

/* In a network of its own; without root as the root of a user namespace, too. */
static int enter_namespace(char **argv)
{
    static char unshare[] = "unshare";
    static char net[] = "--net";
    static char map[] = "--map-root-user";
    char *as_root[] = {unshare, net, argv[0], NULL};
    char *as_user[] = {unshare, net, map, argv[0], NULL};

    (void)setenv("TG_IN_NAMESPACE", "1", 1);
    (void)execvp(unshare, geteuid() == 0u ? as_root : as_user);
    perror("unshare");
    return 1;
}

#define VETH(test) cmocka_unit_test_setup_teardown(test, open_veth, close_veth)
#define TAP(test)                                                                                  \
    {                                                                                              \
#test " (tap)", test, open_tap, close_tap, NULL                                            \
    }

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        VETH(test_frame_arrives_whole),
        TAP(test_frame_arrives_whole),
        VETH(test_order),
        TAP(test_order),
        VETH(test_full_ring),
        TAP(test_full_ring),
        VETH(test_tag_is_taken_out),
        VETH(test_giant),
        TAP(test_giant),
        VETH(test_sent_frame_does_not_come_back),
        TAP(test_sent_frame_does_not_come_back),
        VETH(test_refused_frame_is_counted),
        TAP(test_refused_frame_is_counted),
        VETH(test_open_checksum_is_closed),
        VETH(test_wait_ends_with_stop),
        TAP(test_wait_ends_with_stop),
        VETH(test_wait_outlives_the_interface),
        VETH(test_refusals),
        TAP(test_tap_is_taken),
        VETH(test_ring_under_flood),
    };

    (void)argc;
    if (getenv("TG_IN_NAMESPACE") == NULL) {
        return enter_namespace(argv);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
