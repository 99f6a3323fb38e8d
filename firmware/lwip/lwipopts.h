/* SPDX-License-Identifier: MIT
 *
 * lwipopts.h - lwIP on the board: the options of the adaptor, smaller, and what a board has not.
 */
#ifndef FIRMWARE_LWIPOPTS_H
#define FIRMWARE_LWIPOPTS_H

#include <stdint.h>

#define MEM_SIZE         (128 * 1024)
#define MEMP_NUM_NETBUF  256
#define MEMP_NUM_TCP_SEG 128

#define MEMP_NUM_TCP_PCB        16
#define MEMP_NUM_TCP_PCB_LISTEN 4
#define MEMP_NUM_UDP_PCB        16
#define MEMP_NUM_NETCONN        32 /* newlib's FD_SETSIZE is 64 */

/* Of tcpip_thread, chosen before tcpip_init: the floor; with the stock driver what is compared. */
extern int lwip_station_priority;
#define TCPIP_THREAD_PRIO      lwip_station_priority
#define TCPIP_THREAD_STACKSIZE 16384

/* For best effort with a reserve of 8: fragments of both IP families, and two. */
#define IP_REASS_MAX_PBUFS 3

/* No host's sockets beside them. */
#define LWIP_COMPAT_SOCKETS 0
#define LWIP_SOCKET_OFFSET  0

#define ARP_TABLE_SIZE 10 /* peers are static entries, which no flood evicts */
#include "../../stacks/lwip/options/lwipopts.h"

/* The stock driver hands packets to tcpip_thread by this mailbox: as many as the NIC's ring has. */
#undef TCPIP_MBOX_SIZE
#define TCPIP_MBOX_SIZE 256
#undef MEMP_NUM_TCPIP_MSG_INPKT
#define MEMP_NUM_TCPIP_MSG_INPKT 256

/* A fixed IPv4 address. */
#undef LWIP_IPV6_AUTOCONFIG
#undef LWIP_DHCP
#undef LWIP_DNS
#undef LWIP_IGMP
#define ETHARP_SUPPORT_STATIC_ENTRIES 1
#define LWIP_IPV6_AUTOCONFIG          0
#define LWIP_DHCP                     0
#define LWIP_DNS                      0
#define LWIP_IGMP                     0

#endif
