/* SPDX-License-Identifier: MIT
 *
 * tcp_test.c - listeners and connections: each has its flow, requests have theirs, and nothing that
 * a peer sends pins a reserve for good.
 */
#include "station.h"
#include "check_cmocka.h"
#include "tg_lwip_services.h"

#include <lwip/priv/tcp_priv.h>
#include <lwip/tcpip.h>

#include <errno.h>

enum { PORT = 80, FIRST = 2000, BACKLOG = 16 };

static const struct tg_flow_counters *flow(struct station *s, uint32_t id)
{
    tg_lwip_snapshot(&s->lwip, &s->rig.snapshot);
    return &s->rig.snapshot.flows[id];
}

/* The record of the connection of this peer's port, or NULL. */
static const struct tg_lwip_socket *connection(const struct station *s, uint16_t port)
{
    for (uint32_t i = 0u; i < STATION_SOCKETS; i++) {
        const struct tg_lwip_socket *const record = &s->sockets[i];

        if (record->owner != NULL && record->listener != NULL &&
            ((const struct tcp_pcb *)record->owner)->remote_port == port) {
            return record;
        }
    }
    return NULL;
}

static const struct tg_lwip_socket *record_of(const struct station *s, int listener)
{
    const uint32_t id = tg_lwip_flow_id(listener);

    for (uint32_t i = 0u; i < STATION_SOCKETS; i++) {
        if (s->sockets[i].own == id) {
            return &s->sockets[i];
        }
    }
    return NULL;
}

static int listener(struct tg_lwip_flow promise)
{
    const int s = station_bound(SOCK_STREAM, PORT);

    assert_int_equal(station_set_flow(s, &promise), 0);
    assert_int_equal(lwip_listen(s, BACKLOG), 0);
    return s;
}

static int accepted(int listener_socket)
{
    const int s = lwip_accept(listener_socket, NULL, NULL);

    assert_true(s >= 0);
    assert_int_equal(lwip_fcntl(s, F_SETFL, O_NONBLOCK), 0);
    return s;
}

static ssize_t drain(int s)
{
    static char bytes[4096];
    ssize_t sum = 0;
    ssize_t n = lwip_recv(s, bytes, sizeof bytes, 0);

    while (n > 0) {
        sum += n;
        n = lwip_recv(s, bytes, sizeof bytes, 0);
    }
    return sum;
}

static void each_connection_has_its_flow(void **state)
{
    struct station *const s = *state;
    struct peer_tcp peers[3];
    const int listen = listener(station_listener_flow(2u));
    const struct tg_lwip_socket *const own = record_of(s, listen);

    assert_int_equal(station_bound_flows(s), 2);
    for (uint16_t i = 0u; i < 3u; i++) {
        peer_connects(&peers[i], s, (uint16_t)(FIRST + i), PORT);
    }
    assert_int_equal(flow(s, own->requests)->passed, 3);
    assert_non_null(connection(s, FIRST));
    assert_non_null(connection(s, FIRST + 1u));
    assert_null(connection(s, FIRST + 2u)); /* none left */

    /* Its own flow, with the template's priority; the third's data go with the listener's. */
    const uint64_t before = flow(s, own->own)->passed;
    const struct frame data = peer_segment(&peers[0], TCP_ACK, 0u, 1u);

    station_receive(s, &data);
    assert_int_equal(s->rig.port.priority, 5);
    (void)station_run(s);
    assert_int_equal(flow(s, connection(s, FIRST)->own)->passed, 2); /* the ACK before it */
    peer_sends(&peers[2], 1u);
    assert_int_equal(flow(s, own->own)->passed, before + 1u);

    /* accept finds them all; the third may ask for a flow itself. */
    int sockets[3];

    for (uint32_t i = 0u; i < 3u; i++) {
        sockets[i] = accepted(listen);
    }
    assert_true(tg_lwip_flow_id(sockets[0]) != 0u);
    assert_int_equal(tg_lwip_flow_id(sockets[2]), 0);
    const struct tg_lwip_flow one = station_flow(9u, 8u);

    assert_int_equal(station_set_flow(sockets[0], &one), EALREADY);
    assert_int_equal(station_set_flow(sockets[2], &one), 0);
    peer_sends(&peers[2], 1u);
    assert_int_equal(flow(s, tg_lwip_flow_id(sockets[2]))->passed, 1);
    for (uint32_t i = 0u; i < 3u; i++) {
        (void)drain(sockets[i]);
        assert_int_equal(lwip_close(sockets[i]), 0);
    }
    assert_int_equal(lwip_close(listen), 0);
}

