/* SPDX-License-Identifier: MIT
 *
 * match_text.c - from text to a match, by recursive descent without recursion: the grammar is flat.
 *
 *     match    = [ "vlan" N "and" ] subject { "and" detail }
 *     subject  = "arp" | "icmp" | "icmp6" | "igmp" | "ip" | "ip6"
 *              | "ip" "proto" N | "ip6" "proto" N
 *              | "ether" "proto" N | cast | [ ( "ip" | "ip6" ) "and" ] ( "udp" | "tcp" ) [ port ]
 *     detail   = port | ( "src" | "dst" ) "host" ADDRESS | cast | "not" "ether" "broadcast"
 *              | "tcp" "[" "tcpflags" "]" "&" "(" "tcp-syn" "|" "tcp-ack" ")" "==" "tcp-syn"
 *     port     = ( "src" | "dst" ) "port" N
 *     cast     = "ether" ( "broadcast" | "multicast" )
 */
#define _POSIX_C_SOURCE 200809L
#include "match_text.h"
#include "match_text_lex.h"

#include "core/protocols.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PORTS (TG_FIELD_DST_PORT | TG_FIELD_SRC_PORT)
#define HOSTS (TG_FIELD_DST_HOST | TG_FIELD_SRC_HOST)
#define CASTS (TG_FIELD_BROADCAST | TG_FIELD_MULTICAST)

#define SUBJECTS                                                                                   \
    "arp, icmp, icmp6, igmp, ip, ip6, udp, tcp, 'ip proto N', 'ip6 proto N', 'ether proto N', "    \
    "'ether broadcast' or 'ether multicast'"

#define CAST_DETAILS "'ether broadcast', 'not ether broadcast', 'ether multicast'"

struct parser {
    const char *text;
    struct tg_token token; /* the one to look at next */
    struct tg_token transport;
    struct tg_match match;
    struct tg_match_error *error;
};

static void advance(struct parser *p)
{
    p->token = tg_token_at(p->token.start + p->token.length);
}

static bool take(struct parser *p, const char *word)
{
    if (!tg_token_is(&p->token, word)) {
        return false;
    }
    advance(p);
    return true;
}

static bool next_is(const struct parser *p, const char *word)
{
    const struct tg_token next = tg_token_at(p->token.start + p->token.length);

    return tg_token_is(&next, word);
}

__attribute__((format(printf, 3, 4))) static int fail(struct parser *p, const struct tg_token *at,
                                                      const char *format, ...)
{
    va_list args;

    p->error->offset = (size_t)(at->start - p->text);
    p->error->length = at->length;
    va_start(args, format);
    (void)vsnprintf(p->error->message, sizeof p->error->message, format, args);
    va_end(args);
    return TG_ERR_RANGE;
}

/* The token that comes next is not what has to stand here. */
static int unexpected(struct parser *p, const char *allowed)
{
    char shown[64];

    return fail(p, &p->token, "found %s, allowed: %s",
                tg_token_show(&p->token, shown, sizeof shown), allowed);
}

static int expect(struct parser *p, const char *word)
{
    char quoted[32];

    if (take(p, word)) {
        return 0;
    }
    (void)snprintf(quoted, sizeof quoted, "'%s'", word);
    return unexpected(p, quoted);
}

/* A number min..max after what. *at is where it stands, for further checks. */
static int number(struct parser *p, const char *what, uint32_t min, uint32_t max,
                  struct tg_token *at, uint32_t *value)
{
    char shown[64];
    const enum tg_number kind = tg_token_number(&p->token, max, value);

    *at = p->token;
    (void)tg_token_show(&p->token, shown, sizeof shown);
    if (kind == TG_NUMBER_OCTAL) {
        return fail(p, at,
                    "found %s, allowed: a number without leading zeros (pcap-filter would "
                    "read it as octal)",
                    shown);
    }
    if (kind == TG_NUMBER_NONE) {
        return fail(p, at, "found %s, allowed: the number of '%s', decimal or 0x, %u to %u", shown,
                    what, min, max);
    }
    if (kind == TG_NUMBER_LARGE || *value < min) {
        return fail(p, at, "%s is out of range, allowed for '%s': %u to %u", shown, what, min, max);
    }
    advance(p);
    return 0;
}

/* Set a field that may be set once. */
static int fix(struct parser *p, uint32_t field, const struct tg_token *at, const char *what)
{
    if ((p->match.fields & field) != 0u) {
        return fail(p, at, "a second '%s', allowed: one", what);
    }
    p->match.fields = (uint16_t)(p->match.fields | field);
    return 0;
}

