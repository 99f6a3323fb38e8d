/* SPDX-License-Identifier: MIT
 *
 * input_test.c - the way of a packet: from the ring through lwIP to whoever frees it, by priority.
 */
#include "parts.h"
#include "station.h"
#include "check_cmocka.h"
#include "tg_lwip_services.h"

#include <lwip/tcpip.h>
#include <netif/ethernet.h>

#include <string.h>

enum { PORT_HIGH = 5000, PORT_MIDDLE = 5001, PORT_LOW = 5002, KEPT_MAX = 16 };

/* What a receiver of lwIP's raw API got, in order. */
static struct {
    struct pbuf *kept[KEPT_MAX];
    uint16_t ports[KEPT_MAX];
    uint32_t n;
} got;

static void keep(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *from, u16_t port)
{
    (void)arg;
    (void)from;
    (void)port;
    assert_true(got.n < KEPT_MAX);
    got.ports[got.n] = pcb->local_port;
    got.kept[got.n++] = p;
}

/* Observers of the calls that the order of locks and priorities is about. */
static bool was_lock_free = true;
static uint32_t n_done;

static bool is_core_lock_free(void)
{
    if (pthread_mutex_trylock(&lock_tcpip_core.lock) != 0) {
        return false;
    }
    UNLOCK_TCPIP_CORE();
    return true;
}

/* The linker puts this in place of tg_rx_done (--wrap). */
void __real_tg_rx_done(struct tg_protocol *p); /* NOLINT(*-identifier) */
void __wrap_tg_rx_done(struct tg_protocol *p); /* NOLINT(*-identifier) */

void __wrap_tg_rx_done(struct tg_protocol *p) /* NOLINT(*-identifier) */
{
    was_lock_free = was_lock_free && is_core_lock_free();
    n_done++;
    __real_tg_rx_done(p);
}

static void buffer_travels_without_a_copy(void **state)
{
    struct station *const s = *state;

    got.n = 0u;
    struct udp_pcb *const pcb = parts_add_receiver(PORT_HIGH, keep);
    const struct frame f = peer_udp(4000u, PORT_HIGH, 100u);

    station_deliver(s, &f);
    assert_int_equal(got.n, 1);

    const struct pbuf *const p = got.kept[0];
    const uint8_t *const payload = p->payload;
    const uint8_t *const end = s->rig.bytes + (size_t)s->rig.storage.n_buffers * FRAME_MAX_BYTES;

    assert_true(payload >= s->rig.bytes && payload < end);
    assert_memory_equal(payload, f.bytes + f.l4 + 8u, 100u);
    assert_int_equal(p->tot_len, 100);
    assert_int_equal(station_held(s), 1);
    (void)pbuf_free(got.kept[0]);
    assert_int_equal(station_held(s), 0);
    parts_remove_receiver(pcb);
}

/* A pbuf with two owners comes back with the second. */
static void last_reference_releases(void **state)
{
    struct station *const s = *state;
    const struct frame f = peer_udp(4000u, PORT_HIGH, 1u);

    got.n = 0u;
    struct udp_pcb *const pcb = parts_add_receiver(PORT_HIGH, keep);

    station_deliver(s, &f);
    pbuf_ref(got.kept[0]);
    (void)pbuf_free(got.kept[0]);
    assert_int_equal(station_held(s), 1);
    (void)pbuf_free(got.kept[0]);
    assert_int_equal(station_held(s), 0);
    parts_remove_receiver(pcb);
}