/* A reset ends the pcb, and with it the flow; packets that the socket holds come back with it. */
static void reset_ends_the_flow(void **state)
{
    struct station *const s = *state;
    struct peer_tcp peer;
    const int listen = listener(station_listener_flow(1u));

    for (uint16_t i = 0u; i < 40u; i++) { /* more often than there are slots */
        peer_connects(&peer, s, (uint16_t)(FIRST + i), PORT);
        assert_non_null(connection(s, (uint16_t)(FIRST + i)));
        peer_sends(&peer, 1u);

        const int socket = accepted(listen);
        const struct frame reset = peer_segment(&peer, 0x04u, 0u, 0u);

        station_deliver(s, &reset);
        assert_null(connection(s, (uint16_t)(FIRST + i)));
        assert_int_equal(station_held(s), 1); /* the byte, which can still be read */
        assert_int_equal(lwip_close(socket), 0);
        assert_int_equal(station_held(s), 0);
        assert_int_equal(station_bound_flows(s), 2);
        rig_wait(&s->rig, TG_LWIP_SERVICE_PERIOD_NS); /* new budget for requests */
    }
    assert_int_equal(lwip_close(listen), 0);
    assert_int_equal(station_bound_flows(s), 0);
}

/* The station closes first and waits for two minutes; the next connection has its flow at once. */
static void time_wait_gives_its_flow_up(void **state)
{
    struct station *const s = *state;
    struct peer_tcp peer;
    const int listen = listener(station_listener_flow(1u));

    for (uint16_t i = 0u; i < 5u; i++) {
        peer_connects(&peer, s, (uint16_t)(FIRST + i), PORT);
        assert_non_null(connection(s, (uint16_t)(FIRST + i)));
        assert_int_equal(lwip_close(accepted(listen)), 0);
        peer.ack++;
        const struct frame fin = peer_segment(&peer, 0x11u, 0u, 0u);

        station_deliver(s, &fin);
        assert_int_equal(station_bound_flows(s), 3); /* TIME_WAIT has it until somebody needs it */
    }
    assert_non_null(tcp_tw_pcbs);
    assert_int_equal(lwip_close(listen), 0);
}

/* Requests from changing ports fill the backlog and spend their own budget. A connection that
 * stands loses nothing; a new one waits until half-open ones are given up. */
static void syn_flood_leaves_connections_alone(void **state)
{
    struct station *const s = *state;
    struct tg_lwip_flow promise = station_listener_flow(4u);
    struct peer_tcp peer;
    struct peer_tcp flood;

    promise.requests = (struct tg_lwip_promise){
        .budget = {.kind = TG_SERVER_DEFERRABLE, .budget_pkts = 20u, .period_ns = RIG_PERIOD_NS},
        .reserve_pkts = 2u,
        .priority = 1u};
    const int listen = listener(promise);
    const struct tg_lwip_socket *const own = record_of(s, listen);

    peer_connects(&peer, s, FIRST, PORT);
    const int socket = accepted(listen);
    uint32_t answered = 0u;

    for (uint16_t i = 0u; i < 50u; i++) {
        answered += peer_requests(&flood, s, (uint16_t)(3000u + i), PORT);
        peer_sends(&peer, 10u);
        assert_int_equal(drain(socket), 10);
    }
    assert_int_equal(answered, BACKLOG);
    assert_int_equal(flow(s, own->requests)->passed, 20);
    assert_int_equal(flow(s, own->requests)->dropped_budget, 31);
    assert_int_equal(flow(s, connection(s, FIRST)->own)->dropped_no_buffer, 0);

    /* lwIP gives half-open connections up after 20 s; then a new one is served as before. */
    station_tcp_ticks(s, 50u);
    rig_wait(&s->rig, RIG_PERIOD_NS);
    peer_connects(&flood, s, 4000u, PORT);
    assert_non_null(connection(s, 4000u));
    peer_sends(&peer, 10u);
    assert_int_equal(drain(socket), 10);
    assert_int_equal(lwip_close(socket), 0);
    assert_int_equal(lwip_close(accepted(listen)), 0);
    assert_int_equal(lwip_close(listen), 0);
}

/* Without `requests` the defaults hold. */
static void requests_have_a_default(void **state)
{
    struct station *const s = *state;
    struct peer_tcp flood;
    const int listen = listener(station_flow(3u, 8u));
    const struct tg_lwip_socket *const own = record_of(s, listen);

    for (uint16_t i = 0u; i < 50u; i++) {
        (void)peer_requests(&flood, s, (uint16_t)(3000u + i), PORT);
    }
    assert_int_equal(flow(s, own->requests)->passed, TG_LWIP_REQUESTS_PKTS);
    assert_int_equal(flow(s, own->own)->passed, 0);
    assert_int_equal(s->rig.storage.flows[own->requests].reserve_pkts, TG_LWIP_REQUESTS_RESERVE);
    assert_int_equal(s->rig.storage.flows[own->requests].priority, 3);
    assert_int_equal(lwip_close(listen), 0);
}

