/* SPDX-License-Identifier: MIT
 *
 * station.c - a station with real lwIP behind the adaptor, driven by one thread.
 */
#include "station.h"
#include "check_cmocka.h"
#include "parts.h"
#include "tg_sys.h"

#include <lwip/ip4_frag.h>
#include <lwip/ip6_frag.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/tcpip.h>

#include <errno.h>
#include <string.h>

static const struct station *current; /* whose clock now_ns reads */

static tg_ns now_ns(void)
{
    return current->rig.port.now_ns;
}

struct rig_config station_config(void)
{
    struct rig_config c = rig_config();

    c.core.best_effort_reserve_pkts = 20u;
    c.spare_buffers = 160u;
    c.spare_flows = 20u;
    return c;
}

/* In place of lwIP's thread. */
static int start_no_thread(void *context, uint32_t priority, void *(*body)(void *arg), void *arg,
                           pthread_t *id)
{
    (void)context;
    (void)priority;
    (void)body;
    free(arg);
    *id = pthread_self();
    return 0;
}

static void start_lwip(void)
{
    static bool is_started;

    if (!is_started) {
        tg_sys_set_spawn(start_no_thread, NULL);
        tcpip_init(NULL, NULL);
        is_started = true;
    }
}

static err_t keep_sent(struct netif *netif, struct pbuf *p)
{
    struct station *const s = netif->state;
    struct frame *const f = &s->sent[s->n_sent++ % STATION_SENT];

    *f = (struct frame){.l3 = 14u, .l4 = 34u, .tci = TG_TCI_NONE};
    f->len_bytes = pbuf_copy_partial(p, f->bytes, sizeof f->bytes, 0);
    return ERR_OK;
}

static void add_netif(struct station *s)
{
    ip6_addr_t host6;

    assert_true(ip6addr_aton("2001:db8::1", &host6));
    parts_add_netif(&s->netif, s, keep_sent, true);
    LOCK_TCPIP_CORE();
    netif_create_ip6_linklocal_address(&s->netif, 1);
    netif_ip6_addr_set(&s->netif, 1, &host6);
    netif_ip6_addr_set_state(&s->netif, 0, IP6_ADDR_PREFERRED);
    netif_ip6_addr_set_state(&s->netif, 1, IP6_ADDR_PREFERRED);
    UNLOCK_TCPIP_CORE();
}

/* lwIP learns the peer's address from a request of the peer. */
static void introduce_peer(struct station *s)
{
    struct frame f = frame_build(&(struct frame_spec){.type = TYPE_ARP});
    uint8_t *const arp = f.bytes + f.l3;

    memcpy(arp + 8, PEER_MAC, 6u);
    memcpy(arp + 14, PEER_HOST, 4u);
    memcpy(arp + 24, STATION_HOST, 4u);
    station_deliver(s, &f);
    assert_int_equal(station_last_sent(s)->bytes[21], 2); /* the answer */
}

void station_start(struct station *s, const struct rig_config *c)
{
    start_lwip();
    *s = (struct station){.n_sent = 0u};
    current = s;
    assert_int_equal(rig_init(&s->rig, c), 0);
    assert_true(s->rig.storage.n_buffers <= STATION_BUFFERS_MAX);
    add_netif(s);

    struct tg_config core = c->core;

    core.flows = c->flows;
    assert_int_equal(tg_lwip_init(&s->lwip, &(struct tg_lwip_config){.protocol = &s->rig.protocol,
                                                                     .core = &core,
                                                                     .storage = &s->rig.storage,
                                                                     .pbufs = s->pbufs,
                                                                     .sockets = s->sockets,
                                                                     .n_sockets = STATION_SOCKETS,
                                                                     .netif = &s->netif,
                                                                     .now_ns = now_ns}),
                     0);
    rig_up(&s->rig);
    rig_check(&s->rig);
    introduce_peer(s);
    (void)station_take_sent(s);
}

static void abort_connections(void)
{
    while (tcp_active_pcbs != NULL) {
        tcp_abort(tcp_active_pcbs);
    }
    while (tcp_tw_pcbs != NULL) {
        tcp_abort(tcp_tw_pcbs);
    }
}

