/* SPDX-License-Identifier: MIT
 *
 * frames_live.c - frames from and to a network interface, through libpcap: it puts tags back that
 * the kernel stripped.
 */
#include "nic/device/frames.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SNAP_BYTES   65535
#define BUFFER_BYTES (4 << 20)

struct live {
    struct tg_nic_frames frames;
    pcap_t *pcap;
};

static uint32_t take(struct tg_nic_frames *f, uint8_t bytes[TG_NIC_FRAMES_ROOM_BYTES])
{
    struct live *const l = (struct live *)f;
    struct pcap_pkthdr *header;
    const u_char *data;

    if (pcap_next_ex(l->pcap, &header, &data) != 1) {
        return 0u;
    }
    if (header->caplen < header->len || header->len == 0u) {
        f->lost++;
        return 0u;
    }
    memcpy(bytes, data, header->caplen);
    return header->caplen;
}

static bool send_frame(struct tg_nic_frames *f, const uint8_t *bytes, uint32_t len_bytes)
{
    return pcap_inject(((struct live *)f)->pcap, bytes, len_bytes) == (int)len_bytes;
}

static void close_live(struct tg_nic_frames *f)
{
    pcap_close(((struct live *)f)->pcap);
    free(f);
}

static const struct tg_nic_frames_kind kind = {
    .take = take, .send = send_frame, .close = close_live};

/* Frames at once, only those that come in, and never wait for one. */
static bool activate(pcap_t *pcap, char *error)
{
    return pcap_set_snaplen(pcap, SNAP_BYTES) == 0 && pcap_set_promisc(pcap, 1) == 0 &&
           pcap_set_immediate_mode(pcap, 1) == 0 && pcap_set_buffer_size(pcap, BUFFER_BYTES) == 0 &&
           pcap_activate(pcap) >= 0 && pcap_setdirection(pcap, PCAP_D_IN) == 0 &&
           pcap_setnonblock(pcap, 1, error) == 0;
}

int tg_nic_frames_live(const char *name, struct tg_nic_frames **out,
                       char message[TG_NIC_FRAMES_MESSAGE_BYTES])
{
    char error[PCAP_ERRBUF_SIZE] = "";
    struct live *const l = calloc(1u, sizeof *l);

    if (l == NULL) {
        (void)snprintf(message, TG_NIC_FRAMES_MESSAGE_BYTES, "out of memory");
        return -1;
    }
    l->pcap = pcap_create(name, error);
    if (l->pcap == NULL || !activate(l->pcap, error) || pcap_datalink(l->pcap) != DLT_EN10MB) {
        (void)snprintf(message, TG_NIC_FRAMES_MESSAGE_BYTES, "veth:%s: %s", name,
                       error[0] != '\0'  ? error
                       : l->pcap != NULL ? pcap_geterr(l->pcap)
                                         : "no Ethernet");
        if (l->pcap != NULL) {
            pcap_close(l->pcap);
        }
        free(l);
        return -1;
    }
    l->frames = (struct tg_nic_frames){
        .kind = &kind, .fd = pcap_get_selectable_fd(l->pcap), .next_ns = TG_NIC_FRAMES_NEVER};
    *out = &l->frames;
    return 0;
}