static int vlan(struct parser *p)
{
    struct tg_token at;
    uint32_t id;
    const int err = number(p, "vlan", 1u, 4094u, &at, &id);

    if (err) {
        return err;
    }
    p->match.fields |= TG_FIELD_VLAN;
    p->match.vlan = (uint16_t)id;
    if (p->token.length == 0u) {
        return unexpected(p, "'and' with what is to match in this VLAN");
    }
    return expect(p, "and");
}

static int ether_proto(struct parser *p)
{
    struct tg_token at;
    uint32_t type;
    const int err = number(p, "ether proto", 0u, 0xffffu, &at, &type);

    if (err) {
        return err;
    }
    if (type < TG_TYPE_MIN) {
        return fail(p, &at,
                    "a type field below 0x0600 is a length and never matched, allowed for "
                    "'ether proto': 0x0600 to 0xffff");
    }
    if (tg_is_tag(type)) {
        return fail(p, &at,
                    "0x%04x is a tag, which is skipped, allowed: the type field behind it, "
                    "or 'vlan N and ...'",
                    type);
    }
    p->match.fields |= TG_FIELD_TYPE;
    p->match.type = (uint16_t)type;
    return 0;
}

/* Behind "ether"; is_negated: "not" stood before it. */
static int cast(struct parser *p, const struct tg_token *at, bool is_negated)
{
    const bool is_broadcast = tg_token_is(&p->token, "broadcast");

    if (!is_broadcast && (is_negated || !tg_token_is(&p->token, "multicast"))) {
        return unexpected(p, is_negated ? "'broadcast'" : "'broadcast' or 'multicast'");
    }
    if ((p->match.fields & CASTS) != 0u) {
        return fail(p, at, "a second 'ether broadcast' or 'ether multicast', allowed: one");
    }
    advance(p);
    p->match.fields =
        (uint16_t)(p->match.fields | (is_broadcast ? TG_FIELD_BROADCAST : TG_FIELD_MULTICAST));
    p->match.broadcast = is_broadcast && !is_negated;
    return 0;
}

static int port(struct parser *p, bool is_src)
{
    const char *const what = is_src ? "src port" : "dst port";
    struct tg_token at = p->token;
    uint32_t value;
    int err;

    if (p->transport.length == 0u) {
        return fail(p, &at, "a port without protocol, allowed: 'udp %s N' or 'tcp %s N'", what,
                    what);
    }
    advance(p);
    err = fix(p, is_src ? TG_FIELD_SRC_PORT : TG_FIELD_DST_PORT, &at, what);
    if (err) {
        return err;
    }
    err = number(p, what, 0u, 0xffffu, &at, &value);
    if (err) {
        return err;
    }
    *(is_src ? &p->match.src_port : &p->match.dst_port) = (uint16_t)value;
    return 0;
}

/* 4 or 6, and the address; 0: neither. */
static uint8_t read_address(const struct tg_token *token, uint8_t address[16])
{
    char text[INET6_ADDRSTRLEN];

    memset(address, 0, 16u);
    if (token->length >= sizeof text) {
        return 0u;
    }
    memcpy(text, token->start, token->length);
    text[token->length] = '\0';
    if (inet_pton(AF_INET, text, address) == 1) {
        return 4u;
    }
    return inet_pton(AF_INET6, text, address) == 1 ? 6u : 0u;
}

static int host(struct parser *p, bool is_src)
{
    const char *const what = is_src ? "src host" : "dst host";
    struct tg_token at = p->token;
    char shown[64];
    uint8_t address[16];
    int err;

    if (p->transport.length == 0u) {
        return fail(p, &at,
                    "'%s' without protocol and port, allowed: 'udp dst port N and %s "
                    "ADDRESS' and the like",
                    what, what);
    }
    advance(p);
    err = fix(p, is_src ? TG_FIELD_SRC_HOST : TG_FIELD_DST_HOST, &at, what);
    if (err) {
        return err;
    }
    at = p->token;

    const uint8_t family = read_address(&at, address);

    if (family == 0u) {
        return unexpected(p, "one IPv4 or IPv6 address (no name, no network)");
    }
    if (p->match.family != 0u && p->match.family != family) {
        return fail(p, &at, "%s is an IPv%u address, allowed: IPv%u as before in this match",
                    tg_token_show(&at, shown, sizeof shown), family, p->match.family);
    }
    p->match.family = family;
    p->match.fields |= TG_FIELD_FAMILY;
    memcpy(is_src ? p->match.src_host : p->match.dst_host, address, sizeof address);
    if ((p->match.fields & HOSTS) == HOSTS &&
        memcmp(p->match.src_host, p->match.dst_host, sizeof address) == 0) {
        (void)fail(p, &at,
                   "source and destination are the same, allowed: two addresses (such a "
                   "frame is malformed and never matched)");
        return TG_ERR_UNREACHABLE;
    }
    advance(p);
    return 0;
}