/* Sixteen single bytes behind a gap: lwIP keeps only as many as leave the missing one a buffer. */
static void segments_out_of_order_do_not_pin_the_reserve(void **state)
{
    struct station *const s = *state;
    struct peer_tcp peer;
    const int listen = listener(station_listener_flow(1u));

    peer_connects(&peer, s, FIRST, PORT);
    const int socket = accepted(listen);
    const uint32_t id = tg_lwip_flow_id(socket);

    assert_int_equal(s->rig.storage.flows[id].reserve_pkts, TG_LWIP_TCP_RESERVE_MIN);
    for (uint32_t i = 0u; i < 16u; i++) {
        const struct frame f = peer_segment(&peer, TCP_ACK, 2u + 2u * i, 1u);

        station_deliver(s, &f);
    }
    assert_int_equal(flow(s, id)->held_pkts, TCP_OOSEQ_MAX_PBUFS);
    assert_int_equal(flow(s, id)->dropped_no_buffer, 0);
    peer_sends(&peer, 2u); /* the missing one, which joins the first of those that wait */
    assert_int_equal(drain(socket), 3);
    assert_int_equal(lwip_close(socket), 0);
    assert_int_equal(lwip_close(listen), 0);
}

/* A peer that sends what nobody reads fills its own flow, and none but it. */
static void unread_connection_keeps_to_its_reserve(void **state)
{
    struct station *const s = *state;
    struct peer_tcp peers[2];
    const int listen = listener(station_listener_flow(2u));

    peer_connects(&peers[0], s, FIRST, PORT);
    peer_connects(&peers[1], s, FIRST + 1u, PORT);
    const int unread = accepted(listen);
    const int read = accepted(listen);

    for (uint32_t i = 0u; i < 30u; i++) {
        const struct frame f = peer_segment(&peers[0], TCP_ACK, i, 1u);

        station_deliver(s, &f);
        peer_sends(&peers[1], 100u);
        assert_int_equal(drain(read), 100);
    }
    assert_int_equal(flow(s, tg_lwip_flow_id(unread))->most_held_pkts, 8);
    assert_int_equal(drain(unread), 8);
    for (uint32_t i = 8u; i < 30u; i++) { /* it sends again what was not acknowledged */
        const struct frame f = peer_segment(&peers[0], TCP_ACK, i, 1u);

        station_deliver(s, &f);
        assert_int_equal(drain(unread), 1);
    }
    assert_int_equal(lwip_close(unread), 0);
    assert_int_equal(lwip_close(read), 0);
    assert_int_equal(lwip_close(listen), 0);
}

/* Connections outlive their listener, with their flows. */
static void listener_closes_first(void **state)
{
    struct station *const s = *state;
    const struct tg_lwip_flow promise = station_listener_flow(1u);
    struct peer_tcp peer;
    const int listen = listener(promise);
    const int yes = 1;

    assert_int_equal(lwip_setsockopt(listen, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), 0);
    peer_connects(&peer, s, FIRST, PORT);
    const int socket = accepted(listen);

    assert_int_equal(lwip_close(listen), 0);
    assert_int_equal(station_bound_flows(s), 1);
    peer_sends(&peer, 5u);
    assert_int_equal(flow(s, tg_lwip_flow_id(socket))->passed, 2);
    assert_int_equal(drain(socket), 5);

    /* A new listener on the port does not count it. */
    const int again = station_socket(SOCK_STREAM);
    const struct sockaddr_in any = {
        .sin_len = sizeof any, .sin_family = AF_INET, .sin_port = lwip_htons(PORT)};

    assert_int_equal(lwip_setsockopt(again, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), 0);
    assert_int_equal(lwip_bind(again, (const struct sockaddr *)&any, sizeof any), 0);
    assert_int_equal(lwip_listen(again, BACKLOG), 0);
    assert_int_equal(station_set_flow(again, &promise), 0); /* after listen is as good */
    struct peer_tcp second;

    peer_connects(&second, s, FIRST + 1u, PORT);
    assert_non_null(connection(s, FIRST + 1u));
    assert_int_equal(lwip_close(accepted(again)), 0);
    assert_int_equal(lwip_close(socket), 0);
    assert_int_equal(lwip_close(again), 0);
}

