/* SPDX-License-Identifier: MIT
 *
 * iface.c - what both drivers share: find the right one, copy, wait, send.
 */
#include "iface.h"

#include "tidegate/frame.h"

#include "system/text.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/sockios.h>
#include <net/if_arp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- Open ------------------------------------------------------------------------------------ */

static int say_missing(const char *name, char *text, size_t size)
{
    tg_text_add(text, size,
                "there is no interface '%s' here; for a tap device: ip tuntap add %s mode tap && "
                "ip link set %s up",
                name, name, name);
    return -1;
}

/* An Ethernet interface that is up. fd: any socket. */
static int check(int fd, const char *name, char *text, size_t size)
{
    struct ifreq request = {.ifr_name = ""};

    memcpy(request.ifr_name, name, strlen(name));
    if (ioctl(fd, SIOCGIFHWADDR, &request) != 0) {
        return say_missing(name, text, size);
    }
    if (request.ifr_hwaddr.sa_family != ARPHRD_ETHER) {
        tg_text_add(text, size, "interface '%s' does not carry Ethernet frames", name);
        return -1;
    }
    if (ioctl(fd, SIOCGIFFLAGS, &request) != 0 || (request.ifr_flags & IFF_UP) == 0) {
        tg_text_add(text, size, "interface '%s' is down: ip link set %s up", name, name);
        return -1;
    }
    return 0;
}

static bool is_tap(int fd, const char *name)
{
    struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
    struct ifreq request = {.ifr_name = "", .ifr_data = (void *)&info};

    memcpy(request.ifr_name, name, strlen(name));
    return ioctl(fd, SIOCETHTOOL, &request) == 0 && strcmp(info.driver, "tun") == 0 &&
           strcmp(info.bus_info, "tap") == 0;
}

bool tg_iface_is_name(const char *interface, char *text, size_t size)
{
    const size_t length = strlen(interface);

    if (length == 0u || length >= IF_NAMESIZE) {
        tg_text_add(text, size, "'%s' is no name of an interface: allowed are 1..%d bytes",
                    interface, IF_NAMESIZE - 1);
        return false;
    }
    return true;
}

int tg_iface_open(const char *interface, uint32_t ring_pkts, uint32_t mtu_bytes,
                  struct tg_iface **out, char *text, size_t size)
{
    if (!tg_iface_is_name(interface, text, size)) {
        return -1;
    }
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        tg_text_add(text, size, "no socket: %s", strerror(errno));
        return -1;
    }
    const int err = check(fd, interface, text, size);
    const bool has_tap = is_tap(fd, interface);

    (void)close(fd);
    if (err) {
        return err;
    }
    return has_tap ? tg_iface_open_tap(interface, ring_pkts, mtu_bytes, out, text, size)
                   : tg_iface_open_packet(interface, ring_pkts, mtu_bytes, out, text, size);
}

void tg_iface_close(struct tg_iface *iface)
{
    if (iface != NULL) {
        iface->driver->close(iface);
    }
}

/* ---- Receive --------------------------------------------------------------------------------- */

/* The Internet checksum (RFC 1071) of what the sender left open: its field holds the sum over the
 * pseudo header. 0 would mean that there is none, so it is written as its other form. */
static void close_sum(const struct tg_iface_frame *frame, uint8_t *bytes)
{
    uint64_t sum = 0u;
    uint32_t i = frame->sum_from;

    for (; i + 1u < frame->len_bytes; i += 2u) {
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1u];
    }
    if (i < frame->len_bytes) {
        sum += (uint32_t)bytes[i] << 8;
    }
    while (sum > UINT16_MAX) {
        sum = (sum & UINT16_MAX) + (sum >> 16);
    }
    const uint32_t value = sum != UINT16_MAX ? UINT16_MAX - (uint32_t)sum : UINT16_MAX;

    bytes[frame->sum_at] = (uint8_t)(value >> 8);
    bytes[frame->sum_at + 1u] = (uint8_t)value;
}

void tg_iface_copy(const struct tg_iface_frame *frame, uint8_t *to, uint32_t from, uint32_t until)
{
    memcpy(to + from, frame->bytes + from, until - from);
    if (frame->sum_from != 0u && until == frame->len_bytes) {
        close_sum(frame, to);
    }
}

void tg_iface_count_length(struct tg_iface *iface, uint32_t len_bytes)
{
    if (len_bytes > iface->mtu_bytes + ETH_HLEN + 4u * TG_TAGS_MAX) {
        atomic_fetch_add_explicit(&iface->giants, 1u, memory_order_relaxed);
    }
}

static void say_gone(struct tg_iface *iface, const char *what)
{
    fprintf(stderr, "tidegate: interface %s %s\n", iface->name, what);
}

/* An error is kept by the kernel until it is read. A removed device reports it for ever. */
static void take_error(struct tg_iface *iface)
{
    int err = 0;
    socklen_t size = sizeof err;

    if (getsockopt(iface->receive_fd, SOL_SOCKET, SO_ERROR, &err, &size) != 0 ||
        if_nametoindex(iface->name) == 0u) {
        iface->is_gone = true;
        say_gone(iface, "is gone, nothing can be received any more");
    } else if (err == ENETDOWN) {
        say_gone(iface, "went down");
    }
}

bool tg_iface_is_gone(struct tg_iface *iface)
{
    struct pollfd errors = {.fd = iface->receive_fd};

    if (!iface->is_gone && poll(&errors, 1u, 0) > 0) {
        take_error(iface);
    }
    return iface->is_gone;
}

void tg_iface_wait(void *iface, int stop_fd)
{
    struct tg_iface *const n = iface;

    for (;;) {
        struct pollfd waiting[] = {{.fd = stop_fd, .events = POLLIN},
                                   {.fd = n->receive_fd, .events = POLLIN}};
        const int ready = poll(waiting, n->is_gone ? 1u : 2u, -1);

        if (ready > 0 && !n->is_gone && (waiting[1].revents & ~POLLIN) != 0) {
            take_error(n);
        } else if (ready > 0) {
            return;
        }
    }
}

uint64_t tg_iface_lost(struct tg_iface *iface)
{
    return iface->driver->lost(iface);
}

/* ---- Send ------------------------------------------------------------------------------------ */

bool tg_iface_send(struct tg_iface *iface, const struct iovec *parts, int n)
{
    ssize_t sent;

    do {
        sent = writev(iface->send_fd, parts, n);
    } while (sent < 0 && errno == EINTR);
    if (sent < 0) {
        atomic_fetch_add(&iface->unsent, 1u);
    }
    return sent >= 0;
}
