/* SPDX-License-Identifier: MIT
 *
 * parts.h - what every test sets up in lwIP: the station's interface, and receivers.
 */
#ifndef TG_TESTS_PARTS_H
#define TG_TESTS_PARTS_H

#include <lwip/netif.h>
#include <lwip/udp.h>

#include <stdbool.h>

/* Add the interface of 192.0.2.1/24, whose frames go to send; its gateway is the peer. With groups
 * it joins those of multicast, and lwIP's timers report them. Takes the core lock, likewise
 * below. */
void parts_add_netif(struct netif *netif, void *state, netif_linkoutput_fn send, bool groups);

/* A datagram to this port, of any address, goes to receive. */
struct udp_pcb *parts_add_receiver(uint16_t port, udp_recv_fn receive);
void parts_remove_receiver(struct udp_pcb *pcb);

#endif
