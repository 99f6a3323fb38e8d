/* SPDX-License-Identifier: MIT
 *
 * iface_packet.c - an interface through packet sockets: a ring in memory that the kernel fills.
 *
 *     slot 0      slot 1      slot 2            one block each, so that there are as many as wanted
 *    ┌──────────┬───────────┬──────────┐
 *    │ header   │ header    │ header   │        tp_status: USER, the frame is ours, in order;
 *    │ frame    │ frame     │          │                   KERNEL, the slot is the kernel's
 *    └──────────┴───────────┴──────────┘
 *
 * Frames of all addresses come in (promiscuous mode); the flows decide. Version 2 of the ring
 * (linux/if_packet.h): each frame is there at once, while the blocks of version 3 wait for more.
 */
#include "iface.h"

#include "tidegate/frame.h"

#include "system/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

/* In front of a frame: header, address, and the kernel's alignment. */
#define SLOT_HEAD_BYTES 128u

struct packet {
    struct tg_iface iface;
    uint8_t *ring; /* MAP_FAILED: none */
    size_t ring_bytes;
    uint32_t slot_bytes;
    uint32_t n_slots;
    uint32_t oldest; /* slot that is looked at next */
    uint64_t lost;
};

/* ---- Receive --------------------------------------------------------------------------------- */

static struct tpacket2_hdr *slot(const struct packet *p)
{
    return (struct tpacket2_hdr *)(void *)(p->ring + (size_t)p->oldest * p->slot_bytes);
}

static tg_ns clock_ns(clockid_t clock)
{
    struct timespec now;

    (void)clock_gettime(clock, &now);
    return (tg_ns)now.tv_sec * NS_PER_S + (tg_ns)now.tv_nsec;
}

/* The kernel stamps with the wall clock. */
static tg_ns arrival_ns(const struct tpacket2_hdr *header)
{
    const tg_ns stamp_ns = (tg_ns)header->tp_sec * NS_PER_S + header->tp_nsec;
    const tg_ns wall_ns = clock_ns(CLOCK_REALTIME);
    const tg_ns now_ns = clock_ns(CLOCK_MONOTONIC);
    const tg_ns age_ns = wall_ns > stamp_ns ? wall_ns - stamp_ns : 0u;

    return now_ns > age_ns ? now_ns - age_ns : now_ns; /* else the wall clock was set */
}

static void take_sum(const uint8_t *bytes, struct tg_iface_frame *frame)
{
    struct virtio_net_hdr hint;

    memcpy(&hint, bytes - sizeof hint, sizeof hint);
    frame->sum_from = 0u;
    if ((hint.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) != 0u &&
        (uint32_t)hint.csum_start + hint.csum_offset + 2u <= frame->len_bytes) {
        frame->sum_from = hint.csum_start;
        frame->sum_at = (uint16_t)(hint.csum_start + hint.csum_offset);
    }
}

static bool packet_look(struct tg_iface *iface, struct tg_iface_frame *frame)
{
    const struct packet *const p = (struct packet *)iface;
    const struct tpacket2_hdr *const header = slot(p);
    const uint32_t status = __atomic_load_n(&header->tp_status, __ATOMIC_ACQUIRE);

    if ((status & TP_STATUS_USER) == 0u) {
        return false;
    }
    frame->bytes = (const uint8_t *)header + header->tp_mac;
    frame->len_bytes = header->tp_snaplen;
    frame->tci = (status & TP_STATUS_VLAN_VALID) != 0u ? header->tp_vlan_tci : TG_TCI_NONE;
    frame->tpid = header->tp_vlan_tpid;
    frame->arrival_ns = arrival_ns(header);
    take_sum(frame->bytes, frame);
    return true;
}

