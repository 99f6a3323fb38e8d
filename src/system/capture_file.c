/* SPDX-License-Identifier: MIT
 *
 * capture_file.c - frames from a pcap or pcapng file, by libpcap.
 */
#include "system/capture_file.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tg_capture_file {
    pcap_t *pcap;
};

/* Standard input gets the name people know it by. */
static void say(char *message, const char *path, const char *what)
{
    (void)snprintf(message, TG_CAPTURE_MESSAGE_BYTES, "%s: %s",
                   strcmp(path, "-") == 0 ? "standard input" : path, what);
}

/* libpcap puts the path in front of some of its messages. */
static const char *without_path(const char *text, const char *path)
{
    const size_t length = strlen(path);

    return strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2u) == 0
               ? text + length + 2u
               : text;
}

int tg_capture_file_open(const char *path, struct tg_capture_file **out,
                         char message[TG_CAPTURE_MESSAGE_BYTES])
{
    char reason[PCAP_ERRBUF_SIZE] = "";
    struct tg_capture_file *const c = malloc(sizeof *c);

    if (c == NULL) {
        say(message, path, "out of memory");
        return -1;
    }
    c->pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, reason);
    if (c->pcap == NULL) {
        say(message, path, without_path(reason, path));
        free(c);
        return -1;
    }

    const int link = pcap_datalink(c->pcap);

    if (link != DLT_EN10MB) {
        const char *const name = pcap_datalink_val_to_name(link);

        (void)snprintf(reason, sizeof reason,
                       "found link type %d (%s), allowed: 1 (EN10MB, Ethernet)", link,
                       name != NULL ? name : "unknown");
        say(message, path, reason);
        tg_capture_file_close(c);
        return -1;
    }
    *out = c;
    return 0;
}

enum tg_capture_state tg_capture_file_next(struct tg_capture_file *c, struct tg_captured *frame)
{
    struct pcap_pkthdr *header;
    const u_char *bytes;
    const int found = pcap_next_ex(c->pcap, &header, &bytes);

    if (found == PCAP_ERROR_BREAK) {
        return TG_CAPTURE_END;
    }
    if (found != 1) {
        /* The only mark that libpcap gives. */
        return strstr(pcap_geterr(c->pcap), "truncated") != NULL ? TG_CAPTURE_TRUNCATED
                                                                 : TG_CAPTURE_DAMAGED;
    }
    /* tv_usec holds nanoseconds: that precision was asked for. */
    *frame = (struct tg_captured){.bytes = bytes,
                                  .n_bytes = header->caplen,
                                  .len_bytes = header->len,
                                  .at_ns = (tg_ns)header->ts.tv_sec * UINT64_C(1000000000) +
                                           (tg_ns)header->ts.tv_usec};
    if (frame->n_bytes > frame->len_bytes) {
        frame->len_bytes = frame->n_bytes; /* some writers leave the length on the wire out */
    }
    return TG_CAPTURE_FRAME;
}

const char *tg_capture_file_message(const struct tg_capture_file *c)
{
    return pcap_geterr(c->pcap);
}

void tg_capture_file_close(struct tg_capture_file *c)
{
    if (c != NULL) {
        pcap_close(c->pcap);
        free(c);
    }
}
