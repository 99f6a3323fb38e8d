/* SPDX-License-Identifier: MIT
 *
 * office_capture.c - writes examples/office.pcap: 40 ms on the wire of a controller in an office
 * network.
 *
 *     office_capture FILE
 *
 * A set point every millisecond; clock synchronisation, a client that connects and polls, address
 * resolution, multicast from the office; from 10 ms to 20 ms a flood of datagrams that nobody asked
 * for and a storm of ARP requests; and a few frames of the kind that only appear when somebody
 * tries.
 */
#include "pcap_write.h"
#include "test_frame.h"

#include <stdlib.h>
#include <string.h>

#define START_NS  UINT64_C(1790000000000000000)
#define US        UINT64_C(1000)
#define END_US    40000u
#define STEP_US   50u
#define FLOOD(us) ((us) >= 10000u && (us) < 20000u)

struct office {
    FILE *out;
    uint64_t now_ns;
};

static void send(const struct office *o, const struct frame *f)
{
    pcap_write_frame(o->out, o->now_ns, f->bytes, f->len_bytes, f->len_bytes);
}

static void send_spec(const struct office *o, const struct frame_spec *spec)
{
    const struct frame f = frame_build(spec);

    send(o, &f);
}

/* What the plant needs: set points, clock synchronisation, a client that connects and then
 * polls. */
static void plant(const struct office *o, uint32_t us)
{
    const struct frame_spec set_point = {
        .src_port = 40000u, .dst_port = 5000u, .payload_bytes = 8u};
    const struct frame_spec sync = {.cast = CAST_MULTICAST, .type = TYPE_PTP, .payload_bytes = 44u};
    const struct frame_spec connect = {
        .protocol = PROTO_TCP, .tcp_flags = TCP_SYN, .src_port = 50123u, .dst_port = 502u};
    const struct frame_spec request = {.protocol = PROTO_TCP,
                                       .tcp_flags = TCP_ACK,
                                       .src_port = 50123u,
                                       .dst_port = 502u,
                                       .payload_bytes = 12u};

    if (us % 1000u == 0u) {
        send_spec(o, &set_point);
    }
    if (us % 10000u == 300u) {
        send_spec(o, &sync);
    }
    if (us == 2150u) {
        send_spec(o, &connect);
    }
    if (us > 2150u && us % 5000u == 2350u) {
        send_spec(o, &request);
    }
}

/* What an office network brings along. */
static void office(const struct office *o, uint32_t us)
{
    const struct frame_spec who_has = {.cast = CAST_BROADCAST, .type = TYPE_ARP};
    const struct frame_spec reply = {.type = TYPE_ARP};
    const struct frame_spec names = {
        .cast = CAST_MULTICAST, .src_port = 5353u, .dst_port = 5353u, .payload_bytes = 33u};
    const struct frame_spec neighbour = {
        .cast = CAST_MULTICAST, .family = 6u, .protocol = PROTO_ICMP6, .payload_bytes = 24u};
    const struct frame_spec camera = {.n_tags = 1u,
                                      .tags = {{.tci = 20u}},
                                      .src_port = 6000u,
                                      .dst_port = 5000u,
                                      .payload_bytes = 16u};

    if (us == 450u || (FLOOD(us) && us % 500u == 150u)) {
        send_spec(o, &who_has);
    }
    if (us == 650u || us == 20650u) {
        send_spec(o, &reply);
    }
    if (us % 16000u == 3750u) {
        send_spec(o, &names);
    }
    if (us % 18000u == 7250u) {
        send_spec(o, &neighbour);
    }
    if (us % 8000u == 5550u) {
        send_spec(o, &camera);
    }
}

/* What somebody tries. */
static void trouble(const struct office *o, uint32_t us)
{
    const struct frame_spec junk = {.src_port = 1024u, .dst_port = 9u};
    const struct frame_spec options = {.options_bytes = 8u, .dst_port = 5000u};
    struct frame f;

    if (FLOOD(us) && us % 250u == 100u) {
        send_spec(o, &junk);
    }
    if (us == 25050u) { /* says that it is longer than it is */
        f = frame_malformed();
        send(o, &f);
    }
    if (us == 26050u) { /* first fragment of a set point: reassembly would take its time */
        f = frame_udp(5000u);
        f.bytes[f.l3 + 6u] |= 0x20u;
        send(o, &f);
    }
    if (us == 27050u) {
        send_spec(o, &options);
    }
    if (us == 28050u) { /* from the station to itself */
        f = frame_udp(5000u);
        memcpy(f.bytes + f.l3 + 16u, f.bytes + f.l3 + 12u, 4u);
        send(o, &f);
    }
}

int main(int argc, char **argv)
{
    struct office o = {.out = argc == 2 ? fopen(argv[1], "wb") : NULL};

    if (o.out == NULL) {
        fprintf(stderr, "usage: %s FILE to write to\n", argv[0]);
        return 2;
    }
    pcap_write_head(o.out, PCAP_LINK_ETHERNET);
    for (uint32_t us = 0u; us < END_US; us += STEP_US) {
        /* Senders' clocks and ours differ: nothing on a real wire comes on the full microsecond. */
        o.now_ns = START_NS + us * US + us % 7u * 131u;
        plant(&o, us);
        office(&o, us);
        trouble(&o, us);
    }
    return fclose(o.out) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
