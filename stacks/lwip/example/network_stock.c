/* SPDX-License-Identifier: MIT
 *
 * network_stock.c - lwIP as most firmware runs it: an interrupt wakes a task, which hands each
 * frame to lwIP's thread.
 */
#include "board.h"

#include <lwip/pbuf.h>
#include <lwip/tcpip.h>

static struct netif interface;

void receive_interrupt(void)
{
    board_signal();
}

static bool take_frame(void)
{
    struct pbuf *const p = board_receive();

    if (p != NULL && interface.input(p, &interface) != ERR_OK) {
        (void)pbuf_free(p);
    }
    return p != NULL;
}

void network_task(void *arg)
{
    (void)arg;
    for (;;) {
        board_wait();
        while (take_frame()) {
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
    board_start_nic();
}
