/* SPDX-License-Identifier: MIT
 *
 * socket_test.c - flows of sockets: what setsockopt takes and refuses, and how close ends them.
 */
#include "station.h"
#include "check_cmocka.h"

#include <lwip/tcpip.h>

#include <errno.h>
#include <string.h>

enum { PORT = 5000, OTHER = 5001 };

static const struct tg_flow_counters *counters(struct station *s, int socket)
{
    const uint32_t id = tg_lwip_flow_id(socket);

    assert_true(id != 0u);
    tg_lwip_snapshot(&s->lwip, &s->rig.snapshot);
    return &s->rig.snapshot.flows[id];
}

static void deliver_udp(struct station *s, uint16_t src_port, uint16_t dst_port)
{
    const struct frame f = peer_udp(src_port, dst_port, 0u);

    station_deliver(s, &f);
}

static int receive(int socket)
{
    char byte;

    return (int)lwip_recv(socket, &byte, 1, 0);
}

static void socket_has_its_flow(void **state)
{
    struct station *const s = *state;
    const struct tg_lwip_flow flow = station_flow(7u, 4u);

    const int udp = station_bound(SOCK_DGRAM, PORT);

    assert_int_equal(station_set_flow(udp, &flow), 0);
    for (uint32_t i = 0u; i < 6u; i++) {
        const struct frame f = peer_udp(4000u, PORT, 0u);

        station_receive(s, &f);
    }
    assert_int_equal(s->rig.port.priority, 7);
    (void)station_run(s);
    assert_int_equal(counters(s, udp)->passed, 4);
    assert_int_equal(counters(s, udp)->dropped_no_buffer, 2);
    assert_int_equal(station_held(s), 4);

    /* Each datagram that is read makes room for one. */
    assert_int_equal(receive(udp), 0);
    assert_int_equal(station_held(s), 3);
    deliver_udp(s, 4000u, PORT);
    assert_int_equal(counters(s, udp)->passed, 5);
    assert_int_equal(lwip_close(udp), 0);
}

static void connected_socket_has_a_narrower_flow(void **state)
{
    struct station *const s = *state;
    const struct tg_lwip_flow flow = station_flow(7u, 4u);
    struct sockaddr_in peer = {
        .sin_len = sizeof peer, .sin_family = AF_INET, .sin_port = lwip_htons(4000u)};

    memcpy(&peer.sin_addr, PEER_HOST, 4u);
    const int udp = station_bound(SOCK_DGRAM, PORT);

    assert_int_equal(station_set_flow(udp, &flow), 0);
    assert_int_equal(lwip_connect(udp, (struct sockaddr *)&peer, sizeof peer), 0);
    deliver_udp(s, 4001u, PORT); /* a stranger: the flow is still the wide one */
    assert_int_equal(counters(s, udp)->passed, 1);
    assert_int_equal(station_give_back(udp), 0);
    assert_int_equal(station_set_flow(udp, &flow), 0);
    deliver_udp(s, 4001u, PORT);
    assert_int_equal(counters(s, udp)->passed, 0);
    deliver_udp(s, 4000u, PORT);
    assert_int_equal(counters(s, udp)->passed, 1);
    assert_int_equal(lwip_close(udp), 0);
}

static void sporadic_budget(void **state)
{
    struct station *const s = *state;
    static tg_ns window[2];
    struct tg_lwip_flow flow = station_flow(7u, 4u);

    flow.own.budget = (struct tg_server_config){.kind = TG_SERVER_SPORADIC,
                                                .budget_pkts = 2u,
                                                .period_ns = RIG_PERIOD_NS,
                                                .window = window};
    const int udp = station_bound(SOCK_DGRAM, PORT);

    assert_int_equal(station_set_flow(udp, &flow), 0);
    for (uint32_t i = 0u; i < 3u; i++) {
        deliver_udp(s, 4000u, PORT);
    }
    assert_int_equal(counters(s, udp)->passed, 2);
    assert_int_equal(counters(s, udp)->dropped_budget, 1);
    assert_int_equal(lwip_close(udp), 0);
}

