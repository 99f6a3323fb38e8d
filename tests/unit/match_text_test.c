/* SPDX-License-Identifier: MIT
 *
 * match_text_test.c - matches as text: what each form means, and every error with its place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "system/match_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct good {
    const char *text;
    const char *canonical; /* NULL: the text itself */
    struct tg_match match;
};

static const uint8_t HOST_1[16] = {192, 0, 2, 1};
static const uint8_t HOST_2[16] = {192, 0, 2, 2};
static const uint8_t HOST_6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};

#define DST  TG_FIELD_DST_PORT
#define SRC  TG_FIELD_SRC_PORT
#define PROT TG_FIELD_PROTOCOL
#define FAM  TG_FIELD_FAMILY

static const struct good GOOD[] = {
    {"arp", NULL, {.fields = TG_FIELD_TYPE, .type = 0x0806}},
    {"ether proto 0x0806", "arp", {.fields = TG_FIELD_TYPE, .type = 0x0806}},
    {"ether proto 2054", "arp", {.fields = TG_FIELD_TYPE, .type = 0x0806}},
    {"ether proto 0x88f7", NULL, {.fields = TG_FIELD_TYPE, .type = 0x88f7}},
    {"ether proto 0x0600", NULL, {.fields = TG_FIELD_TYPE, .type = 0x0600}},
    {"ether proto 0xffff", NULL, {.fields = TG_FIELD_TYPE, .type = 0xffff}},
    {"ip", NULL, {.fields = TG_FIELD_TYPE, .type = 0x0800}},
    {"ether proto 0x0800", "ip", {.fields = TG_FIELD_TYPE, .type = 0x0800}},
    {"ip6", NULL, {.fields = TG_FIELD_TYPE, .type = 0x86dd}},
    {"icmp", NULL, {.fields = PROT | FAM, .family = 4, .protocol = 1}},
    {"ip proto 1", "icmp", {.fields = PROT | FAM, .family = 4, .protocol = 1}},
    {"igmp", NULL, {.fields = PROT | FAM, .family = 4, .protocol = 2}},
    {"icmp6", NULL, {.fields = PROT | FAM, .family = 6, .protocol = 58}},
    {"ip6 proto 58", "icmp6", {.fields = PROT | FAM, .family = 6, .protocol = 58}},
    {"ip proto 58", NULL, {.fields = PROT | FAM, .family = 4, .protocol = 58}},
    {"ip6 proto 1", NULL, {.fields = PROT | FAM, .family = 6, .protocol = 1}},
    {"ip proto 0", NULL, {.fields = PROT | FAM, .family = 4, .protocol = 0}},
    {"ip proto 0xFF", "ip proto 255", {.fields = PROT | FAM, .family = 4, .protocol = 255}},
    {"udp dst port 0", NULL, {.fields = PROT | DST, .protocol = 17}},
    {"udp dst port 5000", NULL, {.fields = PROT | DST, .protocol = 17, .dst_port = 5000}},
    {"udp and dst port 5000",
     "udp dst port 5000",
     {.fields = PROT | DST, .protocol = 17, .dst_port = 5000}},
    {"tcp src port 65535", NULL, {.fields = PROT | SRC, .protocol = 6, .src_port = 65535}},
    {"  udp\tsrc  port 7\n",
     "udp src port 7",
     {.fields = PROT | SRC, .protocol = 17, .src_port = 7}},
    {"tcp src port 1 and dst port 2",
     "tcp dst port 2 and src port 1",
     {.fields = PROT | DST | SRC, .protocol = 6, .src_port = 1, .dst_port = 2}},
    {"ip and udp dst port 9",
     NULL,
     {.fields = PROT | DST | FAM, .family = 4, .protocol = 17, .dst_port = 9}},
    {"ip6 and tcp and src port 9",
     "ip6 and tcp src port 9",
     {.fields = PROT | SRC | FAM, .family = 6, .protocol = 6, .src_port = 9}},
    {"vlan 1 and ether broadcast",
     NULL,
     {.fields = TG_FIELD_VLAN | TG_FIELD_BROADCAST, .vlan = 1, .broadcast = true}},
    {"vlan 0xffe and arp",
     "vlan 4094 and arp",
     {.fields = TG_FIELD_VLAN | TG_FIELD_TYPE, .vlan = 4094, .type = 0x0806}},
    {"ether multicast", NULL, {.fields = TG_FIELD_MULTICAST}},
    {"icmp6 and ether multicast",
     NULL,
     {.fields = PROT | FAM | TG_FIELD_MULTICAST, .family = 6, .protocol = 58}},
    {"arp and not ether broadcast",
     NULL,
     {.fields = TG_FIELD_TYPE | TG_FIELD_BROADCAST, .type = 0x0806}},
    {"arp and ether broadcast",
     NULL,
     {.fields = TG_FIELD_TYPE | TG_FIELD_BROADCAST, .type = 0x0806, .broadcast = true}},
    {"tcp dst port 80 and tcp[tcpflags]&(tcp-syn|tcp-ack)==tcp-syn",
     "tcp dst port 80 and tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn",
     {.fields = PROT | DST | TG_FIELD_SYN, .protocol = 6, .dst_port = 80}},
};

