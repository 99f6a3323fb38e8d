/* SPDX-License-Identifier: MIT
 *
 * test_frame.h - the bytes of a frame from its fields.
 *
 * What a test does not name is ordinary: to the station, untagged, IPv4, lengths that fit. So a
 * test names only what it is about, and bends single bytes afterwards with the help of the offsets.
 */
#ifndef TG_TESTS_TEST_FRAME_H
#define TG_TESTS_TEST_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_MAX_BYTES 2048u

enum {
    PROTO_ICMP = 1,
    PROTO_IGMP = 2,
    PROTO_TCP = 6,
    PROTO_UDP = 17,
    PROTO_ICMP6 = 58,
    TYPE_IP4 = 0x0800,
    TYPE_ARP = 0x0806,
    TYPE_TAG = 0x8100,
    TYPE_SERVICE_TAG = 0x88a8,
    TYPE_IP6 = 0x86dd,
    TYPE_PTP = 0x88f7,
    TCP_SYN = 0x02,
    TCP_ACK = 0x10
};

/* The station of the tests; frames come from PEER_MAC unless own_source is set. */
extern const uint8_t STATION_MAC[6];
extern const uint8_t PEER_MAC[6];

enum frame_cast { CAST_UNICAST, CAST_MULTICAST, CAST_BROADCAST };

struct frame_spec {
    enum frame_cast cast;
    bool own_source;
    uint32_t n_tags; /* in the bytes */
    struct {
        uint16_t type; /* 0: TYPE_TAG */
        uint16_t tci;
    } tags[3];
    bool is_stripped;       /* the NIC took the outermost tag, with this control word */
    uint16_t stripped_tci;  /* see is_stripped */
    uint16_t type;          /* 0: that of the IP family */
    uint8_t family;         /* 4 or 6; 0: 4, or none if a type is given */
    uint8_t protocol;       /* 0 with a family: UDP */
    uint8_t tcp_flags;      /* TCP_* */
    uint8_t options_bytes;  /* IPv4 options, a multiple of 4, no-operations */
    uint16_t src_port;      /* UDP, TCP */
    uint16_t dst_port;      /* UDP, TCP */
    uint8_t src_host[16];   /* all 0: an ordinary one */
    uint8_t dst_host[16];   /* all 0: an ordinary one */
    uint16_t payload_bytes; /* behind the last header */
    uint16_t padding_bytes; /* behind the IP packet */
};

struct frame {
    uint8_t bytes[FRAME_MAX_BYTES];
    uint32_t len_bytes;
    uint32_t tci; /* stripped, or TG_TCI_NONE */
    uint32_t l3;  /* offset of what follows the type field */
    uint32_t l4;  /* offset of the transport header, if any */
};

/* Fits FRAME_MAX_BYTES by the choice of payload and padding. */
struct frame frame_build(const struct frame_spec *spec);

/* A UDP datagram over IPv4 to this port. */
struct frame frame_udp(uint16_t dst_port);

/* An ICMPv4 echo request: what no flow of the tests takes. */
struct frame frame_other(void);

/* A frame that the parser refuses: IPv4 with a total length beyond its end. */
struct frame frame_malformed(void);

#endif
