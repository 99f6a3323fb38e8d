/* SPDX-License-Identifier: MIT
 *
 * peer.c - the other end of the wire: TCP as far as a test needs it.
 */
#include "station.h"
#include "check_cmocka.h"

enum { TCP_FLAGS_SYN_ACK = TCP_SYN | TCP_ACK, TCP_HEADER = 20 };

static uint16_t get16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void set16(uint8_t *bytes, uint32_t x)
{
    bytes[0] = (uint8_t)(x >> 8);
    bytes[1] = (uint8_t)x;
}

static uint32_t get32(const uint8_t *bytes)
{
    return (uint32_t)get16(bytes) << 16 | get16(bytes + 2);
}

static void set32(uint8_t *bytes, uint32_t x)
{
    set16(bytes, x >> 16);
    set16(bytes + 2, x);
}

struct frame peer_segment(const struct peer_tcp *t, uint8_t flags, uint32_t offset,
                          uint16_t payload_bytes)
{
    struct frame f = peer_frame((struct frame_spec){.protocol = PROTO_TCP,
                                                    .tcp_flags = flags,
                                                    .src_port = t->port,
                                                    .dst_port = t->station_port,
                                                    .payload_bytes = payload_bytes});
    uint8_t *const tcp = f.bytes + f.l4;

    set32(tcp + 4, t->seq + offset);
    set32(tcp + 8, (flags & TCP_ACK) != 0u ? t->ack : 0u);
    set16(tcp + 14, 0xffffu); /* window */
    for (uint32_t i = 0u; i < payload_bytes; i++) {
        tcp[TCP_HEADER + i] = (uint8_t)(t->seq + offset + i);
    }
    peer_seal(&f);
    return f;
}

bool peer_requests(struct peer_tcp *t, struct station *s, uint16_t port, uint16_t station_port)
{
    *t = (struct peer_tcp){
        .station = s, .port = port, .station_port = station_port, .seq = 1000u * port};
    const struct frame syn = peer_segment(t, TCP_SYN, 0u, 0u);

    (void)station_take_sent(s);
    station_deliver(s, &syn);
    t->seq++;
    if (s->n_sent == 0u) {
        return false;
    }
    const uint8_t *const answer = station_last_sent(s)->bytes + 34u;

    t->ack = get32(answer + 4) + 1u;
    return answer[13] == TCP_FLAGS_SYN_ACK && get16(answer + 2) == port;
}

void peer_connects(struct peer_tcp *t, struct station *s, uint16_t port, uint16_t station_port)
{
    assert_true(peer_requests(t, s, port, station_port));

    const struct frame ack = peer_segment(t, TCP_ACK, 0u, 0u);

    station_deliver(s, &ack);
}

void peer_sends(struct peer_tcp *t, uint16_t payload_bytes)
{
    const struct frame f = peer_segment(t, TCP_ACK, 0u, payload_bytes);

    station_deliver(t->station, &f);
    t->seq += payload_bytes;
}
