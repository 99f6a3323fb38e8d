/* SPDX-License-Identifier: MIT
 *
 * net.c - a network of the test's own.
 */
#include "net.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS 5000

bool net_enter(void)
{
    return unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
}

bool net_ip(const char *arguments)
{
    char command[200];

    (void)snprintf(command, sizeof command, "ip %s", arguments);
    return system(command) == 0; /* NOLINT(cert-env33-c): the arguments are the test's own */
}

int net_open(const char *interface)
{
    const struct sockaddr_ll address = {.sll_family = AF_PACKET,
                                        .sll_protocol = htons(ETH_P_ALL),
                                        .sll_ifindex = (int)if_nametoindex(interface)};
    const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));

    return fd >= 0 && bind(fd, (const struct sockaddr *)(const void *)&address, sizeof address) == 0
               ? fd
               : -1;
}

bool net_send(int socket, const uint8_t *bytes, uint32_t len_bytes)
{
    return send(socket, bytes, len_bytes, 0) == (ssize_t)len_bytes;
}

static bool is_incoming(const struct sockaddr_ll *from)
{
    return from->sll_pkttype != PACKET_OUTGOING;
}

uint32_t net_receive_udp(int socket, uint16_t port, uint8_t *bytes, uint32_t room_bytes)
{
    struct pollfd fd = {.fd = socket, .events = POLLIN};

    while (poll(&fd, 1u, PATIENCE_MS) == 1) {
        struct sockaddr_ll from;
        socklen_t from_bytes = sizeof from;
        const ssize_t n =
            recvfrom(socket, bytes, room_bytes, 0, (struct sockaddr *)(void *)&from, &from_bytes);

        /* The kernel talks on the network by itself. */
        if (n >= 42 && is_incoming(&from) && bytes[12] == 0x08 && bytes[13] == 0x00 &&
            bytes[36] == port >> 8 && bytes[37] == (port & 0xffu)) {
            return (uint32_t)n;
        }
    }
    return 0u;
}