static int connection_request(struct parser *p, const struct tg_token *at)
{
    static const char *const rest[] = {"[", "tcpflags", "]", "&",  "(",      "tcp-syn",
                                       "|", "tcp-ack",  ")", "==", "tcp-syn"};

    for (size_t i = 0u; i < sizeof rest / sizeof rest[0]; i++) {
        char allowed[96];

        if (take(p, rest[i])) {
            continue;
        }
        (void)snprintf(allowed, sizeof allowed,
                       "'%s' of 'tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn'", rest[i]);
        return unexpected(p, allowed);
    }
    if (!tg_token_is(&p->transport, "tcp")) {
        return fail(p, at,
                    "flags of TCP in a match without tcp, allowed: 'tcp dst port N and "
                    "tcp[tcpflags] ...'");
    }
    return fix(p, TG_FIELD_SYN, at, "tcp[tcpflags]");
}

/* "src" or "dst" is next. */
static int direction(struct parser *p)
{
    const bool is_src = tg_token_is(&p->token, "src");

    advance(p);
    if (tg_token_is(&p->token, "port")) {
        return port(p, is_src);
    }
    if (tg_token_is(&p->token, "host")) {
        return host(p, is_src);
    }
    return unexpected(p, "'port' or 'host'");
}

static int port_without_direction(struct parser *p)
{
    return fail(p, &p->token, "'port' does not say which, allowed: 'src port N' or 'dst port N'");
}

static bool is_direction(const struct parser *p)
{
    return tg_token_is(&p->token, "src") || tg_token_is(&p->token, "dst");
}

/* "udp" or "tcp" is next; a port may follow without "and". */
static int transport(struct parser *p)
{
    p->transport = p->token;
    p->match.fields |= TG_FIELD_PROTOCOL;
    p->match.protocol = tg_token_is(&p->token, "udp") ? TG_PROTO_UDP : TG_PROTO_TCP;
    advance(p);
    if (tg_token_is(&p->token, "port")) {
        return port_without_direction(p);
    }
    if (is_direction(p) && next_is(p, "host")) {
        return unexpected(p, "'src port N', 'dst port N', or 'and' before an address");
    }
    return is_direction(p) ? direction(p) : 0;
}

static int ip_proto(struct parser *p)
{
    const char *const what = p->match.family == 6u ? "ip6 proto" : "ip proto";
    struct tg_token at;
    uint32_t protocol;
    const int err = number(p, what, 0u, 255u, &at, &protocol);

    if (err) {
        return err;
    }
    if (p->match.family == 6u && tg_is_ip6_extension(protocol)) {
        (void)fail(p, &at,
                   "%u is an extension header, which is best effort and never matched, "
                   "allowed: the number of a protocol",
                   protocol);
        return TG_ERR_UNREACHABLE;
    }
    p->match.fields |= TG_FIELD_PROTOCOL;
    p->match.protocol = (uint8_t)protocol;
    return 0;
}

/* Behind "ip" or "ip6". */
static int ip(struct parser *p, uint8_t family)
{
    p->match.family = family;
    if (take(p, "proto")) {
        p->match.fields |= TG_FIELD_FAMILY;
        return ip_proto(p);
    }
    if (tg_token_is(&p->token, "and") && (next_is(p, "udp") || next_is(p, "tcp"))) {
        p->match.fields |= TG_FIELD_FAMILY;
        advance(p);
        return transport(p);
    }
    p->match.fields |= TG_FIELD_TYPE; /* all of the family: for the core a type field */
    p->match.type = family == 6u ? TG_TYPE_IP6 : TG_TYPE_IP4;
    return 0;
}

static int control(struct parser *p, uint8_t family, uint8_t protocol)
{
    advance(p);
    p->match.fields |= TG_FIELD_PROTOCOL | TG_FIELD_FAMILY;
    p->match.family = family;
    p->match.protocol = protocol;
    return 0;
}

