/* SPDX-License-Identifier: MIT
 *
 * frames_tap.c - frames from and to a TAP device: the other end of it is an interface of this
 * machine.
 */
#include "nic/device/frames.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static uint32_t take(struct tg_nic_frames *f, uint8_t bytes[TG_NIC_FRAMES_ROOM_BYTES])
{
    const ssize_t n = read(f->fd, bytes, TG_NIC_FRAME_MAX);

    return n > 0 ? (uint32_t)n : 0u;
}

static bool send_frame(struct tg_nic_frames *f, const uint8_t *bytes, uint32_t len_bytes)
{
    return write(f->fd, bytes, len_bytes) == (ssize_t)len_bytes;
}

static void close_tap(struct tg_nic_frames *f)
{
    (void)close(f->fd);
    free(f);
}

static const struct tg_nic_frames_kind kind = {
    .take = take, .send = send_frame, .close = close_tap};

static int open_device(const char *name)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    const int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0) {
        return -1;
    }
    strcpy(request.ifr_name, name);
    if (ioctl(fd, TUNSETIFF, &request) != 0) {
        const int error = errno;

        (void)close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

int tg_nic_frames_tap(const char *name, struct tg_nic_frames **out,
                      char message[TG_NIC_FRAMES_MESSAGE_BYTES])
{
    struct tg_nic_frames *const f = calloc(1u, sizeof *f);

    if (strlen(name) >= IFNAMSIZ) {
        errno = ENAMETOOLONG;
    }
    const int fd = f != NULL && strlen(name) < IFNAMSIZ ? open_device(name) : -1;

    if (fd < 0) {
        (void)snprintf(message, TG_NIC_FRAMES_MESSAGE_BYTES, "tap:%s: %s", name, strerror(errno));
        free(f);
        return -1;
    }
    *f = (struct tg_nic_frames){.kind = &kind, .fd = fd, .next_ns = TG_NIC_FRAMES_NEVER};
    *out = f;
    return 0;
}
