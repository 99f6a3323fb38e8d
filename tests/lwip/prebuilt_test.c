/* SPDX-License-Identifier: MIT
 *
 * prebuilt_test.c - the adaptor in front of the library of liblwip-dev: what works without our
 * options, and what is refused.
 */
#include "check_cmocka.h"
#include "parts.h"
#include "peer_frames.h"
#include "rig.h"
#include "tg_lwip.h"

#include <lwip/sockets.h>
#include <lwip/tcpip.h>

#include <errno.h>
#include <string.h>

enum { BUFFERS_MAX = 256, SOCKETS = 4, PORT = 5000 };

static struct {
    struct rig rig;
    struct tg_lwip lwip;
    struct tg_lwip_pbuf pbufs[BUFFERS_MAX];
    struct tg_lwip_socket sockets[SOCKETS];
    struct netif netif;
    uint32_t n_sent;
} station;

static tg_ns now_ns(void)
{
    return station.rig.port.now_ns;
}

static err_t count_sent(struct netif *netif, struct pbuf *p)
{
    (void)netif;
    (void)p;
    station.n_sent++;
    return ERR_OK;
}

/* The library's thread runs timers only; nothing here waits for one. */
static int start(void **state)
{
    (void)state;
    struct rig_config c = rig_config();
    struct tg_config core;

    c.core.best_effort_reserve_pkts = TG_LWIP_BEST_EFFORT_RESERVE_MIN;
    c.spare_buffers = 64u;
    core = c.core;
    tcpip_init(NULL, NULL);
    assert_int_equal(rig_init(&station.rig, &c), 0);
    parts_add_netif(&station.netif, NULL, count_sent, false);
    assert_true(station.rig.storage.n_buffers <= BUFFERS_MAX);
    assert_int_equal(
        tg_lwip_init(&station.lwip, &(struct tg_lwip_config){.protocol = &station.rig.protocol,
                                                             .core = &core,
                                                             .storage = &station.rig.storage,
                                                             .pbufs = station.pbufs,
                                                             .sockets = station.sockets,
                                                             .n_sockets = SOCKETS,
                                                             .netif = &station.netif,
                                                             .now_ns = now_ns}),
        0);
    rig_up(&station.rig);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    LOCK_TCPIP_CORE();
    netif_remove(&station.netif);
    UNLOCK_TCPIP_CORE();
    rig_free(&station.rig);
    return 0;
}

static void deliver(const struct frame *f)
{
    assert_true(rig_receive(&station.rig, 0u, f));
    rig_interrupts(&station.rig);
    while (tg_lwip_input(&station.lwip)) {
    }
    rig_check(&station.rig);
}

static const struct tg_flow_counters *counters(uint32_t flow)
{
    tg_lwip_snapshot(&station.lwip, &station.rig.snapshot);
    return &station.rig.snapshot.flows[flow];
}

static int bound(int type)
{
    const struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = lwip_htons(PORT)};
    const int s = lwip_socket(AF_INET, type, 0);

    assert_true(s >= 0);
    assert_int_equal(lwip_bind(s, (const struct sockaddr *)&any, sizeof any), 0);
    return s;
}

static int set_flow(int s, const struct tg_lwip_flow *flow)
{
    return tg_lwip_setsockopt(s, SOL_TIDEGATE, TG_SO_FLOW, flow, sizeof *flow) == 0 ? 0 : errno;
}

static const struct tg_lwip_flow FLOW = {
    .own = {.budget = {.kind = TG_SERVER_UNLIMITED}, .reserve_pkts = 4u, .priority = 7u}};

static void udp_socket_has_its_flow(void **state)
{
    (void)state;
    const struct frame f = peer_udp(4000u, PORT, 64u);
    char bytes[64];

    for (uint32_t round = 0u; round < 20u; round++) {
        const int s = bound(SOCK_DGRAM);

        assert_int_equal(lwip_setsockopt(s, SOL_TIDEGATE, TG_SO_FLOW, &FLOW, sizeof FLOW), -1);
        assert_int_equal(set_flow(s, &FLOW), 0);
        assert_int_equal(set_flow(s, &FLOW), EALREADY);
        const uint32_t id = tg_lwip_flow_id(s);

        for (uint32_t i = 0u; i < 10u; i++) {
            deliver(&f);
        }
        assert_int_equal(counters(id)->passed, 4);
        assert_int_equal(counters(id)->dropped_no_buffer, 6);
        assert_int_equal(lwip_recv(s, bytes, sizeof bytes, 0), 64);
        assert_int_equal(counters(id)->held_pkts, 3);
        assert_int_equal(lwip_close(s), 0);
        assert_int_equal(counters(id)->held_pkts, 0);
        assert_int_equal(station.rig.storage.flows[id].state, TG_FLOW_FREE);
        assert_int_equal(set_flow(s, &FLOW), EBADF);
    }
}

static void listener_has_its_flows(void **state)
{
    (void)state;
    struct tg_lwip_flow flow = FLOW;
    const struct frame_spec spec = {
        .protocol = PROTO_TCP, .tcp_flags = TCP_SYN, .src_port = 2000u, .dst_port = PORT};
    struct frame syn = peer_frame(spec);
    const int s = bound(SOCK_STREAM);

    flow.accepted = flow.own;
    flow.accepted_max = 1u;
    assert_int_equal(set_flow(s, &flow), ENOPROTOOPT); /* the library has no place for it */
    flow.accepted_max = 0u;
    assert_int_equal(set_flow(s, &flow), 0);
    assert_int_equal(lwip_listen(s, 2), 0);
    const uint32_t id = tg_lwip_flow_id(s);

    peer_seal(&syn);
    deliver(&syn);
    assert_int_equal(counters(id)->passed, 0);
    assert_int_equal(counters(id + 1u)->passed, 1); /* bound right behind it */
    assert_int_equal(lwip_close(s), 0);
    assert_int_equal(station.rig.storage.flows[id].state, TG_FLOW_FREE);
    assert_int_equal(station.rig.storage.flows[id + 1u].state, TG_FLOW_FREE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(udp_socket_has_its_flow),
        cmocka_unit_test(listener_has_its_flows),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
