/* SPDX-License-Identifier: MIT
 *
 * iface.h - a network interface of Linux as a NIC: a ring that the kernel fills, and a way to send.
 *
 *     interface              receives through                        sends through
 *     veth, Ethernet card    packet socket with a ring in memory     a second packet socket
 *     tap device             the device itself, a frame at a time    likewise
 *
 * The kernel's own stack must not answer for the station, so the interface has no address of its
 * own. Frames that the kernel could not put into the ring are counted as lost, as a NIC counts
 * them.
 */
#ifndef TG_IFACE_IFACE_H
#define TG_IFACE_IFACE_H

#include "tidegate/common.h"

#include <net/if.h>
#include <stdatomic.h>
#include <sys/uio.h>

struct tg_iface;

/* The oldest frame of the ring. */
struct tg_iface_frame {
    const uint8_t *bytes; /* until tg_iface_next */
    uint32_t len_bytes;   /* > mtu + 22 if it was longer than that, however much */
    uint32_t tci;         /* tag that the kernel took out, or TG_TCI_NONE */
    uint16_t tpid;        /* its type; anything if there is none */
    tg_ns arrival_ns;     /* CLOCK_MONOTONIC; of a tap device: when it was read */

    /* A sender on this machine leaves the sum over the bytes from sum_from on to its hardware; it
     * belongs at sum_at. 0: the frame is complete. */
    uint16_t sum_from;
    uint16_t sum_at;
};

/* What a driver does; the contracts are those of the functions below. */
struct tg_iface_driver {
    bool (*look)(struct tg_iface *iface, struct tg_iface_frame *frame);
    void (*next)(struct tg_iface *iface);
    uint64_t (*lost)(struct tg_iface *iface);
    void (*close)(struct tg_iface *iface);
};

/* Common part of a driver's state. Private. */
struct tg_iface {
    const struct tg_iface_driver *driver;
    char name[IF_NAMESIZE];
    int receive_fd;
    int send_fd;
    uint32_t mtu_bytes;
    _Atomic uint64_t giants;
    _Atomic uint64_t unsent;
    bool is_gone; /* the interface was removed; receive thread only */
};

/* Open an interface; a tap device is recognised. Frames are received from now on.
 *
 * Context: start-up; allocates, likewise below.
 * Units:   ring_pkts 1..65535: frames that wait in the kernel.
 * Returns: 0, *out to be given to tg_iface_close; -1, and text says why and what helps.
 * Cost:    O(ring). */
TG_NODISCARD int tg_iface_open(const char *interface, uint32_t ring_pkts, uint32_t mtu_bytes,
                               struct tg_iface **out, char *text, size_t size);

/* Likewise, a tap device; it is made if there is none. */
TG_NODISCARD int tg_iface_open_tap(const char *interface, uint32_t ring_pkts, uint32_t mtu_bytes,
                                   struct tg_iface **out, char *text, size_t size);

/* What the drivers share. Private. */
TG_NODISCARD int tg_iface_open_packet(const char *interface, uint32_t ring_pkts, uint32_t mtu_bytes,
                                      struct tg_iface **out, char *text, size_t size);
bool tg_iface_is_name(const char *interface, char *text, size_t size);
void tg_iface_count_length(struct tg_iface *iface, uint32_t len_bytes);

/* Context: nobody uses it any more; NULL is allowed. Cost: O(ring). */
void tg_iface_close(struct tg_iface *iface);

/* Look at the oldest frame without taking it.
 *
 * Context: one thread at a time, likewise tg_iface_next.
 * Returns: false if there is none.
 * Cost:    O(1); of a tap device one system call. */
static inline bool tg_iface_look(struct tg_iface *iface, struct tg_iface_frame *frame)
{
    return iface->driver->look(iface, frame);
}

/* That frame is done with.
 *
 * Cost: O(1). */
static inline void tg_iface_next(struct tg_iface *iface)
{
    iface->driver->next(iface);
}

/* Copy a frame's bytes from..until - 1; the last ones go with its checksum, if that is open.
 *
 * Context: as tg_iface_look.
 * Units:   from <= until <= len_bytes.
 * Cost:    O(until - from), O(len_bytes) for an open checksum. */
void tg_iface_copy(const struct tg_iface_frame *frame, uint8_t *to, uint32_t from, uint32_t until);

/* See whether the interface is still there, for those who wait by themselves until receive_fd is
 * readable. One that went down or away is told on standard error, once.
 *
 * Context: one thread at a time.
 * Returns: true if it was removed: there are no frames any more, and receive_fd stays readable.
 * Cost:    one system call. */
bool tg_iface_is_gone(struct tg_iface *iface);

/* Block until there is a frame or stop_fd is readable; the form is tg_posix_wait_frames. An
 * interface that goes down or away is told on standard error, then there are no frames any more.
 *
 * Context: receive thread.
 * Cost:    blocks. */
void tg_iface_wait(void *iface, int stop_fd);

/* Send one frame, gathered from n parts. What the kernel refuses is counted.
 *
 * Context: any thread.
 * Returns: false if it was refused.
 * Cost:    one system call. */
bool tg_iface_send(struct tg_iface *iface, const struct iovec *parts, int n);

/* Frames that the kernel dropped since the start because the ring was full.
 *
 * Context: one thread at a time.
 * Cost:    a few system calls. */
uint64_t tg_iface_lost(struct tg_iface *iface);

#endif
