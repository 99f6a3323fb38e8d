/* SPDX-License-Identifier: MIT
 *
 * parts.c - what every test sets up in lwIP: the station's interface, and receivers.
 */
#include "parts.h"
#include "check_cmocka.h"
#include "test_frame.h"

#include <lwip/etharp.h>
#include <lwip/ethip6.h>
#include <lwip/tcpip.h>

#include <string.h>

static err_t init_netif(struct netif *netif)
{
    netif->name[0] = 't';
    netif->name[1] = 'g';
    netif->mtu = 1500;
    netif->hwaddr_len = 6;
    memcpy(netif->hwaddr, STATION_MAC, 6u);
    netif->flags =
        NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    netif->output = etharp_output;
#if LWIP_IPV6
    netif->output_ip6 = ethip6_output;
#endif
    return ERR_OK;
}

static err_t init_with_groups(struct netif *netif)
{
    (void)init_netif(netif);
    netif->flags |= NETIF_FLAG_IGMP | NETIF_FLAG_MLD6;
    return ERR_OK;
}

void parts_add_netif(struct netif *netif, void *state, netif_linkoutput_fn send, bool groups)
{
    ip4_addr_t host;
    ip4_addr_t mask;
    ip4_addr_t gateway;

    IP4_ADDR(&host, 192, 0, 2, 1);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 192, 0, 2, 2);
    LOCK_TCPIP_CORE();
    assert_non_null(netif_add(netif, &host, &mask, &gateway, state,
                              groups ? init_with_groups : init_netif, netif_input));
    netif->linkoutput = send;
    netif_set_default(netif);
    netif_set_up(netif);
    UNLOCK_TCPIP_CORE();
}

struct udp_pcb *parts_add_receiver(uint16_t port, udp_recv_fn receive)
{
    LOCK_TCPIP_CORE();
    struct udp_pcb *const pcb = udp_new();

    assert_non_null(pcb);
    assert_int_equal(udp_bind(pcb, IP_ANY_TYPE, port), ERR_OK);
    udp_recv(pcb, receive, NULL);
    UNLOCK_TCPIP_CORE();
    return pcb;
}

void parts_remove_receiver(struct udp_pcb *pcb)
{
    LOCK_TCPIP_CORE();
    udp_remove(pcb);
    UNLOCK_TCPIP_CORE();
}
