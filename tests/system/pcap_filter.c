/* SPDX-License-Identifier: MIT
 *
 * pcap_filter.c - what a match means, said by libpcap.
 */
#include "pcap_filter.h"

#include "system/match_text.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_BYTES 2048u
#define TAGS       2

struct pcap_filter {
    struct bpf_program programs[TAGS + 1]; /* [n]: behind n tags */
};

/* Behind a hop-by-hop header of 8 bytes. */
#define MLD     "(ip6 and ip6[6] = 0 and ip6[40] = 58 and ip6[41] = 0)"
#define SYN     "(tcp-syn|tcp-ack) == tcp-syn"
#define REQUEST "((tcp[tcpflags] & " SYN ") or (ip6 and ip6[6] = 6 and ip6[53] & " SYN "))"

/* The match without VLAN, as libpcap has to hear it. */
static bool say(const struct tg_match *match, char *out, size_t size)
{
    const uint32_t shape =
        match->fields & ~(uint32_t)(TG_FIELD_VLAN | TG_FIELD_BROADCAST | TG_FIELD_MULTICAST);
    const bool is_icmp6 = shape == (TG_FIELD_PROTOCOL | TG_FIELD_FAMILY) && match->family == 6u &&
                          match->protocol == 58u;
    const bool is_request = (match->fields & TG_FIELD_SYN) != 0u;
    struct tg_match m = *match;
    char text[TG_MATCH_TEXT_BYTES];
    int length;

    m.fields &= (uint16_t) ~(TG_FIELD_VLAN | TG_FIELD_SYN);
    if (tg_match_print(&m, text, sizeof text) < 0) {
        return false;
    }
    if (is_icmp6 && (m.fields & TG_FIELD_BROADCAST) != 0u) {
        length = snprintf(out, size, "(%s) or (%s and %s ether broadcast)", text, MLD,
                          m.broadcast ? "" : "not");
    } else if (is_icmp6 && (m.fields & TG_FIELD_MULTICAST) != 0u) {
        length = snprintf(out, size, "(%s) or (%s and ether multicast)", text, MLD);
    } else if (is_icmp6) {
        length = snprintf(out, size, "(%s) or %s", text, MLD);
    } else {
        length = snprintf(out, size, is_request ? "(%s) and %s" : "(%s)", text, REQUEST);
    }
    return length > 0 && (size_t)length < size;
}

static bool compile(pcap_t *pcap, struct bpf_program *program, const char *text)
{
    if (pcap_compile(pcap, program, text, 1, PCAP_NETMASK_UNKNOWN) != 0) {
        fprintf(stderr, "libpcap refuses '%s': %s\n", text, pcap_geterr(pcap));
        return false;
    }
    return true;
}

/* Tags in front, asked for by their types, and the outermost VID. Behind the first `vlan` the
 * offsets of ether[] do not move, those of protocols do. */
static void put_tags(const struct tg_match *match, int tags, char *out, size_t size)
{
    static const char *const types[TAGS] = {"(ether[12:2] = 0x8100 or ether[12:2] = 0x88a8) and ",
                                            "(ether[16:2] = 0x8100 or ether[16:2] = 0x88a8) and "};
    int length = 0;

    out[0] = '\0';
    for (int i = 0; i < tags; i++) {
        length += snprintf(out + length, size - (size_t)length, "%s", types[i]);
    }
    for (int i = 0; i < tags; i++) {
        const bool has_id = i == 0 && (match->fields & TG_FIELD_VLAN) != 0u;
        char id[16] = "";

        if (has_id) {
            (void)snprintf(id, sizeof id, " %u", match->vlan);
        }
        length += snprintf(out + length, size - (size_t)length, "vlan%s and ", id);
    }
}

/* libpcap must take the canonical text as it is: matches are a subset of its language. Flags of TCP
 * over IPv6 alone it takes for a contradiction: then the rest of the text. */
static bool is_accepted(pcap_t *pcap, const struct tg_match *match)
{
    struct bpf_program program;
    struct tg_match m = *match;
    char text[TG_MATCH_TEXT_BYTES];

    if (m.family == 6u &&
        (m.fields & (TG_FIELD_FAMILY | TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST)) != 0u) {
        m.fields &= (uint16_t)~TG_FIELD_SYN;
    }
    if (tg_match_print(&m, text, sizeof text) < 0 || !compile(pcap, &program, text)) {
        return false;
    }
    pcap_freecode(&program);
    return true;
}

static bool compile_all(pcap_t *pcap, struct pcap_filter *f, const struct tg_match *match)
{
    char meaning[TEXT_BYTES];

    if (!is_accepted(pcap, match) || !say(match, meaning, sizeof meaning)) {
        return false;
    }
    /* Without a tag there is no VLAN: that program stays empty. */
    for (int tags = (match->fields & TG_FIELD_VLAN) != 0u ? 1 : 0; tags <= TAGS; tags++) {
        char front[TEXT_BYTES];
        char text[2u * TEXT_BYTES];

        put_tags(match, tags, front, sizeof front);

        const int length = snprintf(text, sizeof text, "%s(%s)", front, meaning);

        if (length < 0 || (size_t)length >= sizeof text ||
            !compile(pcap, &f->programs[tags], text)) {
            return false;
        }
    }
    return true;
}

struct pcap_filter *pcap_filter_new(const struct tg_match *match)
{
    pcap_t *const pcap = pcap_open_dead(DLT_EN10MB, 65535);
    struct pcap_filter *f = calloc(1u, sizeof *f);

    if (pcap == NULL || f == NULL || !compile_all(pcap, f, match)) {
        free(f);
        f = NULL;
    }
    if (pcap != NULL) {
        pcap_close(pcap);
    }
    return f;
}

void pcap_filter_free(struct pcap_filter *f)
{
    for (int i = 0; i <= TAGS; i++) {
        pcap_freecode(&f->programs[i]);
    }
    free(f);
}

bool pcap_filter_takes(const struct pcap_filter *f, const uint8_t *bytes, uint32_t len_bytes)
{
    const struct pcap_pkthdr header = {.caplen = len_bytes, .len = len_bytes};
    bool takes = false;

    for (int i = 0; i <= TAGS; i++) {
        takes = takes || (f->programs[i].bf_insns != NULL &&
                          pcap_offline_filter(&f->programs[i], &header, bytes) != 0);
    }
    return takes;
}
