/* SPDX-License-Identifier: MIT
 *
 * system_frames_test.c - frames built for a match: the core gives them to that match, and every
 * length and checksum in them is right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "system/frame_build.h"
#include "system/match_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MTU          1500u

static const uint8_t own[6] = {0x02, 0, 0, 0, 0, 1};

static const char *const matches[] = {
    "arp",
    "arp and ether broadcast",
    "arp and not ether broadcast",
    "icmp",
    "icmp and ether broadcast",
    "icmp6",
    "icmp6 and ether multicast",
    "igmp",
    "igmp and ether multicast",
    "ip",
    "ip6",
    "ether proto 0x88f7",
    "ether proto 0x8892 and not ether broadcast",
    "ether proto 0x88cc and ether multicast",
    "ether proto 0x0600",
    "ether broadcast",
    "ether multicast",
    "ip proto 1",
    "ip proto 4",
    "ip proto 6",
    "ip proto 17",
    "ip proto 41",
    "ip proto 47",
    "ip proto 58",
    "ip proto 255",
    "ip6 proto 1",
    "ip6 proto 2",
    "ip6 proto 4",
    "ip6 proto 6",
    "ip6 proto 17",
    "ip6 proto 132",
    "udp dst port 5000",
    "udp src port 53",
    "udp dst port 0",
    "udp src port 65535 and dst port 65535",
    "udp dst port 9 and ether broadcast",
    "udp dst port 5353 and ether multicast",
    "udp dst port 5000 and not ether broadcast",
    "ip and udp dst port 5000",
    "ip6 and udp dst port 5000",
    "ip6 and udp dst port 5353 and ether multicast",
    "tcp src port 1883",
    "tcp dst port 502",
    "tcp dst port 502 and tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn",
    "ip6 and tcp dst port 502 and tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn",
    "udp dst port 5000 and src host 192.0.2.1",
    "udp dst port 5000 and src host 10.0.0.7",
    "udp dst port 5000 and dst host 10.0.0.7",
    "udp dst port 5000 and src host 192.0.2.1 and dst host 192.0.2.2",
    "ip6 and udp dst port 5000 and src host 2001:db9::1",
    "ip6 and udp dst port 5000 and dst host 2001:db8::7",
    "vlan 100 and udp dst port 5000",
    "vlan 4094 and arp",
    "vlan 1 and ether broadcast",
    "vlan 7 and ip6 proto 58",
    "vlan 7 and ether proto 0x88a4"};

static uint32_t be16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

/* One's complement sum; over a correct checksum it gives 0xffff (RFC 1071). */
static uint32_t sum16(const uint8_t *p, uint32_t n, uint32_t s)
{
    for (uint32_t i = 0u; i < n; i += 2u) {
        s += (uint32_t)p[i] << 8 | (i + 1u < n ? p[i + 1u] : 0u);
        s = (s & 0xffffu) + (s >> 16);
    }
    return s;
}

static void check_transport(const uint8_t *l3, bool is_ip6, const uint8_t *l4, uint32_t n,
                            uint32_t protocol)
{
    const uint32_t pseudo =
        is_ip6 ? sum16(l3 + 8, 32u, protocol + n) : sum16(l3 + 12, 8u, protocol + n);

    if (protocol == 17u) {
        assert_int_equal(be16(l4 + 4), n);
        assert_int_not_equal(be16(l4 + 6), 0u);
    }
    if (protocol == 17u || protocol == 6u || (is_ip6 && protocol == 58u)) {
        assert_int_equal(sum16(l4, n, pseudo), 0xffffu);
    } else if (!is_ip6 && (protocol == 1u || protocol == 2u)) {
        assert_int_equal(sum16(l4, n, 0u), 0xffffu);
    }
}

static void check_ip(const uint8_t *frame, uint32_t n)
{
    const uint32_t l3 = be16(frame + 12) == 0x8100u ? 18u : 14u;
    const uint8_t *const p = frame + l3;

    if (be16(p - 2) == 0x0800u) {
        assert_int_equal(be16(p + 2), n - l3);
        assert_int_equal(sum16(p, 20u, 0u), 0xffffu);
        check_transport(p, false, p + 20, n - l3 - 20u, p[9]);
    } else if (be16(p - 2) == 0x86ddu) {
        assert_int_equal(be16(p + 4), n - l3 - 40u);
        check_transport(p, true, p + 40, n - l3 - 40u, p[6]);
    }
}

/* The class of a frame, and in *flow what a table takes it for that has this match as flow 1
 * alone. */
static enum tg_frame_class classify(const struct tg_match *match, const uint8_t *frame, uint32_t n,
                                    struct tg_frame_key *key, uint32_t *flow)
{
    const struct tg_station station = {.mac = tg_mac(own), .mtu_bytes = MTU};
    struct tg_flow flows[2];
    uint32_t buckets[4];
    struct tg_flow_table table;
    struct tg_pattern pattern;
    const enum tg_frame_class class = tg_frame_parse(&station, frame, n, TG_TCI_NONE, key);

