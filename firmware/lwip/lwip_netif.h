/* SPDX-License-Identifier: MIT
 *
 * lwip_netif.h - lwIP started on the kernel, with a board's Ethernet interface.
 */
#ifndef LWIP_NETIF_H
#define LWIP_NETIF_H

#include <lwip/netif.h>
#include <stdint.h>

struct lwip_netif_config {
    const char *name;         /* two letters */
    uint64_t mac;             /* as tg_mac */
    const char *address;      /* IPv4, in a network of 24 bits */
    netif_linkoutput_fn send; /* lwIP calls it under its core lock */
};

/* Start lwIP, add the interface and bring it up. Frames come through tcpip_input or another way.
 *
 * Context: a thread, once; lwip_station_priority (lwipopts.h) is set. What lwIP refuses stops the
 *          program. */
void lwip_netif_start(struct netif *netif, const struct lwip_netif_config *cfg);

#endif
