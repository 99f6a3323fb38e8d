/* SPDX-License-Identifier: MIT
 *
 * network.c - network_stock.c with Tidegate: the interrupt decides, the task takes the most urgent
 * packet through lwIP itself.
 */
#include "board.h"
#include "gate.h"

#include <lwip/pbuf.h>
#include <lwip/tcpip.h>

static struct netif interface;

void receive_interrupt(void)
{
    board_pend_receive(tg_rxq_interrupt(&gate.protocol.queues[0], 4u) == TG_WORK_MORE);
}

void network_task(void *arg)
{
    (void)arg;
    for (;;) {
        board_wait();
        while (tg_lwip_input(&gate.lwip)) {
        }
    }
}

void network_start(void)
{
    tcpip_init(NULL, NULL);
    LOCK_TCPIP_CORE();
    (void)netif_add_noaddr(&interface, NULL, board_init_netif, tcpip_input);
    netif_set_up(&interface);
    UNLOCK_TCPIP_CORE();
    gate_start(&interface);
    board_start_nic();
}
