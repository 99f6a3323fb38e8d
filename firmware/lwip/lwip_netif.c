/* SPDX-License-Identifier: MIT
 *
 * lwip_netif.c - lwIP started on the kernel, with a board's Ethernet interface.
 */
#include "lwip_netif.h"
#include "kernel.h"

#include <lwip/etharp.h>
#include <lwip/tcpip.h>

#define MTU     1500u
#define NETMASK "255.255.255.0"

static err_t init_netif(struct netif *n)
{
    const struct lwip_netif_config *const cfg = n->state;

    n->name[0] = cfg->name[0];
    n->name[1] = cfg->name[1];
    n->mtu = MTU;
    n->hwaddr_len = ETH_HWADDR_LEN;
    for (uint32_t i = 0u; i < ETH_HWADDR_LEN; i++) {
        n->hwaddr[i] = (u8_t)(cfg->mac >> (8u * i));
    }
    n->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    n->output = etharp_output;
    n->linkoutput = cfg->send;
    n->state = NULL;
    return ERR_OK;
}

static void tell(void *semaphore)
{
    (void)osSemaphoreRelease(semaphore);
}

static void start_lwip(void)
{
    static struct kernel_semaphore memory;
    const osSemaphoreId_t started =
        osSemaphoreNew(1u, 0u, &(osSemaphoreAttr_t){.cb_mem = &memory, .cb_size = sizeof(memory)});

    tcpip_init(tell, started);
    (void)osSemaphoreAcquire(started, osWaitForever);
}

void lwip_netif_start(struct netif *netif, const struct lwip_netif_config *cfg)
{
    ip4_addr_t address;
    ip4_addr_t mask;
    const ip4_addr_t none = {0u};

    start_lwip();
    LOCK_TCPIP_CORE();
    if (ip4addr_aton(cfg->address, &address) == 0 || ip4addr_aton(NETMASK, &mask) == 0 ||
        netif_add(netif, &address, &mask, &none, (void *)(uintptr_t)cfg, init_netif, tcpip_input) ==
            NULL) {
        kernel_panic("lwIP refuses the interface", NULL);
    }
    netif_set_up(netif);
    UNLOCK_TCPIP_CORE();
}
