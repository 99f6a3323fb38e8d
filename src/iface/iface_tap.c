/* SPDX-License-Identifier: MIT
 *
 * iface_tap.c - a tap device: what the kernel sends on it we receive, one frame a system call.
 */
#include "iface.h"

#include "tidegate/frame.h"

#include "system/text.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/if_link.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S        UINT64_C(1000000000)
#define FRAME_MAX_BYTES 65600u

struct tap {
    struct tg_iface iface;
    uint64_t lost_before; /* when it was opened */
    tg_ns arrival_ns;
    uint32_t len_bytes; /* of the frame in bytes; 0: none */
    uint8_t bytes[FRAME_MAX_BYTES];
};

static tg_ns now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (tg_ns)now.tv_sec * NS_PER_S + (tg_ns)now.tv_nsec;
}

static bool tap_look(struct tg_iface *iface, struct tg_iface_frame *frame)
{
    struct tap *const t = (struct tap *)iface;

    if (t->len_bytes == 0u) {
        const ssize_t length = read(iface->receive_fd, t->bytes, sizeof t->bytes);

        if (length <= 0) {
            return false;
        }
        t->len_bytes = (uint32_t)length;
        t->arrival_ns = now_ns();
        tg_iface_count_length(iface, t->len_bytes);
    }
    *frame = (struct tg_iface_frame){.bytes = t->bytes,
                                     .len_bytes = t->len_bytes,
                                     .tci = TG_TCI_NONE,
                                     .arrival_ns = t->arrival_ns};
    return true;
}

static void tap_next(struct tg_iface *iface)
{
    ((struct tap *)iface)->len_bytes = 0u;
}

/* All that the kernel wanted to send on the device and could not. */
static uint64_t dropped(const char *name)
{
    struct ifaddrs *all = NULL;
    uint64_t frames = 0u;

    if (getifaddrs(&all) != 0) {
        return 0u;
    }
    for (const struct ifaddrs *i = all; i != NULL; i = i->ifa_next) {
        if (i->ifa_addr != NULL && i->ifa_addr->sa_family == AF_PACKET && i->ifa_data != NULL &&
            strcmp(i->ifa_name, name) == 0) {
            frames = ((const struct rtnl_link_stats *)i->ifa_data)->tx_dropped;
        }
    }
    freeifaddrs(all);
    return frames;
}

static uint64_t tap_lost(struct tg_iface *iface)
{
    const struct tap *const t = (struct tap *)iface;
    const uint64_t frames = dropped(iface->name);

    return frames > t->lost_before ? frames - t->lost_before : 0u;
}

static void tap_close(struct tg_iface *iface)
{
    if (iface->receive_fd >= 0) {
        (void)close(iface->receive_fd);
    }
    free(iface);
}

static const struct tg_iface_driver tap_driver = {
    .look = tap_look, .next = tap_next, .lost = tap_lost, .close = tap_close};

/* ---- Open ------------------------------------------------------------------------------------ */

/* As many frames wait in the kernel as the file's ring has descriptors. */
static void set_queue(const char *name, uint32_t ring_pkts)
{
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = ""};

    memcpy(request.ifr_name, name, strlen(name));
    request.ifr_qlen = (int)ring_pkts;
    if (fd < 0 || ioctl(fd, SIOCSIFTXQLEN, &request) != 0) {
        fprintf(stderr,
                "tidegate: the queue of %s keeps its length, this needs CAP_NET_ADMIN: ip link "
                "set %s txqueuelen %u\n",
                name, name, (unsigned)ring_pkts);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

static int attach(struct tap *t)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};

    memcpy(request.ifr_name, t->iface.name, sizeof request.ifr_name);
    t->iface.receive_fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    /* No offloads: the kernel hands out whole frames with their checksums. */
    if (t->iface.receive_fd < 0 || ioctl(t->iface.receive_fd, TUNSETIFF, &request) != 0 ||
        ioctl(t->iface.receive_fd, TUNSETOFFLOAD, 0) != 0) {
        return -1;
    }
    t->iface.send_fd = t->iface.receive_fd;
    return 0;
}

int tg_iface_open_tap(const char *interface, uint32_t ring_pkts, uint32_t mtu_bytes,
                      struct tg_iface **out, char *text, size_t size)
{
    if (!tg_iface_is_name(interface, text, size)) {
        return -1;
    }
    struct tap *const t = calloc(1u, sizeof *t);

    if (t == NULL) {
        tg_text_add(text, size, "out of memory");
        return -1;
    }
    t->iface = (struct tg_iface){
        .driver = &tap_driver, .receive_fd = -1, .send_fd = -1, .mtu_bytes = mtu_bytes};
    memcpy(t->iface.name, interface, strlen(interface) + 1u);
    if (attach(t) != 0) {
        const int err = errno;

        tg_text_add(text, size, "tap device '%s' cannot be opened: %s%s", interface, strerror(err),
                    err == EPERM   ? " (it needs root, CAP_NET_ADMIN, or to be its `user`)"
                    : err == EBUSY ? " (another program has it open)"
                                   : "");
        tap_close(&t->iface);
        return -1;
    }
    set_queue(interface, ring_pkts);
    t->lost_before = dropped(interface);
    *out = &t->iface;
    return 0;
}