/* Addresses of IPv6 stand in the match as on the wire. */
static void connected_over_ip6(void **state)
{
    struct station *const s = *state;
    const struct tg_lwip_flow flow = station_flow(7u, 4u);
    struct sockaddr_in6 any = {
        .sin6_len = sizeof any, .sin6_family = AF_INET6, .sin6_port = lwip_htons(PORT)};
    struct sockaddr_in6 peer = any;
    struct frame_spec spec = {.family = 6u,
                              .src_port = 4000u,
                              .dst_port = PORT,
                              .src_host = {0x20, 0x01, 0x0d, 0xb8, [15] = 2},
                              .dst_host = {0x20, 0x01, 0x0d, 0xb8, [15] = 1}};

    peer.sin6_port = lwip_htons(4000u);
    memcpy(&peer.sin6_addr, spec.src_host, 16u);
    const int udp = lwip_socket(AF_INET6, SOCK_DGRAM, 0);

    assert_true(udp >= 0);
    assert_int_equal(lwip_bind(udp, (struct sockaddr *)&any, sizeof any), 0);
    assert_int_equal(lwip_connect(udp, (struct sockaddr *)&peer, sizeof peer), 0);
    assert_int_equal(station_set_flow(udp, &flow), 0);
    struct frame f = frame_build(&spec);

    station_deliver(s, &f);
    assert_int_equal(counters(s, udp)->passed, 1);
    spec.src_host[14] = 1u;
    f = frame_build(&spec);
    station_deliver(s, &f);
    assert_int_equal(counters(s, udp)->passed, 1);
    assert_int_equal(lwip_close(udp), 0);
}

/* What waits in a closed socket is freed with it. */
static void close_with_packets_in_the_mailbox(void **state)
{
    struct station *const s = *state;
    const struct tg_lwip_flow flow = station_flow(1u, 4u);

    for (uint32_t round = 0u; round < 30u; round++) { /* more often than there are slots */
        const int udp = station_bound(SOCK_DGRAM, PORT);

        assert_int_equal(station_set_flow(udp, &flow), 0);
        for (uint32_t i = 0u; i < 3u; i++) {
            deliver_udp(s, 4000u, PORT);
        }
        assert_int_equal(station_held(s), 3);
        assert_int_equal(lwip_close(udp), 0);
        assert_int_equal(station_held(s), 0);
        assert_int_equal(station_bound_flows(s), 0);
    }
}

/* Packets of a flow that is gone are delivered, and come back. */
static void give_back_while_packets_are_held(void **state)
{
    struct station *const s = *state;
    const struct tg_lwip_flow flow = station_flow(1u, 4u);
    const struct frame f = peer_udp(4000u, PORT, 0u);

    const int udp = station_bound(SOCK_DGRAM, PORT);

    assert_int_equal(station_set_flow(udp, &flow), 0);
    deliver_udp(s, 4000u, PORT); /* one in the socket, */
    station_receive(s, &f);      /* one that waits for the protocol task */
    assert_int_equal(station_give_back(udp), 0);
    assert_int_equal(tg_lwip_flow_id(udp), 0);
    assert_int_equal(station_run(s), 1);
    assert_int_equal(receive(udp), 0);
    assert_int_equal(receive(udp), 0);
    assert_int_equal(station_held(s), 0);
    deliver_udp(s, 4000u, PORT); /* best effort */
    assert_int_equal(receive(udp), 0);
    assert_int_equal(station_set_flow(udp, &flow), 0);
    assert_int_equal(lwip_close(udp), 0);
}

static void zero_length_datagrams_end_nothing(void **state)
{
    struct station *const s = *state;
    const struct tg_lwip_flow flow = station_flow(1u, 4u);

    const int udp = station_bound(SOCK_DGRAM, PORT);

    assert_int_equal(station_set_flow(udp, &flow), 0);
    deliver_udp(s, 4000u, PORT);
    assert_true(tg_lwip_flow_id(udp) != 0u);
    assert_int_equal(lwip_close(udp), 0);
}