static void most_urgent_first(void **state)
{
    (void)state;
    static struct station s;
    struct rig_config c = station_config();
    static const uint16_t arrival[] = {PORT_LOW, PORT_MIDDLE, PORT_LOW, PORT_HIGH, PORT_MIDDLE};
    static const uint16_t delivery[] = {PORT_HIGH, PORT_MIDDLE, PORT_MIDDLE, PORT_LOW, PORT_LOW};
    struct udp_pcb *pcbs[3];

    got.n = 0u;
    rig_add_flow(&c, rig_udp_flow(PORT_HIGH, 20u, 4u));
    rig_add_flow(&c, rig_udp_flow(PORT_MIDDLE, 10u, 4u));
    rig_add_flow(&c, rig_udp_flow(PORT_LOW, 1u, 4u));
    station_start(&s, &c);
    for (uint16_t i = 0u; i < 3u; i++) {
        pcbs[i] = parts_add_receiver((uint16_t)(PORT_HIGH + i), keep);
    }
    for (uint32_t i = 0u; i < 5u; i++) {
        const struct frame f = peer_udp(4000u, arrival[i], 0u);

        station_receive(&s, &f);
    }
    assert_int_equal(s.rig.port.priority, 20);
    assert_int_equal(station_run(&s), 5);
    assert_memory_equal(got.ports, delivery, sizeof delivery);
    assert_int_equal(s.rig.port.priority, 0);
    for (uint32_t i = 0u; i < 5u; i++) {
        (void)pbuf_free(got.kept[i]);
    }
    for (uint32_t i = 0u; i < 3u; i++) {
        parts_remove_receiver(pcbs[i]);
    }
    station_stop(&s);
}

/* The task that lowers itself while it holds the lock makes urgent callers wait for all between. */
static void lowers_after_the_lock(void **state)
{
    struct station *const s = *state;
    const struct frame f = peer_udp(4000u, PORT_HIGH, 0u);

    n_done = 0u;
    was_lock_free = true;
    for (uint32_t i = 0u; i < 3u; i++) {
        station_receive(s, &f);
    }
    (void)station_run(s);
    assert_int_equal(n_done, 3);
    assert_true(was_lock_free);
}

/* Nobody listens there: lwIP answers with ICMP and frees at once. */
static void unwanted_packets_come_back(void **state)
{
    struct station *const s = *state;
    const struct frame f = peer_udp(4000u, 9u, 64u);

    station_deliver(s, &f);
    assert_int_equal(station_last_sent(s)->bytes[23], PROTO_ICMP);
    assert_int_equal(station_held(s), 0);
}

static void service_flows_bind(void **state)
{
    (void)state;
    static struct station s;
    struct rig_config c = station_config();
    static const struct tg_flow_config services[] = {TG_LWIP_SERVICE_FLOWS};

    _Static_assert(sizeof services / sizeof *services == TG_LWIP_N_SERVICE_FLOWS, "all of them");
    for (uint32_t i = 0u; i < TG_LWIP_N_SERVICE_FLOWS; i++) {
        rig_add_flow(&c, services[i]);
    }
    station_start(&s, &c); /* the peer introduces itself */
    assert_int_equal(rig_flow(&s.rig, 2u)->passed, 1);
    assert_int_equal(rig_flow(&s.rig, 1u)->passed, 0);
    station_stop(&s);
}

/* What an input of the firmware's own saw last, and what it answers. */
static struct {
    uint32_t n;
    uint32_t flow;
    bool was_locked;
    err_t refusal;
} seen;

static err_t see(struct pbuf *p, struct netif *netif)
{
    seen.n++;
    seen.flow = ((struct tg_lwip_pbuf *)(void *)p)->buffer->flow;
    seen.was_locked = !is_core_lock_free();
    return seen.refusal != ERR_OK ? seen.refusal : ethernet_input(p, netif);
}

static void input_of_the_firmware(void **state)
{
    (void)state;
    static struct station s;
    struct rig_config c = station_config();
    const struct frame f = peer_udp(4000u, PORT_HIGH, 1u);

    rig_add_flow(&c, rig_udp_flow(PORT_HIGH, 20u, 4u));
    station_start(&s, &c);
    c.core.flows = c.flows;
    assert_int_equal(tg_lwip_init(&s.lwip, &(struct tg_lwip_config){.protocol = &s.rig.protocol,
                                                                    .core = &c.core,
                                                                    .storage = &s.rig.storage,
                                                                    .pbufs = s.pbufs,
                                                                    .sockets = s.sockets,
                                                                    .n_sockets = STATION_SOCKETS,
                                                                    .netif = &s.netif,
                                                                    .input = see,
                                                                    .now_ns = s.lwip.now_ns}),
                     0);
    got.n = 0u;
    struct udp_pcb *const pcb = parts_add_receiver(PORT_HIGH, keep);

    seen.n = 0u;
    seen.refusal = ERR_OK;
    station_deliver(&s, &f);
    assert_int_equal(seen.n, 1);
    assert_int_equal(seen.flow, 1);
    assert_true(seen.was_locked);
    assert_int_equal(got.n, 1);
    (void)pbuf_free(got.kept[0]);

    seen.refusal = ERR_IF; /* the adaptor frees it */
    station_deliver(&s, &f);
    assert_int_equal(seen.n, 2);
    assert_int_equal(got.n, 1);
    assert_int_equal(station_held(&s), 0);
    parts_remove_receiver(pcb);
    station_stop(&s);
}