/* A listener that gives its flow back accepts without one. */
static void listener_gives_back(void **state)
{
    struct station *const s = *state;
    struct peer_tcp peer;
    const int listen = listener(station_listener_flow(1u));

    assert_int_equal(station_give_back(listen), 0);
    assert_int_equal(station_bound_flows(s), 0);
    peer_connects(&peer, s, FIRST, PORT);
    assert_int_equal(station_bound_flows(s), 0);

    const int socket = accepted(listen);
    const struct tg_lwip_flow one = station_flow(4u, 8u);

    assert_int_equal(station_set_flow(socket, &one), 0);
    assert_int_equal(station_give_back(socket), 0);
    assert_int_equal(station_bound_flows(s), 0);
    assert_int_equal(lwip_close(socket), 0);
    assert_int_equal(lwip_close(listen), 0);
}

/* Its record may be another's by then. */
static void gives_back_before_another_listens(void **state)
{
    struct station *const s = *state;
    const struct tg_lwip_flow promise = station_listener_flow(1u);
    struct peer_tcp peer;

    const int first = listener(promise);

    assert_int_equal(station_give_back(first), 0);
    const int second = station_bound(SOCK_STREAM, PORT + 1);

    assert_int_equal(station_set_flow(second, &promise), 0);
    assert_int_equal(lwip_listen(second, BACKLOG), 0);
    peer_connects(&peer, s, FIRST, PORT);
    assert_int_equal(station_bound_flows(s), 2);
    assert_int_equal(lwip_close(accepted(first)), 0);
    assert_int_equal(lwip_close(first), 0);
    assert_int_equal(lwip_close(second), 0);
}

/* The pool cannot promise a flow for the connection: it is served all the same. */
static void no_buffers_for_a_connection(void **state)
{
    (void)state;
    static struct station s;
    struct rig_config c = station_config();
    const struct tg_lwip_flow promise = station_listener_flow(4u);
    struct peer_tcp peer;

    c.spare_buffers = 8u + TG_LWIP_REQUESTS_RESERVE + 7u;
    station_start(&s, &c);
    const int listen = listener(promise);

    peer_connects(&peer, &s, FIRST, PORT);
    assert_null(connection(&s, FIRST));
    const int socket = accepted(listen);

    peer_sends(&peer, 3u);
    assert_int_equal(drain(socket), 3);
    assert_int_equal(lwip_close(socket), 0);
    assert_int_equal(lwip_close(listen), 0);
    station_stop(&s);
}

static void refusals(void **state)
{
    (void)state;
    static struct station s;
    struct rig_config c = station_config();
    struct tg_lwip_flow promise = station_listener_flow(1u);

    c.spare_buffers = 8u + 2u;
    station_start(&s, &c);
    const int listen = station_bound(SOCK_STREAM, PORT);

    assert_int_equal(station_set_flow(listen, &promise), ENOBUFS); /* own, but not the requests */
    assert_int_equal(station_bound_flows(&s), 0);
    promise.own.reserve_pkts = TG_LWIP_TCP_RESERVE_MIN - 1u;
    assert_int_equal(station_set_flow(listen, &promise), EINVAL);
    promise = station_listener_flow(1u);
    promise.requests = (struct tg_lwip_promise){
        .budget = {.kind = TG_SERVER_UNLIMITED}, .reserve_pkts = 2u, .priority = 1u};
    promise.accepted.reserve_pkts = TG_LWIP_TCP_RESERVE_MIN - 1u;
    assert_int_equal(station_set_flow(listen, &promise), EINVAL);
    promise.accepted.reserve_pkts = 8u;
    promise.accepted.priority = TG_PRIORITIES;
    assert_int_equal(station_set_flow(listen, &promise), EINVAL);
    promise.accepted.priority = 1u;
    promise.accepted.budget.kind = 0;
    assert_int_equal(station_set_flow(listen, &promise), EINVAL);
    promise.accepted_max = 0u; /* then the template is not looked at */
    assert_int_equal(station_set_flow(listen, &promise), 0);
    assert_int_equal(station_bound_flows(&s), 2);
    assert_int_equal(lwip_close(listen), 0);
    assert_int_equal(station_bound_flows(&s), 0);
    station_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STATION_TEST(each_connection_has_its_flow),
        STATION_TEST(reset_ends_the_flow),
        STATION_TEST(time_wait_gives_its_flow_up),
        STATION_TEST(syn_flood_leaves_connections_alone),
        STATION_TEST(requests_have_a_default),
        STATION_TEST(segments_out_of_order_do_not_pin_the_reserve),
        STATION_TEST(unread_connection_keeps_to_its_reserve),
        STATION_TEST(listener_closes_first),
        STATION_TEST(listener_gives_back),
        STATION_TEST(gives_back_before_another_listens),
        cmocka_unit_test(no_buffers_for_a_connection),
        cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
