/* SPDX-License-Identifier: MIT
 *
 * match_text_print.c - from a match to its canonical text.
 */
#define _POSIX_C_SOURCE 200809L
#include "match_text.h"

#include "core/protocols.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>

#define HOSTS (TG_FIELD_DST_HOST | TG_FIELD_SRC_HOST)

struct writer {
    char *buf;
    size_t buf_bytes;
    size_t length;  /* may exceed the room: then it is how much there would have to be */
    size_t started; /* where the first term began: all others are joined by "and" */
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...)
{
    const size_t room = w->length < w->buf_bytes ? w->buf_bytes - w->length : 0u;
    va_list args;

    va_start(args, format);
    const int length = vsnprintf(room != 0u ? w->buf + w->length : NULL, room, format, args);
    va_end(args);
    w->length += length > 0 ? (size_t)length : 0u;
}

static void join(struct writer *w)
{
    if (w->length != w->started) {
        put(w, " and ");
    }
}

static void put_type(struct writer *w, uint32_t type)
{
    if (type == TG_TYPE_ARP) {
        put(w, "arp");
    } else if (type == TG_TYPE_IP4) {
        put(w, "ip");
    } else if (type == TG_TYPE_IP6) {
        put(w, "ip6");
    } else {
        put(w, "ether proto 0x%04x", type);
    }
}

/* A protocol of one family, without ports. */
static void put_protocol(struct writer *w, const struct tg_match *m)
{
    const char *const family = m->family == 6u ? "ip6" : "ip";

    if (m->family == 4u && m->protocol == TG_PROTO_ICMP) {
        put(w, "icmp");
    } else if (m->family == 4u && m->protocol == TG_PROTO_IGMP) {
        put(w, "igmp");
    } else if (m->family == 6u && m->protocol == TG_PROTO_ICMP6) {
        put(w, "icmp6");
    } else {
        put(w, "%s proto %u", family, m->protocol);
    }
}

static void put_host(struct writer *w, const struct tg_match *m, const char *what,
                     const uint8_t address[16])
{
    char text[INET6_ADDRSTRLEN] = "";

    (void)inet_ntop(m->family == 6u ? AF_INET6 : AF_INET, address, text, sizeof text);
    put(w, " and %s host %s", what, text);
}

static void put_transport(struct writer *w, const struct tg_match *m)
{
    const bool has_dst = (m->fields & TG_FIELD_DST_PORT) != 0u;

    /* An address says the family already. */
    if ((m->fields & TG_FIELD_FAMILY) != 0u && (m->fields & HOSTS) == 0u) {
        put(w, "%s and ", m->family == 6u ? "ip6" : "ip");
    }
    put(w, "%s", m->protocol == TG_PROTO_UDP ? "udp" : "tcp");
    if (has_dst) {
        put(w, " dst port %u", m->dst_port);
    }
    if ((m->fields & TG_FIELD_SRC_PORT) != 0u) {
        put(w, has_dst ? " and src port %u" : " src port %u", m->src_port);
    }
    if ((m->fields & TG_FIELD_SRC_HOST) != 0u) {
        put_host(w, m, "src", m->src_host);
    }
    if ((m->fields & TG_FIELD_DST_HOST) != 0u) {
        put_host(w, m, "dst", m->dst_host);
    }
    if ((m->fields & TG_FIELD_SYN) != 0u) {
        put(w, " and tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn");
    }
}

static void put_match(struct writer *w, const struct tg_match *m)
{
    if ((m->fields & TG_FIELD_VLAN) != 0u) {
        put(w, "vlan %u and ", m->vlan);
    }
    w->started = w->length;
    if ((m->fields & TG_FIELD_TYPE) != 0u) {
        put_type(w, m->type);
    } else if ((m->fields & (TG_FIELD_DST_PORT | TG_FIELD_SRC_PORT)) != 0u) {
        put_transport(w, m);
    } else if ((m->fields & TG_FIELD_PROTOCOL) != 0u) {
        put_protocol(w, m);
    }
    if ((m->fields & TG_FIELD_BROADCAST) != 0u) {
        join(w);
        put(w, m->broadcast ? "ether broadcast" : "not ether broadcast");
    }
    if ((m->fields & TG_FIELD_MULTICAST) != 0u) {
        join(w);
        put(w, "ether multicast");
    }
}

int tg_match_print(const struct tg_match *match, char *buf, size_t buf_bytes)
{
    struct writer w = {.buf = buf, .buf_bytes = buf_bytes};
    struct tg_pattern pattern;
    int err = tg_match_compile(match, &pattern);

    if (!err) {
        put_match(&w, match);
        err = w.length >= buf_bytes ? TG_ERR_RANGE : 0;
    }
    if (err) {
        if (buf_bytes != 0u) {
            buf[0] = '\0';
        }
        return err;
    }
    return (int)w.length;
}