/* Requests in a storm take their own budget only. */
static void arp_storm_leaves_answers_alone(void **state)
{
    (void)state;
    static struct station s;
    struct rig_config c = station_config();
    static const struct tg_flow_config services[] = {TG_LWIP_SERVICE_FLOWS};
    const struct frame storm =
        frame_build(&(struct frame_spec){.type = TYPE_ARP, .cast = CAST_BROADCAST});
    const struct frame answer = frame_build(&(struct frame_spec){.type = TYPE_ARP});

    for (uint32_t i = 0u; i < TG_LWIP_N_SERVICE_FLOWS; i++) {
        rig_add_flow(&c, services[i]);
    }
    station_start(&s, &c);
    for (uint32_t i = 0u; i < 1000u; i++) {
        station_deliver(&s, &storm);
    }
    assert_int_equal(rig_flow(&s.rig, 1u)->passed, TG_LWIP_ARP_PKTS);
    station_deliver(&s, &answer);
    assert_int_equal(rig_flow(&s.rig, 2u)->passed, 2); /* after the introduction */
    station_stop(&s);
}

static int init_with(const struct rig_config *c)
{
    static struct rig rig;
    static struct tg_lwip lwip;
    static struct tg_lwip_pbuf pbufs[STATION_BUFFERS_MAX];
    struct tg_config core = c->core;

    core.flows = c->flows;
    assert_int_equal(rig_init(&rig, c), 0);

    const int err = tg_lwip_init(&lwip, &(struct tg_lwip_config){.protocol = &rig.protocol,
                                                                 .core = &core,
                                                                 .storage = &rig.storage,
                                                                 .pbufs = pbufs});

    rig_free(&rig);
    return err;
}

static void reserves_are_checked(void **state)
{
    (void)state;
    struct rig_config c = station_config();
    struct tg_flow_config tcp = rig_udp_flow(80u, 1u, TG_LWIP_TCP_RESERVE_MIN);

    tcp.match.protocol = PROTO_TCP;
    c.core.best_effort_reserve_pkts = TG_LWIP_BEST_EFFORT_RESERVE_MIN;
    assert_int_equal(init_with(&c), 0);
    c.core.best_effort_reserve_pkts--;
    assert_int_equal(init_with(&c), TG_ERR_RANGE);
    c.core.best_effort_reserve_pkts = 0u; /* nothing is accepted, so nothing is held */
    assert_int_equal(init_with(&c), 0);
    rig_add_flow(&c, tcp);
    assert_int_equal(init_with(&c), 0);
    c.flows[0].reserve_pkts--;
    assert_int_equal(init_with(&c), TG_ERR_RANGE);
    c.flows[0].match.fields |= TG_FIELD_SYN; /* requests carry no data */
    assert_int_equal(init_with(&c), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STATION_TEST(buffer_travels_without_a_copy),
        STATION_TEST(last_reference_releases),
        cmocka_unit_test(most_urgent_first),
        STATION_TEST(lowers_after_the_lock),
        STATION_TEST(unwanted_packets_come_back),
        cmocka_unit_test(service_flows_bind),
        cmocka_unit_test(input_of_the_firmware),
        cmocka_unit_test(arp_storm_leaves_answers_alone),
        cmocka_unit_test(reserves_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