    assert_int_equal(tg_flow_table_init(&table, flows, 2u, buckets, 4u, 1u), 0);
    assert_int_equal(tg_match_compile(match, &pattern), 0);
    assert_int_equal(tg_flow_table_admits(&table, &pattern), 0);
    tg_flow_table_insert(&table, 1u, &pattern);
    *flow = class == TG_FRAME_MATCH ? tg_flow_table_find(&table, key, frame) : 0u;
    return class;
}

/* An own buffer of exactly n bytes, so that a write beyond it is seen. */
static int build(const char *text, enum tg_system_form form, uint32_t variant, uint32_t length,
                 uint8_t **frame, struct tg_match *match)
{
    const struct tg_frame_ends ends = {.station_mac = tg_mac(own), .variant = variant};
    static uint8_t room[TG_FRAME_BUILD_MAX_BYTES];
    struct tg_match_error error;

    assert_int_equal(tg_match_parse(text, match, &error), 0);
    const int n = tg_frame_build(match, form, &ends, length, MTU, room, sizeof room);
    if (n < 0) {
        return n;
    }
    *frame = malloc((size_t)n);
    if (*frame == NULL) {
        abort();
    }
    assert_int_equal(tg_frame_build(match, form, &ends, length, MTU, *frame, (uint32_t)n), n);
    assert_memory_equal(*frame, room, (size_t)n);
    assert_int_equal(tg_frame_build(match, form, &ends, length, MTU, *frame, (uint32_t)n - 1u),
                     TG_ERR_RANGE);
    return n;
}

static void test_whole(void **state)
{
    static const uint32_t lengths[] = {0u, 1u, 2u, 17u, 1400u};
    static const uint32_t variants[] = {0u, 1u, 0xffffffffu, 0x12345678u};

    (void)state;
    for (size_t i = 0u; i < COUNT(matches); i++) {
        for (size_t j = 0u; j < COUNT(lengths) * COUNT(variants); j++) {
            struct tg_match match;
            struct tg_frame_key key;
            uint8_t *frame = NULL;
            uint32_t flow = 0u;
            const int n = build(matches[i], TG_FORM_WHOLE, variants[j % COUNT(variants)],
                                lengths[j / COUNT(variants)], &frame, &match);

            if (n < 14 || frame == NULL) {
                print_error("%s: %d\n", matches[i], n);
                abort();
            }
            if (classify(&match, frame, (uint32_t)n, &key, &flow) != TG_FRAME_MATCH || flow != 1u) {
                print_error("%s, payload %u: rule %u\n", matches[i],
                            (unsigned)lengths[j / COUNT(variants)], (unsigned)key.rule);
                fail();
            }
            check_ip(frame, (uint32_t)n);
            free(frame);
        }
    }
}

/* The first frame of the vectors, but for the source: every byte as it has to be. */
static void test_bytes(void **state)
{
    static const uint8_t expected[] = {
        0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x54, 0x00, 0x00, 0x00, 0x07, 0x08, 0x00, 0x45,
        0x00, 0x00, 0x1e, 0x00, 0x07, 0x00, 0x00, 0x40, 0x11, 0xae, 0xc0, 0x0a, 0x00, 0x00, 0x07,
        0xc0, 0x00, 0x02, 0x01, 0xc0, 0x07, 0x13, 0x88, 0x00, 0x0a, 0x60, 0x42, 0x00, 0x00};
    struct tg_match match;
    uint8_t *frame = NULL;

    (void)state;
    assert_int_equal(build("udp dst port 5000", TG_FORM_WHOLE, 7u, 2u, &frame, &match),
                     sizeof expected);
    check_ip(expected, sizeof expected);
    assert_memory_equal(frame, expected, sizeof expected);
    free(frame);
}

/* Two senders are two to everyone who looks at addresses. */
static void test_variants(void **state)
{
    struct tg_match match;
    uint8_t *one = NULL;
    uint8_t *two = NULL;

    (void)state;
    const int n = build("tcp dst port 80 and tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn",
                        TG_FORM_WHOLE, 1u, 0u, &one, &match);
    assert_int_equal(build("tcp dst port 80 and tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn",
                           TG_FORM_WHOLE, 2u, 0u, &two, &match),
                     n);
    if (one == NULL || two == NULL) {
        abort();
    }
    assert_memory_not_equal(one + 6, two + 6, 6u);   /* Ethernet */
    assert_memory_not_equal(one + 26, two + 26, 4u); /* IP */
    assert_memory_not_equal(one + 34, two + 34, 2u); /* port */
    assert_int_equal(one[47], 0x02u);                /* SYN, and nothing else */
    free(one);
    free(two);
}

