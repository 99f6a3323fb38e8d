/* SPDX-License-Identifier: MIT
 *
 * station.h - a station with real lwIP behind the adaptor, driven by one thread.
 *
 * Frames enter as bytes at the ring of the rig; what lwIP sends is kept. lwIP's own thread is never
 * started: its timers run when a test calls them, so nothing depends on time.
 */
#ifndef TG_TESTS_STATION_H
#define TG_TESTS_STATION_H

#include "peer_frames.h"
#include "rig.h"
#include "tg_lwip.h"

#include <lwip/sockets.h>

#define STATION_BUFFERS_MAX 512u
#define STATION_SOCKETS     12u
#define STATION_SENT        8u /* frames that are kept */

struct station {
    struct rig rig;
    struct tg_lwip lwip;
    struct tg_lwip_pbuf pbufs[STATION_BUFFERS_MAX];
    struct tg_lwip_socket sockets[STATION_SOCKETS];
    struct netif netif;
    struct frame sent[STATION_SENT]; /* frame n in slot n modulo STATION_SENT */
    uint32_t n_sent;
};

/* rig_config with what lwIP needs: best effort of 20 buffers, 160 more buffers, 20 flow slots. */
struct rig_config station_config(void);

/* Start lwIP (once in a program), the receive path, and the adaptor; the peer's hardware address is
 * known. */
void station_start(struct station *s, const struct rig_config *c);

/* Every buffer must be back, nothing bound. Sockets are closed by the test. */
void station_stop(struct station *s);

/* Both for cmocka, with station_config; *state is the station. */
int station_setup(void **state);
int station_teardown(void **state);

#define STATION_TEST(test) cmocka_unit_test_setup_teardown(test, station_setup, station_teardown)

/* A frame goes through the eager half. It must find room in the ring. */
void station_receive(struct station *s, const struct frame *f);

/* The protocol task runs until nothing waits. Returns: how many packets. */
uint32_t station_run(struct station *s);

/* Both. */
void station_deliver(struct station *s, const struct frame *f);

/* Frames that lwIP has sent since the last call. */
uint32_t station_take_sent(struct station *s);

/* The last frame that lwIP sent. */
const struct frame *station_last_sent(const struct station *s);

/* Packets that no socket has given back. */
uint32_t station_held(struct station *s);

/* Flows that sockets have. */
int station_bound_flows(const struct station *s);

/* TCP's slow timer, so many times (half a second each). */
void station_tcp_ticks(struct station *s, uint32_t n);

/* A UDP or TCP socket, not blocking. */
int station_socket(int type);

/* Bound to this port, of any address. */
int station_bound(int type, uint16_t port);

/* 0, or the errno with which setsockopt refused. */
int station_set_flow(int s, const struct tg_lwip_flow *flow);
int station_give_back(int s);

/* A flow of this priority and reserve, unlimited; as a listener, its connections' too. */
struct tg_lwip_flow station_flow(uint8_t priority, uint16_t reserve_pkts);
struct tg_lwip_flow station_listener_flow(uint16_t accepted_max);

/* ---- The peer -------------------------------------------------------------------------------- */

/* The peer's end of a TCP connection. */
struct peer_tcp {
    struct station *station;
    uint16_t port;
    uint16_t station_port;
    uint32_t seq; /* of the next byte to send */
    uint32_t ack; /* of the next byte to receive */
};

/* A segment of so many bytes, which begin at seq + offset. */
struct frame peer_segment(const struct peer_tcp *t, uint8_t flags, uint32_t offset,
                          uint16_t payload_bytes);

/* SYN, and the SYN-ACK's sequence number taken over. Returns: whether it was answered so. */
bool peer_requests(struct peer_tcp *t, struct station *s, uint16_t port, uint16_t station_port);

/* The three frames of a handshake. */
void peer_connects(struct peer_tcp *t, struct station *s, uint16_t port, uint16_t station_port);

/* In order, acknowledged by lwIP or not. */
void peer_sends(struct peer_tcp *t, uint16_t payload_bytes);

#endif