static void same_match(const struct tg_match *a, const struct tg_match *b)
{
    assert_int_equal(a->fields, b->fields);
    assert_int_equal(a->vlan, b->vlan);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->dst_port, b->dst_port);
    assert_int_equal(a->src_port, b->src_port);
    assert_int_equal(a->protocol, b->protocol);
    assert_int_equal(a->broadcast, b->broadcast);
    assert_memory_equal(a->src_host, b->src_host, 16);
    assert_memory_equal(a->dst_host, b->dst_host, 16);
}

static struct tg_match parsed(const char *text)
{
    struct tg_match match;
    struct tg_match_error error;

    if (tg_match_parse(text, &match, &error) != 0) {
        fail_msg("'%s': %zu: %s", text, error.offset, error.message);
    }
    return match;
}

static void test_meaning(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(GOOD); i++) {
        const struct tg_match match = parsed(GOOD[i].text);
        char text[TG_MATCH_TEXT_BYTES];

        same_match(&match, &GOOD[i].match);

        const int length = tg_match_print(&match, text, sizeof text);

        assert_int_equal(length, strlen(text));
        assert_string_equal(text, GOOD[i].canonical ? GOOD[i].canonical : GOOD[i].text);
    }
}

/* A family that ports without an address do not fix must not leak into the match. */
static void test_family(void **state)
{
    (void)state;
    assert_int_equal(parsed("udp dst port 5").family, 0);
    assert_int_equal(parsed("ip and udp dst port 5").family, 4);
    assert_int_equal(parsed("ip6 and udp dst port 5").family, 6);
    assert_int_equal(parsed("udp dst port 5 and dst host ::1").family, 6);
}

static void test_hosts(void **state)
{
    struct tg_match m = parsed("udp and dst host 192.0.2.1 and dst port 5 and src host 192.0.2.2");

    (void)state;
    assert_int_equal(m.fields, PROT | FAM | DST | TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST);
    assert_int_equal(m.family, 4);
    assert_memory_equal(m.dst_host, HOST_1, 16);
    assert_memory_equal(m.src_host, HOST_2, 16);

    static const char *const forms[] = {"2001:db8::1", "2001:0DB8:0:0:0:0:0:1", "2001:db8:0::0:1",
                                        "2001:db8::0.0.0.1"};

    for (size_t i = 0; i < COUNT(forms); i++) {
        char text[TG_MATCH_TEXT_BYTES];

        (void)snprintf(text, sizeof text, "ip6 and tcp src port 5 and src host %s", forms[i]);
        m = parsed(text);
        assert_int_equal(m.family, 6);
        assert_memory_equal(m.src_host, HOST_6, 16);
        assert_true(tg_match_print(&m, text, sizeof text) > 0);
        assert_string_equal(text, "tcp src port 5 and src host 2001:db8::1");
    }
}