static void packet_next(struct tg_iface *iface)
{
    struct packet *const p = (struct packet *)iface;
    struct tpacket2_hdr *const header = slot(p);

    tg_iface_count_length(iface, header->tp_snaplen);
    __atomic_store_n(&header->tp_status, (uint32_t)TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    p->oldest = p->oldest + 1u != p->n_slots ? p->oldest + 1u : 0u;
}

/* Reading them sets them to zero. */
static uint64_t packet_lost(struct tg_iface *iface)
{
    struct packet *const p = (struct packet *)iface;
    struct tpacket_stats stats;
    socklen_t size = sizeof stats;

    if (getsockopt(iface->receive_fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0) {
        p->lost += stats.tp_drops;
    }
    return p->lost;
}

static void packet_close(struct tg_iface *iface)
{
    struct packet *const p = (struct packet *)iface;

    if (p->ring != MAP_FAILED) {
        (void)munmap(p->ring, p->ring_bytes);
    }
    if (iface->receive_fd >= 0) {
        (void)close(iface->receive_fd);
    }
    if (iface->send_fd >= 0) {
        (void)close(iface->send_fd);
    }
    free(p);
}

static const struct tg_iface_driver packet_driver = {
    .look = packet_look, .next = packet_next, .lost = packet_lost, .close = packet_close};

/* ---- Open ------------------------------------------------------------------------------------ */

static int set(int fd, int option, int value)
{
    return setsockopt(fd, SOL_PACKET, option, &value, sizeof value);
}

/* Everything that decides about a frame, before the first one can come. */
static int set_up_ring(struct packet *p, uint32_t ring_pkts)
{
    const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
    const uint32_t least = SLOT_HEAD_BYTES + p->iface.mtu_bytes + ETH_HLEN + 4u * TG_TAGS_MAX + 1u;
    const int fd = p->iface.receive_fd;

    p->slot_bytes = page;
    while (p->slot_bytes < least) {
        p->slot_bytes *= 2u;
    }
    p->n_slots = ring_pkts;
    const struct tpacket_req request = {.tp_block_size = p->slot_bytes,
                                        .tp_block_nr = ring_pkts,
                                        .tp_frame_size = p->slot_bytes,
                                        .tp_frame_nr = ring_pkts};

    if (set(fd, PACKET_VERSION, TPACKET_V2) != 0 || set(fd, PACKET_VNET_HDR, 1) != 0 ||
        set(fd, PACKET_IGNORE_OUTGOING, 1) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof request) != 0) {
        return -1;
    }
    p->ring_bytes = (size_t)ring_pkts * p->slot_bytes;
    p->ring = mmap(NULL, p->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return p->ring != MAP_FAILED ? 0 : -1;
}

static int bind_to(int fd, uint32_t index, uint16_t protocol)
{
    const struct sockaddr_ll to = {
        .sll_family = AF_PACKET, .sll_protocol = htons(protocol), .sll_ifindex = (int)index};

    return bind(fd, (const struct sockaddr *)&to, sizeof to);
}

/* Sockets of protocol 0 receive nothing. */
static int open_sockets(struct packet *p, uint32_t ring_pkts)
{
    const uint32_t index = if_nametoindex(p->iface.name);
    const struct packet_mreq all = {.mr_ifindex = (int)index, .mr_type = PACKET_MR_PROMISC};

    p->iface.receive_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    p->iface.send_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (p->iface.receive_fd < 0 || p->iface.send_fd < 0 ||
        bind_to(p->iface.send_fd, index, 0u) != 0 || set_up_ring(p, ring_pkts) != 0 ||
        bind_to(p->iface.receive_fd, index, ETH_P_ALL) != 0) {
        return -1;
    }
    return setsockopt(p->iface.receive_fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all);
}

int tg_iface_open_packet(const char *interface, uint32_t ring_pkts, uint32_t mtu_bytes,
                         struct tg_iface **out, char *text, size_t size)
{
    struct packet *const p = calloc(1u, sizeof *p);

    if (p == NULL) {
        tg_text_add(text, size, "out of memory");
        return -1;
    }
    p->iface = (struct tg_iface){
        .driver = &packet_driver, .receive_fd = -1, .send_fd = -1, .mtu_bytes = mtu_bytes};
    memcpy(p->iface.name, interface, strlen(interface) + 1u);
    p->ring = MAP_FAILED;
    if (open_sockets(p, ring_pkts) != 0) {
        const int err = errno;

        tg_text_add(text, size, "interface '%s' cannot be opened: %s%s", interface, strerror(err),
                    err == EPERM ? " (packet sockets need root, or CAP_NET_RAW)" : "");
        packet_close(&p->iface);
        return -1;
    }
    *out = &p->iface;
    return 0;
}