/* Addresses of the network layer go with those of the link layer. */
static void test_addresses(void **state)
{
    static const uint8_t broadcast[4] = {255, 255, 255, 255};
    static const uint8_t group4[4] = {239, 1, 1, 1};
    static const uint8_t group6[16] = {0xff, 0x02, [15] = 1};
    static const uint8_t source6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 9};
    struct tg_match match;
    uint8_t *frame = NULL;

    (void)state;
    assert_true(build("udp dst port 9 and ether broadcast", TG_FORM_WHOLE, 1u, 0u, &frame, &match) >
                0);
    assert_memory_equal(frame + 30, broadcast, sizeof broadcast);
    free(frame);
    assert_true(build("udp dst port 9 and ether multicast", TG_FORM_WHOLE, 1u, 0u, &frame, &match) >
                0);
    assert_memory_equal(frame + 30, group4, sizeof group4);
    free(frame);
    assert_true(build("ip6 and udp dst port 9 and ether multicast", TG_FORM_WHOLE, 9u, 0u, &frame,
                      &match) > 0);
    assert_memory_equal(frame + 22, source6, sizeof source6);
    assert_memory_equal(frame + 38, group6, sizeof group6);
    free(frame);
}

static void test_forms(void **state)
{
    static const struct {
        const char *match;
        enum tg_system_form form;
        enum tg_frame_class class;
        uint8_t rule;
    } cases[] = {
        {"udp dst port 5000", TG_FORM_FRAGMENT, TG_FRAME_BEST_EFFORT, TG_RULE_IP4_FRAGMENT},
        {"icmp", TG_FORM_FRAGMENT, TG_FRAME_BEST_EFFORT, TG_RULE_IP4_FRAGMENT},
        {"vlan 5 and tcp dst port 502", TG_FORM_FRAGMENT, TG_FRAME_BEST_EFFORT,
         TG_RULE_IP4_FRAGMENT},
        {"udp dst port 5000", TG_FORM_MALFORMED, TG_FRAME_MALFORMED, TG_RULE_IP4},
        {"icmp6", TG_FORM_MALFORMED, TG_FRAME_MALFORMED, TG_RULE_IP6},
        {"arp", TG_FORM_MALFORMED, TG_FRAME_MALFORMED, TG_RULE_ARP}};

    (void)state;
    for (size_t i = 0u; i < COUNT(cases); i++) {
        struct tg_match match;
        struct tg_frame_key key;
        uint8_t *frame = NULL;
        uint32_t flow = 0u;
        const int n = build(cases[i].match, cases[i].form, 3u, 8u, &frame, &match);

        assert_true(n > 0);
        assert_int_equal(classify(&match, frame, (uint32_t)n, &key, &flow), cases[i].class);
        assert_int_equal(key.rule, cases[i].rule);
        free(frame);
    }
}

static void test_refused(void **state)
{
    struct tg_match match;
    uint8_t *frame = NULL;
    const struct tg_frame_ends ends = {.station_mac = TG_MAC_NONE};
    uint8_t room[64];

    (void)state;
    assert_int_equal(build("arp", TG_FORM_FRAGMENT, 0u, 0u, &frame, &match), TG_ERR_UNREACHABLE);
    assert_int_equal(build("icmp6", TG_FORM_FRAGMENT, 0u, 0u, &frame, &match), TG_ERR_UNREACHABLE);
    assert_int_equal(build("ether proto 0x88f7", TG_FORM_MALFORMED, 0u, 0u, &frame, &match),
                     TG_ERR_UNREACHABLE);
    assert_int_equal(build("udp dst port 5000", TG_FORM_WHOLE, 0u, MTU - 27u, &frame, &match),
                     TG_ERR_RANGE);
    assert_int_equal(build("ether proto 0x88f7", TG_FORM_WHOLE, 0u, MTU + 1u, &frame, &match),
                     TG_ERR_RANGE);
    assert_int_equal(build("udp dst port 5000", TG_FORM_WHOLE, 0u, UINT32_MAX, &frame, &match),
                     TG_ERR_RANGE);
    /* Up to the last byte that fits. */
    assert_int_equal(build("udp dst port 5000", TG_FORM_WHOLE, 0u, MTU - 28u, &frame, &match),
                     (int)MTU + 14);
    free(frame);
    match.fields |= TG_FIELD_TYPE; /* nothing that tg_match_compile would take */
    assert_int_equal(tg_frame_build(&match, TG_FORM_WHOLE, &ends, 0u, MTU, room, sizeof room),
                     TG_ERR_UNREACHABLE);
}

/* A station that has the address which senders would get. */
static void test_own_address(void **state)
{
    const uint8_t station[6] = {0x02, 0x54, 0, 0, 0, 9};
    const struct tg_frame_ends ends = {.station_mac = tg_mac(station), .variant = 9u};
    struct tg_match match;
    struct tg_match_error error;
    uint8_t frame[64];

    (void)state;
    assert_int_equal(tg_match_parse("arp", &match, &error), 0);
    assert_int_equal(tg_frame_build(&match, TG_FORM_WHOLE, &ends, 0u, MTU, frame, sizeof frame),
                     42);
    assert_memory_equal(frame, station, 6u);
    assert_memory_not_equal(frame + 6, station, 6u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),      cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_variants),   cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_forms),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_own_address)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