/* All that can stand in one match, in the order that pcap-filter users write, and room for it. */
static void test_longest(void **state)
{
    static const char longest[] =
        "vlan 4094 and tcp dst port 65535 and src port 65534 and src host "
        "1111:2222:3333:4444:5555:6666:7777:8888 and dst host "
        "2222:3333:4444:5555:6666:7777:8888:9999 and tcp[tcpflags] & (tcp-syn|tcp-ack) == "
        "tcp-syn and not ether broadcast";
    const struct tg_match match = parsed(longest);
    char text[TG_MATCH_TEXT_BYTES];
    char tight[sizeof longest];

    (void)state;
    assert_int_equal(tg_match_print(&match, text, sizeof text), sizeof longest - 1);
    assert_string_equal(text, longest);
    assert_int_equal(tg_match_print(&match, tight, sizeof tight), sizeof longest - 1);
    assert_string_equal(tight, longest);
    assert_int_equal(tg_match_print(&match, tight, sizeof tight - 1), TG_ERR_RANGE);
    assert_string_equal(tight, "");
    tight[0] = 'x';
    assert_int_equal(tg_match_print(&match, tight, 0), TG_ERR_RANGE);
    assert_int_equal(tight[0], 'x');
}

static void test_print_refuses(void **state)
{
    const struct tg_match none = {.fields = 0};
    const struct tg_match land = {
        .fields = PROT | DST | TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST, .family = 4, .protocol = 17};
    char text[TG_MATCH_TEXT_BYTES] = "x";

    (void)state;
    assert_int_equal(tg_match_print(&none, text, sizeof text), TG_ERR_RANGE);
    assert_string_equal(text, "");
    assert_int_equal(tg_match_print(&land, text, sizeof text), TG_ERR_UNREACHABLE);
}

struct bad {
    const char *text;
    int error;
    size_t offset;
    size_t length;
    const char *message; /* how it begins */
    const char *allowed; /* what stands behind "allowed", somewhere */
};

#define RANGE       TG_ERR_RANGE
#define UNREACHABLE TG_ERR_UNREACHABLE