static void refusals_change_nothing(void **state)
{
    (void)state;
    static struct station s;
    struct rig_config c = station_config();
    const struct tg_lwip_flow good = station_flow(1u, 8u);
    struct tg_lwip_flow bad = good;

    c.spare_flows = 4u;
    rig_add_flow(&c, rig_udp_flow(OTHER, 1u, 4u));
    station_start(&s, &c);
    const int udp = station_bound(SOCK_DGRAM, PORT);
    const int unbound = station_socket(SOCK_DGRAM);
    const int taken = station_bound(SOCK_DGRAM, OTHER);

    assert_int_equal(station_set_flow(unbound, &good), EINVAL);
    assert_int_equal(station_set_flow(taken, &good), EADDRINUSE);
    assert_int_equal(station_give_back(udp), ENOENT);
    assert_int_equal(lwip_setsockopt(udp, SOL_TIDEGATE, TG_SO_FLOW, &good, sizeof good - 1u), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(lwip_setsockopt(udp, SOL_TIDEGATE, TG_SO_FLOW, &good, sizeof good + 1u), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(lwip_setsockopt(udp, SOL_TIDEGATE, TG_SO_FLOW, NULL, 0), -1);
    assert_int_equal(errno, EFAULT);
    assert_int_equal(lwip_setsockopt(udp, SOL_TIDEGATE, TG_SO_FLOW + 1, &good, sizeof good), -1);
    assert_int_equal(errno, ENOPROTOOPT);
    bad.own.budget.kind = 0;
    assert_int_equal(station_set_flow(udp, &bad), EINVAL);
    bad = good;
    bad.own.priority = TG_PRIORITIES;
    assert_int_equal(station_set_flow(udp, &bad), EINVAL);
    bad = good;
    bad.own.reserve_pkts = 0u;
    assert_int_equal(station_set_flow(udp, &bad), EINVAL);
    bad.own.reserve_pkts = UINT16_MAX;
    assert_int_equal(station_set_flow(udp, &bad), ENOBUFS);
    assert_int_equal(tg_lwip_flow_id(udp), 0);
    assert_int_equal(station_bound_flows(&s), 1);

    assert_int_equal(station_set_flow(udp, &good), 0);
    assert_int_equal(station_set_flow(udp, &good), EALREADY);
    assert_int_equal(station_bound_flows(&s), 2);
    assert_int_equal(lwip_close(udp), 0);
    assert_int_equal(lwip_close(unbound), 0);
    assert_int_equal(lwip_close(taken), 0);
    assert_int_equal(station_bound_flows(&s), 1);

    /* A closed number, numbers of nobody, and one of the host. */
    assert_int_equal(station_set_flow(udp, &good), EBADF);
    assert_int_equal(station_set_flow(-1, &good), EBADF);
    assert_int_equal(station_set_flow(1, &good), EBADF);
    assert_int_equal(tg_lwip_flow_id(1), 0);
    station_stop(&s);
}

/* The function for a library without the hook says the same. */
static void function_instead_of_the_hook(void **state)
{
    (void)state;
    const struct tg_lwip_flow flow = station_flow(1u, 4u);
    const int on = 1;

    const int udp = station_bound(SOCK_DGRAM, PORT);

    assert_int_equal(tg_lwip_setsockopt(udp, SOL_TIDEGATE, TG_SO_FLOW, &flow, sizeof flow), 0);
    assert_int_equal(tg_lwip_setsockopt(udp, SOL_TIDEGATE, TG_SO_FLOW, &flow, sizeof flow), -1);
    assert_int_equal(errno, EALREADY);
    assert_int_equal(tg_lwip_setsockopt(udp, SOL_TIDEGATE, TG_SO_FLOW, NULL, 0), -1);
    assert_int_equal(errno, EFAULT);
    assert_int_equal(tg_lwip_setsockopt(udp, SOL_SOCKET, SO_BROADCAST, &on, sizeof on), 0);
    assert_int_equal(lwip_close(udp), 0);
    assert_int_equal(tg_lwip_setsockopt(udp, SOL_TIDEGATE, TG_SO_FLOW, &flow, sizeof flow), -1);
    assert_int_equal(errno, EBADF);
}

/* Records and flow slots run out, and come back. */
static void records_run_out(void **state)
{
    struct station *const s = *state;
    const struct tg_lwip_flow flow = station_flow(1u, 1u);
    int sockets[STATION_SOCKETS + 1u];

    for (uint32_t i = 0u; i <= STATION_SOCKETS; i++) {
        sockets[i] = station_bound(SOCK_DGRAM, (uint16_t)(PORT + i));
        assert_int_equal(station_set_flow(sockets[i], &flow), i < STATION_SOCKETS ? 0 : ENOMEM);
    }
    assert_int_equal(lwip_close(sockets[0]), 0);
    assert_int_equal(station_set_flow(sockets[STATION_SOCKETS], &flow), 0);
    for (uint32_t i = 1u; i <= STATION_SOCKETS; i++) {
        assert_int_equal(lwip_close(sockets[i]), 0);
    }
    assert_int_equal(station_bound_flows(s), 0);
}

static void raw_sockets_have_no_flow(void **state)
{
    (void)state;
    const struct tg_lwip_flow flow = station_flow(1u, 4u);

    const int raw = lwip_socket(AF_INET, SOCK_RAW, IPPROTO_UDPLITE);

    assert_true(raw >= 0);
    assert_int_equal(station_set_flow(raw, &flow), ENOPROTOOPT);
    assert_int_equal(lwip_close(raw), 0);
}

/* A hundred datagrams to a socket that nobody reads: its reserve, and not one buffer more. */
static void unread_socket_keeps_to_its_reserve(void **state)
{
    struct station *const s = *state;
    const struct tg_lwip_flow flow = station_flow(1u, 4u);
    const struct frame f = peer_udp(4000u, PORT, 1u);

    const int unread = station_bound(SOCK_DGRAM, PORT);
    const int read = station_bound(SOCK_DGRAM, OTHER);

    assert_int_equal(station_set_flow(unread, &flow), 0);
    assert_int_equal(station_set_flow(read, &flow), 0);
    for (uint32_t i = 0u; i < 100u; i++) {
        station_deliver(s, &f);
        deliver_udp(s, 4000u, OTHER);
        assert_int_equal(receive(read), 0);
    }
    assert_int_equal(counters(s, unread)->most_held_pkts, 4);
    assert_int_equal(counters(s, unread)->dropped_no_buffer, 96);
    assert_int_equal(counters(s, read)->passed, 100);

    /* A slow reader gets what there is room for. */
    for (uint32_t i = 0u; i < 20u; i++) {
        station_deliver(s, &f);
        if (i % 4u == 0u) {
            assert_int_equal(receive(unread), 1);
        }
    }
    assert_int_equal(counters(s, unread)->passed, 4 + 5);
    assert_int_equal(lwip_close(unread), 0);
    assert_int_equal(lwip_close(read), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STATION_TEST(socket_has_its_flow),
        STATION_TEST(connected_socket_has_a_narrower_flow),
        STATION_TEST(sporadic_budget),
        STATION_TEST(connected_over_ip6),
        STATION_TEST(close_with_packets_in_the_mailbox),
        STATION_TEST(give_back_while_packets_are_held),
        STATION_TEST(zero_length_datagrams_end_nothing),
        cmocka_unit_test(refusals_change_nothing),
        STATION_TEST(function_instead_of_the_hook),
        STATION_TEST(records_run_out),
        STATION_TEST(raw_sockets_have_no_flow),
        STATION_TEST(unread_socket_keeps_to_its_reserve),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