void station_stop(struct station *s)
{
    LOCK_TCPIP_CORE();
    abort_connections();
    for (uint32_t i = 0u; i < IP_REASS_MAXAGE + 1u; i++) { /* fragments that never were complete */
        ip_reass_tmr();
        ip6_reass_tmr();
    }
    netif_remove(&s->netif);
    UNLOCK_TCPIP_CORE();
    assert_int_equal(station_held(s), 0);
    for (uint32_t i = 0u; i < STATION_SOCKETS; i++) {
        assert_null(s->sockets[i].owner);
    }
    rig_check(&s->rig);
    rig_free(&s->rig);
}

int station_setup(void **state)
{
    static struct station station;
    const struct rig_config c = station_config();

    station_start(&station, &c);
    *state = &station;
    return 0;
}

int station_teardown(void **state)
{
    station_stop(*state);
    return 0;
}

void station_receive(struct station *s, const struct frame *f)
{
    assert_true(rig_receive(&s->rig, 0u, f));
    rig_interrupts(&s->rig);
}

uint32_t station_run(struct station *s)
{
    uint32_t n = 0u;

    while (tg_lwip_input(&s->lwip)) {
        n++;
    }
    rig_check(&s->rig);
    return n;
}

void station_deliver(struct station *s, const struct frame *f)
{
    station_receive(s, f);
    (void)station_run(s);
}

uint32_t station_take_sent(struct station *s)
{
    const uint32_t n = s->n_sent;

    s->n_sent = 0u;
    return n;
}

const struct frame *station_last_sent(const struct station *s)
{
    assert_true(s->n_sent > 0u);
    return &s->sent[(s->n_sent - 1u) % STATION_SENT];
}

uint32_t station_held(struct station *s)
{
    uint32_t held = 0u;

    tg_lwip_snapshot(&s->lwip, &s->rig.snapshot);
    for (uint32_t i = 0u; i < s->rig.storage.n_flows; i++) {
        held += s->rig.snapshot.flows[i].held_pkts;
    }
    return held;
}

int station_bound_flows(const struct station *s)
{
    int n = 0;

    for (uint32_t i = 1u; i < s->rig.storage.n_flows; i++) {
        n += s->rig.storage.flows[i].state == TG_FLOW_BOUND;
    }
    return n;
}

void station_tcp_ticks(struct station *s, uint32_t n)
{
    (void)s;
    LOCK_TCPIP_CORE();
    for (uint32_t i = 0u; i < 2u * n; i++) { /* every other one is a fast one only */
        tcp_tmr();
    }
    UNLOCK_TCPIP_CORE();
}

int station_socket(int type)
{
    const int s = lwip_socket(AF_INET, type, 0);

    assert_true(s >= 0);
    assert_int_equal(lwip_fcntl(s, F_SETFL, O_NONBLOCK), 0);
    return s;
}

int station_bound(int type, uint16_t port)
{
    const struct sockaddr_in any = {
        .sin_len = sizeof any, .sin_family = AF_INET, .sin_port = lwip_htons(port)};
    const int s = station_socket(type);

    assert_int_equal(lwip_bind(s, (const struct sockaddr *)&any, sizeof any), 0);
    return s;
}

int station_set_flow(int s, const struct tg_lwip_flow *flow)
{
    return lwip_setsockopt(s, SOL_TIDEGATE, TG_SO_FLOW, flow, sizeof *flow) == 0 ? 0 : errno;
}

int station_give_back(int s)
{
    return lwip_setsockopt(s, SOL_TIDEGATE, TG_SO_FLOW, "", 0) == 0 ? 0 : errno;
}

struct tg_lwip_flow station_flow(uint8_t priority, uint16_t reserve_pkts)
{
    return (struct tg_lwip_flow){.own = {.budget = {.kind = TG_SERVER_UNLIMITED},
                                         .reserve_pkts = reserve_pkts,
                                         .priority = priority}};
}

struct tg_lwip_flow station_listener_flow(uint16_t accepted_max)
{
    struct tg_lwip_flow flow = station_flow(3u, 8u);

    flow.accepted = (struct tg_lwip_promise){
        .budget = {.kind = TG_SERVER_UNLIMITED}, .reserve_pkts = 8u, .priority = 5u};
    flow.accepted_max = accepted_max;
    return flow;
}