static const struct bad BAD[] = {
    /* the subject */
    {"", RANGE, 0, 0, "found the end", "arp, icmp"},
    {"   ", RANGE, 3, 0, "found the end", "arp, icmp"},
    {"rarp", RANGE, 0, 4, "found 'rarp'", "'ether proto N'"},
    {"ARP", RANGE, 0, 3, "found 'ARP'", "arp"},
    {"\xc3\xa4rp", RANGE, 0, 1, "found the byte 0xc3", "arp"},
    {"\x1b[2J", RANGE, 0, 1, "found the byte 0x1b", "arp"},
    {"(arp)", RANGE, 0, 1, "found '('", "arp"},
    {"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", RANGE, 0, 52,
     "found 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn...'", "arp"},
    {"not ether broadcast", RANGE, 0, 3, "'not' first", "'arp and not ether broadcast'"},
    {"port 53", RANGE, 0, 4, "'port' does not say which", "'src port N' or 'dst port N'"},
    {"dst port 53", RANGE, 0, 3, "'dst' without protocol", "'udp dst port N'"},
    {"src host 1.2.3.4", RANGE, 0, 3, "'src' without protocol", "'tcp src port N'"},
    {"ether", RANGE, 5, 0, "found the end", "'proto', 'broadcast' or 'multicast'"},
    {"ether host 1", RANGE, 6, 4, "found 'host'", "'proto', 'broadcast' or 'multicast'"},
    /* numbers */
    {"ether proto", RANGE, 11, 0, "found the end", "number of 'ether proto'"},
    {"ether proto ip", RANGE, 12, 2, "found 'ip'", "decimal or 0x, 0 to 65535"},
    {"ether proto 0x", RANGE, 12, 2, "found '0x'", "decimal or 0x"},
    {"ether proto 0x88fg", RANGE, 12, 6, "found '0x88fg'", "decimal or 0x"},
    {"ether proto 0x10000", RANGE, 12, 7, "'0x10000' is out of range", "0 to 65535"},
    {"ether proto 0x05ff", RANGE, 12, 6, "a type field below 0x0600", "0x0600 to 0xffff"},
    {"ether proto 0x8100", RANGE, 12, 6, "0x8100 is a tag", "'vlan N and ...'"},
    {"ether proto 0x88a8", RANGE, 12, 6, "0x88a8 is a tag", "'vlan N and ...'"},
    {"ip proto 256", RANGE, 9, 3, "'256' is out of range", "'ip proto': 0 to 255"},
    {"ip6 proto 256", RANGE, 10, 3, "'256' is out of range", "'ip6 proto': 0 to 255"},
    {"udp dst port 65536", RANGE, 13, 5, "'65536' is out of range", "'dst port': 0 to 65535"},
    {"udp dst port 99999999999999999999999", RANGE, 13, 23, "'99999", "0 to 65535"},
    {"udp dst port -1", RANGE, 13, 2, "found '-1'", "'dst port', decimal"},
    {"udp dst port 015", RANGE, 13, 3, "found '015'", "without leading zeros"},
    {"udp dst port http", RANGE, 13, 4, "found 'http'", "number of 'dst port'"},
    {"tcp src port", RANGE, 12, 0, "found the end", "number of 'src port'"},
    {"ip6 proto 0", UNREACHABLE, 10, 1, "0 is an extension header", "protocol"},
    {"ip6 proto 43", UNREACHABLE, 10, 2, "43 is an extension header", "protocol"},
    {"ip6 proto 140", UNREACHABLE, 10, 3, "140 is an extension header", "protocol"},
    /* vlan */
    {"vlan", RANGE, 4, 0, "found the end", "'vlan', decimal or 0x, 1 to 4094"},
    {"vlan 0 and arp", RANGE, 5, 1, "'0' is out of range", "'vlan': 1 to 4094"},
    {"vlan 4095 and arp", RANGE, 5, 4, "'4095' is out of range", "1 to 4094"},
    {"vlan 5", RANGE, 6, 0, "found the end", "'and' with what is to match"},
    {"vlan 5 arp", RANGE, 7, 3, "found 'arp'", "'and'"},
    {"vlan 5 and", RANGE, 10, 0, "found the end", "arp, icmp"},
    {"vlan 5 and vlan 6 and arp", RANGE, 11, 4, "found 'vlan'", "arp, icmp"},
    {"arp and vlan 5", RANGE, 8, 4, "'vlan' in the middle", "at the beginning"},
    /* transport */
    {"udp", RANGE, 0, 3, "udp without port", "'ip proto 17'"},
    {"tcp and ether broadcast", RANGE, 0, 3, "tcp without port", "'ip proto 6'"},
    {"ip and udp", RANGE, 7, 3, "udp without port", "'udp dst port N'"},
    {"udp port 53", RANGE, 4, 4, "'port' does not say which", "'src port N' or 'dst port N'"},
    {"udp dst port 53 and port 5", RANGE, 20, 4, "'port' does not", "'src port N'"},
    {"udp dst port 53 port 5", RANGE, 16, 4, "'port' does not", "'src port N'"},
    {"udp dst", RANGE, 7, 0, "found the end", "'port' or 'host'"},
    {"udp dst net 10", RANGE, 8, 3, "found 'net'", "'port' or 'host'"},
    {"udp dst port 5 and dst port 5", RANGE, 23, 4, "a second 'dst port'", "one"},
    {"udp src port 5 and src port 6", RANGE, 23, 4, "a second 'src port'", "one"},
    {"udp dst port 5 src port 5", RANGE, 15, 3, "found 'src'", "'and' or the end"},
    {"udp dst port 5 and", RANGE, 18, 0, "found the end", "'src host'"},
    {"udp dst port 5 and udp src port 5", RANGE, 19, 3, "found 'udp'", "'src port'"},
    {"icmp and dst port 5", RANGE, 13, 4, "a port without protocol", "'udp dst port N'"},
    {"udp src host 1.2.3.4", RANGE, 4, 3, "found 'src'", "'and' before an address"},
    /* addresses */
    {"arp and src host 1.2.3.4", RANGE, 12, 4, "'src host' without protocol", "'udp dst port N"},
    {"udp dst port 5 and src host", RANGE, 27, 0, "found the end", "one IPv4 or IPv6 address"},
    {"udp dst port 5 and src host a.example", RANGE, 28, 9, "found 'a.example'", "no name"},
    {"udp dst port 5 and src host 10.0.0.0/8", RANGE, 28, 10, "found '10.0.0.0/8'", "no network"},
    {"udp dst port 5 and src host 1.2.3", RANGE, 28, 5, "found '1.2.3'", "address"},
    {"udp dst port 5 and src host 01.2.3.4", RANGE, 28, 8, "found '01.2.3.4'", "address"},
    {"udp dst port 5 and src host fe80::1%eth0", RANGE, 28, 12, "found 'fe80::1%eth0'", "address"},
    {"udp dst port 5 and src host 1::2::3", RANGE, 28, 7, "found '1::2::3'", "address"},
    {"udp dst port 5 and dst host 1.2.3.4 and dst host 1.2.3.5", RANGE, 44, 4,
     "a second 'dst host'", "one"},
    {"udp dst port 5 and dst host 1.2.3.4 and src host ::1", RANGE, 49, 3,
     "'::1' is an IPv6 address", "IPv4 as before"},
    {"ip6 and udp dst port 5 and dst host 1.2.3.4", RANGE, 36, 7, "'1.2.3.4' is an IPv4 address",
     "IPv6 as before"},
    {"udp dst port 5 and dst host ::1 and src host 0::1", UNREACHABLE, 45, 4,
     "source and destination are the same", "two addresses"},
    /* destinations */
    {"arp and ether", RANGE, 13, 0, "found the end", "'broadcast' or 'multicast'"},
    {"arp and ether unicast", RANGE, 14, 7, "found 'unicast'", "'broadcast' or 'multicast'"},
    {"arp and not", RANGE, 11, 0, "found the end", "'ether'"},
    {"arp and not ether", RANGE, 17, 0, "found the end", "'broadcast'"},
    {"arp and not ether multicast", RANGE, 18, 9, "found 'multicast'", "'broadcast'"},
    {"arp and ether broadcast and ether multicast", RANGE, 28, 5, "a second 'ether broadcast'",
     "one"},
    {"ether broadcast and ether broadcast", RANGE, 20, 5, "a second 'ether broadcast'", "one"},
    {"arp and not ether broadcast and ether broadcast", RANGE, 32, 5, "a second", "one"},
    {"ether broadcast and arp", RANGE, 20, 3, "found 'arp'", "'ether broadcast'"},
    {"ip and icmp", RANGE, 7, 4, "found 'icmp'", "udp, tcp, 'ether broadcast'"},
    /* connection requests */
    {"tcp dst port 5 and tcp", RANGE, 19, 3, "found 'tcp'", "'tcp[tcpflags] ...'"},
    {"tcp dst port 5 and tcp[13] & 2 == 2", RANGE, 23, 2, "found '13'", "'tcpflags' of"},
    {"tcp dst port 5 and tcp[tcpflags] & (tcp-syn|tcp-ack) = tcp-syn", RANGE, 53, 1, "found '='",
     "'==' of"},
    {"tcp dst port 5 and tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-ack", RANGE, 56, 7,
     "found 'tcp-ack'", "'tcp-syn' of"},
    {"tcp dst port 5 and tcp[tcpflags] & (tcp-syn|tcp-ack) ==", RANGE, 55, 0, "found the end",
     "'tcp-syn' of"},
    {"udp dst port 5 and tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn", RANGE, 19, 3,
     "flags of TCP in a match without tcp", "'tcp dst port N"},
    {"tcp dst port 5 and tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn and tcp[tcpflags] & "
     "(tcp-syn|tcp-ack) == tcp-syn",
     RANGE, 68, 3, "a second 'tcp[tcpflags]'", "one"},
    /* between the terms */
    {"arp or icmp", RANGE, 4, 2, "a flow has one match", "another flow"},
    {"arp && icmp", RANGE, 4, 2, "found '&&'", "'and' or the end"},
    {"arp, icmp", RANGE, 3, 1, "found ','", "'and' or the end"},
    {"arp and", RANGE, 7, 0, "found the end", "'not ether broadcast'"},
    {"arp and and", RANGE, 8, 3, "found 'and'", "'not ether broadcast'"},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(BAD); i++) {
        const struct bad *const bad = &BAD[i];
        struct tg_match match = {.fields = 0x1234};
        struct tg_match_error error = {.offset = 999};
        const int err = tg_match_parse(bad->text, &match, &error);
        const char *const allowed = err ? strstr(error.message, ", allowed") : NULL;

        if (err != bad->error || error.offset != bad->offset || error.length != bad->length ||
            strncmp(error.message, bad->message, strlen(bad->message)) != 0 || !allowed ||
            !strstr(allowed, bad->allowed)) {
            fail_msg("'%s' gave %d at %zu+%zu: %s", bad->text, err, error.offset, error.length,
                     err ? error.message : "-");
        }
        assert_int_equal(match.fields, 0x1234); /* unchanged */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meaning),       cmocka_unit_test(test_family),
        cmocka_unit_test(test_hosts),         cmocka_unit_test(test_longest),
        cmocka_unit_test(test_print_refuses), cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