static int subject(struct parser *p)
{
    const struct tg_token at = p->token;

    if (take(p, "arp")) {
        p->match.fields |= TG_FIELD_TYPE;
        p->match.type = TG_TYPE_ARP;
        return 0;
    }
    if (tg_token_is(&at, "icmp")) {
        return control(p, 4u, TG_PROTO_ICMP);
    }
    if (tg_token_is(&at, "igmp")) {
        return control(p, 4u, TG_PROTO_IGMP);
    }
    if (tg_token_is(&at, "icmp6")) {
        return control(p, 6u, TG_PROTO_ICMP6);
    }
    if (tg_token_is(&at, "udp") || tg_token_is(&at, "tcp")) {
        return transport(p);
    }
    if (take(p, "ip")) {
        return ip(p, 4u);
    }
    if (take(p, "ip6")) {
        return ip(p, 6u);
    }
    if (take(p, "ether")) {
        if (take(p, "proto")) {
            return ether_proto(p);
        }
        if (!tg_token_is(&p->token, "broadcast") && !tg_token_is(&p->token, "multicast")) {
            return unexpected(p, "'proto', 'broadcast' or 'multicast'");
        }
        return cast(p, &at, false);
    }
    if (tg_token_is(&at, "not")) {
        return fail(p, &at,
                    "'not' first would take nearly everything, as best effort does, allowed: "
                    "'arp and not ether broadcast' and the like");
    }
    if (tg_token_is(&at, "port")) {
        return port_without_direction(p);
    }
    if (tg_token_is(&at, "src") || tg_token_is(&at, "dst")) {
        return fail(p, &at, "%s without protocol, allowed: 'udp %.3s port N' or 'tcp %.3s port N'",
                    tg_token_is(&at, "src") ? "'src'" : "'dst'", at.start, at.start);
    }
    return unexpected(p, SUBJECTS);
}

/* Behind "and". */
static int detail(struct parser *p)
{
    const struct tg_token at = p->token;

    if (is_direction(p)) {
        return direction(p);
    }
    if (tg_token_is(&at, "port")) {
        return port_without_direction(p);
    }
    if (tg_token_is(&at, "tcp") && next_is(p, "[")) {
        advance(p);
        return connection_request(p, &at);
    }
    if (take(p, "ether")) {
        return cast(p, &at, false);
    }
    if (take(p, "not")) {
        const int err = expect(p, "ether");

        return err ? err : cast(p, &at, true);
    }
    if (tg_token_is(&at, "vlan")) {
        return fail(p, &at,
                    "'vlan' in the middle, allowed: 'vlan N and' at the beginning (in "
                    "pcap-filter it changes what follows)");
    }
    if (p->transport.length != 0u) {
        return unexpected(p, "'src port', 'dst port', 'src host', 'dst host', " CAST_DETAILS
                             ", 'tcp[tcpflags] ...'");
    }
    return unexpected(p, p->match.family != 0u && (p->match.fields & TG_FIELD_TYPE) != 0u
                             ? "udp, tcp, " CAST_DETAILS
                             : CAST_DETAILS);
}

static int match(struct parser *p)
{
    int err = take(p, "vlan") ? vlan(p) : 0;

    if (err) {
        return err;
    }
    err = subject(p);
    while (!err && take(p, "and")) {
        err = detail(p);
    }
    if (err) {
        return err;
    }
    if (tg_token_is(&p->token, "or")) {
        return fail(p, &p->token, "a flow has one match, allowed: another flow in place of 'or'");
    }
    if (tg_token_is(&p->token, "port")) {
        return port_without_direction(p);
    }
    if (p->token.length != 0u) {
        return unexpected(p, "'and' or the end");
    }
    if (p->transport.length != 0u && (p->match.fields & PORTS) == 0u) {
        return fail(p, &p->transport,
                    "%.3s without port, allowed: '%.3s dst port N', '%.3s src port N' (for all "
                    "ports: 'ip proto %u')",
                    p->transport.start, p->transport.start, p->transport.start, p->match.protocol);
    }
    return 0;
}

int tg_match_parse(const char *text, struct tg_match *out, struct tg_match_error *error)
{
    struct parser p = {.text = text, .token = tg_token_at(text), .error = error};
    const int err = match(&p);

    if (err) {
        return err;
    }
    *out = p.match;
    return 0;
}
